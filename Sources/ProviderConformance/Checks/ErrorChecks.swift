import DocumentModel
import DocumentWire
import SystemPackage

/// How the provider says that something cannot be done.
enum ErrorChecks {
    static let all: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-ERR-001", .should, "A failure says in a sentence what is wrong", rule: .frame("Failure")
        ) { context in
            try await context.withSession { session in
                for error in try await failures(session, context) {
                    try expect(!error.isWordless, "A failure has no message.", detail: "\(error.code)")
                    try expect(
                        error.message.utf8.count <= 1000, "A failure's message is longer than people read.",
                        detail: error.message)
                }
            }
        },
        ConformanceCheck(
            "PC-ERR-002", .must, "The codes of the host are not the provider's to send", rule: .frame("Code")
        ) { context in
            try await context.withSession { session in
                for error in try await failures(session, context) {
                    try expect(
                        !error.code.isReservedForHost, "The provider fails with a code that only the host may use.",
                        detail: "\(error)")
                }
            }
        },
        ConformanceCheck(
            "PC-ERR-003", .must, "After failures the provider answers as before", rule: .frame("Request")
        ) { context in
            try await context.withSession { session in
                let before = try await session.item(session.rootID)
                for _ in 0..<100 {
                    try await expectError(.noSuchItem, from: "GetItem of an unknown identifier") {
                        try await session.item(try context.unknownIdentifier())
                    }
                }
                try expect(
                    try await session.item(session.rootID), is: before, "After failures the provider answers otherwise."
                )
            }
        },
        ConformanceCheck(
            "PC-ERR-004", .must, "A failure of one request leaves the others alone", rule: .frame("Request")
        ) { context in
            try await context.withSession { session in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<16 {
                        group.addTask {
                            if number % 2 == 0 {
                                _ = try await session.item(session.rootID)
                            } else {
                                let id = try context.unknownIdentifier()
                                try await expectError(.noSuchItem, from: "GetItem of an unknown identifier") {
                                    try await session.item(id)
                                }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        },
        ConformanceCheck(
            "PC-ERR-005", .must, "What cannot be reached just now fails as such, and never as if it did not exist",
            rule: .rule("WIRE-32")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                try await context.takeRemoteAway()
                let failure: DocumentError?
                do {
                    _ = try await session.contents(of: document.id)
                    failure = nil
                } catch let error as DocumentError {
                    failure = error
                } catch {
                    try await context.bringRemoteBack()
                    throw error
                }
                try await context.bringRemoteBack()
                if let failure {
                    try expect(
                        [.resolvable, .transient].contains(failure.code.errorClass),
                        "What cannot be reached fails as if it did not exist.", detail: "\(failure)")
                }
                _ = try await session.contents(of: document.id)
            }
        },
    ]

    /// Some failures of all calls.
    private static func failures(
        _ session: ConformanceSession, _ context: CheckContext
    ) async throws -> [DocumentError] {
        let id = try context.unknownIdentifier()
        let calls: [ProviderCall] = [
            .item(id), .enumerate(container: id, page: nil, suggestedCount: 10), .providePlaceholder(id),
            .startProviding(id, stagingPath: context.folder.fetch.string + "/none", contentVersion: []),
        ]
        var errors: [DocumentError] = []
        for call in calls {
            do {
                _ = try await session.ask(call)
            } catch let error as DocumentError {
                errors.append(error)
            }
        }
        return errors
    }
}
