import DocumentModel
import DocumentStorage
import DocumentTestSupport
import DocumentWire
import FileCoordination
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import DocumentHost

/// What was moved out, and its provider has not heard of (CONT-9).
extension EmbeddedHostTests {
    /// As it is when a host dies that a tool has told that a document is copied. It is here.
    private func withDeparture(
        _ body: (DocumentHost, FilePath, Location, _ copy: FilePath) async throws -> Void
    ) async throws {
        try await withHost { host, remote in
            let (file, location) = (remote.appending("a.txt"), try Location("d:/a.txt"))
            let copy = remote.removingLastComponent().appending("copy.txt")
            try TemporaryFile.write("one", to: file)
            try TemporaryFile.write("one", to: copy)
            try await host.download(location)
            let item = try #require(try host.storage.read { try $0.item(at: location) })
            let parts = [CopiedPart(path: [], file: item.local)]
            _ = try await host.storage.run { store in
                try store.beginLeaving(item.id, in: item.domain, copiedTo: copy.string, parts)
            }
            try await body(host, file, location, copy)
        }
    }

    private func isLeaving(_ host: DocumentHost) throws -> Bool {
        try host.storage.read { try $0.journal() }.contains { $0.action == .leave }
    }

    @Test("CONT-9: what was moved out is removed as soon as its provider can be asked, and not at the next start only")
    func departsWhenResolved() async throws {
        try await withDeparture { host, file, location, _ in
            host.resolved(location.domain)
            for _ in 0..<1_000 where try isLeaving(host) { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try !isLeaving(host))
            #expect(access(file.string, F_OK) != 0)
            let item = try host.storage.read { try $0.item(at: location) }
            #expect(item == nil)
        }
    }

    @Test("CONT-9: what was changed since it was copied stays, however late its provider can be asked")
    func changedSinceCopied() async throws {
        try await withDeparture { host, file, location, _ in
            let tool = host.connect(tool: "one")
            defer { host.disconnect(tool) }
            let access = try await host.beginAccess(AccessRequest(location: location, intent: .writing), for: tool)
            try TemporaryFile.write("mine, and longer", to: FilePath(access.items[0].path))
            try await host.endAccess(access.number, of: tool)
            host.resolved(location.domain)
            for _ in 0..<1_000 where try isLeaving(host) { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try !isLeaving(host))
            try await host.waitUntilSent(location)
            #expect(try TemporaryFile.read(file) == "mine, and longer")
            let item = try host.storage.read { try $0.item(at: location) }
            #expect(item?.local != nil)
        }
    }

    @Test("CONT-9: what was moved out stays when its copy was removed before its provider could be asked")
    func copyIsGone() async throws {
        try await withDeparture { host, file, location, copy in
            try #require(unlink(copy.string) == 0)
            host.resolved(location.domain)
            for _ in 0..<1_000 where try isLeaving(host) { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try !isLeaving(host))
            #expect(try TemporaryFile.read(file) == "one")
            let item = try host.storage.read { try $0.item(at: location) }
            #expect(item?.local != nil)
            #expect(item?.problem?.message.contains("Nothing is at “\(copy)” any more") == true)
        }
    }

    @Test(
        "CONT-9: what was moved out of a domain that cannot be used at the start says so, and is removed when it can be again"
    )
    func domainCannotBeUsed() async throws {
        try await withDeparture { host, file, location, copy in
            let domain = try #require(host.domains.find(location.domain))
            host.domains.remove(domain.name)
            host.domains.addBroken(
                domain.name, because: DocumentError(.notConfigured, "Its provider is not installed."))
            await host.departures.resume(nil)
            #expect(try isLeaving(host))
            let problem = try host.storage.read { try $0.item(at: location) }?.problem
            #expect(problem?.code == .notConfigured)
            #expect(problem?.message.contains("Its provider is not installed.") == true)
            #expect(problem?.message.contains(copy.string) == true)
            host.domains.add(domain)
            host.resolved(domain.name)
            for _ in 0..<1_000 where try isLeaving(host) { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try !isLeaving(host))
            #expect(access(file.string, F_OK) != 0)
        }
    }

    @Test("CONT-9: what was moved out and somebody would not let go of is removed after a while, without a signal")
    func departsWhenLetGo() async throws {
        try await withDeparture { host, file, location, _ in
            let mayLetGo = Mutex(false)
            let tool = host.connect(tool: "editor")
            defer { host.disconnect(tool) }
            let item = try #require(try host.storage.read { try $0.item(at: location) })
            let presented = try host.storage.read { try $0.coordinated(item) }
            let (broker, owner) = (host.broker, tool.owner)
            broker.listen(owner) { event in
                guard case .message(_, let id, to: _) = event else { return }
                let failure = DocumentError(.unsyncedEdits, "It cannot be saved just now.")
                broker.answered(id, by: owner, failure: mayLetGo.withLock { $0 } ? nil : failure)
            }
            broker.add { Presenter(id: $0, owner: owner, item: presented, capabilities: .relinquishing) }
            await host.departures.resume(nil)
            #expect(try isLeaving(host))
            let problem = try host.storage.read { try $0.item(at: location) }?.problem
            #expect(problem?.message.contains("It cannot be saved just now.") == true)
            mayLetGo.withLock { $0 = true }
            for _ in 0..<1_000 where try isLeaving(host) { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try !isLeaving(host))
            #expect(access(file.string, F_OK) != 0)
        }
    }

