import DocumentModel
import DocumentWire

/// What versions tell: the same one the same state, another one another state.
enum VersionChecks {
    static let all: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-VERSION-001", .must, "Documents have a content version, and folders have none",
            rule: .model("ItemVersion")
        ) { context in
            try await context.withSession { session in
                for item in try await context.allItems(session) {
                    if item.kind == .folder {
                        try expect(item.version.content, is: [], "A folder has a content version.")
                    } else {
                        try expect(
                            !item.version.content.isEmpty, "A document has no content version.", detail: "\(item)")
                    }
                }
            }
        },
        ConformanceCheck(
            "PC-VERSION-002", .must, "An item that is looked at again has the same version", rule: .model("ItemVersion")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                let first = try await session.item(document.id)
                for _ in 0..<3 {
                    try expect(
                        try await session.item(document.id), is: first, "An item differs each time it is looked at.")
                }
            }
        },
        ConformanceCheck(
            "PC-VERSION-003", .must, "With one version GetItem and the listing say the same of an item",
            rule: .model("ItemVersion")
        ) { context in
            try await context.withSession { session in
                for listed in try await session.list(try await context.sampleFolder(session)).prefix(50) {
                    let item = try await session.item(listed.id)
                    guard item.version == listed.version else {
                        throw CheckFailure(
                            "An item has one version in its folder and another by itself.",
                            detail: "\(listed)\n\(item)")
                    }
                    try expect(item, is: listed, "An item is another by itself than in its folder, with one version.")
                }
            }
        },
        ConformanceCheck(
            "PC-VERSION-004", .must, "Providing names the version that it provides, and does not change it",
            rule: .provider("StartProviding")
        ) { context in
            try await context.withSession { session in
                let before = try await session.item(try await context.sampleDocument(session).id)
                let provided = try await session.contents(of: before.id).item
                try expect(provided, is: before, "StartProviding names another state than GetItem.")
                try expect(try await session.item(before.id), is: before, "Being read changes a document.")
            }
        },
        ConformanceCheck(
            "PC-VERSION-005", .must, "The current version can be asked for by name", rule: .provider("StartProviding")
        ) { context in
            try await context.withSession { session in
                let item = try await session.item(try await context.sampleDocument(session).id)
                let named = try await session.contents(of: item.id, version: item.version.content)
                let current = try await session.contents(of: item.id)
                try expect(named.bytes == current.bytes, "The current version by name has other contents.")
            }
        },
        ConformanceCheck(
            "PC-VERSION-006", .must, "A version that never was fails with versionNoLongerAvailable",
            rule: .provider("StartProviding")
        ) { context in
            try await context.withSession { session in
                let item = try await context.sampleDocument(session)
                try await expectError(.versionNoLongerAvailable, from: "StartProviding of an unknown version") {
                    try await session.contents(of: item.id, version: Array("never was".utf8))
                }
            }
        },
        changing("007", .must, "New contents have a new content version") { session, container in
            let old = try await ModifyingChecks.document(in: container, session)
            let new = try await session.change(old, contents: Array("new".utf8))
            try expect(new.version.content != old.version.content, "New contents have the version of the old ones.")
        },
        changing("008", .must, "New contents of the same size have a new content version") { session, container in
            let old = try await session.createDocument("Document.txt", in: container.id, contents: Array("abc".utf8))
            let new = try await session.change(old, contents: Array("abd".utf8), modified: old.modified)
            try expect(
                new.version.content != old.version.content,
                "Contents that differ in nothing but their bytes have one version.")
        },
        changing("009", .must, "Ten changes in a row have ten different content versions") { session, container in
            var item = try await ModifyingChecks.document(in: container, session)
            var seen: Set<[UInt8]> = [item.version.content]
            for number in 0..<10 {
                item = try await session.change(item, contents: [UInt8(number)])
                try expect(
                    seen.insert(item.version.content).inserted, "A content version comes twice for different contents.")
            }
        },
        changing("010", .must, "A rename makes a new metadata version") { session, container in
            let old = try await ModifyingChecks.document(in: container, session)
            try require(.rename, of: old, "renamed")
            let new = try await session.change(old, name: "Renamed.txt")
            try expect(new.version.metadata != old.version.metadata, "A renamed item has the metadata version it had.")
        },
        changing("011", .should, "A rename keeps the content version") { session, container in
            let old = try await ModifyingChecks.document(in: container, session)
            try require(.rename, of: old, "renamed")
            let new = try await session.change(old, name: "Renamed.txt")
            try expect(new.version.content, is: old.version.content, "A rename makes a new content version.")
        },
        changing("012", .must, "A move makes a new metadata version") { session, container in
            let old = try await ModifyingChecks.document(in: container, session)
            try require(.move, of: old, "moved")
            let folder = try await session.createFolder("Folder", in: container.id)
            let new = try await session.change(old, parent: folder.id)
            try expect(new.version.metadata != old.version.metadata, "A moved item has the metadata version it had.")
        },
        changing("013", .must, "An old version is given as it was, or refused with versionNoLongerAvailable") {
            session, container in
            let old = try await ModifyingChecks.document(in: container, session)
            _ = try await session.change(old, contents: Array("new".utf8))
            do {
                let read = try await session.contents(of: old.id, version: old.version.content)
                try expect(read.bytes, is: ModifyingChecks.contents, "An old version has other contents than it had.")
            } catch let error as DocumentError where error.code == .versionNoLongerAvailable {}
        },
        changing("014", .should, "A new document in a folder leaves the versions of what is beside it") {
            session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            _ = try await session.createDocument("Beside.txt", in: container.id, contents: [1])
            try expect(try await session.item(item.id), is: item, "A document changed when another was made beside it.")
        },
        changing("015", .must, "A new time of change makes a new version") { session, container in
            let old = try await ModifyingChecks.document(in: container, session)
            let new = try await session.change(old, modified: Timestamp(seconds: 1_000_000_000))
            guard new.modified != old.modified else {
                throw CheckSkip("The provider does not keep the times of change that are sent.")
            }
            try expect(new.version != old.version, "An item with another time of change has the version it had.")
        },
    ]

    private static func changing(
        _ number: String, _ level: CheckLevel, _ title: String,
        body: @escaping @Sendable (ConformanceSession, Item) async throws -> Void
    ) -> ConformanceCheck {
        .changing("PC-VERSION-" + number, level, title, rule: .model("ItemVersion"), body: body)
    }
}
