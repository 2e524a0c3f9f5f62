import Glibc
import Synchronization
import Testing

@testable import DocumentTransport

@Suite("Calls that may never return", .timeLimit(.minutes(1)))
struct UnboundedCallsTests {
    private final class Gate: Sendable {
        private let isOpen = Mutex(false)

        func open() { isOpen.withLock { $0 = true } }

        func pass() {
            while !isOpen.withLock({ $0 }) { usleep(1000) }
        }
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
}
