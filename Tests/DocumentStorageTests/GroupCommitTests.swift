import DocumentModel
import DocumentTestSupport
import Foundation
import Synchronization
import Testing

@testable import DocumentStorage

/// One commit for many who want it at once.
struct GroupCommitTests {
    private let storage: StorageFixture

    init() throws {
        storage = try StorageFixture()
        try storage.tell(storage.item("a", "a.txt"), storage.item("b", "b.txt"), storage.item("c", "c.txt"))
    }

    /// Runs bodies at once, each on a thread of its own, in one group behind a write that is under way.
    ///
    /// - Returns: what each threw.
    private func together(_ bodies: [@Sendable (IndexTransaction) throws -> Void]) throws -> [(any Error)?] {
        let index = storage.index
        let results = Mutex([(any Error)?](repeating: nil, count: bodies.count))
        let (begun, goOn, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
        let queue = DispatchQueue(label: "writers", attributes: .concurrent)
        queue.async(group: done) {
            try? index.write(durably: false) { _ in
                begun.signal()
                goOn.wait()
            }
        }
        begun.wait()
        for (number, body) in bodies.enumerated() {
            queue.async(group: done) {
                do {
                    try index.write(durably: false) { try body($0) }
                } catch {
                    results.withLock { $0[number] = error }
                }
            }
            while index.waitingCount <= number { usleep(1_000) }
        }
        goOn.signal()
        done.wait()
        return results.withLock { $0 }
    }

    private func state(_ id: String) throws -> ItemState { try storage.indexed(id).state }

    @Test("Who writes while a write is under way is committed together with all others, in their order")
    func grouped() throws {
        let domain = storage.domain
        let threads = Mutex(Set<UInt>())
        let order = Mutex<[String]>([])
        let errors = try together(
            ["a", "b", "c"].map { id in
                { index in
                    _ = threads.withLock { $0.insert(UInt(pthread_self())) }
                    order.withLock { $0.append(id) }
                    try index.setState(.changed, of: ItemIdentifier(id), in: domain)
                }
            })
        #expect(errors.allSatisfy { $0 == nil })
        for id in ["a", "b", "c"] { #expect(try state(id) == .changed) }
        #expect(order.withLock { $0 } == ["a", "b", "c"])
        #expect(threads.withLock { $0.count } == 1)
    }

    @Test("What throws is taken back alone: those before and after it in the group stay")
    func oneThrows() throws {
        struct Refusal: Error {}
        let domain = storage.domain
        let errors = try together([
            { try $0.setState(.changed, of: ItemIdentifier("a"), in: domain) },
            { index in
                try index.setState(.changed, of: ItemIdentifier("b"), in: domain)
                throw Refusal()
            },
            { index in
                let seen = try index.item(ItemIdentifier("b"), in: domain)
                try index.setState(
                    seen?.state == .placeholder ? .changed : .conflict, of: ItemIdentifier("c"), in: domain)
            },
        ])
        #expect(errors[0] == nil && errors[1] is Refusal && errors[2] == nil)
        #expect(try state("a") == .changed)
        #expect(try state("b") == .placeholder)
        #expect(try state("c") == .changed)
    }

    @Test("Each change of a group is told of, in the order in which they were made, and none that was taken back")
    func toldOf() throws {
        struct Refusal: Error {}
        let domain = storage.domain
        let told = Mutex<[ItemIdentifier]>([])
        storage.index.observeChanges { changes in told.withLock { $0 += changes.map(\.id) } }
        _ = try together([
            { try $0.setState(.changed, of: ItemIdentifier("c"), in: domain) },
            { index in
                try index.setState(.changed, of: ItemIdentifier("b"), in: domain)
                throw Refusal()
            },
            { try $0.setState(.changed, of: ItemIdentifier("a"), in: domain) },
        ])
        #expect(try told.withLock { $0 } == [ItemIdentifier("c"), ItemIdentifier("a")])
    }

    @Test("When all of a group is undone, as by a full disk, each hears of it, and nothing of it is there")
    func undone() throws {
        let domain = storage.domain
        let errors = try together([
            { try $0.setState(.changed, of: ItemIdentifier("a"), in: domain) },
            { index in
                // As SQLite does when there is no room.
                try index.sql.run("ROLLBACK")
                throw DocumentError(.localStorage, "The disk is full.")
            },
            { try $0.setState(.changed, of: ItemIdentifier("c"), in: domain) },
        ])
        #expect(errors.allSatisfy { ($0 as? DocumentError)?.code == .localStorage })
        for id in ["a", "b", "c"] { #expect(try state(id) == .placeholder) }
        try storage.index.write { try $0.setState(.changed, of: ItemIdentifier("a"), in: domain) }
        #expect(try state("a") == .changed)
    }

    @Test("Hundreds of writers at once: each sees what it wrote, and all of it is there afterwards")
    func many() throws {
        let (index, domain) = (storage.index, storage.domain)
        let failures = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 400) { number in
            do {
                let id = try ItemIdentifier(["a", "b", "c"][number % 3])
                let digest = [UInt8(number & 0xFF), UInt8(number >> 8)]
                let seen = try index.write(durably: number % 50 == 0) { index in
                    if number % 7 == 0 { throw DocumentError(.busy, "Not this one.") }
                    try index.setDigest(digest, of: id, in: domain)
                    return try index.item(id, in: domain)?.proof.digest
                }
                if seen != digest { failures.withLock { $0 += 1 } }
            } catch {
                if number % 7 != 0 { failures.withLock { $0 += 1 } }
            }
        }
        #expect(failures.withLock { $0 } == 0)
        #expect(index.waitingCount == 0)
    }
}
