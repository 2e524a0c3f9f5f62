import Glibc
import Synchronization
import Testing

@testable import DocumentTransport

@Suite("Calls that may never return", .timeLimit(.minutes(1)))
struct UnboundedCallsTests {
    private final class Gate: Sendable {
        private let isOpen = Mutex(false)
        private let comers = Mutex(0)

        /// How many have come to it.
        var count: Int { comers.withLock { $0 } }

        func open() { isOpen.withLock { $0 = true } }

        func pass() {
            comers.withLock { $0 += 1 }
            while !isOpen.withLock({ $0 }) { usleep(1000) }
        }
    }

    /// How many are somewhere at once.
    private final class Tally: Sendable {
        private let counts = Mutex((now: 0, most: 0))

        var most: Int { counts.withLock { $0.most } }

        func enter() {
            counts.withLock { counts in
                counts.now += 1
                counts.most = max(counts.most, counts.now)
            }
        }

        func leave() { counts.withLock { $0.now -= 1 } }
    }

    private struct Failure: Error {}

    @Test("What returns is passed on, and so is what it throws")
    func results() async throws {
        let calls = UnboundedCalls(name: "calls")
        #expect(try await calls.run(within: .seconds(30)) { 7 } == 7)
        #expect(try await calls.run(within: nil) { 8 } == 8)
        await #expect(throws: Failure.self) { try await calls.run(within: .seconds(30)) { throw Failure() } }
        // None takes the thread of another.
        let gate = Gate()
        async let late: Int? = calls.run(within: .seconds(30)) {
            gate.pass()
            return 1
        }
        #expect(try await calls.run(within: .seconds(30)) { 2 } == 2)
        gate.open()
        #expect(try await late == 1)
    }

    @Test("What takes too long is given up and left alone; when too many hang, none is begun before one returns")
    func hanging() async throws {
        let calls = UnboundedCalls(name: "calls", mostHanging: 2)
        let gate = Gate()
        for _ in 0..<2 {
            #expect(try await calls.run(within: .milliseconds(20)) { gate.pass() } == nil)
            #expect(calls.isBusy)
        }
        let hasRun = Mutex(false)
        #expect(try await calls.run(within: .seconds(30)) { hasRun.withLock { $0 = true } } == nil)
        #expect(!hasRun.withLock { $0 })
        gate.open()
        while calls.isBusy { try await Task.sleep(for: .milliseconds(2)) }
        #expect(try await calls.run(within: .seconds(30)) { 3 } == 3)
    }

    @Test("A task that is cancelled does not wait")
    func cancelled() async throws {
        let calls = UnboundedCalls(name: "calls")
        let gate = Gate()
        defer { gate.open() }
        let outcome = await withTaskGroup(of: Bool.self) { group in
            group.addTask { await (try? calls.run(within: nil) { gate.pass() }) == nil }
            group.cancelAll()
            return await group.next()
        }
        #expect(outcome == true)
    }

    @Test("So many run at once, and the others wait until one of them has returned")
    func bounded() async throws {
        let calls = UnboundedCalls(name: "calls", mostAtOnce: 2, youth: .seconds(3600))
        let (gate, tally) = (Gate(), Tally())
        try await withThrowingTaskGroup(of: Int?.self) { group in
            for number in 0..<12 {
                group.addTask {
                    try await calls.run(within: nil) {
                        tally.enter()
                        defer { tally.leave() }
                        gate.pass()
                        return number
                    }
                }
            }
            while gate.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
            gate.open()
            var returned: Set<Int> = []
            for try await number in group { returned.insert(number ?? -1) }
            #expect(returned == Set(0..<12))
        }
        #expect(tally.most == 2)
    }

    @Test("Who waits for others and is cancelled waits no longer, and nothing of it is begun")
    func cancelledWhileWaiting() async throws {
        let calls = UnboundedCalls(name: "calls", mostAtOnce: 1, youth: .seconds(3600))
        let (gate, tally) = (Gate(), Tally())
        async let first: Int? = calls.run(within: nil) {
            gate.pass()
            return 1
        }
        while gate.count < 1 { try await Task.sleep(for: .milliseconds(1)) }
        let second = Task { try await calls.run(within: nil) { tally.enter() } }
        second.cancel()
        let outcome: Void? = try await second.value
        #expect(outcome == nil)
        gate.open()
        let answer = try await first
        #expect(answer == 1)
        let third = try await calls.run(within: nil) { 3 }
        #expect(third == 3)
        #expect(tally.most == 0)
    }

    @Test("What takes long keeps nobody waiting, though it is not given up; nothing is begun only when too much does")
    func long() async throws {
        let calls = UnboundedCalls(
            name: "calls", mostAtOnce: 1, mostLong: 1, mostHanging: 1, youth: .milliseconds(20))
        let gate = Gate()
        async let first: Int? = calls.run(afterCancellation: .zero, late: { _ in }) { _ in
            gate.pass()
            return 1
        }
        while gate.count < 1 { try await Task.sleep(for: .milliseconds(1)) }
        async let second: Int? = calls.run(afterCancellation: .zero, late: { _ in }) { _ in
            gate.pass()
            return 2
        }
        while gate.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
        let refused = try await calls.run(within: nil) { 3 }
        #expect(refused == nil)
        gate.open()
        let (one, two) = try await (first, second)
        #expect(one == 1 && two == 2)
        let later = try await calls.run(within: nil) { 4 }
        #expect(later == 4)
    }
}
