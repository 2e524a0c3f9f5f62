import DocumentModel
import DocumentWire

/// The errors that are resolvable: that the provider tells them by their own codes, does nothing of what it refuses, and
/// says when it is over.
enum CodeChecks {
    static let all: [ConformanceCheck] = [
        reading(
            "001", .notAuthenticated, "Without a sign-in everything fails with notAuthenticated, until there is one"),
        reading(
            "002", .serverUnreachable, "Without a server everything fails with serverUnreachable, until there is one"),
        changing("003", .insufficientQuota, "Without room changes fail with insufficientQuota, until there is some"),
        changing(
            "004", .cannotSynchronize, "What cannot be synchronised fails with cannotSynchronize, until it can be"),
        changing("005", .excludedFromSync, "What is excluded from sync fails with excludedFromSync, until it is not"),
        changing(
            "006", .insufficientQuota, "What is refused for want of room is not made, and not changed", isLooking: true),
        forbidding("007", .deletionRejected, "What may not be removed fails with deletionRejected, and stays"),
        forbidding(
            "008", .localStorage, "Without room on this machine changes fail with localStorage, and make nothing"),
        forbidding("009", .notPermitted, "What the remote does not permit fails with notPermitted, and makes nothing"),
        ConformanceCheck(
            "PC-CODE-010", .must, "A provider that cannot work as it is set up says so with notConfigured",
            rule: .rule("WIRE-30")
        ) { context in
            try await refusing(.notConfigured, context) {
                try await context.withRawEnd { raw in
                    let reply = try await raw.hello()
                    if let failure = reply.failure {
                        try expect(
                            failure.code, is: .notConfigured, "The provider does not come up, with another code.")
                        return
                    }
                    try await raw.ask(1, .item(try SessionCapabilities(serialized: reply.context).rootID))
                    guard case .failure(let error) = try await raw.finalFrame(of: 1).kind else {
                        throw CheckFailure("A provider that cannot work as it is set up answers.")
                    }
                    try expect(error.code, is: .notConfigured, "The provider fails with another code.")
                }
            }
            try await context.withFreshSession { _ = try await $0.item($0.rootID) }
        },
    ]

    /// What is refused for good, or for want of something on this machine: nobody waits for that to be over, and nothing
    /// of it is done.
    private static func forbidding(_ number: String, _ code: DocumentError.Code, _ title: String) -> ConformanceCheck {
        ConformanceCheck(
            "PC-CODE-" + number, .must, title, rule: .rule("WIRE-30"), needs: [.modifying], mutates: true
        ) { context in
            try await context.freshContainer { session, container in
                try await expectForbidden(code, context, session, container)
            }
        }
    }

    private static func expectForbidden(
        _ code: DocumentError.Code, _ context: CheckContext, _ session: ConformanceSession, _ container: Item
    ) async throws {
        let document = try await session.createDocument("there.txt", in: container.id, contents: [1, 2, 3])
        try await refusing(code, context) {
            if code == .deletionRejected {
                try await expectError(code, from: "Delete") { try await session.delete(document.id) }
            } else {
                try await expectError(code, from: "Create") {
                    try await session.createDocument("new.txt", in: container.id, contents: [4])
                }
                try await expectError(code, from: "Modify") {
                    try await session.replaceContents(of: document.id, with: [4])
                }
            }
        }
        try expect(
            try await session.list(container.id), is: [document], "A change that was refused was made all the same.")
        try expect(
            try await session.contents(of: document.id).bytes, is: [1, 2, 3],
            "A document was changed by what was refused.")
    }

    private static func reading(_ number: String, _ code: DocumentError.Code, _ title: String) -> ConformanceCheck {
        ConformanceCheck("PC-CODE-" + number, .must, title, rule: .rule("PROV-22")) { context in
            // Of a process of its own: what it tells is counted.
            try await context.withFreshSession { session in
                let document = try await context.sampleDocument(session)
                let folder = document.parentID ?? session.rootID
                try await refusing(code, context) {
                    try await expectError(code, from: "GetItem") { try await session.item(document.id) }
                    try await expectError(code, from: "Enumerate") { try await session.page(of: folder) }
                    try await expectError(code, from: "StartProviding") { try await session.contents(of: document.id) }
                }
                try await expectResolved(code, session)
                _ = try await session.contents(of: document.id)
                _ = try await session.page(of: folder)
            }
        }
    }

    /// - Parameter isLooking: it is about what the refusal leaves as it was, and not about its code.
    private static func changing(
        _ number: String, _ code: DocumentError.Code, _ title: String, isLooking: Bool = false
    ) -> ConformanceCheck {
        ConformanceCheck(
            "PC-CODE-" + number, .must, title, rule: .rule("PROV-22"), needs: [.modifying], mutates: true
        ) { context in
            try await context.withFreshSession { session in
                try await context.withFreshContainer(session) { container in
                    let document = try await session.createDocument("there.txt", in: container.id, contents: [1, 2, 3])
                    let calls: [(String, () async throws -> Item)] = [
                        (
                            "Create",
                            { try await session.createDocument("new.txt", in: container.id, contents: [4, 5, 6, 7]) }
                        ),
                        ("Modify", { try await session.replaceContents(of: document.id, with: [4, 5, 6, 7]) }),
                    ]
                    try await refusing(code, context) {
                        for (name, call) in calls {
                            if isLooking {
                                _ = try? await call()
                            } else {
                                try await expectError(code, from: name, call)
                            }
                        }
                    }
                    if isLooking {
                        try expect(
                            try await session.names(in: container.id), is: ["there.txt"],
                            "A change that was refused was made all the same.")
                        try expect(
                            try await session.contents(of: document.id).bytes, is: [1, 2, 3],
                            "A document was changed by what was refused.")
                    } else {
                        try await expectResolved(code, session)
                        for (_, call) in calls { _ = try await call() }
                    }
                }
            }
        }
    }

    /// Has the provider refuse what the body asks.
    private static func refusing(
        _ code: DocumentError.Code, _ context: CheckContext, _ body: () async throws -> Void
    ) async throws {
        try await context.refuse(code)
        do {
            try await body()
        } catch {
            try await context.accept()
            throw error
        }
        try await context.accept()
    }

    /// The host is told that it is over; until then it holds the work.
    private static func expectResolved(_ code: DocumentError.Code, _ session: ConformanceSession) async throws {
        let isTold = try await eventually(within: session.requestLimit) {
            session.events.contains { event in
                guard case .errorResolved(let codes) = event else { return false }
                return codes.isEmpty || codes.contains(code)
            }
        }
        try expect(isTold, "The host is not told that what failed can be tried again.", detail: "\(code)")
    }
}
