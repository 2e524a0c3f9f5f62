import DocumentModel
import DocumentStorage
import DocumentTestSupport
import DocumentTransport
import FileCoordination
import Logging
import Testing

@testable import DocumentHost

/// Documents that came before the index kept digests get theirs in the background.
@Suite(.timeLimit(.minutes(1))) final class MissingDigestsTests {
    private let storage: StorageFixture
    private let threads: StorageThreads
    private let broker = CoordinationBroker()
    private let locks = KeyedLock<ItemKey>()
    private let pauses: PauseGate
    private let work = WorkGroup()
    private let loop = EventLoop(name: "reading")

    init() throws {
        storage = try StorageFixture()
        threads = StorageThreads(store: storage.store)
        pauses = PauseGate(storage: threads)
        for id in ["a", "b", "c"] {
            let item = try storage.item(id, "\(id).txt", contents: "one")
            try storage.tell(item)
            try storage.provide(item, "one")
            try storage.forgetDigest(of: id)
        }
    }

    deinit { threads.shutdown() }

    private func made(patience: Duration = .milliseconds(50)) -> MissingDigests {
        MissingDigests(
            storage: threads, broker: broker, locks: locks, pauses: pauses, work: work, loop: loop,
            patience: patience, logger: Logger(label: "reading") { _ in SwiftLogNoOpLogHandler() })
    }

    private func isIn(_ ids: Set<String>) async throws -> Bool {
        for _ in 0..<500 {
            if try lacking() == ids { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    private func lacking() throws -> Set<String> {
        Set(try storage.index.read { try $0.lackingDigest(in: storage.domain) }.map(\.id.rawValue))
    }

    private func whileRunning(_ body: () async throws -> Void) async throws {
        guard storage.store.canProve else { return }
        try await withThrowingTaskGroup(of: Void.self) { [work] group in
            group.addTask { await work.run() }
            try await body()
            group.cancelAll()
        }
    }

    @Test("XFER-13: what has no digest gets one, and can be told from an edit when it is touched; then nothing is done")
    func all() async throws {
        try await whileRunning { () async throws -> Void in
            let digests = made()
            digests.begin()
            #expect(try await isIn([]))
            for id in ["a", "b", "c"] {
                let path = storage.tree.path(of: try storage.location("\(id).txt"))
                try storage.save("one", to: path)
                #expect(
                    try storage.store.recordChange(of: ItemIdentifier(id), in: storage.domain).state == .materialised)
            }
            let written = storage.index.generation
            made().begin()
            try await Task.sleep(for: .milliseconds(200))
            #expect(storage.index.generation == written)
        }
    }

    @Test("XFER-13: what the last start did not come to is read at the next one, and only that")
    func restarted() async throws {
        try storage.store.takeDigest(of: ItemIdentifier("a"), in: storage.domain)
        guard storage.store.canProve else { return }
        let known = try storage.indexed("a").proof
        #expect(try lacking() == ["b", "c"])
        try await whileRunning { () async throws -> Void in
            made().begin()
            #expect(try await isIn([]))
            #expect(try storage.indexed("a").proof == known)
        }
    }

    @Test("What is paused is left until it is resumed; the others are read")
    func paused() async throws {
        let id = try ItemIdentifier("a")
        try storage.index.write { try $0.setPaused(true, of: id, in: storage.domain) }
        try await whileRunning { () async throws -> Void in
            let digests = made()
            digests.begin()
            #expect(try await isIn(["a"]))
            try await Task.sleep(for: .milliseconds(200))
            #expect(try lacking() == ["a"])
            try storage.index.write { try $0.setPaused(false, of: id, in: storage.domain) }
            pauses.changed()
            digests.pausesChanged()
            #expect(try await isIn([]))
        }
    }

    @Test("The host's end does not wait until somebody does not use a document any more")
    func ended() async throws {
        let item = try storage.indexed("a")
        let claim = try await broker.claim(
            try storage.index.read { try $0.coordinated(item) }, for: .writing(nil),
            by: ClaimOwner(id: 1, name: "alice"))
        defer { broker.end(claim) }
        let time = try await ContinuousClock().measure {
            try await whileRunning { () async throws -> Void in
                made(patience: .seconds(300)).begin()
                #expect(try await isIn(["a"]))
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        #expect(time < .seconds(100))
    }

    @Test("What somebody uses, or works on, is left alone until they have ended", arguments: [true, false])
    func inUse(isClaimed: Bool) async throws {
        let item = try storage.indexed("a")
        let coordinated = try storage.index.read { try $0.coordinated(item) }
        try await whileRunning { () async throws -> Void in
            func others() async throws {
                made().begin()
                #expect(try await isIn(["a"]))
                try await Task.sleep(for: .milliseconds(200))
                #expect(try lacking() == ["a"])
            }
            if isClaimed {
                let claim = try await broker.claim(
                    coordinated, for: .writing(nil), by: ClaimOwner(id: 1, name: "alice"))
                try await others()
                broker.end(claim)
            } else {
                #expect(try await locks.isHeldWhile(item.key, others))
            }
            #expect(try await isIn([]))
        }
    }
}

extension KeyedLock {
    fileprivate func isHeldWhile(_ key: Key, _ body: () async throws -> Void) async throws -> Bool {
        try await withLockIfFree(key) { () async throws -> Bool in
            try await body()
            return true
        } ?? false
    }
}
