import DocumentModel
import Synchronization
import Testing

@testable import DocumentMount

/// Who waits for contents takes places from nobody else.
@Suite(.timeLimit(.minutes(1))) struct ContentsQueueTests {
    private let one: DomainName
    private let other: DomainName

    init() throws {
        one = try DomainName("one")
        other = try DomainName("other")
    }

    /// Waits inside until it is let go.
    private final class Visitor: Sendable {
        let task: Task<Void, any Error>
        private let letGo: AsyncStream<Void>.Continuation
        private let state: Arrived

        private final class Arrived: Sendable {
            let isIn = Atomic<Bool>(false)
        }

        init(_ domain: DomainName, in queue: ContentsQueue) {
            let (stream, letGo) = AsyncStream.makeStream(of: Void.self)
            self.letGo = letGo
            let state = Arrived()
            self.state = state
            task = Task {
                try await queue.with(domain) {
                    state.isIn.store(true, ordering: .releasing)
                    for await _ in stream {}
                }
            }
        }

        var isIn: Bool { state.isIn.load(ordering: .acquiring) }

        func comesIn() async -> Bool {
            for _ in 0..<500 where !isIn { try? await Task.sleep(for: .milliseconds(10)) }
            return isIn
        }

        func leaves() async throws {
            letGo.finish()
            try await task.value
        }
    }

    @Test(
        "As many of a domain run at once as it has places; the next one comes in when one leaves, other domains at once"
    )
    func places() async throws {
        let queue = ContentsQueue(mostOfDomain: 2, most: 4)
        let first = [Visitor(one, in: queue), Visitor(one, in: queue)]
        for visitor in first { #expect(await visitor.comesIn()) }
        let third = Visitor(one, in: queue)
        let elsewhere = Visitor(other, in: queue)
        #expect(await elsewhere.comesIn())
        #expect(!third.isIn)
        try await first[0].leaves()
        #expect(await third.comesIn())
        for visitor in [first[1], third, elsewhere] { try await visitor.leaves() }
    }

    @Test("All domains together have no more places than the connection can spare")
    func mostOfAll() async throws {
        let queue = ContentsQueue(mostOfDomain: 2, most: 3)
        let first = [Visitor(one, in: queue), Visitor(one, in: queue)]
        for visitor in first { #expect(await visitor.comesIn()) }
        let elsewhere = Visitor(other, in: queue)
        #expect(await elsewhere.comesIn())
        let late = Visitor(try DomainName("late"), in: queue)
        try await Task.sleep(for: .milliseconds(100))
        #expect(!late.isIn)
        try await first[0].leaves()
        #expect(await late.comesIn())
        for visitor in [first[1], elsewhere, late] { try await visitor.leaves() }
    }

    @Test("Three domains that hang keep nobody of a fourth one from coming in, nor of some more")
    func hanging() async throws {
        let queue = ContentsQueue()
        let hanging = try ["x", "y", "z"].map { try DomainName($0) }
        let visitors = hanging.flatMap { domain in (0..<16).map { _ in Visitor(domain, in: queue) } }
        // Which of them come in first is left to chance: these are at least 36, and at most 40.
        for _ in 0..<500 where visitors.filter(\.isIn).count < 36 { try await Task.sleep(for: .milliseconds(10)) }
        let others = try ["fourth", "fifth", "sixth"].map { Visitor(try DomainName($0), in: queue) }
        for visitor in others { #expect(await visitor.comesIn()) }
        for visitor in others { try await visitor.leaves() }
        for visitor in visitors { visitor.task.cancel() }
        for visitor in visitors { try? await visitor.leaves() }
    }

    @Test("A place that becomes free is for the domain that has fewer inside, and not for who came first")
    func fewest() async throws {
        let queue = ContentsQueue(mostOfDomain: 4, most: 6)
        let first = [Visitor(one, in: queue), Visitor(one, in: queue)]
        for visitor in first { #expect(await visitor.comesIn()) }
        let elsewhere = [Visitor(other, in: queue), Visitor(other, in: queue)]
        for visitor in elsewhere { #expect(await visitor.comesIn()) }
        let early = Visitor(one, in: queue)
        try await Task.sleep(for: .milliseconds(100))
        let late = Visitor(other, in: queue)
        try await Task.sleep(for: .milliseconds(100))
        #expect(!early.isIn && !late.isIn)
        try await elsewhere[0].leaves()
        #expect(await late.comesIn())
        #expect(!early.isIn)
        try await first[0].leaves()
        #expect(await early.comesIn())
        for visitor in [first[1], elsewhere[1], early, late] { try await visitor.leaves() }
    }

    @Test("What is here needs no place")
    func here() async throws {
        let queue = ContentsQueue(mostOfDomain: 1, most: 1)
        let first = Visitor(one, in: queue)
        #expect(await first.comesIn())
        #expect(try await queue.with(one, unless: { true }) { 1 } == 1)
        try await first.leaves()
    }

    @Test("Who gives up while it waits is told so, and takes no place")
    func givenUp() async throws {
        let queue = ContentsQueue(mostOfDomain: 1, most: 1)
        let first = Visitor(one, in: queue)
        #expect(await first.comesIn())
        let (second, third) = (Visitor(one, in: queue), Visitor(one, in: queue))
        second.task.cancel()
        await #expect(throws: CancellationError.self) { try await second.task.value }
        #expect(!second.isIn)
        try await first.leaves()
        #expect(await third.comesIn())
        try await third.leaves()
    }
}
