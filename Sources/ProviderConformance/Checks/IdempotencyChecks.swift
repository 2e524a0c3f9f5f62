import DocumentModel
import DocumentWire
import SystemPackage

/// Calls that are made again: ten times, with the name of the same operation, as after answers that were lost.
enum IdempotencyChecks {
    private static let times = 10

    static let all: [ConformanceCheck] = [
        changing("001", .must, "A document whose create is repeated ten times is made once") { session, container in
            let file = try session.folder.newFile(contents: Array("once".utf8))
            defer { file.remove() }
            let call = ProviderCall.CreateCall(
                parentID: container.id, name: try ItemName("Once.txt"), kind: .document,
                contentsPath: file.path.string, modified: nil, operation: operationName())
            try await expectOne(of: call, in: container, session)
        },
        changing("002", .must, "A folder whose create is repeated ten times is made once") { session, container in
            let call = ProviderCall.CreateCall(
                parentID: container.id, name: try ItemName("Once"), kind: .folder, contentsPath: nil, modified: nil,
                operation: operationName())
            try await expectOne(of: call, in: container, session)
        },
        changing("003", .must, "New contents that are sent ten times are one change") { session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            let operation = operationName()
            try await expectSame {
                try await session.change(item, contents: Array("new".utf8), base: item.version, operation: operation)
            }
            try expect(try await session.contents(of: item.id).bytes, is: Array("new".utf8), "The contents are others.")
        },
        changing("004", .must, "A rename that is sent ten times is one change") { session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            try require(.rename, of: item, "renamed")
            let operation = operationName()
            try await expectSame {
                try await session.change(item, name: "Renamed.txt", base: item.version, operation: operation)
            }
            try expect(try await session.names(in: container.id), is: ["Renamed.txt"], "The name is another.")
        },
        changing("005", .must, "A move that is sent ten times is one change") { session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            try require(.move, of: item, "moved")
            let folder = try await session.createFolder("Folder", in: container.id)
            let operation = operationName()
            try await expectSame {
                try await session.change(item, parent: folder.id, base: item.version, operation: operation)
            }
            try expect(try await session.names(in: folder.id), is: ["Document.txt"], "The item is not in its folder.")
        },
        changing("006", .must, "A removal that is sent ten times succeeds each time") { session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            let operation = operationName()
            for _ in 0..<times { try await session.delete(item.id, base: item.version, operation: operation) }
            try expect(try await session.isGone(item.id), "The item is still there.")
        },
        changing("007", .must, "A recursive removal that is sent ten times succeeds each time") { session, container in
            let folder = try await session.createFolder("Full", in: container.id)
            _ = try await session.createDocument("Inside.txt", in: folder.id, contents: [1])
            let operation = operationName()
            for _ in 0..<times { try await session.delete(folder.id, recursive: true, operation: operation) }
            try expect(try await session.list(container.id), is: [], "The folder is still there.")
        },
        changing("008", .must, "A create that arrives ten times at once makes one item") { session, container in
            let file = try session.folder.newFile(contents: Array("once".utf8))
            defer { file.remove() }
            let call = ProviderCall.CreateCall(
                parentID: container.id, name: try ItemName("Once.txt"), kind: .document,
                contentsPath: file.path.string, modified: nil, operation: operationName())
            let made = try await withThrowingTaskGroup(of: ItemIdentifier?.self) { group in
                for _ in 0..<times {
                    group.addTask {
                        do {
                            return try await session.create(call).id
                        } catch let error as DocumentError where error.code == .busy {
                            // It is being made: asked again, the answer is there.
                            return nil
                        }
                    }
                }
                return try await group.reduce(into: Set<ItemIdentifier>()) { if let id = $1 { $0.insert(id) } }
            }
            try expect(made.count, is: 1, "The same create, at once, was answered with different items.")
            try expect(try await session.names(in: container.id), is: ["Once.txt"], "There is not exactly one item.")
        },
        changing("009", .must, "A change that is repeated late does not undo the change that came after it") {
            session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            let operation = operationName()
            let first = try await session.change(
                item, contents: Array("first".utf8), base: item.version, operation: operation)
            _ = try await session.change(item, contents: Array("second".utf8), base: first.version)
            do {
                _ = try await session.change(
                    item, contents: Array("first".utf8), base: item.version, operation: operation)
            } catch let error as DocumentError where error.code == .versionNoLongerAvailable {}
            try expect(
                try await session.contents(of: item.id).bytes, is: Array("second".utf8),
                "A late repetition undid a later change.")
        },
        changing("010", .must, "A create that is repeated after a rename makes no second item") { session, container in
            let operation = operationName()
            let item = try await session.createDocument(
                "First name.txt", in: container.id, contents: [1], operation: operation)
            try require(.rename, of: item, "renamed")
            let renamed = try await session.change(item, name: "Second name.txt")
            _ = try? await session.createDocument(
                "First name.txt", in: container.id, contents: [1], operation: operation)
            try expect(try await session.list(container.id), is: [renamed], "A late repetition made a second item.")
        },
        changing("011", .must, "Different operations that look alike are all carried out") { session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            for text in ["a", "b", "a"] { _ = try await session.change(item, contents: Array(text.utf8)) }
            try expect(
                try await session.contents(of: item.id).bytes, is: Array("a".utf8), "The last change is missing.")
        },
        looking("012", .must, "ItemChanged and StopProviding can be called ten times") { session, document in
            for _ in 0..<times {
                try await session.itemChanged(document.id)
                try await session.stopProviding(document.id)
            }
            try expect(try await session.item(document.id), is: document, "Being called again changed the item.")
        },
        looking("013", .must, "ProvidePlaceholder can be called ten times, and writes the same each time") {
            session, document in
            let before = session.placeholders.count
            for _ in 0..<times { try await session.providePlaceholder(document.id) }
            let written = session.placeholders.dropFirst(before)
            try expect(written.count >= times, "ProvidePlaceholder succeeds and no placeholder was written.")
            try expect(Set(written), is: [document], "The placeholders that were written are not the item's.")
        },
        looking("014", .must, "StartProviding can be called ten times, before and after StopProviding") {
            session, document in
            let first = try await session.contents(of: document.id).bytes
            for time in 0..<times {
                try expect(
                    try await session.contents(of: document.id).bytes == first, "The contents are others each time.")
                if time.isMultiple(of: 2) { try await session.stopProviding(document.id) }
            }
        },
        changing("015", .should, "A time of change that is sent ten times is one change") { session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            let (operation, time) = (operationName(), Timestamp(seconds: 1_333_333_333))
            try await expectSame {
                try await session.change(item, modified: time, base: item.version, operation: operation)
            }
            try expect(
                try await session.contents(of: item.id).bytes, is: ModifyingChecks.contents,
                "A new time changed the contents.")
        },
        changing("016", .must, "A change of contents, name, folder and time that is sent ten times is one change") {
            session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            try require(.rename, of: item, "renamed")
            try require(.move, of: item, "moved")
            let folder = try await session.createFolder("Folder", in: container.id)
            let operation = operationName()
            let changed = try await expectSame {
                try await session.change(
                    item, name: "All new.txt", parent: folder.id, contents: Array("all new".utf8),
                    modified: Timestamp(seconds: 1_444_444_444), base: item.version, operation: operation)
            }
            try expect(try await session.names(in: container.id), is: ["Folder"], "The item is still where it was.")
            try expect(try await session.names(in: folder.id), is: ["All new.txt"], "The item is not in its folder.")
            try expect(
                try await session.contents(of: changed.id).bytes, is: Array("all new".utf8), "The contents are others.")
        },
    ]

