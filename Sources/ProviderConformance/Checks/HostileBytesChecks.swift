import DocumentModel
import DocumentWire
import ProviderLauncher

/// Bytes as no host should send them, and bytes as every host may.
enum HostileBytesChecks {
    static let all: [ConformanceCheck] = [
        check("001", .must, "Frames that arrive one byte at a time are answered") { raw in
            for byte in bytes(try raw.helloFrame()) { try await raw.send([byte]) }
            _ = try await raw.reply()
            for byte in bytes(item(1)) {
                try await raw.send([byte])
                try await Task.sleep(for: .milliseconds(5))
            }
            _ = try await raw.finalFrames(of: [1])
        },
        check("002", .must, "Frames that arrive many at once are all answered, once each") { raw in
            try await raw.hello()
            var all: [UInt8] = []
            for number in 0..<60 {
                all += bytes(item(UInt64(2 * number + 1)))
                all += bytes(Frame(.ping(UInt64(number))))
                all += bytes(Frame(.notification(body: [])))
            }
            try await raw.send(all)
            _ = try await raw.finalFrames(of: Set((0..<60).map { UInt64(2 * $0 + 1) }))
        },
        check("003", .must, "A frame whose second half comes late is answered") { raw in
            try await raw.hello()
            let frame = bytes(item(1))
            try await raw.send(Array(frame.prefix(3)))
            try await Task.sleep(for: .milliseconds(300))
            try await raw.send(Array(frame.dropFirst(3)))
            _ = try await raw.finalFrames(of: [1])
        },
        check("004", .must, "A frame of the largest size that was agreed on is answered") { raw in
            let limit = try await raw.hello().limits.frameBytes
            try await raw.send(padded(1, to: limit == 0 ? 4_194_304 : Int(min(limit, 4_194_304))))
            guard case .answer = try await raw.finalFrames(of: [1])[1]?.kind else {
                throw CheckFailure("A request in the largest frame fails.")
            }
        },
        refused("005", "a frame is larger than was agreed on") { limit in padded(1, to: limit + 1) },
        refused("006", "a frame has the length 0") { _ in [0] },
        refused("007", "the length of a frame is padded") { _ in [0x82, 0x00, 0x08, 0x01] },
        refused("008", "the length of a frame takes five bytes") { _ in [0xFF, 0xFF, 0xFF, 0xFF, 0x01] },
        refused("009", "the body of a frame is no message") { _ in [4, 0xFF, 0xFF, 0xFF, 0xFF] },
        refused("010", "text comes instead of a frame") { _ in Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        },
        check("011", .must, "The provider ends when a frame is cut off by the end of the stream") { raw in
            try await raw.hello()
            try await raw.send(Array(bytes(item(1)).dropLast()))
            raw.closeInput()
            try await raw.expectGone("a frame is cut off")
        },
        check("012", .must, "The provider ends when the hello is cut off by the end of the stream") { raw in
            try await raw.send(Array(bytes(try raw.helloFrame()).dropLast()))
            raw.closeInput()
            try await raw.expectGone("the hello is cut off")
        },
    ]

    /// A check that the provider ends because of some bytes, and does not answer them.
    private static func refused(
        _ number: String, _ what: String, _ bad: @escaping @Sendable (Int) -> [UInt8]
    ) -> ConformanceCheck {
        check(number, .must, "The provider ends, and does not answer, when \(what)") { raw in
            let limit = try await raw.hello().limits.frameBytes
            try await raw.send(bad(limit == 0 ? 4_194_304 : Int(limit)))
            // For a text that is taken for the beginning of a frame.
            raw.closeInput()
            for event in try await raw.rest(within: .seconds(5)) {
                guard case .frame(let frame) = event, case .answer = frame.kind else { continue }
                throw CheckFailure("The provider answers when \(what).", detail: frame.evidence)
            }
            try await raw.expectGone(what)
        }
    }

    private static func item(_ id: UInt64) -> Frame {
        Frame(id: id, .request(body: ProviderCall.identity.serialized(), deadline: 0))
    }

    /// A request for the identity in a frame of a size, filled with a field that nobody knows.
    private static func padded(_ id: UInt64, to size: Int) -> [UInt8] {
        let question = ProviderCall.identity.serialized()
        var fill = size - question.count
        // The lengths before the filling take a few bytes, how many depends on it.
        for _ in 0..<4 {
            let body = question + field(100, [UInt8](repeating: 7, count: max(fill, 0)))
            let frame = bytes(Frame(id: id, .request(body: body, deadline: 0)))
            let excess = frame.count - lengthBytes(frame) - size
            if excess == 0 { return frame }
            fill -= excess
        }
        return bytes(Frame(id: id, .request(body: question, deadline: 0)))
    }

    private static func lengthBytes(_ frame: [UInt8]) -> Int {
        (frame.firstIndex { $0 < 0x80 } ?? 0) + 1
    }

    /// A field of bytes.
    static func field(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
        varint(number << 3 | 2) + varint(bytes.count) + bytes
    }

    static func varint(_ value: Int) -> [UInt8] {
        var (rest, bytes) = (value, [UInt8]())
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F | 0x80))
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    static func bytes(_ frame: Frame) -> [UInt8] {
        var bytes: [UInt8] = []
        frame.append(to: &bytes)
        return bytes
    }

    private static func check(
        _ number: String, _ level: CheckLevel, _ title: String,
        body: @escaping @Sendable (RawSession) async throws -> Void
    ) -> ConformanceCheck {
        ConformanceCheck("PC-BYTES-" + number, level, title, rule: .frame("Frame")) { context in
            let exit = try await context.withRawEnd { try await body($0) }.exit
            try CheckFailure.check(exit.status, "bytes come like these")
        }
    }
}

extension RawSession {
    /// The reply to a hello that was sent.
    func reply() async throws -> Frame.HelloReply {
        let frame = try await frame()
        guard case .helloReply(let reply) = frame.kind else {
            throw CheckFailure("The provider's first frame is no answer to the hello.", detail: frame.evidence)
        }
        return reply
    }
}
