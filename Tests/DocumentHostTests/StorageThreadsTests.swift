import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Glibc
import Synchronization
import Testing

@testable import DocumentHost

/// What is copied from disks and networks that may be gone keeps nobody waiting but whoever asked for it.
@Suite(.timeLimit(.minutes(1)))
struct StorageThreadsTests {
    private let storage: StorageFixture
    private let threads: StorageThreads

    init() throws {
        storage = try StorageFixture()
        threads = StorageThreads(store: storage.store, threads: 1)
    }

    @Test(
        "CONT-7: copies from a network that is gone, however many there are, take no thread from other documents, nor those that nobody waits for from the others",
        arguments: [false, true])
    func othersGoOn(isAside: Bool) async throws {
        let gone = Gone()
        let threads = threads
        // So many that some wait for the others.
        let (count, atOnce) = isAside ? (12, 4) : (24, 16)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask { try await threads.runOutside(isAside: isAside) { _, _ in gone.copy() } }
            }
            while gone.count < atOnce { try await Task.sleep(for: .milliseconds(1)) }
            let answer = try await threads.run { _ in 7 }
            #expect(answer == 7)
            let other = try await threads.runOutside(isAside: !isAside) { _, _ in 8 }
            #expect(other == 8)
            gone.comeBack()
            try await group.waitForAll()
        }
        threads.shutdown()
    }

    @Test("CONT-7: whoever is cancelled does not wait for a network that is gone; what comes late is taken back")
    func cancelled() async throws {
        let gone = Gone()
        let threads = threads
        let (late, takenBack) = AsyncStream.makeStream(of: Bool.self)
        let copying = Task {
            try await threads.runOutside(
                afterCancellation: .milliseconds(20), late: { (_: DocumentStore, copy: Bool) in takenBack.yield(copy) }
            ) { (_, isGivenUp) throws -> Bool in
                gone.copy()
                return isGivenUp()
            }
        }
        while gone.count < 1 { try await Task.sleep(for: .milliseconds(1)) }
        copying.cancel()
        let error = await #expect(throws: DocumentError.self) { try await copying.value }
        #expect(error?.code == .cancelled)
        gone.comeBack()
        let copy = await late.first { _ in true }
        #expect(copy == true)
        threads.shutdown()
    }

    @Test("CONT-7: what is copied when its task is cancelled, and ends soon, is waited for")
    func endsSoon() async throws {
        let gone = Gone()
        let threads = threads
        let copying = Task {
            try await threads.runOutside(afterCancellation: .seconds(50)) { _, _ in
                gone.copy()
                return 7
            }
        }
        while gone.count < 1 { try await Task.sleep(for: .milliseconds(1)) }
        copying.cancel()
        gone.comeBack()
        let copied = try await copying.value
        #expect(copied == 7)
        threads.shutdown()
    }

    @Test("What hangs is not waited for when storage ends", arguments: [true, false])
    func ending(outside: Bool) async throws {
        let gone = Gone()
        defer { gone.comeBack() }
        let threads = threads
        let copying = Task {
            if outside { return try await threads.runOutside { _, _ in gone.copy() } }
            return try await threads.run { _ in gone.copy() }
        }
        while gone.count < 1 { try await Task.sleep(for: .milliseconds(1)) }
        let hasEnded = await threads.shutdown(within: .milliseconds(50))
        #expect(!hasEnded)
        gone.comeBack()
        try await copying.value
    }

    @Test("What ends in time is waited for when storage ends", arguments: [true, false])
    func endingInTime(outside: Bool) async throws {
        let gone = Gone()
        let threads = threads
        let copying = Task {
            if outside { return try await threads.runOutside { _, _ in gone.copy() } }
            return try await threads.run { _ in gone.copy() }
        }
        while gone.count < 1 { try await Task.sleep(for: .milliseconds(1)) }
        let ending = Task { await threads.shutdown(within: .seconds(50)) }
        gone.comeBack()
        let hasEnded = await ending.value
        #expect(hasEnded)
        try await copying.value
    }

    /// A place that answers nothing.
    private final class Gone: Sendable {
        private struct State {
            var count = 0
            var isBack = false
        }

        private let state = Mutex(State())

        /// How many wait for it.
        var count: Int { state.withLock { $0.count } }

        func comeBack() { state.withLock { $0.isBack = true } }

        func copy() {
            state.withLock { $0.count += 1 }
            while !state.withLock({ $0.isBack }) { usleep(1000) }
        }
    }
}