    @Test("CONT-13: what is moved out and needs a yes waits for that, at whatever moment the host has died")
    func waitsForYes() async throws {
        let death = DeathOnce(at: .leaveBegan)
        try await withHost(observer: death) { host, remote in
            let (folder, domain) = (remote.appending("f"), try DomainName("d"))
            let copy = remote.removingLastComponent().appending("copy")
            for place in [folder, copy] { try #require(mkdir(place.string, 0o700) == 0) }
            let location = try Location("d:/f")
            var parts = [MoveOutCall.Part(path: [], file: nil)]
            for text in ["a.txt", "b.txt"] {
                let name = try ItemName(text)
                for place in [folder, copy] { try TemporaryFile.write(text, to: place.appending(text)) }
                try await host.download(location.appending(name))
                let item = try host.storage.read { try $0.item(at: location.appending(name)) }
                let local = try #require(item?.local)
                parts.append(
                    MoveOutCall.Part(
                        path: [name],
                        file: MoveOutCall.File(inode: local.inode, size: local.size, modified: local.modified)))
            }
            try await host.setRules(DomainRuleChange(deletionMinimum: 2, deletionPercent: 1), of: domain)
            let tool = host.connect(tool: "one")
            defer { host.disconnect(tool) }
            let deleting = try await host.beginAccess(
                AccessRequest(location: location, intent: .writing, writingOption: .forDeleting), for: tool)
            death.isNear.withLock { $0 = true }
            let call = MoveOutCall(location: location, destinationPath: copy.string, parts: parts)
            await #expect(throws: DocumentError.self) { try await host.moveOut(call, for: tool) }
            try await host.endAccess(deleting.number, of: tool)

            // As the next start does.
            await host.departures.resume(nil)
            #expect(try isLeaving(host))
            #expect(access(folder.appending("a.txt").string, F_OK) == 0)
            #expect(access(folder.appending("b.txt").string, F_OK) == 0)
            #expect(try host.deletions.held(in: domain).map(\.items) == [3])

            try await host.answerDeletions(of: domain, carryOut: true)
            #expect(try !isLeaving(host))
            #expect(access(folder.string, F_OK) != 0)
            #expect(try host.deletions.held(in: domain).isEmpty)
        }
    }

    @Test("CONT-9, CONT-13: a no to what was moved out twice is one to both, and nothing says that it is to go")
    func noToBoth() async throws {
        try await withDeparture { host, file, location, copy in
            let item = try #require(try host.storage.read { try $0.item(at: location) })
            let parts = [CopiedPart(path: [], file: item.local)]
            func problem() throws -> IndexedItem.ItemProblem? {
                try host.storage.read { try $0.item(at: location) }?.problem
            }
            func postpone() async throws {
                let entry = try host.storage.read { try $0.journal() }.first { $0.action == .leave }
                let open = try #require(entry)
                try await host.storage.run { store in
                    try store.postponeLeaving(open, because: DocumentError(.busy, "Somebody uses it."))
                }
            }
            try await postpone()
            #expect(try problem()?.message.contains("Somebody uses it.") == true)
            let begun = try await host.storage.run { store in
                try store.beginLeaving(item.id, in: item.domain, copiedTo: copy.string + "-2", parts) { _, record in
                    record.asked = 1
                    return .wait
                }
            }
            #expect(begun.verdict == .wait)
            // It waits for a yes, and is not about to go.
            #expect(try problem() == nil)
            try await postpone()
            try await host.answerDeletions(of: item.domain, carryOut: false)
            #expect(try !isLeaving(host))
            #expect(try problem() == nil)
            await host.departures.resume(nil)
            #expect(try TemporaryFile.read(file) == "one")
        }
    }
}

/// The host dies once, when it has come to a step.
private final class DeathOnce: StepObserver {
    private let step: JournalStep
    let isNear = Mutex(false)

    init(at step: JournalStep) { self.step = step }

    func reached(_ step: JournalStep) throws {
        guard step == self.step else { return }
        let isNow = isNear.withLock { isNear in
            defer { isNear = false }
            return isNear
        }
        if isNow { throw DocumentError(.internal, "The host has died.") }
    }
}
