import DocumentModel
import DocumentWire

/// From paths to identifiers and back.
enum PathChecks {
    static let all: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-PATH-001", .must, "The top folder's path is empty", rule: .provider("PathForIdentifier")
        ) { context in
            try await context.withSession { session in
                try expect(try await session.path(for: session.rootID), is: "", "The top folder's path is not empty.")
            }
        },
        ConformanceCheck(
            "PC-PATH-002", .must, "The empty path is the top folder's", rule: .provider("IdentifierForPath")
        ) { context in
            try await context.withSession { session in
                try expect(
                    try await session.identifier(forPath: ""), is: session.rootID,
                    "The empty path is not the top folder's.")
            }
        },
        ConformanceCheck(
            "PC-PATH-003", .must, "Path and identifier of every item lead to each other",
            rule: .provider("IdentifierForPath")
        ) { context in
            try await context.withSession { session in
                for item in try await context.allItems(session).prefix(100) {
                    guard let path = try await session.path(for: item.id) else {
                        throw CheckFailure("A listed item has no path.", detail: "\(item)")
                    }
                    try expect(
                        try await session.identifier(forPath: path), is: item.id,
                        "An item's path leads to another item, or to none.")
                }
            }
        },
        ConformanceCheck(
            "PC-PATH-004", .must, "An item's path is its folder's path and its name",
            rule: .provider("PathForIdentifier")
        ) { context in
            try await context.withSession { session in
                for item in try await context.allItems(session).prefix(100) {
                    guard let parent = item.parentID, let name = item.name?.rawValue else { continue }
                    let above = try await session.path(for: parent) ?? "?"
                    try expect(
                        try await session.path(for: item.id), is: above.isEmpty ? name : above + "/" + name,
                        "An item's path is not its folder's path and its name.")
                }
            }
        },
        ConformanceCheck(
            "PC-PATH-005", .must, "An unknown identifier has no path, and that is no error",
            rule: .provider("PathForIdentifier")
        ) { context in
            try await context.withSession { session in
                let path = try await session.path(for: try context.unknownIdentifier())
                try expect(path == nil, "An unknown identifier has a path.", detail: path ?? "")
            }
        },
        ConformanceCheck(
            "PC-PATH-006", .must, "Where nothing is, there is no identifier, and that is no error",
            rule: .provider("IdentifierForPath")
        ) { context in
            try await context.withSession { session in
                for path in ["no such item", "no such folder/no such item", "…", String(repeating: "x", count: 255)] {
                    let id = try await session.identifier(forPath: path)
                    try expect(id == nil, "There is an identifier where nothing is.", detail: "\(path): \(id as Any)")
                }
            }
        },
        ConformanceCheck(
            "PC-PATH-007", .must, "A path that leads out of the domain, or is none, has no identifier",
            rule: .provider("IdentifierForPath")
        ) { context in
            try await context.withSession { session in
                for path in ["..", "../etc", "/", "/etc/passwd", "a//b", "./a", "a/.", "a/../..", "a\u{0}b", "a/"] {
                    let reply: ProviderReply
                    do {
                        let body = MessageBytes.call(8, MessageBytes().adding(1, path))
                        reply = try ProviderReply(serialized: try await session.ask(raw: body))
                    } catch is DocumentError {
                        continue
                    }
                    guard case .identifierForPath(nil) = reply else {
                        throw CheckFailure("A path that is none has an identifier.", detail: "“\(path)”: \(reply)")
                    }
                }
            }
        },
        ConformanceCheck(
            "PC-PATH-008", .must, "There is nothing in a document", rule: .provider("IdentifierForPath")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                guard let path = try await session.path(for: document.id) else {
                    throw CheckFailure("A document has no path.", detail: "\(document)")
                }
                let id = try await session.identifier(forPath: path + "/inside")
                try expect(id == nil, "There is an identifier below a document.", detail: "\(id as Any)")
            }
        },
        ConformanceCheck(
            "PC-PATH-009", .must, "A new document is found by its path, and a removed one is not",
            rule: .provider("IdentifierForPath"), needs: [.modifying], mutates: true
        ) { context in
            try await context.freshContainer { session, container in
                let document = try await session.createDocument("found.txt", in: container.id, contents: [1])
                guard let path = try await session.path(for: document.id) else {
                    throw CheckFailure("A new document has no path.", detail: "\(document)")
                }
                try expect(
                    try await session.identifier(forPath: path), is: document.id,
                    "A new document's path leads elsewhere.")
                try await session.delete(document.id)
                let after = try await session.identifier(forPath: path)
                try expect(after == nil, "A removed document's path has an identifier.", detail: "\(after as Any)")
                let pathAfter = try await session.path(for: document.id)
                try expect(pathAfter == nil, "A removed document has a path.", detail: "\(pathAfter ?? "")")
            }
        },
    ]
}
