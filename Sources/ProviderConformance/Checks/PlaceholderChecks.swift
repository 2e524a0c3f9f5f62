import DocumentModel
import DocumentWire
import Synchronization

/// Metadata that the provider has the host write.
enum PlaceholderChecks {
    static let all: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-PLACE-001", .must, "The provider has the placeholder written before it answers",
            rule: .provider("ProvidePlaceholder")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                let before = session.placeholders.count
                try await session.providePlaceholder(document.id)
                let written = session.placeholders.dropFirst(before)
                try expect(
                    written.contains { $0.id == document.id },
                    "ProvidePlaceholder succeeds, and the host was not asked to write the placeholder.")
            }
        },
        ConformanceCheck(
            "PC-PLACE-002", .must, "The placeholder holds the metadata that GetItem gives",
            rule: .provider("ProvidePlaceholder")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                try await session.providePlaceholder(document.id)
                try expect(
                    session.placeholders.last(where: { $0.id == document.id }), is: try await session.item(document.id),
                    "The placeholder holds other metadata than GetItem gives.")
            }
        },
        ConformanceCheck(
            "PC-PLACE-003", .must, "The placeholder of an unknown item fails with noSuchItem, and none is written",
            rule: .provider("ProvidePlaceholder")
        ) { context in
            try await context.withSession { session in
                let before = session.placeholders.count
                let id = try context.unknownIdentifier()
                try await expectError(.noSuchItem, from: "ProvidePlaceholder of an unknown item") {
                    try await session.providePlaceholder(id)
                }
                try expect(session.placeholders.count == before, "A placeholder of an unknown item was written.")
            }
        },
        ConformanceCheck(
            "PC-PLACE-004", .must, "A placeholder can be asked for again", rule: .provider("ProviderRequest")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                for _ in 0..<3 { try await session.providePlaceholder(document.id) }
            }
        },
        ConformanceCheck(
            "PC-PLACE-005", .must, "Where the host cannot write the placeholder, ProvidePlaceholder fails",
            rule: .provider("ProvidePlaceholder")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                session.answerPlaceholders(with: DocumentError(.localStorage, "The disk is full."))
                defer { session.answerPlaceholders(with: nil) }
                do {
                    try await session.providePlaceholder(document.id)
                } catch is DocumentError {
                    return
                }
                throw CheckFailure("ProvidePlaceholder succeeds though the host did not write the placeholder.")
            }
        },
        ConformanceCheck(
            "PC-PLACE-006", .must, "A folder has a placeholder too", rule: .provider("ProvidePlaceholder")
        ) { context in
            try await context.withSession { session in
                guard let folder = try await context.allItems(session).first(where: { $0.kind == .folder }) else {
                    throw CheckSkip("The provider has no folder below the top folder.")
                }
                try await session.providePlaceholder(folder.id)
                try expect(
                    session.placeholders.contains { $0.id == folder.id }, "A folder's placeholder was not written.")
            }
        },
        ConformanceCheck(
            "PC-PLACE-007", .must, "While the host writes a placeholder the provider answers other requests",
            rule: .frame("Request")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                session.answerPlaceholders(after: .seconds(1))
                defer { session.answerPlaceholders(after: .zero) }
                let isWritten = Mutex(false)
                async let placeholder: Void = {
                    try await session.providePlaceholder(document.id)
                    isWritten.withLock { $0 = true }
                }()
                try await Task.sleep(for: .milliseconds(100))
                _ = try await session.item(session.rootID)
                let wasWritten = isWritten.withLock { $0 }
                try await placeholder
                try expect(!wasWritten, "Nothing else is answered while the host writes a placeholder.")
            }
        },
        ConformanceCheck(
            "PC-PLACE-008", .must, "Many placeholders at once are all written, each once", rule: .frame("Frame")
        ) { context in
            try await context.withFreshSession { session in
                let items = try await context.allItems(session).prefix(32)
                guard !items.isEmpty else { throw CheckSkip("The provider has no item to try it on.") }
                for _ in 0..<8 {
                    let before = session.placeholders.count
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for item in items { group.addTask { try await session.providePlaceholder(item.id) } }
                        try await group.waitForAll()
                    }
                    let written = session.placeholders.dropFirst(before).map(\.id)
                    try expect(
                        Set(written), is: Set(items.map(\.id)), "Not all placeholders that were asked for are written.")
                    try expect(written.count, is: items.count, "A placeholder is written more than once.")
                }
            }
        },
    ]
}
