import DocumentModel
import DocumentWire

/// What the feed of changes tells.
enum FeedChecks {
    static let all: [ConformanceCheck] = [
        check("001", .must, "A new document is told, as GetItem says it is") { session, container in
            let before = try await session.currentAnchor()
            let item = try await ModifyingChecks.document(in: container, session)
            try await expectTold("A new document", session, since: before) { $0.updated[item.id] == item }
        },
        check("002", .must, "A new folder is told") { session, container in
            let before = try await session.currentAnchor()
            let item = try await session.createFolder("Folder", in: container.id)
            try await expectTold("A new folder", session, since: before) { $0.updated[item.id]?.kind == .folder }
        },
        check("003", .must, "New contents are told, with the new version") { session, container in
            let old = try await ModifyingChecks.document(in: container, session)
            let before = try await session.currentAnchor()
            let new = try await session.change(old, contents: Array("new".utf8))
            try await expectTold("A change of contents", session, since: before) {
                $0.updated[old.id]?.version.content == new.version.content
            }
        },
        check("004", .must, "A rename is told, with the new name") { session, container in
            let old = try await ModifyingChecks.document(in: container, session)
            try require(.rename, of: old, "renamed")
            let before = try await session.currentAnchor()
            let new = try await session.change(old, name: "Renamed.txt")
            try await expectTold("A rename", session, since: before) {
                $0.updated[new.id]?.name == new.name && (new.id == old.id || $0.deleted.contains(old.id))
            }
        },
        check("005", .must, "A move is told, with the new folder") { session, container in
            let old = try await ModifyingChecks.document(in: container, session)
            try require(.move, of: old, "moved")
            let folder = try await session.createFolder("Folder", in: container.id)
            let before = try await session.currentAnchor()
            let new = try await session.change(old, parent: folder.id)
            try await expectTold("A move", session, since: before) {
                $0.updated[new.id]?.parentID == folder.id && (new.id == old.id || $0.deleted.contains(old.id))
            }
        },
        check("006", .must, "A removal is told") { session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            let before = try await session.currentAnchor()
            try await session.delete(item.id)
            try await expectTold("A removal", session, since: before) { $0.deleted.contains(item.id) }
        },
        check("007", .must, "The removal of a folder is told, with all that was in it") { session, container in
            let folder = try await session.createFolder("Full", in: container.id)
            let inner = try await session.createFolder("Inner", in: folder.id)
            let deep = try await session.createDocument("Deep.txt", in: inner.id, contents: [1])
            let before = try await session.currentAnchor()
            try await session.delete(folder.id, recursive: true)
            try await expectTold("The removal of all that was in a folder", session, since: before) {
                $0.deleted.isSuperset(of: [folder.id, inner.id, deep.id])
            }
        },
        check("008", .must, "What was made and removed again is not told as being there") { session, container in
            let before = try await session.currentAnchor()
            let item = try await ModifyingChecks.document(in: container, session)
            try await session.delete(item.id)
            let marker = try await session.createFolder("After it", in: container.id)
            try await expectTold("A later change", session, since: before) { $0.updated[marker.id] != nil }
            let told = try await session.allChanges(since: before)
            try expect(told.updated[item.id] == nil, "The feed tells an item that was removed since.")
        },
        check("009", .must, "What the feed tells as changed is there, and what it tells as gone is not") {
            session, container in
            let before = try await session.currentAnchor()
            let item = try await ModifyingChecks.document(in: container, session)
            let gone = try await session.createDocument("Gone.txt", in: container.id, contents: [1])
            try await session.delete(gone.id)
            try await expectTold("A new document", session, since: before) { $0.updated[item.id] != nil }
            let told = try await session.allChanges(since: before)
            for (id, told) in told.updated {
                try expect(try await session.item(id), is: told, "The feed tells an item otherwise than GetItem.")
            }
            for id in told.deleted {
                try expect(
                    try await session.isGone(id), "The feed tells that an item is gone that is there.", detail: "\(id)")
            }
        },
        check("010", .must, "Changes that are asked for one by one come to an end, and leave nothing out") {
            session, container in
            let before = try await session.currentAnchor()
            var made: Set<ItemIdentifier> = []
            for number in 1...8 {
                made.insert(try await session.createDocument("\(number).txt", in: container.id, contents: [1]).id)
            }
            let gone = try await session.createDocument("Gone.txt", in: container.id, contents: [1])
            try await session.delete(gone.id)
            try await expectTold("All changes, one by one,", session, since: before, count: 1) {
                made.isSubset(of: $0.updated.keys)
            }
        },
        check("011", .must, "A page that does not tell all says that there is more") { session, container in
            let before = try await session.currentAnchor()
            var made: Set<ItemIdentifier> = []
            for number in 1...8 {
                made.insert(try await session.createDocument("\(number).txt", in: container.id, contents: [1]).id)
            }
            try await expectTold("All new documents", session, since: before) { made.isSubset(of: $0.updated.keys) }
            // Everything is in the feed by now, so that a page ends because it is full and for no other reason.
            let page = try await session.changes(since: before, count: 1)
            try expect(
                page.more || made.isSubset(of: page.updated.map(\.id)),
                "A page of changes leaves some out, and does not say that there is more.")
        },
        check("012", .must, "The anchor of a page leads on from what the page told") { session, container in
            let before = try await session.currentAnchor()
            let first = try await session.createDocument("First.txt", in: container.id, contents: [1])
            try await expectTold("A new document", session, since: before) { $0.updated[first.id] != nil }
            let middle = try await session.allChanges(since: before).anchor
            let second = try await session.createDocument("Second.txt", in: container.id, contents: [1])
            try await expectTold("A document made after a page", session, since: middle) {
                $0.updated[second.id] != nil
            }
        },
        check("013", .may, "The host is told when it changed something itself, too", of: "ChangesAvailable") {
            session, container in
            // A domain may be without a feed, and has nothing to tell then.
            _ = try await session.currentAnchor()
            let before = session.events.count { $0 == .changesAvailable }
            _ = try await ModifyingChecks.document(in: container, session)
            let isTold = try await eventually(within: min(session.requestLimit, .seconds(2))) {
                session.events.count { $0 == .changesAvailable } > before
            }
            try expect(isTold, "The host is not told that the feed has something new.")
        },
        ConformanceCheck(
            "PC-FEED-014", .must, "A change that somebody else makes is told, with a new version",
            rule: .provider("ChangesSince"), needs: [.changes], mutates: true
        ) { context in
            try await withForeignChange(context) { session, document, before in
                try await expectTold("A change by somebody else", session, since: before) {
                    guard let told = $0.updated[document.id] else { return false }
                    return told.version.content != document.version.content
                }
            }
        },
        ConformanceCheck(
            "PC-FEED-015", .must, "The host is told that somebody else has changed something",
            rule: .provider("ChangesAvailable"), needs: [.changes], mutates: true
        ) { context in
            try await withForeignChange(context) { session, _, _ in
                let isTold = try await eventually(within: session.requestLimit) {
                    session.events.contains(.changesAvailable)
                }
                try expect(isTold, "The host is not told that somebody else has changed something.")
            }
        },
        ConformanceCheck(
            "PC-FEED-016", .must, "What a later listing has anew the feed tells", rule: .provider("ChangesSince"),
            needs: [.changes]
        ) { context in
            try await context.withSession { session in
                let anchor = try await session.currentAnchor()
                let before = Set(try await context.allItems(session))
                _ = try await session.allChanges(since: anchor)
                let changed = Set(try await context.allItems(session).filter { !before.contains($0) }.map(\.id))
                guard !changed.isEmpty else { return }
                try await expectTold("What a listing has anew", session, since: anchor) { told in
                    changed.subtracting(told.updated.keys).subtracting(told.deleted).isEmpty
                }
            }
        },
    ]

