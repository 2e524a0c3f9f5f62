import DocumentModel
import DocumentWire

/// The metadata of one item.
enum ItemChecks {
    static let all: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-ITEM-001", .must, "The top folder is a folder without a parent and without a name", rule: .model("Item")
        ) { context in
            try await context.withSession { session in
                let root = try await session.item(session.rootID)
                try expect(root.kind == .folder, "The top folder is not a folder.", detail: "\(root)")
                try expect(root.parentID == nil, "The top folder has a parent.", detail: "\(root)")
                try expect(root.name == nil, "The top folder has a name.", detail: "\(root)")
            }
        },
        ConformanceCheck(
            "PC-ITEM-002", .must, "An identifier that was never given fails with noSuchItem", rule: .provider("GetItem")
        ) { context in
            try await context.withSession { session in
                let id = try context.unknownIdentifier()
                try await expectError(.noSuchItem, from: "GetItem of an unknown identifier") {
                    try await session.item(id)
                }
            }
        },
        ConformanceCheck(
            "PC-ITEM-003", .must, "An item's metadata is the same as its folder's listing says",
            rule: .provider("Enumerate")
        ) { context in
            try await context.withSession { session in
                for listed in try await context.allItems(session).prefix(100) {
                    try expect(
                        try await session.item(listed.id), is: listed,
                        "GetItem says something else of an item than the listing of its folder.")
                }
            }
        },
        ConformanceCheck(
            "PC-ITEM-004", .must, "An item's metadata is the same each time it is asked for",
            rule: .model("ItemVersion")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                for _ in 0..<3 {
                    try expect(
                        try await session.item(document.id), is: document,
                        "GetItem says something else of an unchanged item each time.")
                }
            }
        },
        ConformanceCheck(
            "PC-ITEM-005", .must, "A document's content version is never empty, a folder's always",
            rule: .model("ItemVersion")
        ) { context in
            try await context.withSession { session in
                for item in try await context.allItems(session) {
                    switch item.kind {
                    case .document, .package:
                        try expect(
                            !item.version.content.isEmpty, "A document has no content version.", detail: "\(item)")
                    case .folder:
                        try expect(item.version.content.isEmpty, "A folder has a content version.", detail: "\(item)")
                    }
                }
            }
        },
        ConformanceCheck(
            "PC-ITEM-006", .must, "A folder's size is 0", rule: .model("Item")
        ) { context in
            try await context.withSession { session in
                for folder in try await context.allItems(session) where folder.kind == .folder {
                    try expect(folder.size == 0, "A folder has a size.", detail: "\(folder)")
                }
            }
        },
        ConformanceCheck(
            "PC-ITEM-007", .must, "An identifier that looks like a path out of the domain is not found",
            rule: .provider("GetItem")
        ) { context in
            try await context.withSession { session in
                for path in ["../../../../etc/passwd", "/etc/passwd", "/..", "..", ".", "./", "/./", "a/../b"] {
                    let id = try ItemIdentifier(path)
                    guard id != session.rootID else { continue }
                    try await expectError(.noSuchItem, .invalidArgument, from: "GetItem of a path out of the domain") {
                        try await session.item(id)
                    }
                }
            }
        },
        ConformanceCheck(
            "PC-ITEM-008", .must, "Identifiers of the longest kind and with odd characters are not found, and harmless",
            rule: .model("Item")
        ) { context in
            try await context.withSession { session in
                let texts = [
                    String(repeating: "x", count: 4096), String(repeating: "ö", count: 2048), "a\nb\tc", "%00%2e%2e",
                    "'; DROP TABLE items; --", "\u{202E}gnp.exe", "🐌🐌🐌", " ", "\\", "*", "?",
                ]
                for text in texts {
                    let id = try ItemIdentifier(text)
                    try await expectError(.noSuchItem, .invalidArgument, from: "GetItem of an odd identifier") {
                        try await session.item(id)
                    }
                }
            }
        },
        ConformanceCheck(
            "PC-ITEM-009", .must, "The size of a document is that of its contents, or not known", rule: .model("Item")
        ) { context in
            try await context.withSession { session in
                for document in try await context.sampleDocuments(session).prefix(5) {
                    guard let size = document.size else { continue }
                    let contents = try await session.contents(of: document.id)
                    guard contents.item.version.content == document.version.content else { continue }
                    try expect(
                        size == contents.bytes.count, "A document's size is not that of its contents.",
                        detail: "\(document): \(contents.bytes.count) bytes")
                }
            }
        },
    ]
}
