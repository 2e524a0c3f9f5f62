import DocumentModel
import DocumentTestSupport
import Testing

@testable import DocumentStorage

struct TreePropertyTests {
    @Test(
        "Whatever a provider tells, the tree stays a tree without clashes, and the counts are right", arguments: 1...12)
    func randomTellings(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let storage = try StorageFixture()
        let names = ["a", "A", "b", "é", "e\u{301}", "É", "c"]
        let ids = (0..<14).map { "i\($0)" }
        for _ in 0..<60 {
            var items: [Item] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let id = ids.randomElement(using: &random) ?? "i0"
                let number = Int(id.dropFirst()) ?? 0
                let parent = (ids + ["/", "/", "/", "nobody"]).randomElement(using: &random) ?? "/"
                items.append(
                    try storage.item(
                        id, names.randomElement(using: &random) ?? "a", in: parent,
                        kind: number < 7 ? .folder : .document, version: "\(Int.random(in: 1...3, using: &random))"))
            }
            var deleted: [ItemIdentifier] = []
            if Int.random(in: 0..<4, using: &random) == 0, let id = ids.randomElement(using: &random) {
                deleted.append(try ItemIdentifier(id))
            }
            let changes = ItemChanges(updated: items, deleted: deleted, anchor: try SyncAnchor([1]))
            _ = try storage.store.apply(changes, in: storage.domain)
            try expectTree(storage)
        }
        // Some contents, and everything once more: files follow.
        for id in ids.suffix(7) {
            guard let item = try? storage.indexed(id), item.state == .placeholder,
                (try? storage.index.read { try $0.location(of: item.id, in: storage.domain) }) != nil
            else { continue }
            try storage.provide(item.item, id)
        }
        for _ in 0..<40 {
            let id = ids.randomElement(using: &random) ?? "i0"
            let number = Int(id.dropFirst()) ?? 0
            let parent = (ids.prefix(7) + ["/"]).randomElement(using: &random) ?? "/"
            try storage.tell(
                storage.item(
                    id, names.randomElement(using: &random) ?? "a", in: parent,
                    kind: number < 7 ? .folder : .document))
            try expectTree(storage)
            try expectContents(storage, ids)
        }
        // What is told last is what a start finds.
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.unknownFiles.isEmpty)
        #expect(report.missing == 0 && report.changed == 0)
        try expectTree(storage)
    }

    private func expectTree(_ storage: StorageFixture) throws {
        try storage.index.read { index throws -> Void in
            let problems = try index.sql.all("PRAGMA foreign_key_check") { $0.text(0) }
            #expect(problems.isEmpty)
            let clashes = try index.sql.all(
                """
                SELECT parent, name_key, count(*) FROM item WHERE state <> 7 AND parent IS NOT NULL
                GROUP BY parent, name_key HAVING count(*) > 1
                """
            ) { $0.text(1) }
            #expect(clashes.isEmpty)
            // A hidden name has a holder; a wanted one too.
            let idle = try index.sql.all(
                """
                SELECT id FROM item AS hidden WHERE state = 7 AND NOT EXISTS (
                    SELECT 1 FROM item WHERE parent = hidden.parent AND name_key = hidden.name_key AND state <> 7)
                """
            ) { $0.text(0) }
            #expect(idle.isEmpty)
            // Everything hangs from the top folder.
            let reached = try index.sql.first(
                """
                WITH RECURSIVE sub (row) AS (
                    SELECT root FROM domain UNION SELECT item.row FROM item JOIN sub ON item.parent = sub.row
                ) SELECT count(*) FROM sub
                """
            ) { $0.int(0) }
            let all = try index.sql.first("SELECT count(*) FROM item") { $0.int(0) }
            #expect(reached == all)
            let counts = try index.counts(of: storage.domain)
            #expect(Int64(counts.documents + counts.folders + 1) == all)
            #expect(try index.journal().isEmpty)
        }
    }

    /// Each item's contents lie at its place, and are its own.
    private func expectContents(_ storage: StorageFixture, _ ids: [String]) throws {
        for id in ids.suffix(7) {
            guard let item = try? storage.indexed(id), item.local != nil,
                let location = try? storage.index.read({ try $0.location(of: item.id, in: storage.domain) })
            else { continue }
            #expect(try storage.read(storage.tree.path(of: location)) == id)
        }
    }
}