    /// Fails the check unless the feed comes to tell something. It may take its time: what the feed is made of may be
    /// told to the provider by somebody else.
    static func expectTold(
        _ what: String, _ session: ConformanceSession, since anchor: SyncAnchor, count: Int = 100,
        _ condition: (ToldChanges) -> Bool
    ) async throws {
        var last: ToldChanges?
        let isTold = try await eventually(within: session.requestLimit) {
            let told = try await session.allChanges(since: anchor, count: count)
            last = told
            return condition(told)
        }
        try expect(isTold, "\(what) is not told by the feed.", detail: last.map { "Last told: \($0)" } ?? "")
    }

    /// In a process of its own, so that what it was told before does not count.
    private static func withForeignChange(
        _ context: CheckContext,
        _ body: @escaping @Sendable (ConformanceSession, Item, SyncAnchor) async throws -> Void
    ) async throws {
        guard context.configuration.hooks.changeDocument != nil else {
            throw CheckSkip("The configuration has no hook change-document.")
        }
        try await context.withFreshSession { session in
            let document = try await session.item(try await context.sampleDocument(session).id)
            guard let path = try await session.path(for: document.id) else {
                throw CheckFailure("A document that is there has no path.")
            }
            let before = try await session.currentAnchor()
            try await context.changeDocument(path)
            try await body(session, document, before)
        }
    }

    private static func check(
        _ number: String, _ level: CheckLevel, _ title: String, of message: String = "ChangesSince",
        body: @escaping @Sendable (ConformanceSession, Item) async throws -> Void
    ) -> ConformanceCheck {
        .changing(
            "PC-FEED-" + number, level, title, rule: .provider(message), needs: [.changes], body: body)
    }
}
