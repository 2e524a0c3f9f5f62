import DocumentModel
import DocumentWire
import ProviderLauncher
import Synchronization

/// The time when what the provider gives access to cannot be reached, and after it.
enum RemoteChecks {
    static let all: [ConformanceCheck] = [
        away("001", "GetItem") { session, found in _ = try await session.item(found.document.id) },
        away("002", "Enumerate") { session, found in _ = try await session.page(of: found.document.parentID ?? .root) },
        away("003", "StartProviding") { session, found in _ = try await session.contents(of: found.document.id) },
        away("004", "ProvidePlaceholder") { session, found in try await session.providePlaceholder(found.document.id) },
        away("005", "IdentifierForPath") { session, found in _ = try await session.identifier(forPath: found.path) },
        away("006", "PathForIdentifier") { session, found in _ = try await session.path(for: found.document.id) },
        away("007", "Create", needs: [.modifying]) { session, found in
            _ = try await session.createDocument(operationName(), in: session.rootID, contents: [1])
        },
        away("008", "Modify", needs: [.modifying]) { session, found in
            _ = try await session.change(found.document, modified: found.document.modified)
        },
        away("009", "Delete", needs: [.modifying]) { session, found in
            // Of what is not there: nothing is lost when it should succeed after all.
            try await session.delete(try ItemIdentifier("no-such-" + operationName()))
        },
        away("010", "CurrentAnchor", needs: [.changes]) { session, _ in _ = try await session.currentAnchor() },
        check("011", .must, "While the remote is away the identity is still told") { context, session, _ in
            _ = try await session.identity()
        },
        check("012", .must, "When the remote is back, everything works as before", whileAway: false) {
            context, session, found in
            let isBack = try await eventually(within: session.requestLimit) {
                do {
                    return try await session.item(found.document.id) == found.document
                } catch let error as DocumentError where error.code.errorClass == .resolvable {
                    return false
                }
            }
            try expect(isBack, "A document is not there again, or has changed, when the remote is back.")
            try expect(
                try await session.contents(of: found.document.id).bytes == found.contents,
                "A document has other contents when the remote is back.")
            let listed = try await session.list(found.document.parentID ?? session.rootID)
            try expect(Set(listed), is: Set(found.beside), "A folder has changed when the remote is back.")
        },
        check("013", .must, "The host is told that the remote is back", whileAway: false) { _, session, _ in
            let isTold = try await eventually(within: session.requestLimit) {
                session.events.contains { if case .errorResolved = $0 { true } else { false } }
            }
            try expect(isTold, "The host is not told that what failed can be tried again.")
        },
        check("014", .must, "While the remote is away nothing is told to be gone") { context, session, found in
            guard context.claims(.changes), let anchor = found.anchor else {
                throw CheckSkip("The provider does not claim “changes”, or has no feed in this domain.")
            }
            do {
                let told = try await session.allChanges(since: anchor)
                try expect(told.deleted.isEmpty, "The feed tells items as gone that cannot be seen.")
            } catch let error as DocumentError
                where error.code.errorClass == .resolvable || error.code == .anchorExpired
            {}
        },
        ConformanceCheck(
            "PC-REMOTE-015", .must, "A provider that is started while the remote is away says hello, and recovers",
            rule: .rule("PROV-22")
        ) { context in
            let document = try await context.withSession { try await context.sampleDocument($0) }
            await context.shared.stop()
            try await context.takeRemoteAway()
            let isAway = Mutex(true)
            do {
                let recover = { @Sendable (session: ConformanceSession) in
                    let isBack = try await eventually(within: session.requestLimit) {
                        (try? await session.item(document.id)) != nil
                    }
                    try expect(isBack, "A provider that was started without its remote never finds it.")
                }
                let isStartedAnew = try await context.withFreshSession { session in
                    try await expectResolvable("GetItem") { _ = try await session.item(document.id) }
                    try await context.bringRemoteBack()
                    isAway.withLock { $0 = false }
                    // Nothing is granted to a running process; a host starts it anew when what was missing is there.
                    if SandboxPolicy.isThereNow(anyOf: session.missing) { return true }
                    try await recover(session)
                    return false
                }.result
                if isStartedAnew { try await context.withFreshSession(recover) }
            } catch {
                if isAway.withLock({ $0 }) { try await context.bringRemoteBack() }
                throw error
            }
        },
    ]

    /// What was seen before the remote went away.
    private struct Found: Sendable {
        var document: Item
        var path: String
        var contents: [UInt8]
        var beside: [Item]
        var anchor: SyncAnchor?
    }

    private static func away(
        _ number: String, _ call: String, needs: [ProviderCapability] = [],
        body: @escaping @Sendable (ConformanceSession, Found) async throws -> Void
    ) -> ConformanceCheck {
        check(
            number, .must, "While the remote is away \(call) fails with a resolvable error, in time", needs: needs
        ) { context, session, found in
            do {
                try await expectResolvable(call) { try await body(session, found) }
            } catch {
                try await context.bringRemoteBack()
                throw error
            }
        }
    }

    private static func expectResolvable(_ call: String, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as DocumentError {
            try expect(
                error.code.errorClass == .resolvable,
                "\(call) fails with \(error.code) while the remote is away, which is no error that can be resolved.",
                detail: "\(error)")
            return
        }
        throw CheckFailure("\(call) succeeds while the remote is away.")
    }

    /// A check that takes the remote away, and brings it back.
    private static func check(
        _ number: String, _ level: CheckLevel, _ title: String, needs: [ProviderCapability] = [],
        whileAway: Bool = true,
        body: @escaping @Sendable (CheckContext, ConformanceSession, Found) async throws -> Void
    ) -> ConformanceCheck {
        ConformanceCheck(
            "PC-REMOTE-" + number, level, title, rule: .rule("PROV-22"), needs: needs, mutates: needs == [.modifying]
        ) { context in
            guard context.configuration.hooks.remoteAway != nil else {
                throw CheckSkip("The configuration has no hooks remote-away and remote-back.")
            }
            try await context.withFreshSession { session in
                let found = try await look(context, session)
                try await context.takeRemoteAway()
                do {
                    if whileAway {
                        try await body(context, session, found)
                    } else {
                        // The provider notices.
                        try await expectResolvable("GetItem") { _ = try await session.item(found.document.id) }
                    }
                } catch {
                    try await context.bringRemoteBack()
                    throw error
                }
                try await context.bringRemoteBack()
                if !whileAway { try await body(context, session, found) }
            }
        }
    }

    /// Nil where this domain has no feed.
    private static func anchor(_ session: ConformanceSession) async throws -> SyncAnchor? {
        do {
            return try await session.currentAnchor()
        } catch is CheckSkip {
            return nil
        }
    }

    private static func look(_ context: CheckContext, _ session: ConformanceSession) async throws -> Found {
        let document = try await session.item(try await context.sampleDocument(session).id)
        guard let path = try await session.path(for: document.id) else {
            throw CheckFailure("A document that is there has no path.")
        }
        return Found(
            document: document, path: path, contents: try await session.contents(of: document.id).bytes,
            beside: try await session.list(document.parentID ?? session.rootID),
            anchor: context.claims(.changes) ? try await anchor(session) : nil)
    }
}
