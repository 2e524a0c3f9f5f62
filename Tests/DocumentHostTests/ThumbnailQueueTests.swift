import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Testing

@testable import DocumentHost

@Suite struct ThumbnailQueueTests {
    private typealias Machine = ThumbnailQueueStateMachine

    private func key(_ id: Int, in domain: String = "d", size: Int = 128, version: UInt8 = 1) throws -> ThumbnailKey {
        ThumbnailKey(
            domain: try DomainName(domain), id: try ItemIdentifier("\(id)"), contentVersion: [version], size: size)
    }

    private func batches(_ actions: [Machine.Action]) -> [Machine.Batch] {
        actions.compactMap { action in if case .ask(let batch) = action { batch } else { nil } }
    }

    private func missing(_ batch: Machine.Batch) -> [ThumbnailKey: ThumbnailOutcome] {
        Dictionary(uniqueKeysWithValues: batch.keys.map { ($0, .missing) })
    }

    @Test("PICK-17, PICK-20: what is wanted together is asked for in one call, and no call asks for more than 32")
    func batches() throws {
        var machine = Machine()
        let few = try (0..<5).map { try key($0) }
        let first = batches(machine.want(few, by: 1))
        #expect(first.map(\.keys) == [few])
        #expect(machine.ended(first[0], missing(first[0])) == [.finish(1, missing(first[0]))])
        #expect(machine.isIdle)
        // Of two sizes, two domains, and more than fit.
        let many = try (0..<70).map { try key($0) } + [key(1, size: 256), key(1, in: "e")]
        var asked = batches(machine.want(many, by: 2))
        #expect(asked.filter { $0.domain.rawValue == "d" }.count == Machine.callsAtOnce)
        #expect(asked.filter { $0.domain.rawValue == "e" }.count == 1)
        var finished = 0
        while !asked.isEmpty {
            let batch = asked.removeFirst()
            #expect((1...32).contains(batch.keys.count) && Set(batch.keys.map(\.size)).count == 1)
            let actions = machine.ended(batch, missing(batch))
            asked += batches(actions)
            for case .finish(2, let outcomes) in actions {
                finished += 1
                #expect(outcomes.count == 72)
            }
        }
        #expect(finished == 1 && machine.isIdle)
    }

    @Test("PICK-17: no call asks for an item twice, whatever versions of it are wanted")
    func versions() throws {
        var machine = Machine()
        let busy = batches(machine.want(try (0..<64).map { try key($0) }, by: 1))
        #expect(busy.count == Machine.callsAtOnce)
        let (old, new) = (try key(100), try key(100, version: 2))
        #expect(batches(machine.want([old], by: 2)).isEmpty && batches(machine.want([new], by: 3)).isEmpty)
        #expect(batches(machine.ended(busy[0], missing(busy[0]))).map(\.keys) == [[old]])
        #expect(batches(machine.ended(busy[1], missing(busy[1]))).map(\.keys) == [[new]])
    }

    @Test("PICK-17: two that want the same are served with one call, and what is left out is asked for again")
    func shared() throws {
        var machine = Machine()
        let (one, two, three) = (try key(1), try key(2), try key(3))
        let batch = try #require(batches(machine.want([one, two], by: 1)).first)
        let other = batches(machine.want([two, three], by: 2))
        #expect(other.map(\.keys) == [[three]])
        // Only of the first one.
        let again = batches(machine.ended(batch, [one: .missing]))
        #expect(again.map(\.keys) == [[two]])
        #expect(machine.ended(other[0], missing(other[0])).isEmpty)
        let last = machine.ended(again[0], missing(again[0]))
        #expect(
            Set(last) == [.finish(1, [one: .missing, two: .missing]), .finish(2, [two: .missing, three: .missing])])
        #expect(machine.isIdle)
        // An end that comes twice changes nothing.
        #expect(machine.ended(again[0], missing(again[0])).isEmpty)
    }

    @Test("PICK-17: a call is given up when nobody waits for any of it; what waits in the line goes without a word")
    func givenUp() throws {
        var machine = Machine()
        let (one, two) = (try key(1), try key(2))
        let batch = try #require(batches(machine.want([one, two], by: 1)).first)
        #expect(machine.want([two], by: 2).isEmpty)
        #expect(machine.leave(1).isEmpty)
        #expect(machine.leave(2) == [.cancel(batch.number)])
        #expect(machine.leave(2).isEmpty)
        // Whoever comes now is not served with what was given up.
        let new = batches(machine.want([one], by: 3))
        #expect(new.map(\.keys) == [[one]])
        #expect(machine.ended(batch, missing(batch)).isEmpty)
        #expect(machine.ended(new[0], missing(new[0])) == [.finish(3, [one: .missing])])
        // In the line behind two calls.
        let calls = batches(try machine.want([key(1)], by: 4)) + batches(try machine.want([key(2)], by: 5))
        #expect(calls.count == 2)
        #expect(try machine.want([key(3)], by: 6).isEmpty)
        #expect(machine.leave(6).isEmpty)
        for call in calls { #expect(batches(machine.ended(call, missing(call))).isEmpty) }
        #expect(machine.isIdle)
    }

    @Test(
        "PICK-17: in any order of wishes, leavings and ends, each that stays is answered once, with all that it wanted")
    func anyOrder() throws {
        for seed in 0..<200 as Range<UInt64> {
            var numbers = SplitMix(state: seed)
            var machine = Machine()
            var wanted: [UInt64: Set<ThumbnailKey>] = [:]
            var underWay: [Machine.Batch] = []
            var cancelled: Set<UInt64> = []
            func take(_ actions: [Machine.Action]) {
                for action in actions {
                    switch action {
                    case .ask(let batch):
                        underWay.append(batch)
                        let inDomain = underWay.filter { $0.domain == batch.domain }
                        #expect(inDomain.count <= Machine.callsAtOnce)
                    case .cancel(let number):
                        #expect(underWay.contains { $0.number == number } && cancelled.insert(number).inserted)
                    case .finish(let request, let outcomes):
                        #expect(wanted.removeValue(forKey: request) == Set(outcomes.keys), "seed \(seed)")
                    }
                }
            }
            func endOne() {
                guard !underWay.isEmpty else { return }
                let batch = underWay.remove(at: Int.random(in: 0..<underWay.count, using: &numbers))
                var outcomes = missing(batch)
                if batch.keys.count > 1, Bool.random(using: &numbers) { outcomes[batch.keys[0]] = nil }
                take(machine.ended(batch, outcomes))
            }
            for request in 1...40 as ClosedRange<UInt64> {
                let keys = Set(
                    try (0..<Int.random(in: 1...9, using: &numbers)).map { _ in
                        try key(
                            Int.random(in: 0..<12, using: &numbers), in: Bool.random(using: &numbers) ? "d" : "e",
                            size: Bool.random(using: &numbers) ? 128 : 256)
                    })
                wanted[request] = keys
                take(machine.want(Array(keys), by: request))
                if Int.random(in: 0..<3, using: &numbers) == 0, let leaving = wanted.keys.sorted().first {
                    wanted[leaving] = nil
                    take(machine.leave(leaving))
                }
                if Bool.random(using: &numbers) { endOne() }
            }
            while !underWay.isEmpty { endOne() }
            #expect(wanted.isEmpty && machine.isIdle, "seed \(seed)")
        }
    }
}
