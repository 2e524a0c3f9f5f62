import DocumentModel
import DocumentWire

/// Removals.
enum DeletingChecks {
    static let all: [ConformanceCheck] = [
        check("001", .must, "A removed document is gone: from its folder, by its identifier and by its path") {
            session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            let path = try await session.path(for: item.id)
            try await session.delete(item.id)
            try expect(try await session.list(container.id), is: [], "A removed document is still listed.")
            try expect(try await session.isGone(item.id), "GetItem still knows a removed document.")
            if let path {
                try expect(try await session.identifier(forPath: path), is: nil, "A removed document has a path still.")
            }
            try await expectError(.noSuchItem, from: "StartProviding of a removed document") {
                try await session.contents(of: item.id)
            }
        },
        check("002", .must, "Removing what was removed already succeeds") { session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            try await session.delete(item.id)
            try await session.delete(item.id)
        },
        check("003", .must, "Removing what never was succeeds") { session, container in
            try await session.delete(try ItemIdentifier("no-such-item-\(container.name?.rawValue ?? "")"))
        },
        check("004", .must, "A folder with items in it fails with directoryNotEmpty, and all of them stay") {
            session, container in
            let folder = try await session.createFolder("Full", in: container.id)
            let inside = try await session.createDocument("Inside.txt", in: folder.id, contents: [1])
            try await expectError(.directoryNotEmpty, from: "Delete of a folder with items in it") {
                try await session.delete(folder.id)
            }
            try expect(try await session.list(folder.id), is: [inside], "A removal that failed removed something.")
        },
        check("005", .must, "A recursive removal removes the folder and all that is in it") { session, container in
            let folder = try await session.createFolder("Full", in: container.id)
            let inner = try await session.createFolder("Inner", in: folder.id)
            let deep = try await session.createDocument("Deep.txt", in: inner.id, contents: [1])
            try await session.delete(folder.id, recursive: true)
            try expect(try await session.list(container.id), is: [], "A removed folder is still listed.")
            for id in [folder.id, inner.id, deep.id] {
                try expect(
                    try await session.isGone(id), "Something of a removed folder is still there.", detail: "\(id)")
            }
        },
        check("006", .must, "An empty folder is removed without being asked to be recursive") { session, container in
            let folder = try await session.createFolder("Empty", in: container.id)
            try await session.delete(folder.id)
            try expect(try await session.isGone(folder.id), "A removed folder is still there.")
        },
        check("007", .must, "A removal leaves what is beside the item as it was") { session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            let other = try await session.createDocument("Document.txt.bak", in: container.id, contents: [1])
            let folder = try await session.createFolder("Document", in: container.id)
            try await session.delete(item.id)
            try expect(
                Set(try await session.list(container.id)), is: [other, folder],
                "A removal changed something beside the item.")
        },
        check("008", .must, "The name of what was removed is free again") { session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            try await session.delete(item.id)
            let next = try await session.createDocument("Document.txt", in: container.id, contents: Array("next".utf8))
            try expect(
                try await session.contents(of: next.id).bytes, is: Array("next".utf8),
                "The new document has other contents.")
        },
        check("009", .must, "The identifier of what was removed is not given to an item of another name") {
            session, container in
            var removed: Set<ItemIdentifier> = []
            for number in 1...5 {
                let item = try await session.createDocument("Old \(number).txt", in: container.id, contents: [1])
                try await session.delete(item.id)
                removed.insert(item.id)
            }
            for number in 1...5 {
                let item = try await session.createDocument("New \(number).txt", in: container.id, contents: [2])
                try expect(
                    !removed.contains(item.id), "A new item has the identifier of a removed one.", detail: "\(item.id)")
            }
        },
        check("010", .must, "The top folder cannot be removed") { session, container in
            try await expectError(
                .deletionRejected, .notPermitted, .invalidArgument, .directoryNotEmpty,
                from: "Delete of the top folder"
            ) {
                try await session.delete(session.rootID)
            }
            try expect(try await session.item(container.id).id, is: container.id, "The top folder was removed.")
        },
        check("011", .must, "A document is not removed by the identifier with something added") { session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            try await session.delete(try ItemIdentifier(item.id.rawValue + "x"))
            try expect(try await session.item(item.id), is: item, "The removal of another identifier removed an item.")
        },
    ]

    private static func check(
        _ number: String, _ level: CheckLevel, _ title: String,
        body: @escaping @Sendable (ConformanceSession, Item) async throws -> Void
    ) -> ConformanceCheck {
        .changing("PC-DELETE-" + number, level, title, rule: .provider("Delete"), body: body)
    }
}
