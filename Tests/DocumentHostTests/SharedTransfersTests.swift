import DocumentHost
import DocumentModel
import DocumentTestSupport
import Synchronization
import Testing

/// One transfer a key, shared by all who ask for it.
@Suite struct SharedTransfersTests {
    /// A transfer that ends when the test says so.
    private final class Gate: Sendable {
        private let state = Mutex((isOpen: false, starts: 0, cancelled: false))

        var starts: Int { state.withLock { $0.starts } }
        var wasCancelled: Bool { state.withLock { $0.cancelled } }

        func open() { state.withLock { $0.isOpen = true } }

        func pass() async throws(DocumentError) {
            state.withLock { $0.starts += 1 }
            while !state.withLock({ $0.isOpen }) {
                if Task.isCancelled {
                    state.withLock { $0.cancelled = true }
                    throw DocumentError(.cancelled, "cancelled")
                }
                await Task.yield()
            }
        }
    }

    private final class Heard: Sendable {
        private let state = Mutex<[UInt64]>([])

        var all: [UInt64] { state.withLock { $0 } }

        func note(_ progress: TransferProgress?) { state.withLock { $0.append(progress?.done ?? 0) } }
    }

    private func withTransfers(_ body: (SharedTransfers<String, Int>) async throws -> Void) async rethrows {
        let work = WorkGroup()
        let runner = Task { await work.run() }
        defer { runner.cancel() }
        try await body(SharedTransfers(work: work))
        work.finish()
    }

    @Test("However often a transfer tells how far it is, telling it takes no more of the stack than the first time")
    func manyReports() async throws {
        try await withTransfers { transfers in
            let stack = StackMarks()
            transfers.onReport { _ in stack.mark() }
            _ = try await transfers.join("a", onProgress: { _ in }) { report throws(DocumentError) in
                for done in 1...2000 { report(TransferProgress(done: UInt64(done))) }
                return 7
            }
            #expect(stack.count == 2000)
            #expect(stack.growth < 1024)
        }
    }

    @Test("PROV-19: readers of one item share one transfer and its result")
    func sharing() async throws {
        try await withTransfers { transfers in
            let gate = Gate()
            let coming = Coming()
            let results = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 1...20 {
                    group.addTask {
                        coming.count.withLock { $0 += 1 }
                        return try await transfers.join("a", onProgress: nil) { _ throws(DocumentError) in
                            try await gate.pass()
                            return 7
                        }
                    }
                }
                while transfers.keys.isEmpty || coming.count.withLock({ $0 < 20 }) { await Task.yield() }
                // The last of them is about to join.
                try await Task.sleep(for: .milliseconds(100))
                gate.open()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results == Array(repeating: 7, count: 20))
            #expect(gate.starts == 1)
            #expect(transfers.keys.isEmpty)
        }
    }

    @Test("PROV-19: they share its error; the next access tries again (DOWN-2)")
    func sharedError() async throws {
        await withTransfers { transfers in
            let error = DocumentError(.serverUnreachable, "not there")
            for _ in 1...2 {
                await #expect(throws: error) {
                    try await transfers.join("a", onProgress: nil) { _ throws(DocumentError) -> Int in throw error }
                }
            }
        }
    }

    @Test("DOWN-10: a transfer goes on while somebody waits for it, and is cancelled when nobody does")
    func cancelling() async throws {
        await withTransfers { transfers in
            let gate = Gate()
            let operation:
                @Sendable (@escaping @Sendable (TransferProgress?) -> Void) async throws(DocumentError) -> Int = {
                    _ throws(DocumentError) in
                    try await gate.pass()
                    return 1
                }
            let first = Task { try await transfers.join("a", onProgress: nil, operation: operation) }
            while gate.starts == 0 { await Task.yield() }
            let second = Task { try await transfers.join("a", onProgress: nil, operation: operation) }
            for _ in 1...200 { await Task.yield() }
            first.cancel()
            await #expect(throws: DocumentError.self) { try await first.value }
            for _ in 1...200 { await Task.yield() }
            #expect(!gate.wasCancelled)
            second.cancel()
            await #expect(throws: DocumentError.self) { try await second.value }
            while !gate.wasCancelled { await Task.yield() }
        }
    }

    @Test("A transfer goes on when those who are gone wanted it to, and ends with the first who wants it no more")
    func leaving() async {
        await withTransfers { transfers in
            let gate = Gate()
            @Sendable func join(goesOn: Bool) async throws -> Int {
                try await transfers.join("a", onProgress: nil, goesOn: { goesOn }) { _ throws(DocumentError) in
                    try await gate.pass()
                    return 1
                }
            }
            let first = Task { try await join(goesOn: true) }
            while gate.starts == 0 { await Task.yield() }
            first.cancel()
            await #expect(throws: DocumentError.self) { try await first.value }
            for _ in 1...200 { await Task.yield() }
            #expect(!gate.wasCancelled && transfers.keys == ["a"])

            let second = Task { try await join(goesOn: false) }
            for _ in 1...200 { await Task.yield() }
            #expect(gate.starts == 1, "who comes later joins it")
            second.cancel()
            await #expect(throws: DocumentError.self) { try await second.value }
            while !gate.wasCancelled { await Task.yield() }
        }
    }

    @Test("DOWN-10: everybody who waits hears of the progress")
    func progress() async throws {
        try await withTransfers { transfers in
            let heard = Heard()
            let value = try await transfers.join("a", onProgress: { heard.note($0) }) {
                report throws(DocumentError) in
                report(TransferProgress(done: 5, expected: 10))
                report(TransferProgress(done: 10, expected: 10))
                return 3
            }
            #expect(value == 3)
            #expect(heard.all == [5, 10])
        }
    }
}

@Suite("A lock for each key", .timeLimit(.minutes(1)))
struct KeyedLockTests {
    /// How many hold each key, and how often it were too many.
    private actor Watch {
        var violations = 0
        private var holders: [Int: Int] = [:]

        func enter(_ key: Int) {
            holders[key, default: 0] += 1
            if holders[key, default: 0] > 1 { violations += 1 }
        }

        func leave(_ key: Int) { holders[key, default: 0] -= 1 }
    }

    @Test("What happens to one key happens one thing after the other; other keys go on")
    func exclusion() async throws {
        let lock = KeyedLock<Int>()
        let watch = Watch()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                group.addTask {
                    try await lock.withLock(number % 3) {
                        await watch.enter(number % 3)
                        await Task.yield()
                        await watch.leave(number % 3)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(await watch.violations == 0)
    }

    @Test("Whoever is cancelled while it waits hears so at once, does nothing, and leaves no key locked")
    func cancellation() async throws {
        let lock = KeyedLock<Int>()
        let (isOver, over) = AsyncStream.makeStream(of: Void.self)
        let (isLocked, locked) = AsyncStream.makeStream(of: Void.self)
        let holder = Task {
            try await lock.withLock(1) {
                locked.finish()
                for await _ in isOver {}
            }
        }
        for await _ in isLocked {}
        let waiting = (0..<100).map { _ in Task { try await lock.withLock(1) { Issue.record("it was called") } } }
        for (index, task) in waiting.enumerated() {
            if index % 2 == 0 { await Task.yield() }
            task.cancel()
        }
        for task in waiting {
            let error = await #expect(throws: DocumentError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
        let last = Task { try await lock.withLock(1) { 5 } }
        over.finish()
        try await holder.value
        #expect(try await last.value == 5)
        #expect(!lock.isHeld(1))
    }
}

/// How many are about to join.
private final class Coming: Sendable {
    let count = Mutex(0)
}
