import DocumentMount
import Testing

/// What several programs share.
@Suite struct UseTableTests {
    private func ticket<Value>(_ leaving: UseTable<Value>.Leaving) -> UInt64? {
        if case .wait(let ticket) = leaving { ticket } else { nil }
    }

    @Test func whoJoinsKeepsItAndPostponesNothing() {
        var table = UseTable<String>()
        _ = table.use(1) { "a" }
        let waits = ticket(table.leave(1))
        // Again and again, until the while is over.
        for _ in 0..<3 {
            #expect(table.join(1) == "a")
            #expect(table.leave(1, joined: true) == .nothing)
        }
        #expect(table.join(1) == "a")
        let early = waits.flatMap { table.end(1, $0) }
        #expect(early == nil && table[1] == "a")
        #expect(table.join(1) == "a")
        #expect(table.leave(1, joined: true) == .nothing)
        #expect(table.leave(1, joined: true) == .end("a"))
        #expect(table[1] == nil && table.ending(of: 1) == ["a"])
    }

    @Test func whoUsesItWhileAnotherOneHasJoinedBeginsTheWhileAnew() {
        var table = UseTable<String>()
        _ = table.use(1) { "a" }
        let first = ticket(table.leave(1))
        _ = table.join(1)
        _ = first.flatMap { table.end(1, $0) }
        _ = table.use(1) { "b" }
        #expect(table.leave(1, joined: true) == .nothing)
        let second = ticket(table.leave(1))
        let ended = second.flatMap { table.end(1, $0) }
        #expect(ended == "a")
    }
    @Test func theLastOneToLeaveEndsItAfterAWhileUnlessSomebodyCameMeanwhile() {
        var table = UseTable<String>()
        let first = table.use(1) { "a" }
        let second = table.use(1) { "b" }
        #expect(first == "a" && second == "a")
        let early = table.leave(1)
        #expect(early == .nothing)
        let late = ticket(table.leave(1))
        let third = table.use(1) { "c" }
        #expect(third == "a")
        var ended = late.flatMap { table.end(1, $0) }
        #expect(ended == nil)
        let last = ticket(table.leave(1))
        ended = last.flatMap { table.end(1, $0) }
        #expect(ended == "a")
        #expect(table.isEmpty)
    }

    @Test func whatIsBeingEndedIsKnownUntilItHasEnded() {
        var table = UseTable<String>()
        _ = table.use(1) { "a" }
        let first = ticket(table.leave(1))
        _ = first.flatMap { table.end(1, $0) }
        #expect(table[1] == nil && table.ending(of: 1) == ["a"])
        _ = table.use(1) { "b" }
        _ = table.leave(1)
        _ = table.endUnused(1)
        #expect(table.ending(of: 1) == ["a", "b"] && table.ending(of: 2) == [])
        table.ended(1, "a")
        #expect(table.ending(of: 1) == ["b"])
        table.ended(1, "b")
        #expect(table.ending(of: 1) == [])
    }

    @Test func whatCouldNotBeBegunIsBegunAnew() {
        var table = UseTable<String>()
        _ = table.use(1) { "a" }
        table.discard(1, "b")
        #expect(table[1] == "a")
        table.discard(1, "a")
        let next = table.use(1) { "c" }
        #expect(next == "c")
        let none = table.join(2)
        #expect(none == nil)
    }

    /// Whatever happens: what has users is there, and is begun and ended as often as the others.
    @Test(arguments: 0..<50) func aRandomHistoryEndsEverythingOnceAndNothingInUse(_ seed: UInt64) {
        var generator = SeededNumbers(seed: seed)
        var table = UseTable<Int>()
        var users: [UInt64: Int] = [:]
        var joined: [UInt64: Int] = [:]
        var tickets: [(UInt64, UInt64)] = []
        var (begun, ended) = (0, 0)
        for _ in 0..<500 {
            let number = UInt64(generator.below(3))
            switch generator.below(6) {
            case 0, 1:
                _ = table.use(number) {
                    begun += 1
                    return begun
                }
                users[number, default: 0] += 1
            case 2:
                if table.join(number) != nil { joined[number, default: 0] += 1 }
            case 3, 4:
                let isJoined = joined[number, default: 0] > 0 && generator.below(2) == 0
                guard isJoined || users[number, default: 0] > 0 else { continue }
                if isJoined { joined[number, default: 0] -= 1 } else { users[number, default: 0] -= 1 }
                switch table.leave(number, joined: isJoined) {
                case .nothing: break
                case .wait(let ticket): tickets.append((number, ticket))
                case .end:
                    #expect(users[number, default: 0] == 0 && joined[number, default: 0] == 0)
                    ended += 1
                }
            default:
                guard !tickets.isEmpty else { continue }
                let (number, ticket) = tickets.remove(at: generator.below(tickets.count))
                let isInUse = users[number, default: 0] + joined[number, default: 0] > 0
                if table.end(number, ticket) != nil {
                    #expect(!isInUse)
                    ended += 1
                }
            }
            for number in UInt64(0)..<3 {
                #expect(table.users(of: number) == users[number, default: 0] + joined[number, default: 0])
            }
        }
        ended += table.removeAll().count
        #expect(begun == ended)
    }
}