    private static func expectOne(
        of call: ProviderCall.CreateCall, in container: Item, _ session: ConformanceSession
    ) async throws {
        let first = try await session.create(call)
        for _ in 1..<times {
            try expect(
                try await session.create(call).id, is: first.id, "A repeated create is answered with another item.")
        }
        try expect(try await session.list(container.id), is: [first], "There is not exactly the one item.")
    }

    @discardableResult
    private static func expectSame(_ body: () async throws -> Item) async throws -> Item {
        let first = try await body()
        for _ in 1..<times {
            try expect(try await body(), is: first, "A repeated change is answered with another state.")
        }
        return first
    }

    private static func changing(
        _ number: String, _ level: CheckLevel, _ title: String,
        body: @escaping @Sendable (ConformanceSession, Item) async throws -> Void
    ) -> ConformanceCheck {
        .changing("PC-IDEM-" + number, level, title, rule: .rule("PROV-19"), body: body)
    }

    private static func looking(
        _ number: String, _ level: CheckLevel, _ title: String,
        body: @escaping @Sendable (ConformanceSession, Item) async throws -> Void
    ) -> ConformanceCheck {
        ConformanceCheck("PC-IDEM-" + number, level, title, rule: .rule("PROV-19")) { context in
            try await context.withSession { session in
                try await body(session, try await session.item(try await context.sampleDocument(session).id))
            }
        }
    }
}
