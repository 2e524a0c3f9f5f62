import DocumentModel
import DocumentWire

/// Points in the feed of changes.
enum AnchorChecks {
    static let all: [ConformanceCheck] = [
        looking("001", .must, "There is a current anchor of 1 to 500 bytes", rule: .provider("CurrentAnchor")) {
            session in
            _ = try await session.currentAnchor()
        },
        looking(
            "002", .must, "After the current anchor there is nothing new, and no more", rule: .provider("ChangesSince")
        ) { session in
            let anchor = try await session.currentAnchor()
            let page = try await session.changes(since: anchor)
            try expect(
                page.updated.isEmpty && page.deleted.isEmpty, "After the current anchor there are changes.",
                detail: "\(page)")
            try expect(!page.more, "The feed says that there is more where there is nothing.")
        },
        looking(
            "003", .must, "An anchor that was never given fails with anchorExpired", rule: .provider("ChangesSince")
        ) { session in
            for bytes in ["nonsense", "0", "-1", "\0", String(repeating: "9", count: 500)] {
                let anchor = try SyncAnchor(Array(bytes.utf8))
                try await expectError(.anchorExpired, from: "ChangesSince of an unknown anchor") {
                    try await session.changes(since: anchor)
                }
            }
        },
        looking(
            "004", .must, "An anchor with bytes added fails with anchorExpired", rule: .provider("ChangesSince")
        ) { session in
            let anchor = try SyncAnchor(try await session.currentAnchor().bytes.prefix(490) + Array("\u{1}extra".utf8))
            try await expectError(.anchorExpired, from: "ChangesSince of an anchor with bytes added") {
                try await session.changes(since: anchor)
            }
        },
        looking(
            "005", .must, "A damaged anchor is answered or fails with anchorExpired, byte after byte",
            rule: .provider("ChangesSince")
        ) { session in
            let good = try await session.currentAnchor().bytes
            for index in good.indices.prefix(32) {
                var bytes = good
                bytes[index] ^= 0x55
                do {
                    _ = try await session.changes(since: try SyncAnchor(bytes))
                } catch let error as DocumentError where error.code == .anchorExpired {}
            }
        },
        changing("006", .must, "The anchor moves when something changes") { session, container in
            let before = try await session.currentAnchor()
            _ = try await ModifyingChecks.document(in: container, session)
            let moved = try await eventually(within: session.requestLimit) {
                let told = try await session.allChanges(since: before)
                let now = try await session.currentAnchor()
                return now != before && told.anchor != before
            }
            try expect(moved, "The anchor stays where it is, though something has changed.")
        },
        changing("007", .must, "An anchor may be used again, and tells the same") { session, container in
            let before = try await session.currentAnchor()
            let item = try await ModifyingChecks.document(in: container, session)
            for _ in 0..<3 {
                try await FeedChecks.expectTold("A new document", session, since: before) {
                    $0.updated[item.id] == item
                }
            }
        },
        changing(
            "008", .must,
            "An anchor is never newer than a listing that is taken after it: listing and feed leave nothing out",
            limit: .seconds(60)
        ) { session, container in
            async let made = Self.makeDocuments(20, in: container, session)
            var looks: [(anchor: SyncAnchor, listed: Set<ItemIdentifier>)] = []
            for _ in 0..<10 {
                let anchor = try await session.currentAnchor()
                looks.append((anchor, Set(try await session.list(container.id, count: 5).map(\.id))))
            }
            let all = try await made
            for look in looks {
                let isWhole = try await eventually(within: session.requestLimit) {
                    let told = try await session.allChanges(since: look.anchor)
                    return all.isSubset(of: look.listed.union(told.updated.keys))
                }
                try expect(isWhole, "A document is neither in a listing nor in the changes since the anchor before it.")
            }
        },
        changing(
            "009", .must, "An anchor of before a hundred removals tells them all, or has expired", limit: .seconds(60)
        ) { session, container in
            let made = try await Self.makeDocuments(100, in: container, session)
            let before = try await session.currentAnchor()
            for id in made { try await session.delete(id) }
            let told: ToldChanges
            do {
                told = try await session.allChanges(since: before)
            } catch let error as DocumentError where error.code == .anchorExpired {
                return
            }
            var seen = told
            _ = try await eventually(within: session.requestLimit) {
                guard !made.isSubset(of: seen.deleted) else { return true }
                seen = try await session.allChanges(since: before)
                return false
            }
            try expect(made.isSubset(of: seen.deleted), "An old anchor is good, and does not tell all removals.")
        },
        ConformanceCheck(
            "PC-ANCHOR-010", .should, "An anchor is good over a restart of the provider",
            rule: .provider("ChangesSince"), needs: [.changes, .modifying], mutates: true
        ) { context in
            let anchor = try await context.withSession { try await $0.currentAnchor() }
            try await context.withFreshSession { session in
                try await context.withFreshContainer(session) { container in
                    try await FeedChecks.expectTold("A new folder", session, since: anchor) {
                        $0.updated[container.id] != nil
                    }
                }
            }
        },
    ]

    private static func makeDocuments(
        _ count: Int, in container: Item, _ session: ConformanceSession
    ) async throws -> Set<ItemIdentifier> {
        var made: Set<ItemIdentifier> = []
        for number in 0..<count {
            made.insert(try await session.createDocument("\(number).txt", in: container.id, contents: [1]).id)
        }
        return made
    }

    private static func looking(
        _ number: String, _ level: CheckLevel, _ title: String, rule: RuleReference,
        body: @escaping @Sendable (ConformanceSession) async throws -> Void
    ) -> ConformanceCheck {
        ConformanceCheck("PC-ANCHOR-" + number, level, title, rule: rule, needs: [.changes]) { context in
            try await context.withSession { try await body($0) }
        }
    }

    private static func changing(
        _ number: String, _ level: CheckLevel, _ title: String, limit: Duration = .seconds(30),
        body: @escaping @Sendable (ConformanceSession, Item) async throws -> Void
    ) -> ConformanceCheck {
        .changing(
            "PC-ANCHOR-" + number, level, title, rule: .provider("ChangesSince"), needs: [.changes], limit: limit,
            body: body)
    }
}
