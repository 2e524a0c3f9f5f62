import DocumentModel
import DocumentStorage
import Testing

@testable import DocumentHost

/// In which order a provider hears of what was done here at once.
struct BacklogOrderTests {
    private func entry(
        _ id: Int64, _ action: JournalAction, _ place: String, to destination: String? = nil,
        kind: ItemKind = .document, item: String? = nil
    ) throws -> JournalEntry {
        var payload = JournalPayload()
        payload.place = try place.split(separator: "/").map { try ItemName(String($0)) }
        payload.destination = try destination?.split(separator: "/").map { try ItemName(String($0)) }
        payload.kind = kind
        return JournalEntry(
            id: id, action: action, step: action == .drop ? .itemDropped : .documentRelocated,
            domain: try DomainName("d"), itemID: try ItemIdentifier(item ?? "i\(id)"), payload: payload)
    }

    private func order(_ open: [JournalEntry], puttingOff: Set<Int64> = []) -> [[Int64]] {
        var (open, order, all) = (open, BacklogOrder(putOff: puttingOff), [[Int64]]())
        while case let batch = order.next(of: open), !batch.isEmpty {
            all.append(batch.map(\.id))
            open.removeAll { batch.contains($0) }
        }
        return all
    }

    @Test("Documents are removed together; folders, and what was moved, one by one and in their order")
    func together() throws {
        let open = [
            try entry(1, .drop, "a/x"), try entry(2, .drop, "a/y"), try entry(3, .drop, "a", kind: .folder),
            try entry(4, .relocate, "b", to: "c"), try entry(5, .drop, "z"), try entry(6, .relocate, "d", to: "b"),
        ]
        #expect(order(open) == [[1, 2], [3], [4], [5], [6]])
    }

    @Test("What cannot be told yet keeps back what has to follow it, and nothing else")
    func putOff() throws {
        let open = [
            // Into a folder that is still to be sent.
            try entry(1, .relocate, "old/b", to: "made/b", item: "b"),
            try entry(2, .relocate, "a", to: "c"),
            try entry(3, .drop, "other"),
            // Not empty there before the first one has left.
            try entry(4, .drop, "Old", kind: .folder),
            // Its place is not free before.
            try entry(5, .relocate, "x", to: "OLD/B"),
            // The same document.
            try entry(6, .drop, "made/b", item: "b"),
        ]
        #expect(order(open, puttingOff: [1]) == [[2], [3]])
        #expect(order(open) == [[1], [2], [3], [4], [5], [6]])
    }

    @Test("What was moved and then removed keeps both places from being taken, and both folders from being removed")
    func movedAndRemoved() throws {
        let open = [
            try entry(1, .drop, "old/a", to: "new/b"), try entry(2, .relocate, "x", to: "old/a"),
            try entry(3, .relocate, "y", to: "new/b"), try entry(4, .drop, "old", kind: .folder),
            try entry(5, .drop, "new", kind: .folder), try entry(6, .relocate, "z", to: "old/c"),
        ]
        #expect(order(open, puttingOff: [1]) == [[6]])
    }

    @Test(
        "What has left a folder goes before it, and what comes into one after it, also where that was moved meanwhile")
    func movedFolders() throws {
        var open = [
            // Out of a folder, into one that is still to be sent; then that folder is moved, and goes.
            try entry(1, .relocate, "f/x", to: "made/x", item: "x"),
            try entry(2, .relocate, "f", to: "g", kind: .folder, item: "f"),
            try entry(3, .drop, "f", to: "g", kind: .folder, item: "f"),
            try entry(4, .relocate, "y", to: "g/x"),
            try entry(5, .relocate, "z", to: "g/z", kind: .folder),
        ]
        for index in [0, 3, 4] { open[index].payload.name = open[index].payload.destination?.last }
        open[0].payload.originID = try ItemIdentifier("f")
        open[1].payload.originID = .root
        for index in [3, 4] { open[index].payload.parentID = try ItemIdentifier("f") }
        open[4].payload.follows = [2]
        #expect(order(open, puttingOff: [1]) == [[2], [5]])
        #expect(order(open, puttingOff: [2]) == [[1], [4]])
    }

    @Test("What is added after the last look is known not to have been seen; what is known already is not added again")
    func unseen() throws {
        var line = BacklogLine(open: [try entry(1, .drop, "a")])
        #expect(!line.isUnseen, "it is looked at in any case at the start")
        line.add([try entry(1, .drop, "a"), try entry(2, .drop, "b")])
        #expect(line.isUnseen)
        let seen = line.look().map(\.id)
        #expect(seen == [1, 2])
        line.add([try entry(2, .drop, "b")])
        #expect(!line.isUnseen)
    }
}
