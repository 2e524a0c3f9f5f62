import DocumentModel
import DocumentWire

/// What the provider is told of items: that they changed, and that nobody needs them.
enum NoticeChecks {
    static let all: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-NOTE-001", .must, "That a document was changed can be told, also again", rule: .provider("ItemChanged")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                for _ in 0..<3 { try await session.itemChanged(document.id) }
            }
        },
        ConformanceCheck(
            "PC-NOTE-002", .should, "That a document was changed is answered at once", rule: .provider("ItemChanged")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                let took = try await ContinuousClock().measure { try await session.itemChanged(document.id) }
                try expect(took < .seconds(2), "ItemChanged is not answered at once.", detail: "\(took)")
            }
        },
        ConformanceCheck(
            "PC-NOTE-003", .must, "That an unknown item was changed is harmless", rule: .provider("ItemChanged")
        ) { context in
            try await context.withSession { session in
                try await harmless("ItemChanged of an unknown item") {
                    try await session.itemChanged(try context.unknownIdentifier())
                }
            }
        },
        ConformanceCheck(
            "PC-NOTE-004", .must, "A document is given up after it was provided, also again",
            rule: .provider("StopProviding")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                _ = try await session.contents(of: document.id)
                for _ in 0..<3 { try await session.stopProviding(document.id) }
            }
        },
        ConformanceCheck(
            "PC-NOTE-005", .must, "A document that was never provided can be given up", rule: .provider("StopProviding")
        ) { context in
            try await context.withFreshSession { session in
                let document = try await context.sampleDocument(session)
                try await session.stopProviding(document.id)
            }
        },
        ConformanceCheck(
            "PC-NOTE-006", .must, "Giving up an unknown item is harmless", rule: .provider("StopProviding")
        ) { context in
            try await context.withSession { session in
                try await harmless("StopProviding of an unknown item") {
                    try await session.stopProviding(try context.unknownIdentifier())
                }
            }
        },
        ConformanceCheck(
            "PC-NOTE-007", .must, "A document that was given up is provided again, as it was",
            rule: .provider("StopProviding")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                let before = try await session.contents(of: document.id)
                try await session.stopProviding(document.id)
                let after = try await session.contents(of: document.id)
                try expect(
                    after.item == before.item && after.bytes == before.bytes,
                    "A document is another one after it was given up.", detail: "\(before.item)\n\(after.item)")
            }
        },
        ConformanceCheck(
            "PC-NOTE-008", .must, "That a document was changed changes nothing by itself",
            rule: .provider("ItemChanged")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                let before = try await session.item(document.id)
                try await session.itemChanged(document.id)
                try expect(
                    try await session.item(document.id), is: before,
                    "An item is another one after it was told to be changed, though it was not.")
            }
        },
        ConformanceCheck(
            "PC-NOTE-009", .must, "Folders can be told of too", rule: .provider("ItemChanged")
        ) { context in
            try await context.withSession { session in
                try await harmless("ItemChanged of the top folder") { try await session.itemChanged(session.rootID) }
                try await harmless("StopProviding of the top folder") {
                    try await session.stopProviding(session.rootID)
                }
            }
        },
    ]

    /// It succeeds, or says that there is no such item.
    private static func harmless(_ what: String, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as DocumentError {
            try expect(
                [.definitive, .caller].contains(error.code.errorClass), "\(what) fails as if it could succeed later.",
                detail: "\(error)")
        }
    }
}
