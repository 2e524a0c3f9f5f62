import DocumentModel
import Testing

@testable import DocumentHost

/// Which side of a conflict wins, on whatever machine that is asked.
struct ConflictContestTests {
    private static let text: [String: [UInt8]] = ["a": [1], "b": [2], "c": [3]]

    private func side(_ name: String, _ time: Int64, isInPlace: Bool = false) -> DocumentVersion {
        DocumentVersion(
            id: name, kind: .older, path: name, modified: Timestamp(seconds: time), isInPlace: isInPlace,
            reason: isInPlace ? nil : "why")
    }

    private func winner(of sides: [DocumentVersion]) -> [DocumentVersion] {
        var contest = ConflictContest()
        for side in sides { contest.add(side) }
        return contest.decided { Self.text[$0] ?? [] }
    }

    @Test("VER-12: all machines name the same winner, whichever side is theirs, in whatever order they hear of them")
    func everywhere() {
        for times in [[1, 2, 3], [3, 2, 1], [2, 2, 1], [5, 5, 5], [1, 7, 7]] as [[Int64]] {
            let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
            let named = orders.map { order in
                winner(of: order.map { side(["a", "b", "c"][$0], times[$0], isInPlace: $0 == order[0]) })
            }
            #expect(Set(named.map { $0.first?.id }).count == 1, "\(times)")
            for versions in named {
                #expect(versions.map(\.kind) == [.current, .conflict, .conflict])
                #expect(versions.first?.modified.seconds == times.max())
            }
        }
    }

    @Test("VER-13: what lies in the document's file and has lost says why both are kept")
    func reasons() {
        let lost = winner(of: [side("a", 1, isInPlace: true), side("b", 2)])
        #expect(lost.map(\.id) == ["b", "a"])
        #expect(lost.map(\.reason) == [nil, "why"])
        #expect(winner(of: [side("a", 3, isInPlace: true), side("b", 2)]).map(\.reason) == [nil, "why"])
        #expect(winner(of: [side("a", 1, isInPlace: true)]).map(\.kind) == [.current])
    }

    @Test("Files are read only where sides were written at the same time, and nobody has said what is in them")
    func reading() {
        var contest = ConflictContest()
        contest.add(side("a", 1, isInPlace: true))
        contest.add(side("b", 2))
        var read: [String] = []
        _ = contest.decided { path in
            read.append(path)
            return []
        }
        #expect(read.isEmpty)
        contest.add(side("c", 2), digest: [9])
        #expect(
            contest.decided { path in
                read.append(path)
                return [8]
            }.first?.id == "c")
        #expect(read == ["b"])
    }
}
