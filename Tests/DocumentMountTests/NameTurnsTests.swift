import DocumentModel
import DocumentMount
import Testing

/// Who changes names in a folder, and who moves it. Folder 3 lies in 2, and that in 1; 4 is in none of them.
@Suite struct NameTurnsTests {
    private var turns = NameTurns()

    private func around(_ folder: UInt64) -> [UInt64] { folder == 4 ? [4] : Array((1...folder).reversed()) }

    private mutating func ask(in folders: UInt64..., moving moved: UInt64? = nil) -> (turn: UInt64, begins: Bool) {
        turns.ask(NameTurns.Change(in: folders, moving: moved), around: around)
    }

    @Test mutating func whoChangesNamesOfFoldersThatStayWaitsForNobody() {
        #expect(ask(in: 3).begins && ask(in: 3).begins && ask(in: 1).begins && ask(in: 2, moving: 9).begins)
    }

    @Test mutating func whoMovesAFolderWaitsForThoseInIt() {
        let inside = ask(in: 3)
        #expect(ask(in: 4, moving: 3).begins == false)
        let (mover, begins) = ask(in: 1, moving: 2)
        #expect(inside.begins && !begins)
        let next = turns.end(inside.turn, around: around)
        // In the order in which they came: the one that changes names of another folder does not keep the other waiting.
        #expect(next.count == 2 && next.last == mover)
    }

    @Test mutating func thoseInAFolderWaitForWhoMovesIt() {
        let mover = ask(in: 1, moving: 2)
        let inside = ask(in: 3)
        #expect(mover.begins && !inside.begins)
        #expect(ask(in: 1).begins && ask(in: 4).begins)
        #expect(turns.end(mover.turn, around: around) == [inside.turn])
    }

    @Test mutating func nobodyOvertakesWhoWaitsForAMove() {
        let first = ask(in: 3)
        let mover = ask(in: 1, moving: 2)
        let second = ask(in: 3)
        #expect(first.begins && !mover.begins && !second.begins)
        #expect(turns.end(first.turn, around: around) == [mover.turn])
        #expect(turns.end(mover.turn, around: around) == [second.turn])
        #expect(turns.end(second.turn, around: around) == [] && turns.isIdle)
    }

    @Test mutating func whoWaitsNoMoreKeepsNobodyWaiting() {
        let first = ask(in: 3)
        let mover = ask(in: 1, moving: 2)
        let second = ask(in: 3)
        #expect(turns.end(mover.turn, around: around) == [second.turn])
        _ = turns.end(first.turn, around: around)
        _ = turns.end(second.turn, around: around)
        #expect(turns.isIdle)
    }

    @Test mutating func whereAFolderIsCountsWhenItIsTheTurn() {
        let mover = ask(in: 1, moving: 2)
        let inside = ask(in: 3)
        #expect(!inside.begins)
        // By then it lies in 4.
        let next = turns.end(mover.turn) { $0 == 3 ? [3, 4] : [$0] }
        #expect(next == [inside.turn])
        #expect(ask(in: 1, moving: 2).begins)
        #expect(!ask(in: 1, moving: 4).begins)
    }

    @Test func aFolderLiesInThoseAroundIt() throws {
        var table = NodeTable()
        let outer = try #require(table.lookUp(try ItemName("work"), in: NodeTable.top))
        let inner = try #require(table.lookUp(try ItemName("f"), in: outer))
        #expect(table.around(inner) == [inner, outer] && table.around(NodeTable.top) == [])
        table.remove(inner)
        #expect(table.around(inner) == [inner])
    }
}
