import DocumentModel
import DocumentWire
import SystemPackage

/// New documents and folders.
enum CreatingChecks {
    static let all: [ConformanceCheck] = [
        check(
            "001", .must, "A created document is listed in its folder, once, as the answer says"
        ) { session, container in
            let made = try await session.createDocument("New.txt", in: container.id, contents: Array("new".utf8))
            try expect(made.kind == .document, "A created document is no document.", detail: "\(made)")
            try expect(made.parentID, is: container.id, "A created document is in another folder.")
            try expect(made.name?.rawValue ?? "", is: "New.txt", "A created document has another name.")
            let listed = try await session.list(container.id)
            try expect(
                listed, is: [made], "The folder of a created document lists something else than the answer says.")
        },
        check("002", .must, "GetItem of a created document is what the answer to Create said") { session, container in
            let made = try await session.createDocument("New.txt", in: container.id, contents: Array("new".utf8))
            try expect(try await session.item(made.id), is: made, "GetItem differs from the answer to Create.")
        },
        check("003", .must, "A created document has the contents that were handed over") { session, container in
            let contents = Array("These are the contents.\n".utf8)
            let made = try await session.createDocument("New.txt", in: container.id, contents: contents)
            try expect(made.size ?? 24, is: 24, "A created document has another size than its contents.")
            try expect(try await session.contents(of: made.id).bytes, is: contents, "The contents are others.")
        },
        check("004", .must, "A created folder is listed, empty, and a folder") { session, container in
            let made = try await session.createFolder("New folder", in: container.id)
            try expect(made.kind == .folder, "A created folder is no folder.", detail: "\(made)")
            try expect(try await session.list(container.id), is: [made], "The created folder is not listed.")
            try expect(try await session.list(made.id), is: [], "A new folder is not empty.")
        },
        check("005", .must, "Folders can be made in folders, and documents in those") { session, container in
            let outer = try await session.createFolder("Outer", in: container.id)
            let inner = try await session.createFolder("Inner", in: outer.id)
            let document = try await session.createDocument("Deep.txt", in: inner.id, contents: [1])
            try expect(try await session.list(inner.id), is: [document], "A document deep down is not listed.")
            try expect(try await session.names(in: outer.id), is: ["Inner"], "A folder deep down is not listed.")
        },
        check("006", .must, "A document whose name is taken fails with nameCollision, and nothing changes") {
            session, container in
            let first = try await session.createDocument("Same.txt", in: container.id, contents: Array("first".utf8))
            try await expectError(.nameCollision, from: "Create of a document whose name is taken") {
                try await session.createDocument("Same.txt", in: container.id, contents: Array("second".utf8))
            }
            try await expectUnchanged(first, Array("first".utf8), in: container, session)
        },
        check("007", .must, "A folder whose name a document has fails with nameCollision, and nothing changes") {
            session, container in
            let first = try await session.createDocument("Same", in: container.id, contents: Array("first".utf8))
            try await expectError(.nameCollision, from: "Create of a folder whose name is taken") {
                try await session.createFolder("Same", in: container.id)
            }
            try await expectUnchanged(first, Array("first".utf8), in: container, session)
        },
        check("008", .must, "A name that is taken in one folder is free in another") { session, container in
            let other = try await session.createFolder("Other", in: container.id)
            let one = try await session.createDocument("Same.txt", in: container.id, contents: [1])
            let two = try await session.createDocument("Same.txt", in: other.id, contents: [2])
            try expect(one.id != two.id, "Two documents have one identifier.")
            try expect(try await session.contents(of: one.id).bytes, is: [1], "The first document has other contents.")
            try expect(try await session.contents(of: two.id).bytes, is: [2], "The second document has other contents.")
        },
        check("009", .must, "Create in an unknown folder fails with noSuchItem") { session, container in
            let unknown = try ItemIdentifier("no-such-folder-\(container.name?.rawValue ?? "")")
            let name = "\(container.name?.rawValue ?? "lost").txt"
            do {
                try await expectError(.noSuchItem, from: "Create in an unknown folder") {
                    try await session.createDocument(name, in: unknown, contents: [1])
                }
            } catch {
                // It went somewhere, perhaps to the top folder, which is not ours.
                for stray in try await session.list(session.rootID) where stray.name?.rawValue == name {
                    try await session.delete(stray.id)
                }
                throw error
            }
        },
        check("010", .must, "Create in a document fails, and makes nothing") { session, container in
            let document = try await session.createDocument("Document.txt", in: container.id, contents: [1])
            try await expectError(
                .invalidArgument, .noSuchItem, .notPermitted, from: "Create in a document"
            ) {
                try await session.createDocument("Inside.txt", in: document.id, contents: [2])
            }
            try await expectUnchanged(document, [1], in: container, session)
        },
        check("011", .should, "The time of change that is sent is kept, to the second") { session, container in
            let time = Timestamp(seconds: 1_234_567_890)
            let made = try await create("Old.txt", in: container, modified: time, session)
            try expect(made.modified.seconds, is: time.seconds, "The time of change is not the one that was sent.")
        },
        check("012", .may, "The time of change that is sent is kept, to the nanosecond") { session, container in
            let time = Timestamp(seconds: 1_234_567_890, nanoseconds: 123_456_789)
            let made = try await create("Old.txt", in: container, modified: time, session)
            try expect(made.modified, is: time, "The time of change is not exactly the one that was sent.")
        },
        check("013", .must, "The file with the contents of a new document stays as it was") { session, container in
            let file = try session.folder.newFile(contents: Array("ours".utf8))
            defer { file.remove() }
            _ = try await session.create(
                ProviderCall.CreateCall(
                    parentID: container.id, name: try ItemName("New.txt"), kind: .document,
                    contentsPath: file.path.string, modified: nil, operation: operationName()))
            try expect(try file.bytes(), is: Array("ours".utf8), "The provider changed the file that it was handed.")
            try expect(try file.isUntouchedAsAnEntry(), "The provider replaced the file that it was handed.")
        },
        check("014", .must, "Twenty documents made one after the other are all there, each with its own contents") {
            session, container in
            var made: [Item] = []
            for number in 1...20 {
                made.append(
                    try await session.createDocument(
                        "Document \(number).txt", in: container.id, contents: Array("\(number)".utf8)))
            }
            try expect(Set(made.map(\.id)).count, is: 20, "New documents share an identifier.")
            let listed = try await session.list(container.id, count: 7)
            try expect(Set(listed), is: Set(made), "Not exactly the documents that were made are listed.")
            for (number, item) in zip(1..., made) {
                try expect(
                    try await session.contents(of: item.id).bytes, is: Array("\(number)".utf8),
                    "A document has the contents of another.")
            }
        },
    ]

    /// A new item leaves what is beside it as it is.
    private static func expectUnchanged(
        _ item: Item, _ contents: [UInt8], in container: Item, _ session: ConformanceSession
    ) async throws {
        try expect(
            try await session.list(container.id), is: [item], "A create that failed changed something in the folder.")
        try expect(
            try await session.contents(of: item.id).bytes, is: contents, "A create that failed changed contents.")
    }

    private static func create(
        _ name: String, in container: Item, modified: Timestamp, _ session: ConformanceSession
    ) async throws -> Item {
        let file = try session.folder.newFile(contents: [1])
        defer { file.remove() }
        let made = try await session.create(
            ProviderCall.CreateCall(
                parentID: container.id, name: try ItemName(name), kind: .document, contentsPath: file.path.string,
                modified: modified, operation: operationName()))
        return try await session.item(made.id)
    }

    private static func check(
        _ number: String, _ level: CheckLevel, _ title: String,
        body: @escaping @Sendable (ConformanceSession, Item) async throws -> Void
    ) -> ConformanceCheck {
        .changing("PC-CREATE-" + number, level, title, rule: .provider("Create"), body: body)
    }
}
