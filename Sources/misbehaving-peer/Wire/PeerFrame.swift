/// A frame of `docent.wire.v1`, written and read by code that shares nothing with the code it is to try out.
struct PeerFrame {
    /// The field of `Frame` that says what it is.
    enum Kind: Int {
        case hello = 2
        case helloReply, request, answer, failure, progress, cancel, notification, shutdown, goodbye, ping, pong
    }

    /// What a provider's output begins with.
    static let preface: [UInt8] = [0x89, 0x44, 0x4F, 0x43, 0x0D, 0x0A, 0x1A, 0x0A]

    var id: UInt64 = 0
    /// Nil for kinds that are not known here.
    var kind: Kind?
    var content: [UInt8] = []

    init(id: UInt64 = 0, _ kind: Kind, _ build: (inout MessageWriter) -> Void = { _ in }) {
        self.id = id
        self.kind = kind
        content = MessageWriter.message(build)
    }

    /// Nil when the body is no message.
    init?(body: [UInt8]) {
        guard let message = MessageReader(body) else { return nil }
        id = message.number(1)
        for number in message.numbers.reversed() {
            guard let kind = Kind(rawValue: number) else { continue }
            self.kind = kind
            content = message.bytes(number)
            break
        }
    }

    var message: MessageReader { MessageReader(content) ?? MessageReader.empty }

    var body: [UInt8] {
        MessageWriter.message { frame in
            if id != 0 { frame.number(1, id) }
            if let kind { frame.bytes(kind.rawValue, content) }
        }
    }

    /// As it travels.
    var bytes: [UInt8] { Self.framed(body) }

    static func framed(_ body: [UInt8]) -> [UInt8] {
        MessageWriter.varint(UInt64(body.count)) + body
    }

    static func answer(_ id: UInt64, _ body: [UInt8]) -> PeerFrame {
        PeerFrame(id: id, .answer) { $0.bytes(1, body) }
    }

    static func failure(_ id: UInt64, _ code: UInt64, _ message: String) -> PeerFrame {
        PeerFrame(id: id, .failure) {
            $0.number(1, code)
            $0.text(2, message)
        }
    }

    static func progress(_ id: UInt64, done: UInt64, of total: UInt64 = 0) -> PeerFrame {
        PeerFrame(id: id, .progress) {
            if done != 0 { $0.number(1, done) }
            if total != 0 { $0.number(2, total) }
        }
    }
}
