import DocumentMount
import Testing

/// What several programs share.
@Suite struct UseTableTests {
    @Test func theLastOneToLeaveEndsItAfterAWhileUnlessSomebodyCameMeanwhile() {
        var table = UseTable<String>()
        let first = table.use(1) { "a" }
        let second = table.use(1) { "b" }
        #expect(first == "a" && second == "a")
        let early = table.leave(1)
        #expect(early == nil)
        let late = table.leave(1)
        let third = table.use(1) { "c" }
        #expect(third == "a")
        var ended = late.flatMap { table.end(1, $0) }
        #expect(ended == nil)
        let last = table.leave(1)
        ended = last.flatMap { table.end(1, $0) }
        #expect(ended == "a")
        #expect(table.isEmpty)
    }

    @Test func whatIsBeingEndedIsKnownUntilItHasEnded() {
        var table = UseTable<String>()
        _ = table.use(1) { "a" }
        let ticket = table.leave(1)
        _ = ticket.flatMap { table.end(1, $0) }
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
        var tickets: [(UInt64, UInt64)] = []
        var (begun, ended) = (0, 0)
        for _ in 0..<500 {
            let number = UInt64(generator.below(3))
            switch generator.below(4) {
            case 0, 1:
                _ = table.use(number) {
                    begun += 1
                    return begun
                }
                users[number, default: 0] += 1
            case 2:
                guard users[number, default: 0] > 0 else { continue }
                users[number, default: 0] -= 1
                if let ticket = table.leave(number) { tickets.append((number, ticket)) }
            default:
                guard !tickets.isEmpty else { continue }
                let (number, ticket) = tickets.remove(at: generator.below(tickets.count))
                let isInUse = users[number, default: 0] > 0
                if table.end(number, ticket) != nil {
                    #expect(!isInUse)
                    ended += 1
                }
            }
            for (number, count) in users { #expect(table.users(of: number) == count) }
        }
        ended += table.removeAll().count
        #expect(begun == ended)
    }
}
