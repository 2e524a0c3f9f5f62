import DocumentModel
import DocumentTestSupport
import Testing

@testable import DocumentHost

@Suite("Places for what goes out", .timeLimit(.minutes(1)))
struct PermitsTests {
    @Test("A domain whose places are all taken, for ever, takes none from another")
    func domainsAreApart() async throws {
        let permits = DomainPermits(each: 2)
        let (stuck, other) = (permits.of(try DomainName("stuck")), permits.of(try DomainName("other")))
        #expect(stuck.takeAtOnce())
        #expect(stuck.takeAtOnce())
        #expect(!stuck.takeAtOnce())
        #expect(other.takeAtOnce())
        #expect(permits.of(try DomainName("stuck")) === stuck)
    }

    @Test("A place that is given back goes to the one who waits for it, and then to anybody")
    func givenBack() async throws {
        let permits = Permits(1)
        #expect(permits.takeAtOnce())
        let waiting = Task { try await permits.take() }
        permits.giveBack()
        try await waiting.value
        #expect(!permits.takeAtOnce())
        permits.giveBack()
        let isAlone = try await permits.withPermit { !permits.takeAtOnce() }
        #expect(isAlone)
        #expect(permits.takeAtOnce())
    }

    @Test("When there are more places, those who wait get them; when there are fewer, nobody loses one")
    func moreAndFewer() async throws {
        let permits = Permits(1)
        #expect(permits.takeAtOnce())
        let waiting = Task { try await permits.take() }
        permits.count = 3
        try await waiting.value
        #expect(permits.takeAtOnce())
        #expect(!permits.takeAtOnce())
        permits.count = 1
        let last = Task { try await permits.take() }
        permits.giveBack()
        permits.giveBack()
        #expect(!permits.takeAtOnce(), "there is one place, and it is taken")
        permits.giveBack()
        try await last.value
        permits.giveBack()
        #expect(permits.takeAtOnce())
        #expect(!permits.takeAtOnce())
    }

    private func isCancelled(_ outcome: Result<Void, any Error>) -> Bool {
        guard case .failure(let error as DocumentError) = outcome else { return false }
        return error.code == .cancelled
    }

    @Test("Whoever is cancelled while it waits hears so at once, and takes no place with it")
    func cancelledWhileWaiting() async throws {
        let permits = Permits(1)
        #expect(permits.takeAtOnce())
        // Some are cancelled before they stand in the line, some after.
        let waiting = (0..<100).map { _ in Task { try await permits.take() } }
        for (index, task) in waiting.enumerated() {
            if index % 2 == 0 { await Task.yield() }
            task.cancel()
        }
        for task in waiting { #expect(isCancelled(await task.result)) }
        permits.giveBack()
        #expect(permits.takeAtOnce(), "the place is not lost")
        #expect(!permits.takeAtOnce(), "and there is one")
    }

    @Test("Whoever is cancelled leaves the line; those behind it get their turn")
    func lineGoesOn() async throws {
        let permits = Permits(1)
        #expect(permits.takeAtOnce())
        let first = Task { try await permits.take() }
        let second = Task { try await permits.take() }
        first.cancel()
        #expect(isCancelled(await first.result))
        permits.giveBack()
        try await second.value
        permits.giveBack()
        #expect(permits.takeAtOnce())
    }

    @Test("Rule 28: nobody waits for a place for longer than all of them are held by the same")
    func patience() async throws {
        let clock = ManualClock()
        let permits = Permits(2, clock: clock)
        #expect(permits.takeAtOnce())
        #expect(permits.takeAtOnce())
        let impatient = Task { try await permits.take(patience: .seconds(10)) }
        await clock.untilSleeping(1)
        clock.advance(by: .seconds(10))
        #expect(try await impatient.value == false)
        permits.giveBack()
        #expect(try await permits.take(patience: .seconds(10)))
        #expect(!permits.takeAtOnce(), "one that was not got is not counted")
    }

    @Test("Rule 28: somebody else who comes to an end renews the patience of those who wait")
    func patienceRenewed() async throws {
        let clock = ManualClock()
        let permits = Permits(1, clock: clock)
        #expect(permits.takeAtOnce())
        let both = (0..<2).map { _ in Task { try await permits.take(patience: .seconds(10)) } }
        await clock.untilSleeping(2)
        // One of them gets it, whichever; the other sees that, and waits on.
        clock.advance(by: .seconds(6))
        permits.giveBack()
        clock.advance(by: .seconds(6))
        await clock.untilSleeping(1)
        permits.giveBack()
        for one in both { #expect(try await one.value) }
    }

    @Test("Rule 28: whoever is cancelled while it is patient hears so at once")
    func patienceCancelled() async throws {
        let permits = Permits(1, clock: ManualClock())
        #expect(permits.takeAtOnce())
        let cancelled = Task { _ = try await permits.take(patience: .seconds(10)) }
        cancelled.cancel()
        #expect(isCancelled(await cancelled.result))
    }
}
