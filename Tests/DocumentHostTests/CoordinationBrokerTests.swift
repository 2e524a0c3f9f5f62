import DocumentHost
import DocumentModel
import FileCoordination
import Synchronization
import Testing

/// The broker lets tasks wait as the machine says.
@Suite struct CoordinationBrokerTests {
    private let broker = CoordinationBroker()
    private let alice = ClaimOwner(id: 1, name: "alice")
    private let bob = ClaimOwner(id: 2, name: "bob")

    private func item(_ name: String) throws -> CoordinatedItem {
        let domain = try DomainName("work")
        return CoordinatedItem(
            subject: .item(try key(name)), kind: .document, enclosing: [],
            location: Location(domain: domain, components: [try ItemName(name)]))
    }

    private func key(_ name: String) throws -> CoordinatedItem.Key {
        CoordinatedItem.Key(domain: try DomainName("work"), id: try ItemIdentifier(name))
    }

    /// Until a claim waits: the machine's explanations say so.
    private func untilWaiting(_ count: Int) async {
        while broker.explanations.count < count { await Task.yield() }
    }

    @Test("COORD-2: a writer waits until the readers have ended")
    func writerWaits() async throws {
        let item = try item("a")
        let reading = try await broker.claim(item, for: .reading, by: alice)
        async let writing = broker.claim(item, for: .writing(nil), by: bob)
        await untilWaiting(1)
        #expect(
            broker.explanations == ["bob waits to write work:/a until these have ended: alice, which reads work:/a."])
        broker.end(reading)
        let claim = try await writing
        #expect(broker.heldCount == 1)
        broker.end(claim)
        #expect(broker.heldCount == 0)
    }

    @Test("COORD-37: cancelling a waiting task gives its claim up, and nobody waits for it")
    func cancelling() async throws {
        let item = try item("a")
        let reading = try await broker.claim(item, for: .reading, by: alice)
        let waiting = Task { try await broker.claim(item, for: .writing(nil), by: bob) }
        await untilWaiting(1)
        waiting.cancel()
        await #expect(throws: DocumentError(.cancelled, "Waiting for work:/a was cancelled.")) {
            try await waiting.value
        }
        #expect(broker.explanations.isEmpty)
        let second = try await broker.claim(item, for: .reading, by: bob)
        broker.end(second)
        broker.end(reading)
        #expect(broker.heldCount == 0)
    }

    @Test("COORD-37: a task that was cancelled before it asked gets no claim that stays")
    func cancelledBefore() async throws {
        let item = try item("a")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await broker.claim(item, for: .writing(nil), by: bob)
        }
        if let claim = try? await task.value { broker.end(claim) }
        #expect(broker.heldCount == 0)
        broker.end(try await broker.claim(item, for: .writing(nil), by: alice))
    }

    @Test("COORD-39: who does not want to wait for longer is refused when that time is over, and nobody waits for him")
    func patience() async throws {
        let time = ManualTime()
        let broker = CoordinationBroker(clock: BrokerClock(now: { time.now }, wake: { time.wake(at: $0, $1) }))
        let item = try item("a")
        let writing = try await broker.claim(item, for: .writing(nil), by: alice)
        async let waiting = broker.claim(item, for: .writing(.forDeleting), by: bob, within: .seconds(5))
        while broker.explanations.isEmpty { await Task.yield() }
        time.pass(to: .milliseconds(4_999))
        #expect(broker.explanations.count == 1)
        time.pass(to: .seconds(5))
        do {
            _ = try await waiting
            Issue.record("it was granted")
        } catch let error as DocumentError {
            #expect(error.code == .busy)
            #expect(error.message.contains("alice writes work:/a"))
        }
        #expect(broker.explanations.isEmpty)
        broker.end(writing)
        // Long after its time it is still held.
        let claim = try await broker.claim(item, for: .writing(.forDeleting), by: bob, within: .seconds(5))
        time.pass(to: .seconds(60))
        #expect(broker.heldCount == 1)
        broker.end(claim)
        #expect(broker.heldCount == 0)
    }

    /// Time that a test lets pass.
    private final class ManualTime: Sendable {
        private let state = Mutex((now: Duration.zero, alarms: [(time: Duration, body: @Sendable () -> Void)]()))

        var now: Duration { state.withLock { $0.now } }

        /// Whoever asks for a time that is over is called at once: the broker asks outside of its lock, and time may pass in between.
        func wake(at time: Duration, _ body: @escaping @Sendable () -> Void) {
            let isOver = state.withLock { state in
                if state.now < time { state.alarms.append((time, body)) }
                return state.now >= time
            }
            if isOver { body() }
        }

        func pass(to time: Duration) {
            let due = state.withLock { state in
                state.now = time
                let due = state.alarms.filter { $0.time <= time }
                state.alarms.removeAll { $0.time <= time }
                return due
            }
            for alarm in due { alarm.body() }
        }
    }

    @Test("COORD-39: when a connection ends, what it held and what it waited for end")
    func ownerEnds() async throws {
        let (one, other) = (try item("a"), try item("b"))
        _ = try await broker.claim(one, for: .writing(nil), by: alice)
        let held = try await broker.claim(other, for: .writing(nil), by: bob)
        let waiting = Task { try await broker.claim(other, for: .reading, by: alice) }
        await untilWaiting(1)
        broker.ownerEnded(alice)
        await #expect(throws: DocumentError.self) { try await waiting.value }
        broker.end(try await broker.claim(one, for: .writing(nil), by: bob))
        broker.end(held)
        #expect(broker.heldCount == 0)
    }

    @Test("COORD-39: a deadlock is an error at once")
    func deadlock() async throws {
        let (one, other) = (try item("a"), try item("b"))
        let first = try await broker.claim(one, for: .reading, by: alice)
        let second = try await broker.claim(other, for: .reading, by: bob)
        async let waiting = broker.claim(other, for: .writing(nil), by: alice, nestedIn: [first])
        await untilWaiting(1)
        do throws(DocumentError) {
            _ = try await broker.claim(one, for: .writing(nil), by: bob, nestedIn: [second])
            Issue.record("the deadlock was not found")
        } catch {
            #expect(error.code == .deadlock)
        }
        broker.end(second)
        broker.end(try await waiting)
        broker.end(first)
        #expect(broker.heldCount == 0)
    }

    @Test("A claim that may not wait is taken at once or not at all")
    func withoutWaiting() async throws {
        let item = try item("a")
        let held = try #require(broker.claimWithoutWaiting(item, for: .reading, by: alice))
        #expect(broker.claimWithoutWaiting(item, for: .writing(nil), by: bob) == nil)
        #expect(broker.isClaimed(try key("a")))
        broker.end(held)
        #expect(try !broker.isClaimed(key("a")))
        #expect(broker.explanations.isEmpty)
    }

    @Test("COORD-23: what is only presented is claimed when its presenter has let go; who uses it is not waited for")
    func unlessUsed() async throws {
        let item = try item("a")
        let messages = Mutex<[PresenterMessage]>([])
        broker.listen(bob) { [broker, bob] event in
            guard case .message(let message, let id, to: _) = event else { return }
            messages.withLock { $0.append(message) }
            broker.answered(id, by: bob, failure: nil)
        }
        broker.add { [bob] id in Presenter(id: id, owner: bob, item: item, capabilities: .relinquishing) }
        let reading = ClaimIntent.reading(.withoutChanges)
        #expect(broker.claimWithoutWaiting(item, for: reading, by: alice) == nil)
        let claim = try await broker.claimUnlessUsed(item, for: reading, by: alice)
        let asked = messages.withLock { $0 }
        #expect(asked == [.relinquishToReader])
        broker.end(try #require(claim))
        let told = messages.withLock { $0 }
        #expect(told == [.relinquishToReader, .reacquire])

        let writing = try await broker.claim(item, for: .writing(nil), by: alice)
        let before = messages.withLock { $0 }
        let other = try await broker.claimUnlessUsed(item, for: reading, by: ClaimOwner(id: 3, name: "carol"))
        let after = messages.withLock { $0 }
        #expect(other == nil)
        #expect(after == before, "nobody was asked")
        broker.end(writing)
        #expect(broker.explanations.isEmpty && broker.heldCount == 0)
    }

    @Test("COORD-39: a presenter that does not let go soon is as one that uses the item")
    func presenterIsSlow() async throws {
        let time = ManualTime()
        let broker = CoordinationBroker(clock: BrokerClock(now: { time.now }, wake: { time.wake(at: $0, $1) }))
        let item = try item("a")
        broker.add { [bob] id in Presenter(id: id, owner: bob, item: item, capabilities: .relinquishing) }
        async let asked = broker.claimUnlessUsed(item, for: .reading(.withoutChanges), by: alice)
        while broker.explanations.isEmpty { await Task.yield() }
        time.pass(to: .seconds(2))
        let claim = try await asked
        #expect(claim == nil)
        #expect(broker.explanations.isEmpty && broker.heldCount == 0)
    }

    @Test("Exclusion holds among many tasks, and all of them get their turn")
    func manyTasks() async throws {
        let item = try item("a")
        let counter = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...60 {
                group.addTask { [broker] in
                    let isWriter = number % 3 == 0
                    let owner = ClaimOwner(id: UInt64(number), name: "task \(number)")
                    let claim = try await broker.claim(item, for: isWriter ? .writing(nil) : .reading, by: owner)
                    await counter.enter(asWriter: isWriter)
                    await Task.yield()
                    await counter.leave(asWriter: isWriter)
                    broker.end(claim)
                }
            }
            try await group.waitForAll()
        }
        #expect(await counter.turns == 60)
        #expect(await counter.violations == 0)
        #expect(broker.heldCount == 0)
    }

    private actor Counter {
        var turns = 0
        var violations = 0
        private var readers = 0
        private var writers = 0

        func enter(asWriter: Bool) {
            turns += 1
            if asWriter { writers += 1 } else { readers += 1 }
            if writers > 1 || (writers == 1 && readers > 0) { violations += 1 }
        }

        func leave(asWriter: Bool) {
            if asWriter { writers -= 1 } else { readers -= 1 }
        }
    }
}
