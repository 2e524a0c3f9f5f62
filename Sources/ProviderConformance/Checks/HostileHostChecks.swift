import DocumentModel
import DocumentWire
import ProviderLauncher

/// Hosts that say what they should not, or nothing.
enum HostileHostChecks {
    static let all: [ConformanceCheck] = [
        unopened("001", .must, "The provider says nothing but the preface before the hello") { raw in
            guard try await raw.next(within: .milliseconds(700)) == nil else {
                throw CheckFailure("The provider says something before the hello.")
            }
        },
        unopened("002", .must, "The provider ends when the host goes without a hello") { raw in
            raw.closeInput()
            try await raw.expectGone("the host goes without a hello")
        },
        unopened("003", .must, "A request before the hello is not answered") { raw in
            try await raw.send(request(1, .identity))
            raw.closeInput()
            for event in try await raw.rest(within: .seconds(5)) {
                guard case .frame(let frame) = event, case .answer = frame.kind else { continue }
                throw CheckFailure("The provider answers a request before the hello.", detail: frame.evidence)
            }
            try await raw.expectGone("a request comes before the hello")
        },
        check("004", .must, "A second hello is not answered") { raw, _ in
            try await raw.send(try raw.helloFrame())
            raw.closeInput()
            for event in try await raw.rest(within: .seconds(5)) {
                guard case .frame(let frame) = event, case .helloReply = frame.kind else { continue }
                throw CheckFailure("The provider answers a second hello.", detail: frame.evidence)
            }
            try await raw.expectGone("a second hello comes")
        },
        check("005", .must, "A request of an unknown kind fails with unimplemented, and does no harm") { raw, _ in
            try await raw.send(Frame(id: 1, .request(body: field(4000, [1, 2, 3]), deadline: 0)))
            try expectFailure(try await raw.finalFrames(of: [1])[1], [.unimplemented], "A request of an unknown kind")
        },
        check("006", .must, "A frame of an unknown kind with an id fails with unimplemented, and does no harm") {
            raw, _ in
            try await raw.send(framed([0x08, 0x01] + field(4000, [1])))
            try expectFailure(try await raw.finalFrames(of: [1])[1], [.unimplemented], "A frame of an unknown kind")
        },
        check("007", .must, "A frame of an unknown kind without an id is ignored") { raw, _ in
            try await raw.send(framed(field(4000, [1])))
            try await raw.expectAlive()
        },
        check("008", .must, "Unknown fields in frames and requests are ignored") { raw, _ in
            let body = ProviderCall.identity.serialized() + field(3999, Array("new".utf8))
            try await raw.send(framed([0x08, 0x01] + field(4, field(1, body) + field(3998, [1])) + field(3997, [2])))
            guard case .answer = try await raw.finalFrames(of: [1])[1]?.kind else {
                throw CheckFailure("A request with unknown fields is not answered as one without.")
            }
        },
        check("009", .must, "A request whose body is no message fails, and does no harm") { raw, _ in
            try await raw.send(Frame(id: 1, .request(body: [0xFF, 0xFF, 0xFF], deadline: 0)))
            guard case .failure(let error) = try await raw.finalFrames(of: [1])[1]?.kind else {
                throw CheckFailure("A request whose body is no message is answered.")
            }
            try expect(
                !error.code.isReservedForHost, "A request whose body is no message fails with a code of the host's.",
                detail: "\(error)")
        },
        check("010", .must, "A notification of an unknown kind is ignored") { raw, _ in
            try await raw.send(
                Frame(.notification(body: field(4000, [1]))), Frame(.notification(body: [0xFF, 0xFF, 0xFF])))
            try await raw.expectAlive()
        },
        check("011", .must, "An answer to a request that the provider never made ends it, or is ignored") { raw, _ in
            try await raw.send(Frame(id: 4242, .answer(body: [])))
            raw.closeInput()
            try await raw.expectGone("an answer comes that was not asked for")
        },
        check("012", .must, "A ping is answered with its number") { raw, _ in
            try await raw.send(Frame(.ping(7)), Frame(.ping(UInt64.max)))
            var numbers: [UInt64] = []
            while numbers.count < 2 {
                if case .pong(let number) = try await raw.frame().kind { numbers.append(number) }
            }
            try expect(numbers, is: [7, UInt64.max], "A ping is answered with another number.")
        },
        check("013", .must, "A request that will be waited for but a millisecond is answered once") { raw, _ in
            try await raw.send(Frame(id: 1, .request(body: ProviderCall.identity.serialized(), deadline: 1)))
            _ = try await raw.finalFrames(of: [1])
        },
        check("014", .must, "Requests above what was agreed on are answered once each, at least with busy") { raw, _ in
            let ids = (0..<200).map { UInt64(2 * $0 + 1) }
            var all: [UInt8] = []
            for id in ids { request(id, .identity).append(to: &all) }
            try await raw.send(all)
            for (_, frame) in try await raw.finalFrames(of: Set(ids)) {
                if case .failure = frame.kind {
                    try expectFailure(frame, [.busy], "A request above what was agreed on")
                }
            }
        },
        check("015", .must, "A host that does not read for a while gets every answer, once") { raw, root in
            let ids = (0..<60).map { UInt64(2 * $0 + 1) }
            for id in ids {
                try await raw.ask(id, .enumerate(container: root, page: nil, suggestedCount: 1000))
            }
            try await Task.sleep(for: .milliseconds(400))
            _ = try await raw.finalFrames(of: Set(ids))
        },
        check("016", .must, "A host that never reads its provider's log gets every answer", drainsErrors: false) {
            raw, root in
            let ids = (0..<60).map { UInt64(2 * $0 + 1) }
            for id in ids { try await raw.ask(id, .item(root)) }
            _ = try await raw.finalFrames(of: Set(ids))
        },
    ]

    static func request(_ id: UInt64, _ call: ProviderCall) -> Frame {
        Frame(id: id, .request(body: call.serialized(), deadline: 0))
    }

    private static func field(_ number: Int, _ bytes: [UInt8]) -> [UInt8] { HostileBytesChecks.field(number, bytes) }

    private static func framed(_ body: [UInt8]) -> [UInt8] { HostileBytesChecks.varint(body.count) + body }

    static func expectFailure(_ frame: Frame?, _ codes: [DocumentError.Code], _ what: String) throws {
        guard case .failure(let error) = frame?.kind else {
            throw CheckFailure("\(what) is answered, where it must fail.", detail: "\(String(describing: frame))")
        }
        let names = codes.map(\.description).joined(separator: " or ")
        try expect(codes.contains(error.code), "\(what) fails with \(error.code) and not with \(names).")
    }

    private static func unopened(
        _ number: String, _ level: CheckLevel, _ title: String,
        body: @escaping @Sendable (RawSession) async throws -> Void
    ) -> ConformanceCheck {
        ConformanceCheck("PC-HOST-" + number, level, title, rule: .frame("Frame")) { context in
            let exit = try await context.withRawEnd { try await body($0) }.exit
            try CheckFailure.check(exit.status, "a host is like this")
        }
    }

    private static func check(
        _ number: String, _ level: CheckLevel, _ title: String, drainsErrors: Bool = true,
        body: @escaping @Sendable (RawSession, ItemIdentifier) async throws -> Void
    ) -> ConformanceCheck {
        ConformanceCheck("PC-HOST-" + number, level, title, rule: .frame("Frame")) { context in
            let exit = try await context.withHostileSession(drainsErrors: drainsErrors, body).exit
            try CheckFailure.check(exit.status, "a host is like this")
        }
    }
}
