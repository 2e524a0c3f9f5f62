import DocumentModel
import DocumentWire
import SystemPackage

/// New contents, names and times of what is there.
enum ModifyingChecks {
    static let all: [ConformanceCheck] = [
        check("001", .must, "New contents take the place of the old ones, longer or shorter") { session, container in
            let item = try await document(in: container, session)
            for contents in ["a good deal longer than what was there before", "short", ""] {
                let changed = try await session.change(item, contents: Array(contents.utf8))
                let read = try await session.contents(of: item.id)
                try expect(read.bytes, is: Array(contents.utf8), "The contents are not the new ones.")
                try expect(
                    changed.size ?? Int64(contents.utf8.count), is: Int64(contents.utf8.count),
                    "The size is not that of the new contents.")
            }
        },
        check("002", .must, "The answer to Modify is what GetItem and the listing say") { session, container in
            let item = try await document(in: container, session)
            let changed = try await session.change(item, contents: Array("changed".utf8))
            try expect(changed.id, is: item.id, "New contents gave the document another identifier.")
            try expect(try await session.item(item.id), is: changed, "GetItem differs from the answer to Modify.")
            try expect(try await session.list(container.id), is: [changed], "The listing differs from the answer.")
        },
        check("003", .must, "A rename changes the name, and the old name is gone") { session, container in
            let item = try await document(in: container, session)
            try require(.rename, of: item, "renamed")
            let renamed = try await session.change(item, name: "Renamed.txt")
            try expect(renamed.name?.rawValue ?? "", is: "Renamed.txt", "The answer to a rename has another name.")
            try expect(
                try await session.list(container.id), is: [renamed], "The folder does not list the renamed item.")
            try expect(
                try await session.contents(of: renamed.id).bytes, is: Self.contents,
                "A rename changed the contents.")
        },
        check("004", .should, "An item keeps its identifier when it is renamed") { session, container in
            let item = try await document(in: container, session)
            try require(.rename, of: item, "renamed")
            let renamed = try await session.change(item, name: "Renamed.txt")
            try expect(renamed.id, is: item.id, "A rename gave the item another identifier.")
            try expect(try await session.item(item.id), is: renamed, "GetItem differs from the answer to a rename.")
        },
        check("005", .should, "What is in a folder keeps its identifiers when the folder is renamed") {
            session, container in
            let folder = try await session.createFolder("Folder", in: container.id)
            try require(.rename, of: folder, "renamed")
            let inside = try await session.createDocument("Inside.txt", in: folder.id, contents: contents)
            let renamed = try await session.change(folder, name: "Renamed")
            try expect(
                try await session.list(renamed.id).map(\.id), is: [inside.id],
                "Renaming a folder gave what is in it other identifiers.")
            try expect(try await session.contents(of: inside.id).bytes, is: contents, "The contents have changed.")
        },
        check("006", .must, "A rename to a name that is taken fails with nameCollision, and both items stay") {
            session, container in
            let (item, other) = try await twoDocuments(in: container, session)
            try require(.rename, of: item, "renamed")
            try await expectError(.nameCollision, from: "A rename to a name that is taken") {
                try await session.change(item, name: "Other.txt")
            }
            try await expectBoth(item, other, in: container, session)
        },
        check("007", .must, "A change whose name is taken changes the contents neither: all of it or nothing") {
            session, container in
            let (item, other) = try await twoDocuments(in: container, session)
            try require(.rename, of: item, "renamed")
            try await expectError(.nameCollision, from: "A change to a name that is taken, with new contents") {
                try await session.change(item, name: "Other.txt", contents: Array("half".utf8))
            }
            try await expectBoth(item, other, in: container, session)
        },
        check("008", .must, "A change with an unknown folder changes the contents neither: all of it or nothing") {
            session, container in
            let item = try await document(in: container, session)
            try require(.move, of: item, "moved")
            let unknown = try ItemIdentifier("no-such-folder-\(container.name?.rawValue ?? "")")
            try await expectError(.noSuchItem, from: "A change with an unknown folder") {
                try await session.change(item, parent: unknown, contents: Array("half".utf8))
            }
            try expect(try await session.list(container.id), is: [item], "A change that failed changed the item.")
            try expect(try await session.contents(of: item.id).bytes, is: contents, "A change that failed came half.")
        },
        check("009", .must, "Name, contents and time can be changed in one go") { session, container in
            let item = try await document(in: container, session)
            try require(.rename, of: item, "renamed")
            let changed = try await session.change(
                item, name: "All new.txt", contents: Array("all new".utf8), modified: Timestamp(seconds: 1_000_000_000))
            try expect(changed.name?.rawValue ?? "", is: "All new.txt", "The name was not changed.")
            try expect(
                try await session.contents(of: changed.id).bytes, is: Array("all new".utf8),
                "The contents were not changed.")
            try expect(try await session.names(in: container.id), is: ["All new.txt"], "The listing has another name.")
        },
        check("010", .should, "The time of change can be set, with new contents and alone") { session, container in
            let item = try await document(in: container, session)
            let time = Timestamp(seconds: 1_111_111_111)
            let touched = try await session.change(item, modified: time)
            try expect(touched.modified.seconds, is: time.seconds, "The time of change was not set.")
            try expect(try await session.contents(of: item.id).bytes, is: contents, "A new time changed the contents.")
            let other = Timestamp(seconds: 1_222_222_222)
            let changed = try await session.change(item, contents: [1], modified: other)
            try expect(changed.modified.seconds, is: other.seconds, "New contents lost the time of change.")
        },
        check("011", .must, "A change of an unknown item fails with noSuchItem") { session, container in
            let gone = try await document(in: container, session)
            try await session.delete(gone.id)
            try await expectError(.noSuchItem, from: "Modify of an item that is gone") {
                try await session.change(gone, contents: [1])
            }
            try expect(try await session.list(container.id), is: [], "A change brought a removed item back.")
        },
        check("012", .must, "A folder takes no contents, and stays a folder") { session, container in
            let folder = try await session.createFolder("Folder", in: container.id)
            _ = try await session.createDocument("Inside.txt", in: folder.id, contents: contents)
            try await expectError(.invalidArgument, .notPermitted, from: "New contents for a folder") {
                try await session.change(folder, contents: [1])
            }
            try expect(try await session.item(folder.id).kind == .folder, "The folder is no folder any more.")
            try expect(try await session.names(in: folder.id), is: ["Inside.txt"], "The folder lost what was in it.")
        },
        check("013", .must, "A rename to the name that an item has already succeeds") { session, container in
            let item = try await document(in: container, session)
            try require(.rename, of: item, "renamed")
            _ = try await session.change(item, name: "Document.txt")
            try expect(
                try await session.names(in: container.id), is: ["Document.txt"], "The item is not there as it was.")
            try expect(try await session.contents(of: item.id).bytes, is: contents, "The contents have changed.")
        },
        check("014", .should, "A rename that changes nothing but the case of letters succeeds") { session, container in
            let item = try await document(in: container, session)
            try require(.rename, of: item, "renamed")
            _ = try await session.change(item, name: "DOCUMENT.txt")
            try expect(try await session.names(in: container.id), is: ["DOCUMENT.txt"], "The name has not changed.")
        },
        check("015", .must, "The file with new contents stays as it was") { session, container in
            let item = try await document(in: container, session)
            let file = try session.folder.newFile(contents: Array("ours".utf8))
            defer { file.remove() }
            _ = try await session.modify(
                ProviderCall.ModifyCall(
                    id: item.id, baseVersion: .none, contentsPath: file.path.string, operation: operationName()))
            try expect(try file.bytes(), is: Array("ours".utf8), "The provider changed the file that it was handed.")
            try expect(try file.isUntouchedAsAnEntry(), "The provider replaced the file that it was handed.")
        },
        check("016", .must, "The top folder cannot be changed") { session, container in
            let root = try await session.item(session.rootID)
            try await expectError(.invalidArgument, .notPermitted, from: "A rename of the top folder") {
                try await session.change(root, name: "Top")
            }
        },
    ]

    static let contents = Array("what was there before".utf8)

    static func document(in container: Item, _ session: ConformanceSession) async throws -> Item {
        try await session.createDocument("Document.txt", in: container.id, contents: contents)
    }

    private static func twoDocuments(
        in container: Item, _ session: ConformanceSession
    ) async throws -> (Item, Item) {
        let item = try await document(in: container, session)
        return (item, try await session.createDocument("Other.txt", in: container.id, contents: Array("other".utf8)))
    }

    private static func expectBoth(
        _ item: Item, _ other: Item, in container: Item, _ session: ConformanceSession
    ) async throws {
        try expect(
            Set(try await session.list(container.id)), is: [item, other], "A change that failed changed an item.")
        try expect(try await session.contents(of: item.id).bytes, is: contents, "A change that failed came half.")
        try expect(
            try await session.contents(of: other.id).bytes, is: Array("other".utf8),
            "A change that failed replaced another item.")
    }

    private static func check(
        _ number: String, _ level: CheckLevel, _ title: String,
        body: @escaping @Sendable (ConformanceSession, Item) async throws -> Void
    ) -> ConformanceCheck {
        .changing("PC-MODIFY-" + number, level, title, rule: .provider("Modify"), body: body)
    }
}
