import DocumentModel
import DocumentTransport
import DocumentWire
import Glibc
import Synchronization
import Testing

/// The same bodies over memory, pipes and a socket.
@Suite(.timeLimit(.minutes(1)))
struct ConnectionTests {
    // MARK: Requests

    @Test(arguments: EndKind.allCases)
    func requestIsAnswered(over kind: EndKind) async throws {
        try await ConnectionPair.with(kind, provider: Answering { body, _ in body.reversed() }) { pair in
            let answer = try await pair.host.request([1, 2, 3], deadline: .none)
            #expect(answer == [3, 2, 1])
        }
    }

    @Test(arguments: EndKind.allCases)
    func manyRequestsAreAnsweredAtOnce(over kind: EndKind) async throws {
        let provider = Answering { body, _ in
            if body.first == 0 { await Task.yield() }
            return body
        }
        try await ConnectionPair.with(kind, provider: provider) { pair in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<500 {
                    group.addTask {
                        let body = [UInt8(number % 3), UInt8(number & 0xFF), UInt8(number >> 8)]
                        let answer = try await pair.host.request(body, deadline: .total(.seconds(30)))
                        #expect(answer == body)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(arguments: EndKind.allCases)
    func bothSidesAskAndAHandlerMayAskBack(over kind: EndKind) async throws {
        let provider = Mutex<Connection?>(nil)
        let host = Answering { body, _ in body + [2] }
        let asking = Answering { body, _ in
            guard let provider = provider.withLock({ $0 }) else { return [] }
            return try await provider.request(body + [1], deadline: .none) + [3]
        }
        try await ConnectionPair.with(kind, host: host, provider: asking) { pair in
            provider.withLock { $0 = pair.provider }
            let answer = try await pair.host.request([0], deadline: .none)
            #expect(answer == [0, 1, 2, 3])
            provider.withLock { $0 = nil }
        }
    }

    @Test(arguments: EndKind.allCases)
    func largeMessagesBothWaysAtOnceDoNotBlockEachOther(over kind: EndKind) async throws {
        let large = [UInt8](repeating: 7, count: 1_000_000)
        let echo = Answering { body, _ in body }
        try await ConnectionPair.with(kind, host: echo, provider: echo) { pair in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await pair.host.request(large, deadline: .none).count }
                    group.addTask { try await pair.provider.request(large, deadline: .none).count }
                }
                for try await count in group { #expect(count == large.count) }
            }
        }
    }

    @Test(arguments: EndKind.allCases)
    func errorsOfAHandlerArriveAsTheyWereThrown(over kind: EndKind) async throws {
        struct Odd: Error {}
        let thrown = DocumentError(
            .notAuthenticated, "Sign in again.", detail: "401", retryAfter: .seconds(5), causes: ["The token is old."])
        let provider = Answering { body, _ in
            switch body.first {
            case 0: throw thrown
            case 1: throw CancellationError()
            default: throw Odd()
            }
        }
        try await ConnectionPair.with(kind, provider: provider) { pair in
            await #expect(throws: thrown) { try await pair.host.request([0], deadline: .none) }
            for (body, code) in [(UInt8(1), DocumentError.Code.cancelled), (2, .internal)] {
                do {
                    let error = try await failure { try await pair.host.request([body], deadline: .none) }
                    #expect(error.code == code)
                }
            }
        }
    }

    @Test(arguments: EndKind.allCases)
    func progressAndHeartbeatsReachTheAskerBeforeTheAnswer(over kind: EndKind) async throws {
        let reports = Mutex<[TransferProgress?]>([])
        let provider = Answering { _, request in
            request.report(TransferProgress(done: 5, expected: 10))
            try await Task.sleep(for: .milliseconds(60))
            request.heartbeat()
            return []
        }
        try await ConnectionPair.with(kind, provider: provider) { pair in
            _ = try await pair.host.request(
                [], deadline: .stall(.seconds(60)),
                onProgress: { progress in
                    reports.withLock { $0.append(progress) }
                })
            let seen = reports.withLock { $0 }
            #expect(seen == [TransferProgress(done: 5, expected: 10), nil])
        }
    }

    @Test(arguments: EndKind.allCases)
    func notificationsComeInOrder(over kind: EndKind) async throws {
        let received = Mutex<[[UInt8]]>([])
        let provider = Noting { body in
            if body == [3] { await Task.yield() }
            received.withLock { $0.append(body) }
        }
        try await ConnectionPair.with(kind, provider: provider) { pair in
            for number in 0..<100 { #expect(pair.host.notify([UInt8(number)])) }
            try await eventually("100 notifications") { received.withLock { $0.count } == 100 }
            let all = received.withLock { $0 }
            let expected = (0..<100).map { number in [UInt8(number)] }
            #expect(all == expected)
        }
    }

    // MARK: Cancelling

    @Test(arguments: EndKind.allCases)
    func cancellingTheAskersTaskCancelsTheHandlersAndWaitsForIt(over kind: EndKind) async throws {
        let isRunning = Mutex(false)
        let wasCancelled = Mutex(false)
        let provider = Answering { body, _ in
            guard body.isEmpty else { return body }
            isRunning.withLock { $0 = true }
            do {
                try await Task.sleep(for: .seconds(60))
            } catch {
                wasCancelled.withLock { $0 = true }
            }
            return [4]
        }
        try await ConnectionPair.with(kind, provider: provider) { pair in
            let task = Task { try await pair.host.request([], deadline: .none) }
            try await eventually("the handler") { isRunning.withLock { $0 } }
            task.cancel()
            // It had a result all the same.
            let answer = try await task.value
            #expect(answer == [4])
            #expect(wasCancelled.withLock { $0 })
            let later = try await pair.host.request([1], deadline: .none)
            #expect(later == [1])
        }
    }

    @Test(arguments: EndKind.allCases)
    func handlerThatIgnoresItsCancelCostsTheConnection(over kind: EndKind) async throws {
        let (gate, release) = AsyncStream.makeStream(of: Void.self)
        let isRunning = Mutex(false)
        let provider = Answering { _, _ in
            isRunning.withLock { $0 = true }
            // Cancellation does not reach it.
            await Task.detached { for await _ in gate { break } }.value
            return []
        }
        try await ConnectionPair.with(kind, provider: provider) {
            $0.cancelGrace = .milliseconds(80)
        } _: { pair in
            defer { release.finish() }
            let task = Task { try await pair.host.request([], deadline: .none) }
            try await eventually("the handler") { isRunning.withLock { $0 } }
            task.cancel()
            let error = try await failure { try await task.value }
            #expect(error.code == .cancelled)
            let later = try await failure { try await pair.host.request([], deadline: .none) }
            #expect(later.code == .deadlineExceeded)
        }
    }

    @Test(arguments: EndKind.allCases)
    func requestOfACancelledTaskIsNotSent(over kind: EndKind) async throws {
        let asked = Mutex(0)
        let provider = Answering { body, _ in
            asked.withLock { $0 += 1 }
            return body
        }
        try await ConnectionPair.with(kind, provider: provider) { pair in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await pair.host.request([1], deadline: .none)
            }
            await #expect(throws: DocumentError.self) { try await task.value }
            _ = try await pair.host.request([2], deadline: .none)
            #expect(asked.withLock { $0 } == 1)
        }
    }

    // MARK: Handlers that block

    @Test(arguments: EndKind.allCases)
    func blockingHandlerDoesNotStopOtherRequests(over kind: EndKind) async throws {
        let isBlocked = Mutex(true)
        let provider = Answering { body, _ in
            if body == [0] {
                while isBlocked.withLock({ $0 }) { usleep(500) }
            }
            return body
        }
        try await ConnectionPair.with(kind, provider: provider) { pair in
            async let blocked = pair.host.request([0], deadline: .none)
            for number in 1..<50 {
                let answer = try await pair.host.request([UInt8(number)], deadline: .total(.seconds(5)))
                #expect(answer == [UInt8(number)])
            }
            isBlocked.withLock { $0 = false }
            let answer = try await blocked
            #expect(answer == [0])
        }
    }

    // MARK: The end

    @Test(arguments: EndKind.allCases)
    func shutdownLetsWhatRunsFinishAndBothSidesSayGoodbye(over kind: EndKind) async throws {
        let isRunning = Mutex(false)
        let provider = Answering { _, _ in
            isRunning.withLock { $0 = true }
            try await Task.sleep(for: .milliseconds(100))
            return [9]
        }
        try await ConnectionPair.with(kind, provider: provider) { pair in
            async let answer = pair.host.request([], deadline: .none)
            try await eventually("the handler") { isRunning.withLock { $0 } }
            await pair.host.shutdown(grace: .seconds(10))
            let body = try await answer
            #expect(body == [9])
        } ended: { host, provider in
            #expect(host.reason == .goodbye)
            #expect(provider.reason == .goodbye)
        }
    }

    @Test(arguments: EndKind.allCases)
    func lastAnswersLeaveBeforeTheGoodbyeEvenWhenThePipeIsFull(over kind: EndKind) async throws {
        let large = [UInt8](repeating: 1, count: 3_000_000)
        try await ConnectionPair.with(kind, provider: Answering { _, _ in large }) { pair in
            async let one = pair.host.request([], deadline: .none)
            async let two = pair.host.request([], deadline: .none)
            try await Task.sleep(for: .milliseconds(5))
            await pair.host.shutdown(grace: .seconds(10))
            let counts = try await [one.count, two.count]
            #expect(counts == [large.count, large.count])
        } ended: { host, _ in
            #expect(host.reason == .goodbye)
        }
    }

    @Test("Rule 56: the death of the peer fails open requests", arguments: EndKind.allCases)
    func deathOfThePeerFailsOpenRequests(over kind: EndKind) async throws {
        let pairs = Mutex<Connection?>(nil)
        let provider = Answering { _, _ in
            // As if the process had ended in the midst of it.
            pairs.withLock { $0 }?.close(nil)
            return []
        }
        try await ConnectionPair.with(kind, provider: provider) { pair in
            pairs.withLock { $0 = pair.provider }
            do {
                let error = try await failure { try await pair.host.request([], deadline: .none) }
                #expect(error.code == .providerDied)
                #expect(error.message == "The provider test ended before it had answered; try again.")
            }
            pairs.withLock { $0 = nil }
        } ended: { host, _ in
            #expect(host.reason == .endOfStream)
        }
    }

    @Test(arguments: EndKind.allCases)
    func handlersAreCancelledWhenThePeerIsGone(over kind: EndKind) async throws {
        let isRunning = Mutex(false)
        let wasCancelled = Mutex(false)
        let provider = Answering { _, _ in
            isRunning.withLock { $0 = true }
            defer { wasCancelled.withLock { $0 = Task.isCancelled } }
            try await Task.sleep(for: .seconds(60))
            return []
        }
        try await ConnectionPair.with(kind, provider: provider) { pair in
            let task = Task { try await pair.host.request([], deadline: .none) }
            try await eventually("the handler") { isRunning.withLock { $0 } }
            pair.host.close(nil)
            await #expect(throws: DocumentError.self) { try await task.value }
            try await eventually("the cancel") { wasCancelled.withLock { $0 } }
        }
    }

    @Test func connectionThatIsClosedRefusesEverything() async throws {
        try await ConnectionPair.with(.memory, provider: Refusing()) { pair in
            pair.host.close(DocumentError(.busy, "Enough."))
            await #expect(throws: DocumentError(.busy, "Enough.")) {
                try await pair.host.request([], deadline: .none)
            }
            #expect(!pair.host.notify([]))
            await pair.host.shutdown(grace: .seconds(1))
        }
    }
}
