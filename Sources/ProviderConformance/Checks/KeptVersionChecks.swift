import DocumentModel
import DocumentWire

/// The capability “versions”: what is kept beside a document's contents is there for everybody, until it is removed.
enum KeptVersionChecks {
    static let all: [ConformanceCheck] = keeping + removing + lasting + refusals

    private static let side = Array("the other side of a conflict\n".utf8)

    private static let keeping: [ConformanceCheck] = [
        check("001", "A version that was kept is listed with all that was said of it", of: "KeepVersion") {
            session, document in
            let kept = try await session.keepVersion(of: document.id, contents: side)
            try expect(kept.role, is: .conflict, "A version is kept as something else than it was given as.")
            try expect(kept.modified, is: ConformanceSession.keptTime, "A version is kept with another time.")
            try expect(kept.savedBy, is: ConformanceSession.keptBy, "A version is kept as another device's.")
            if let size = kept.size {
                try expect(size, is: Int64(side.count), "A version is kept with another size.")
            }
            try expect(
                try await session.versions(of: document.id), is: [kept],
                "ListVersions tells something else of a version than the answer to KeepVersion.")
        },
        check(
            "002", "The contents of a version are those that were given, and of the document they stay",
            of: "ProvideVersion"
        ) { session, document in
            let before = try await session.contents(of: document.id).bytes
            let kept = try await session.keepVersion(of: document.id, contents: side)
            let empty = try await session.keepVersion(of: document.id, contents: [])
            try expect(
                try await session.contents(of: kept, of: document.id), is: side,
                "The contents of a kept version are others than those that were given.")
            try expect(
                try await session.contents(of: empty, of: document.id), is: [],
                "The contents of a kept version that has none are some.")
            try expect(
                try await session.contents(of: document.id).bytes, is: before,
                "A document has other contents since a version of it was kept.")
        },
        check("003", "A repeated KeepVersion keeps nothing more, and answers with the first", of: "KeepVersion") {
            session, document in
            let operation = operationName()
            let first = try await session.keepVersion(of: document.id, contents: side, operation: operation)
            let again = try await session.keepVersion(of: document.id, contents: side, operation: operation)
            try expect(again, is: first, "A repeated KeepVersion is answered with another version.")
            try expect(
                try await session.versions(of: document.id), is: [first], "A repeated KeepVersion keeps another one.")
        },
        check("004", "An item says how many sides of conflicts are kept of it", of: "ListVersions") {
            session, document in
            _ = try await session.keepVersion(of: document.id, contents: side)
            _ = try await session.keepVersion(of: document.id, contents: side + side)
            _ = try await session.keepVersion(of: document.id, contents: [1], role: .older)
            try expect(
                try await session.item(document.id).conflictVersions, is: 2,
                "GetItem tells of another number of sides of conflicts than are kept.")
        },
        check(
            "005", "A side that comes or goes is another metadata version of the item, and the same content version",
            of: "ProvidedVersion"
        ) { session, document in
            let before = try await session.item(document.id).version
            let kept = try await session.keepVersion(of: document.id, contents: side)
            let after = try await session.item(document.id).version
            try await session.removeVersion(kept.id, of: document.id)
            let last = try await session.item(document.id).version
            try expect(
                Set([before.metadata, after.metadata, last.metadata]).count == 3,
                "An item's metadata version stays when a side of a conflict comes or goes.")
            try expect(
                before.content == after.content && after.content == last.content,
                "An item's content version changes when a side of a conflict comes or goes.")
        },
    ]

    private static let removing: [ConformanceCheck] = [
        check("006", "A version that was removed is gone", of: "RemoveVersion") { session, document in
            let kept = try await session.keepVersion(of: document.id, contents: side)
            let other = try await session.keepVersion(of: document.id, contents: side + side)
            try await session.removeVersion(kept.id, of: document.id)
            try expect(
                try await session.versions(of: document.id), is: [other], "A version that was removed is listed still.")
            try expect(
                try await session.item(document.id).conflictVersions, is: 1,
                "An item counts a side of a conflict that was removed.")
            try await expectError(.versionNoLongerAvailable, from: "ProvideVersion of a version that was removed") {
                try await session.contents(of: kept, of: document.id)
            }
        },
        check("007", "To remove a version that is gone, or never was, succeeds", of: "RemoveVersion") {
            session, document in
            let kept = try await session.keepVersion(of: document.id, contents: side)
            for _ in 0..<2 { try await session.removeVersion(kept.id, of: document.id) }
            try await session.removeVersion("no such version", of: document.id)
            try await session.delete(document.id)
            try await session.removeVersion(kept.id, of: document.id)
        },
    ]

    private static let lasting: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-KEEP-008", .must, "What is kept of a document is kept over a restart and a new name",
            rule: .provider("KeepVersion"), needs: [.modifying, .versions], mutates: true
        ) { context in
            try await context.ownContainer { container in
                let (document, kept) = try await context.withSession { session in
                    let document = try await session.createDocument("Note.txt", in: container.id, contents: [1])
                    let kept = try await session.keepVersion(of: document.id, contents: side)
                    _ = try await session.modify(
                        ProviderCall.ModifyCall(
                            id: document.id, baseVersion: .none, name: try ItemName("Renamed.txt"),
                            operation: operationName()))
                    return (document, kept)
                }
                try await context.withFreshSession { session in
                    try expect(
                        try await session.versions(of: document.id), is: [kept],
                        "A kept version is not listed any more after a restart.")
                    try expect(
                        try await session.contents(of: kept, of: document.id), is: side,
                        "A kept version has other contents after a restart.")
                }
            }
        },
        .changing(
            "PC-KEEP-009", .must, "The feed tells when a side of a conflict comes or goes",
            rule: .provider("ProvidedVersion"), needs: [.versions, .changes]
        ) { session, container in
            let document = try await session.createDocument("Note.txt", in: container.id, contents: [1])
            var anchor = try await session.currentAnchor()
            func told() async throws -> Int? {
                let changes = try await session.changes(since: anchor)
                anchor = changes.anchor
                return changes.updated.last { $0.id == document.id }?.conflictVersions
            }
            let kept = try await session.keepVersion(of: document.id, contents: side)
            try expect(try await told(), is: 1, "The feed does not tell of a side of a conflict that was kept.")
            try await session.removeVersion(kept.id, of: document.id)
            try expect(try await told(), is: 0, "The feed does not tell that a side of a conflict is gone.")
        },
    ]

    private static let refusals: [ConformanceCheck] = [
        check("010", "Versions of an item that is unknown fail with noSuchItem", of: "ListVersions") {
            session, document in
            try await session.delete(document.id)
            try await expectError(.noSuchItem, from: "ListVersions of an item that is gone") {
                try await session.versions(of: document.id)
            }
            try await expectError(.noSuchItem, from: "KeepVersion of an item that is gone") {
                try await session.keepVersion(of: document.id, contents: side)
            }
        }
    ]

    /// Of a document of its own.
    private static func check(
        _ number: String, _ title: String, of message: String,
        body: @escaping @Sendable (ConformanceSession, Item) async throws -> Void
    ) -> ConformanceCheck {
        .changing("PC-KEEP-" + number, .must, title, rule: .provider(message), needs: [.versions]) {
            session, container in
            try await body(session, try await session.createDocument("Note.txt", in: container.id, contents: [1, 2]))
        }
    }
}
