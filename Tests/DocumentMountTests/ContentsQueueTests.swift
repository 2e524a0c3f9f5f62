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
        let queue = ContentsQueue(mostOfDomain: 2, most: 3)
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
        let first = [Visitor(one, in: queue), Visitor(one, in: queue), Visitor(other, in: queue)]
        for visitor in first { #expect(await visitor.comesIn()) }
        let late = Visitor(other, in: queue)
        try await Task.sleep(for: .milliseconds(100))
        #expect(!late.isIn)
        try await first[0].leaves()
        #expect(await late.comesIn())
        for visitor in [first[1], first[2], late] { try await visitor.leaves() }
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
