import DocumentModel
import DocumentWire

/// Items that change their folder.
enum MovingChecks {
    static let all: [ConformanceCheck] = [
        check("001", .must, "A moved item is in its new folder, and not in the old one") { session, container in
            let (item, folder) = try await documentAndFolder(in: container, session)
            let moved = try await session.change(item, parent: folder.id)
            try expect(moved.parentID, is: folder.id, "The answer to a move has another folder.")
            try expect(try await session.list(folder.id), is: [moved], "The new folder does not list the moved item.")
            try expect(
                try await session.names(in: container.id), is: ["Folder"], "The old folder still lists the item.")
            try expect(
                try await session.contents(of: moved.id).bytes, is: ModifyingChecks.contents,
                "A move changed the contents.")
        },
        check("002", .should, "An item keeps its identifier when it is moved") { session, container in
            let (item, folder) = try await documentAndFolder(in: container, session)
            let moved = try await session.change(item, parent: folder.id)
            try expect(moved.id, is: item.id, "A move gave the item another identifier.")
        },
        check("003", .must, "An item can be moved and renamed in one go") { session, container in
            let (item, folder) = try await documentAndFolder(in: container, session)
            try require(.rename, of: item, "renamed")
            let moved = try await session.change(item, name: "Both.txt", parent: folder.id)
            try expect(moved.name?.rawValue ?? "", is: "Both.txt", "A move with a new name kept the old one.")
            try expect(try await session.names(in: folder.id), is: ["Both.txt"], "The new folder lists another name.")
            try expect(
                try await session.names(in: container.id), is: ["Folder"], "The old folder still lists the item.")
        },
        check("004", .must, "A move to a folder that has the name already fails with nameCollision; both items stay") {
            session, container in
            let (item, folder) = try await documentAndFolder(in: container, session)
            let other = try await session.createDocument("Document.txt", in: folder.id, contents: Array("other".utf8))
            try await expectError(.nameCollision, from: "A move to where the name is taken") {
                try await session.change(item, parent: folder.id)
            }
            try expect(try await session.list(folder.id), is: [other], "A move that failed changed the new folder.")
            try expect(
                try await session.contents(of: other.id).bytes, is: Array("other".utf8),
                "A move that failed replaced another item.")
            try expect(try await session.item(item.id), is: item, "A move that failed changed the item.")
        },
        check("005", .must, "A folder cannot be moved into itself") { session, container in
            let folder = try await session.createFolder("Folder", in: container.id)
            try require(.move, of: folder, "moved")
            try await expectError(.invalidArgument, .notPermitted, .nameCollision, from: "A move into itself") {
                try await session.change(folder, parent: folder.id)
            }
            try expect(try await session.list(container.id), is: [folder], "A move that failed changed the folder.")
        },
        check("006", .must, "A folder cannot be moved into a folder within it") { session, container in
            let outer = try await session.createFolder("Outer", in: container.id)
            try require(.move, of: outer, "moved")
            let middle = try await session.createFolder("Middle", in: outer.id)
            let inner = try await session.createFolder("Inner", in: middle.id)
            try await expectError(.invalidArgument, .notPermitted, from: "A move into a folder within") {
                try await session.change(outer, parent: inner.id)
            }
            try expect(try await session.list(container.id).map(\.id), is: [outer.id], "The folder has moved.")
            try expect(try await session.list(middle.id).map(\.id), is: [inner.id], "The folders within have changed.")
        },
        check("007", .must, "Nothing can be moved into a document") { session, container in
            let (item, _) = try await documentAndFolder(in: container, session)
            let other = try await session.createDocument("Other.txt", in: container.id, contents: [1])
            try await expectError(
                .invalidArgument, .noSuchItem, .notPermitted, from: "A move into a document"
            ) {
                try await session.change(item, parent: other.id, contents: [2])
            }
            try expect(try await session.item(item.id), is: item, "A move that failed changed the item.")
        },
        check("008", .must, "A move to an unknown folder fails with noSuchItem") { session, container in
            let (item, _) = try await documentAndFolder(in: container, session)
            let unknown = try ItemIdentifier("no-such-folder-\(container.name?.rawValue ?? "")")
            try await expectError(.noSuchItem, from: "A move to an unknown folder") {
                try await session.change(item, parent: unknown)
            }
            try expect(try await session.item(item.id), is: item, "A move that failed changed the item.")
        },
        check("009", .must, "A moved folder takes along what is in it") { session, container in
            let (_, target) = try await documentAndFolder(in: container, session)
            let folder = try await session.createFolder("Full", in: container.id)
            let inner = try await session.createFolder("Inner", in: folder.id)
            _ = try await session.createDocument("Deep.txt", in: inner.id, contents: Array("deep".utf8))
            let moved = try await session.change(folder, parent: target.id)
            guard let within = try await session.list(moved.id).first,
                let deep = try await session.list(within.id).first
            else { throw CheckFailure("What was in a folder is gone since the folder was moved.") }
            try expect(
                try await session.contents(of: deep.id).bytes, is: Array("deep".utf8),
                "A document in a moved folder has other contents.")
        },
        check("010", .must, "A moved item can be found by its new path, and not by the old one") { session, container in
            let (item, folder) = try await documentAndFolder(in: container, session)
            guard let old = try await session.path(for: item.id) else {
                throw CheckFailure("A new item has no path.")
            }
            let moved = try await session.change(item, parent: folder.id)
            try expect(try await session.identifier(forPath: old), is: nil, "The old path still leads somewhere.")
            guard let new = try await session.path(for: moved.id) else {
                throw CheckFailure("A moved item has no path.")
            }
            try expect(try await session.identifier(forPath: new), is: moved.id, "The new path leads elsewhere.")
            try expect(new.hasSuffix("Folder/Document.txt"), "The new path is not that of the new folder.", detail: new)
        },
    ]

    private static func documentAndFolder(
        in container: Item, _ session: ConformanceSession
    ) async throws -> (Item, Item) {
        let item = try await ModifyingChecks.document(in: container, session)
        try require(.move, of: item, "moved")
        return (item, try await session.createFolder("Folder", in: container.id))
    }

    private static func check(
        _ number: String, _ level: CheckLevel, _ title: String,
        body: @escaping @Sendable (ConformanceSession, Item) async throws -> Void
    ) -> ConformanceCheck {
        .changing("PC-MOVE-" + number, level, title, rule: .provider("Modify"), body: body)
    }
}
