import DocumentModel
import DocumentWire
import SystemPackage

/// Requests that lack what they need, or hold what they must not.
enum ArgumentChecks {
    static let all: [ConformanceCheck] = missing + malformed + modifying

    private static let missing: [ConformanceCheck] = [
        refusal("PC-ARGS-001", "GetItem without an identifier fails", 2, MessageBytes()),
        refusal("PC-ARGS-002", "Enumerate without a folder fails", 3, MessageBytes().adding(3, 10)),
        refusal("PC-ARGS-003", "ProvidePlaceholder without an identifier fails", 4, MessageBytes()),
        refusal("PC-ARGS-004", "StartProviding without an identifier fails", 5, MessageBytes().adding(2, "/tmp/none")),
        refusal("PC-ARGS-007", "PathForIdentifier without an identifier fails, or finds nothing", 9, MessageBytes()) {
            reply in reply == .pathForIdentifier(nil)
        },
        // These two may succeed: there is nothing to do.
        refusal("PC-ARGS-008", "ItemChanged without an identifier is harmless", 6, MessageBytes()) { _ in true },
        refusal("PC-ARGS-009", "StopProviding without an identifier is harmless", 7, MessageBytes()) { _ in true },
        ConformanceCheck(
            "PC-ARGS-005", .must, "StartProviding without a staging file fails", rule: .provider("StartProviding")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                try await expectRefusal(
                    of: MessageBytes.call(5, MessageBytes().adding(1, document.id.rawValue)), session)
            }
        },
        ConformanceCheck(
            "PC-ARGS-006", .must, "StartProviding with a relative staging path fails", rule: .provider("StartProviding")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                let call = MessageBytes().adding(1, document.id.rawValue).adding(2, "contents")
                try await expectRefusal(of: MessageBytes.call(5, call), session)
            }
        },
    ]

    private static let malformed: [ConformanceCheck] = [
        refusal(
            "PC-ARGS-020", "An identifier of more than 4,096 bytes fails", 2,
            MessageBytes().adding(1, String(repeating: "x", count: 4097))),
        refusal("PC-ARGS-021", "An identifier with a NUL fails", 2, MessageBytes().adding(1, "a\u{0}b")),
        ConformanceCheck(
            "PC-ARGS-022", .must, "A page token of more than 500 bytes fails", rule: .provider("Enumerate")
        ) { context in
            try await context.withSession { session in
                let call = MessageBytes().adding(1, session.rootID.rawValue)
                    .adding(2, [UInt8](repeating: 1, count: 501))
                try await expectRefusal(of: MessageBytes.call(3, call), session)
            }
        },
        ConformanceCheck(
            "PC-ARGS-023", .must, "A content version of more than 128 bytes fails", rule: .model("ItemVersion")
        ) { context in
            try await context.withSession { session in
                let document = try await context.sampleDocument(session)
                let file = try context.folder.newStagingFile()
                defer { file.remove() }
                let call = MessageBytes().adding(1, document.id.rawValue).adding(2, file.path.string)
                    .adding(3, [UInt8](repeating: 7, count: 129))
                try await expectRefusal(of: MessageBytes.call(5, call), session)
            }
        },
        ConformanceCheck(
            "PC-ARGS-024", .must, "A request whose body is no message fails, and the session goes on",
            rule: .frame("Request")
        ) { context in
            try await context.withSession { session in
                for body in [[0xFF], [0x0A, 0x7F], [0x12, 0x02, 0x0A, 0xFF], Array("GET / HTTP/1.1\r\n".utf8)]
                    as [[UInt8]]
                {
                    try await expectRefusal(of: body, session)
                }
            }
        },
        ConformanceCheck(
            "PC-ARGS-025", .must, "Fields of a request that the provider does not know are ignored",
            rule: .frame("Frame")
        ) { context in
            try await context.withSession { session in
                let call = MessageBytes().adding(1, session.rootID.rawValue).adding(77, 5).adding(78, "later")
                let body = MessageBytes().adding(2, call).adding(1000, "and here").bytes
                let reply = try ProviderReply(serialized: try await session.ask(raw: body))
                guard case .item(let item) = reply, item.id == session.rootID else {
                    throw CheckFailure("A request with unknown fields is not answered.", detail: "\(reply)")
                }
            }
        },
    ]

    private static let modifying: [ConformanceCheck] = [
        mutation("PC-ARGS-040", "Create without a folder fails") { _, file in
            MessageBytes.call(20, MessageBytes().adding(2, "a").adding(3, 1).adding(4, file).adding(6, "op-1"))
        },
        mutation("PC-ARGS-041", "Create without a name fails") { container, file in
            MessageBytes.call(20, MessageBytes().adding(1, container).adding(3, 1).adding(4, file).adding(6, "op-2"))
        },
        mutation("PC-ARGS-042", "Create without a kind fails") { container, file in
            MessageBytes.call(20, MessageBytes().adding(1, container).adding(2, "a").adding(4, file).adding(6, "op-3"))
        },
        mutation("PC-ARGS-043", "Create without an operation fails") { container, file in
            MessageBytes.call(20, MessageBytes().adding(1, container).adding(2, "a").adding(3, 1).adding(4, file))
        },
        mutation("PC-ARGS-044", "Create of a document without contents fails") { container, _ in
            MessageBytes.call(20, MessageBytes().adding(1, container).adding(2, "a").adding(3, 1).adding(6, "op-4"))
        },
        mutation("PC-ARGS-045", "Create with a name that is none fails") { container, file in
            MessageBytes.call(
                20, MessageBytes().adding(1, container).adding(2, "../a").adding(3, 1).adding(4, file).adding(6, "op-5")
            )
        },
        mutation("PC-ARGS-046", "Create in an unknown folder fails") { _, file in
            MessageBytes.call(
                20,
                MessageBytes().adding(1, "no-such-folder").adding(2, "a").adding(3, 1).adding(4, file).adding(6, "op-6")
            )
        },
        mutation("PC-ARGS-047", "Modify without an identifier fails", of: "Modify") { _, file in
            MessageBytes.call(21, MessageBytes().adding(3, file).adding(7, "op-7"))
        },
        mutation("PC-ARGS-048", "Modify of an unknown item fails", of: "Modify") { _, file in
            MessageBytes.call(21, MessageBytes().adding(1, "no-such-item").adding(3, file).adding(7, "op-8"))
        },
        mutation("PC-ARGS-049", "Create with contents that are not there fails") { container, file in
            MessageBytes.call(
                20,
                MessageBytes().adding(1, container).adding(2, "a").adding(3, 1).adding(4, file + ".none")
                    .adding(6, "op-9"))
        },
        mutationOfDocument("PC-ARGS-050", "Modify without an operation fails", of: "Modify") { id, file in
            MessageBytes.call(21, MessageBytes().adding(1, id).adding(3, file).adding(4, "renamed"))
        },
        mutationOfDocument("PC-ARGS-051", "Delete without an identifier fails", of: "Delete") { _, _ in
            MessageBytes.call(22, MessageBytes().adding(3, 1).adding(4, "op-11"))
        },
        mutationOfDocument("PC-ARGS-052", "Delete without an operation fails", of: "Delete") { id, _ in
            MessageBytes.call(22, MessageBytes().adding(1, id))
        },
        ConformanceCheck(
            "PC-ARGS-062", .must, "EndPicker without a session fails", rule: .provider("EndPicker"), needs: [.picker]
        ) { context in
            try await context.withSession { try await expectRefusal(of: MessageBytes.call(52), $0) }
        },
        ConformanceCheck(
            "PC-ARGS-060", .must, "ChangesSince without an anchor fails", rule: .provider("ChangesSince"),
            needs: [.changes]
        ) { context in
            try await context.withSession { try await expectRefusal(of: MessageBytes.call(31), $0) }
        },
        ConformanceCheck(
            "PC-ARGS-061", .must, "ChangesSince with an anchor of more than 500 bytes fails",
            rule: .provider("ChangesSince"), needs: [.changes]
        ) { context in
            try await context.withSession { session in
                let call = MessageBytes().adding(1, [UInt8](repeating: 1, count: 501))
                try await expectRefusal(of: MessageBytes.call(31, call), session)
            }
        },
    ]

    /// A check that a request is refused, or answered in a way that is harmless.
    private static func refusal(
        _ id: String, _ title: String, _ field: UInt64, _ call: MessageBytes,
        isHarmless: @escaping @Sendable (ProviderReply) -> Bool = { _ in false }
    ) -> ConformanceCheck {
        ConformanceCheck(id, .must, title, rule: .provider("ProviderRequest")) { context in
            try await context.withSession { session in
                try await expectRefusal(of: MessageBytes.call(field, call), session, isHarmless: isHarmless)
            }
        }
    }

    /// A check that a change is refused, and that nothing was changed.
    private static func mutation(
        _ id: String, _ title: String, of message: String = "Create",
        _ body: @escaping @Sendable (_ container: String, _ file: String) -> [UInt8]
    ) -> ConformanceCheck {
        ConformanceCheck(
            id, .must, title, rule: .provider(message), needs: [.modifying], mutates: true
        ) { context in
            try await context.freshContainer { session, container in
                let file = try context.folder.newFile(contents: [1, 2, 3])
                defer { file.remove() }
                try await expectRefusal(of: body(container.id.rawValue, file.path.string), session)
                let items = try await session.list(container.id)
                try expect(items.isEmpty, "A change that was refused was made all the same.", detail: "\(items)")
            }
        }
    }

    /// The same, of a document that is there, and stays as it was.
    private static func mutationOfDocument(
        _ id: String, _ title: String, of message: String,
        _ body: @escaping @Sendable (_ document: String, _ file: String) -> [UInt8]
    ) -> ConformanceCheck {
        ConformanceCheck(
            id, .must, title, rule: .provider(message), needs: [.modifying], mutates: true
        ) { context in
            try await context.freshContainer { session, container in
                let document = try await ModifyingChecks.document(in: container, session)
                let contents = try await session.contents(of: document.id).bytes
                let file = try context.folder.newFile(contents: [1, 2, 3])
                defer { file.remove() }
                try await expectRefusal(of: body(document.id.rawValue, file.path.string), session)
                try expect(
                    try await session.list(container.id).map(\.name), is: [document.name],
                    "A change that was refused was made all the same.")
                try expect(
                    try await session.contents(of: document.id).bytes, is: contents,
                    "A change that was refused was made all the same.")
            }
        }
    }

    /// The request fails with a code that says that it was wrong, and the provider goes on.
    static func expectRefusal(
        of body: [UInt8], _ session: ConformanceSession, isHarmless: (ProviderReply) -> Bool = { _ in false }
    ) async throws {
        do {
            let reply = try ProviderReply(serialized: try await session.ask(raw: body))
            try expect(isHarmless(reply), "A request that makes no sense succeeds.", detail: "\(reply)")
        } catch let error as DocumentError {
            let isOwnFault = [.definitive, .caller].contains(error.code.errorClass)
            try expect(
                isOwnFault || [.internal, .localStorage].contains(error.code),
                "A request that makes no sense fails as if it could succeed later.", detail: "\(error)")
        }
        _ = try await session.identity()
    }
}
