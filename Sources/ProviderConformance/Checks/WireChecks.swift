import DocumentModel
import DocumentWire

/// Frames beyond requests and answers: pings, what is unknown, what was never claimed.
enum WireChecks {
    static let all: [ConformanceCheck] = [
        ConformanceCheck(
            "PC-WIRE-001", .must, "A call that the provider does not know fails with unimplemented",
            rule: .frame("Frame")
        ) { context in
            try await context.withSession { session in
                for body in [[], MessageBytes.call(999), MessageBytes.call(100_000, MessageBytes().adding(1, "x"))] {
                    try await expectError(.unimplemented, from: "A call of an unknown kind") {
                        try await session.ask(raw: body)
                    }
                }
            }
        },
        ConformanceCheck(
            "PC-WIRE-002", .must, "A frame of an unknown kind with an id fails with unimplemented",
            rule: .frame("Frame")
        ) { context in
            try await context.withRawSession { raw in
                try await raw.send(MessageBytes().adding(1, 1).adding(99, "from the future").framed)
                let frame = try await raw.finalFrame(of: 1)
                guard case .failure(let error) = frame.kind, error.code == .unimplemented else {
                    throw CheckFailure(
                        "A frame of an unknown kind is not answered with unimplemented.", detail: frame.evidence)
                }
                try await raw.ask(3, .identity)
                try expectAnswer(try await raw.finalFrame(of: 3))
            }
        },
        ConformanceCheck(
            "PC-WIRE-003", .must, "A frame of an unknown kind without an id is ignored", rule: .frame("Frame")
        ) { context in
            try await context.withRawSession { raw in
                try await raw.send(MessageBytes().adding(99, "from the future").framed)
                try await raw.ask(1, .identity)
                let frame = try await raw.frame()
                try expect(
                    frame.id == 1, "A frame of an unknown kind without an id is answered.", detail: frame.evidence)
                try expectAnswer(frame)
            }
        },
        ConformanceCheck(
            "PC-WIRE-004", .must, "A notification that the provider does not know is ignored",
            rule: .frame("Notification")
        ) { context in
            try await context.withRawSession { raw in
                try await raw.send(Frame(.notification(body: MessageBytes.call(999))))
                try await raw.send(Frame(.notification(body: [])))
                try await raw.send(Frame(.notification(body: [0xFF, 0xFF])))
                try await raw.ask(1, .identity)
                try expectAnswer(try await raw.finalFrame(of: 1))
            }
        },
        ConformanceCheck(
            "PC-WIRE-005", .must, "A ping is answered with a pong of the same number", rule: .frame("Ping")
        ) { context in
            try await context.withRawSession { raw in
                for number in [0, 1, 77, .max] as [UInt64] {
                    try await raw.send(Frame(.ping(number)))
                    try expect(
                        try await pong(raw), is: number, "A ping is answered with another number than it had.")
                }
            }
        },
        ConformanceCheck(
            "PC-WIRE-006", .must, "A ping is answered while requests are at work", rule: .frame("Ping")
        ) { context in
            let document = try await context.withSession { try await context.sampleDocument($0) }
            try await context.withRawSession { raw in
                let root = document.parentID ?? .root
                for number in 0..<8 as Range<UInt64> {
                    try await raw.ask(number * 2 + 1, .enumerate(container: root, page: nil, suggestedCount: 100))
                }
                try await raw.send(Frame(.ping(5)))
                var answered = 0
                var hasPong = false
                while answered < 8 || !hasPong {
                    switch try await raw.frame(within: .seconds(5)).kind {
                    case .answer, .failure: answered += 1
                    case .pong(5): hasPong = true
                    default: break
                    }
                }
            }
        },
        ConformanceCheck(
            "PC-WIRE-007", .must, "A ping is answered while the provider waits for the host", rule: .frame("Ping")
        ) { context in
            let document = try await context.withSession { try await context.sampleDocument($0) }
            try await context.withRawSession { raw in
                try await raw.ask(1, .providePlaceholder(document.id))
                let asked = try await raw.frame()
                guard case .request = asked.kind else {
                    throw CheckSkip("The provider does not ask the host to write the placeholder.")
                }
                try await raw.send(Frame(.ping(9)))
                try expect(try await pong(raw), is: 9, "A ping is not answered while the provider waits for the host.")
                try expect(
                    asked.id != 0 && asked.id % 2 == 0, "The provider asks with an id that is not one of its own.",
                    detail: "\(asked.id)")
                try await raw.send(Frame(id: asked.id, .answer(body: HostReply.writePlaceholder.serialized())))
                try expectAnswer(try await raw.finalFrame(of: 1))
            }
        },
        ConformanceCheck(
            "PC-WIRE-008", .must, "A pong that nobody asked for is ignored", rule: .frame("Pong")
        ) { context in
            try await context.withRawSession { raw in
                try await raw.send(Frame(.pong(3)))
                try await raw.ask(1, .identity)
                try expectAnswer(try await raw.finalFrame(of: 1))
            }
        },
        ConformanceCheck(
            "PC-WIRE-009", .must, "A request with a label and with unknown fields is answered as any other",
            rule: .frame("Request")
        ) { context in
            try await context.withRawSession { raw in
                let request = MessageBytes().adding(1, ProviderCall.identity.serialized()).adding(2, 5000)
                    .adding(3, String(repeating: "x", count: 64)).adding(50, "later")
                try await raw.send(MessageBytes().adding(1, 1).adding(4, request).framed)
                try expectAnswer(try await raw.finalFrame(of: 1))
            }
        },
        ConformanceCheck(
            "PC-WIRE-010", .must, "Many frames in one write are all answered, each once", rule: .frame("Request")
        ) { context in
            try await context.withRawSession { raw in
                var bytes: [UInt8] = []
                let ids = (0..<10 as Range<UInt64>).map { $0 * 2 + 1 }
                for id in ids {
                    Frame(id: id, .request(body: ProviderCall.identity.serialized(), deadline: 0)).append(to: &bytes)
                }
                try await raw.send(bytes)
                var answered: [UInt64] = []
                for _ in ids {
                    let frame = try await raw.frame()
                    try expectAnswer(frame)
                    answered.append(frame.id)
                }
                try expect(answered.sorted(), is: ids, "Requests in one write are not answered once each.")
                try await raw.expectSilence("More comes than was asked for.", for: .milliseconds(100))
            }
        },
        ConformanceCheck(
            "PC-WIRE-011", .must, "Changes that the provider does not claim fail with unimplemented",
            rule: .provider("SessionCapabilities")
        ) { context in
            guard !context.claims(.modifying) else { throw CheckSkip("The provider claims “modifying”.") }
            try await context.withSession { session in
                try await expectError(.unimplemented, from: "Create without the capability") {
                    try await session.createFolder("a", in: session.rootID)
                }
                try await expectError(.unimplemented, from: "Delete without the capability") {
                    try await session.delete(try context.unknownIdentifier())
                }
            }
        },
        ConformanceCheck(
            "PC-WIRE-012", .must, "A feed of changes that the provider does not claim fails with unimplemented",
            rule: .provider("SessionCapabilities")
        ) { context in
            guard !context.claims(.changes) else { throw CheckSkip("The provider claims “changes”.") }
            try await context.withSession { session in
                try await expectError(.unimplemented, from: "CurrentAnchor without the capability") {
                    try await session.claimedAnchor()
                }
                let anchor = try SyncAnchor([1])
                try await expectError(.unimplemented, from: "ChangesSince without the capability") {
                    try await session.changes(since: anchor)
                }
            }
        },
        ConformanceCheck(
            "PC-WIRE-013", .must, "Pickers that the provider does not claim fail with unimplemented",
            rule: .provider("SessionCapabilities")
        ) { context in
            guard !context.claims(.picker) else { throw CheckSkip("The provider claims “picker”.") }
            try await context.withSession { session in
                let picker = ProviderCall.PickerCall.sample(.open)
                try await expectError(.unimplemented, from: "PreparePicker without the capability") {
                    try await session.preparePicker(picker)
                }
                try await expectError(.unimplemented, from: "ValidateChoice without the capability") {
                    try await session.validate(.item(try context.unknownIdentifier()), in: picker)
                }
                try await expectError(.unimplemented, from: "EndPicker without the capability") {
                    try await session.endPicker(picker.session)
                }
            }
        },
    ]

    private static func pong(_ raw: RawSession) async throws -> UInt64 {
        while true {
            if case .pong(let number) = try await raw.frame(within: .seconds(5)).kind { return number }
        }
    }
}

/// Fails the check unless a frame is a good answer.
func expectAnswer(_ frame: Frame) throws {
    guard case .answer = frame.kind else {
        throw CheckFailure("A request is not answered as it should be.", detail: frame.evidence)
    }
}
