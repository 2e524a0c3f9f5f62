import DocumentModel
import DocumentWire

/// Changes that begin from a version.
enum BaseVersionChecks {
    static let all: [ConformanceCheck] = [
        check("001", .must, "A change that begins from the current version is made") { session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            _ = try await session.change(item, contents: Array("new".utf8), base: item.version)
            try expect(try await session.contents(of: item.id).bytes, is: Array("new".utf8), "The change was not made.")
        },
        check("002", .must, "New contents for an old content version fail with versionNoLongerAvailable") {
            session, container in
            let old = try await ModifyingChecks.document(in: container, session)
            let now = try await session.change(old, contents: Array("now".utf8))
            let base = try ItemVersion(content: old.version.content)
            try await refused("A change of an old content version") {
                try await session.change(old, contents: Array("lost update".utf8), base: base)
            }
            try await expectOnly(now, Array("now".utf8), in: container, session)
        },
        check("003", .must, "A change of an old metadata version fails with versionNoLongerAvailable") {
            session, container in
            let old = try await ModifyingChecks.document(in: container, session)
            let now = try await session.change(
                old, contents: Array("now".utf8), modified: Timestamp(seconds: 1_000_000_000))
            guard now.version.metadata != old.version.metadata else {
                throw CheckSkip("Times of change are part of this provider's content versions.")
            }
            let base = try ItemVersion(content: [], metadata: old.version.metadata)
            try await refused("A change of an old metadata version") {
                try await session.change(old, modified: Timestamp(seconds: 1), base: base)
            }
            try await expectOnly(now, Array("now".utf8), in: container, session)
        },
        check("004", .must, "New contents do not mind a rename, when the base names the content version only") {
            session, container in
            let old = try await ModifyingChecks.document(in: container, session)
            try require(.rename, of: old, "renamed")
            let renamed = try await session.change(old, name: "Renamed.txt")
            guard renamed.version.content == old.version.content else {
                throw CheckSkip("A rename changes the content version of this provider's documents.")
            }
            _ = try await session.change(
                renamed, contents: Array("new".utf8), base: try ItemVersion(content: old.version.content))
            try expect(
                try await session.contents(of: renamed.id).bytes, is: Array("new".utf8), "The change was not made.")
        },
        check("005", .must, "An empty base version is not checked") { session, container in
            let old = try await ModifyingChecks.document(in: container, session)
            _ = try await session.change(old, contents: Array("first".utf8))
            _ = try await session.change(old, contents: Array("second".utf8))
            try expect(
                try await session.contents(of: old.id).bytes, is: Array("second".utf8), "The change was not made.")
        },
        check("006", .must, "A change of a version that never was fails with versionNoLongerAvailable") {
            session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            try await refused("A change of an unknown version") {
                try await session.change(
                    item, contents: Array("lost update".utf8), base: try ItemVersion(content: Array("never was".utf8)))
            }
            try await expectOnly(item, ModifyingChecks.contents, in: container, session)
        },
        check("007", .must, "A rename of an old version fails with versionNoLongerAvailable") { session, container in
            let old = try await ModifyingChecks.document(in: container, session)
            try require(.rename, of: old, "renamed")
            let now = try await session.change(old, name: "Now.txt", contents: Array("now".utf8))
            try await refused("A rename of an old version") {
                try await session.change(now, name: "Lost.txt", base: old.version)
            }
            try await expectOnly(now, Array("now".utf8), in: container, session)
        },
        check("008", .must, "A removal of an old version fails with versionNoLongerAvailable, and the item stays") {
            session, container in
            let old = try await ModifyingChecks.document(in: container, session)
            let now = try await session.change(old, contents: Array("now".utf8))
            try await refused("A removal of an old version") { try await session.delete(old.id, base: old.version) }
            try await expectOnly(now, Array("now".utf8), in: container, session)
        },
        check("009", .must, "A removal of the current version is made") { session, container in
            let old = try await ModifyingChecks.document(in: container, session)
            let now = try await session.change(old, contents: Array("now".utf8))
            try await session.delete(old.id, base: now.version)
            try expect(try await session.isGone(old.id), "A removed item is still there.")
        },
        check("010", .must, "A chain of changes, each from the version that the one before made, is made") {
            session, container in
            var item = try await ModifyingChecks.document(in: container, session)
            for number in 1...8 {
                item = try await session.change(item, contents: Array("step \(number)".utf8), base: item.version)
            }
            try await expectOnly(item, Array("step 8".utf8), in: container, session)
        },
        check("011", .must, "Of two changes that began from one version the second fails, and the first stays") {
            session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            let first = try await session.change(item, contents: Array("first".utf8), base: item.version)
            try await refused("The second change that began from a version") {
                try await session.change(item, contents: Array("second".utf8), base: item.version)
            }
            try await expectOnly(first, Array("first".utf8), in: container, session)
        },
    ]

    private static func refused<Value>(_ what: String, _ body: () async throws -> Value) async throws {
        try await expectError(.versionNoLongerAvailable, from: what, body)
    }

    private static func expectOnly(
        _ item: Item, _ contents: [UInt8], in container: Item, _ session: ConformanceSession
    ) async throws {
        try expect(
            try await session.list(container.id), is: [item], "A change that failed changed the item.")
        try expect(
            try await session.contents(of: item.id).bytes, is: contents, "A change that failed changed the contents.")
    }

    private static func check(
        _ number: String, _ level: CheckLevel, _ title: String,
        body: @escaping @Sendable (ConformanceSession, Item) async throws -> Void
    ) -> ConformanceCheck {
        .changing("PC-BASE-" + number, level, title, rule: .provider("Modify"), body: body)
    }
}
