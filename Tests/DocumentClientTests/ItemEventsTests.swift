import DocumentClient
import DocumentModel
import DocumentTestSupport
import DocumentWire
import Synchronization
import Testing

/// What happens is told on by the next host, when one has ended.
@Suite(.timeLimit(.minutes(2))) struct ItemEventsTests {
    private let folder: Location
    private let first: ItemEvent
    private let second: ItemEvent

    init() throws {
        folder = try Location("work:/in")
        first = .removed(try Location("work:/in/1"))
        second = .removed(try Location("work:/in/2"))
    }

    /// Tells each who watches of one event, the first of the first and all others of the second, and then of nothing.
    private func telling() -> FakeHost.Answer {
        let told = Mutex<[UInt64: Bool]>([:])
        return { [first, second] call in
            switch call {
            case .transfers(.watch):
                return .transfers(
                    .watch(
                        told.withLock { told in
                            told[UInt64(told.count + 1)] = false
                            return UInt64(told.count)
                        }))
            case .transfers(.nextEvents(let number)):
                let isNew = told.withLock { $0.updateValue(true, forKey: number) == false }
                if !isNew { try await Task.sleep(for: .seconds(3_600)) }
                return .transfers(.events([number == 1 ? first : second]))
            case .transfers(.endWatch): return .done
            default: throw DocumentError(.unimplemented, "Not for this test.")
            }
        }
    }

    private func error(_ body: () async throws -> Void) async -> DocumentError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? DocumentError
        }
    }

    @Test("When the host is started anew, the next one tells on, after “lost”, and there is a client of it")
    func goesOn() async throws {
        try await FakeHost.serving(telling()) { host in
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                let changes = try await client.changes(below: folder)
                var events = changes.makeAsyncIterator()
                let before = try await events.next()
                #expect(before == first)
                host.die()
                let gap = try await events.next()
                #expect(gap == .lost)
                let after = try await events.next()
                #expect(after == second)
                #expect(host.calls.count { $0 == .transfers(.watch(folder)) } == 2)
                #expect(host.tools == ["test", "test"])

                let here = await error { _ = try await client.domains() }
                #expect(here?.code == .hostUnavailable)
                // It is asked, and has nothing to say about it.
                let there = await error { _ = try await changes.client.domains() }
                #expect(there?.code == .unimplemented)
            }
        }
    }

    @Test("Each who goes through them is told that something may have been missed, and waits for one host")
    func severalIterators() async throws {
        try await FakeHost.serving(telling()) { host in
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                let changes = try await client.changes(below: folder)
                var (one, other) = (changes.makeAsyncIterator(), changes.makeAsyncIterator())
                let before = try await one.next()
                #expect(before == first)
                host.die()
                let (gap, otherGap) = (try await one.next(), try await other.next())
                #expect(gap == .lost && otherGap == .lost)
                let after = try await other.next()
                #expect(after == second)
                #expect(host.calls.count { $0 == .transfers(.watch(folder)) } == 2)
            }
        }
    }

    @Test("A host that comes late, but in time, tells on")
    func comesLate() async throws {
        let clock = ManualClock()
        let answer = telling()
        try await FakeHost.serving(answer) { host in
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                let changes = try await client.changes(below: folder, waitingForHost: .seconds(60), on: clock)
                let reader = Task { [first] in
                    var events = changes.makeAsyncIterator()
                    let before = try await events.next()
                    #expect(before == first)
                    return (try await events.next(), try await events.next())
                }
                // It has the first event, and waits for more.
                while host.calls.count(where: { $0 == .transfers(.nextEvents(1)) }) < 2 { await Task.yield() }
                host.goAway()
                for _ in 0..<10 {
                    await clock.untilSleeping(1)
                    clock.advance(by: .seconds(2))
                }
                await clock.untilSleeping(1)
                try await FakeHost.serving(at: host.address, answer) { next in
                    clock.advance(by: .seconds(2))
                    let (gap, after) = try await reader.value
                    #expect(gap == .lost)
                    #expect(after == second)
                    #expect(next.calls.first == .transfers(.watch(folder)))
                }
            }
        }
    }

    @Test("Where no host comes within the patience it ends, with an error that says so and what to do")
    func goneForGood() async throws {
        let clock = ManualClock()
        try await FakeHost.serving(telling()) { host in
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                let changes = try await client.changes(below: folder, waitingForHost: .seconds(60), on: clock)
                host.goAway()
                let reader = Task { await error { for try await _ in changes {} } }
                // No pause is longer, so that each step ends one, and the last one the patience.
                for _ in 0..<30 {
                    await clock.untilSleeping(1)
                    clock.advance(by: .seconds(2))
                }
                let end = await reader.value
                #expect(end?.code == .hostUnavailable)
                #expect(
                    end?.message
                        == "The host for \(host.address.root) has ended, and none has answered for 60 s: “docent host start” starts one. Begin again then."
                )
                #expect(
                    end?.causes == ["No host runs for \(host.address.root): “docent host start” starts one."])
            }
        }
    }

    @Test("A host that ends whenever it is asked what happens is not asked again and again without a pause")
    func endsAgainAndAgain() async throws {
        let clock = ManualClock()
        let watches = Atomic<Int>(0)
        let dying = Mutex<FakeHost?>(nil)
        let answer: FakeHost.Answer = { call in
            guard case .transfers(.watch) = call else {
                dying.withLock { $0 }?.die()
                throw DocumentError(.unimplemented, "Nobody hears this.")
            }
            return .transfers(.watch(UInt64(watches.add(1, ordering: .relaxed).newValue)))
        }
        try await FakeHost.serving(answer) { host in
            dying.withLock { $0 = host }
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                let changes = try await client.changes(below: folder, waitingForHost: .seconds(60), on: clock)
                let reader = Task { await error { for try await _ in changes {} } }
                // The first one that came after it is asked at once.
                for round in 2...4 {
                    await clock.untilSleeping(1)
                    #expect(watches.load(ordering: .relaxed) == round)
                    clock.advance(by: .seconds(2))
                }
                await clock.untilSleeping(1)
                reader.cancel()
                let end = await reader.value
                #expect(end?.code == .cancelled)
            }
        }
    }

    @Test("Without patience it ends with its host")
    func withoutPatience() async throws {
        try await FakeHost.serving(telling()) { host in
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                let changes = try await client.changes(below: folder, waitingForHost: .zero)
                host.die()
                let end = await error { for try await _ in changes {} }
                #expect(end?.code == .hostUnavailable)
                #expect(host.calls.count { $0 == .transfers(.watch(folder)) } == 1)
            }
        }
    }

    @Test("What the next host says against it ends it: it is not asked for that again and again")
    func refused() async throws {
        let watches = Atomic<Int>(0)
        let answer: FakeHost.Answer = { call in
            guard case .transfers(.watch) = call else { throw DocumentError(.unimplemented, "Not for this test.") }
            guard watches.add(1, ordering: .relaxed).newValue == 1 else {
                throw DocumentError(.notConfigured, "There is no domain “work”.")
            }
            return .transfers(.watch(1))
        }
        try await FakeHost.serving(answer) { host in
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                let changes = try await client.changes(below: folder)
                host.die()
                let end = await error { for try await _ in changes {} }
                #expect(end?.code == .notConfigured)
                #expect(watches.load(ordering: .relaxed) == 2)
            }
        }
    }

    @Test("Who is cancelled waits for nothing more, neither for an event nor for a host", arguments: [true, false])
    func cancelled(isHostThere: Bool) async throws {
        let clock = ManualClock()
        try await FakeHost.serving(telling()) { host in
            try await withDocumentClient(tool: "test", address: host.address, start: .never) { client in
                let changes = try await client.changes(below: folder, waitingForHost: .seconds(60), on: clock)
                let reader = Task { await error { for try await _ in changes {} } }
                while host.calls.count(where: { $0 == .transfers(.nextEvents(1)) }) < 2 { await Task.yield() }
                if !isHostThere {
                    host.goAway()
                    // Its clock stands still from here on.
                    await clock.untilSleeping(1)
                }
                reader.cancel()
                let end = await reader.value
                #expect(end?.code == .cancelled)
            }
        }
    }

    @Test("It ends with its client, also when it waits for a host, or has one that the client has not")
    func endsWithItsClient() async throws {
        let clock = ManualClock()
        try await FakeHost.serving(telling()) { host in
            let (reader, changes) = try await withDocumentClient(
                tool: "test", address: host.address, start: .never
            ) { client -> (Task<DocumentError?, Never>, ItemEvents) in
                let changes = try await client.changes(below: folder, waitingForHost: .seconds(60), on: clock)
                var events = changes.makeAsyncIterator()
                let before = try await events.next()
                #expect(before == first)
                host.die()
                let gap = try await events.next()
                #expect(gap == .lost)
                return (Task { await error { for try await _ in changes {} } }, changes)
            }
            let end = await reader.value
            #expect(end?.code == .cancelled)
            let later = await error { for try await _ in changes {} }
            #expect(later?.code == .cancelled)
            #expect(clock.sleepers == 0)
        }
    }
}
