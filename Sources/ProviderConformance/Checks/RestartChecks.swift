import DocumentModel
import DocumentTransport
import DocumentWire
import Glibc
import ProviderLauncher
import Synchronization

/// What outlives the provider's process.
enum RestartChecks {
    static let all: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-RESTART-001", .must, "Every item has the same identifier and version after a restart",
            rule: .rule("ID-1")
        ) { context in
            let before = try await context.withSession { try await context.allItems($0) }
            let after = try await context.withFreshSession { try await context.allItems($0) }.result
            try expect(
                Set(after.map(\.id)), is: Set(before.map(\.id)), "Items have other identifiers after a restart.")
            try expect(Set(after), is: Set(before), "Items have changed over a restart.")
        },
        ConformanceCheck(
            "PC-RESTART-002", .must, "An identifier of before a restart leads to the same contents", rule: .rule("ID-1")
        ) { context in
            let (id, bytes) = try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                return (document.id, try await session.contents(of: document.id).bytes)
            }
            try await context.withFreshSession { session in
                try expect(
                    try await session.contents(of: id).bytes == bytes,
                    "A document has other contents after a restart.")
            }
        },
        ConformanceCheck(
            "PC-RESTART-003", .must, "A page token of before a restart is good, or fails with pageExpired",
            rule: .provider("Enumerate")
        ) { context in
            let (folder, first) = try await context.withSession { session in
                let folder = try await context.sampleFolder(session)
                return (folder, try await session.page(of: folder, count: 1))
            }
            guard let token = first.next else { throw CheckSkip("The provider gives its folders in one page.") }
            try await context.withFreshSession { session in
                do {
                    let page = try await session.page(of: folder, from: token, count: 1)
                    try expect(
                        Set(page.items.map(\.id)).isDisjoint(with: first.items.map(\.id)),
                        "A page token of before a restart leads to the wrong page.")
                } catch let error as DocumentError where error.code == .pageExpired {}
            }
        },
        changing("004", .must, "A document that was made is there after a restart, as it was") { session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            return { session in
                try expect(try await session.item(item.id), is: item, "A new document has changed over a restart.")
                try expect(
                    try await session.contents(of: item.id).bytes, is: ModifyingChecks.contents,
                    "A new document has other contents after a restart.")
            }
        },
        changing("005", .must, "New contents are there after a restart") { session, container in
            let old = try await ModifyingChecks.document(in: container, session)
            let new = try await session.change(old, contents: Array("new".utf8))
            return { session in
                try expect(try await session.item(old.id), is: new, "A document has changed over a restart.")
                try expect(
                    try await session.contents(of: old.id).bytes, is: Array("new".utf8), "The new contents are lost.")
            }
        },
        changing("006", .must, "What was removed stays removed after a restart") { session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            let rest = try await session.createDocument("Rest.txt", in: container.id, contents: [1])
            try await session.delete(item.id)
            return { session in
                try expect(try await session.isGone(item.id), "A removed document is back after a restart.")
                try expect(try await session.list(container.id), is: [rest], "The folder has changed over a restart.")
            }
        },
        changing("007", .must, "A create that is repeated after a restart makes no second item") { session, container in
            let operation = operationName()
            let item = try await session.createDocument(
                "Once.txt", in: container.id, contents: [1], operation: operation)
            return { session in
                do {
                    let again = try await session.createDocument(
                        "Once.txt", in: container.id, contents: [1], operation: operation)
                    try expect(again.id, is: item.id, "A repeated create is answered with another item.")
                } catch let error as DocumentError where error.code == .nameCollision {}
                try expect(try await session.list(container.id), is: [item], "There is not exactly the one item.")
            }
        },
        changing("008", .should, "A change that is repeated after a restart is known to have been made") {
            session, container in
            let item = try await ModifyingChecks.document(in: container, session)
            let operation = operationName()
            let changed = try await session.change(
                item, contents: Array("new".utf8), base: item.version, operation: operation)
            return { session in
                let again = try await session.change(
                    item, contents: Array("new".utf8), base: item.version, operation: operation)
                try expect(again, is: changed, "A repeated change is answered with another state after a restart.")
            }
        },
        ConformanceCheck(
            "PC-RESTART-009", .must, "What was answered is there after the provider was killed",
            rule: .rule("PROV-18"), needs: [.modifying], mutates: true
        ) { context in
            try await context.ownContainer { container in
                let made = Mutex<Item?>(nil)
                let killed = try await context.withFreshSession { session in
                    let item = try await ModifyingChecks.document(in: container, session)
                    made.withLock { $0 = item }
                    session.process.send(SIGKILL)
                    _ = await session.process.waitUntilExited()
                }
                guard let item = made.withLock({ $0 }), killed.exit.status == .signalled(SIGKILL) else {
                    throw KitError("The provider was not killed.")
                }
                try await context.withFreshSession { session in
                    let found = try? await session.contents(of: item.id).bytes
                    let listed = try? await session.list(container.id)
                    try expect(found ?? [], is: ModifyingChecks.contents, "A document that was acknowledged is lost.")
                    try expect(listed ?? [], is: [item], "A document that was acknowledged is not listed.")
                }
            }
        },
    ]

    /// A check that changes things in one process, and looks at them in the next.
    ///
    /// - Parameter body: returns what is looked at.
    private static func changing(
        _ number: String, _ level: CheckLevel, _ title: String,
        body:
            @escaping @Sendable (ConformanceSession, Item) async throws ->
            @Sendable (ConformanceSession) async throws
            -> Void
    ) -> ConformanceCheck {
        ConformanceCheck(
            "PC-RESTART-" + number, level, title, rule: .rule("ID-1"), needs: [.modifying], mutates: true
        ) { context in
            try await context.ownContainer { container in
                let look = try await context.withSession { try await body($0, container) }
                try await context.withFreshSession { try await look($0) }
            }
        }
    }
}
