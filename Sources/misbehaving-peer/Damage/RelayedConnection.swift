import Glibc

/// A tool's connection to a damaged host: everything is handed on, frame by frame, but for what is damaged.
final class RelayedConnection {
    /// Fields of `ServiceRequest`.
    enum Call: Int {
        case hostStatus = 1
        case lastFailure = 11
        case addDomain = 20
        case beginAccess = 40
        case waitUntilSent = 62
    }

    /// What a tool has asked.
    struct Question {
        var call: Call?
        var body: [UInt8]
    }

    /// Of `ServiceAnswer`.
    private static let done = 1

    let tool: Int32
    let host: Int32
    /// Nothing is read from the tool any more.
    private(set) var isToolGone = false
    private var fromTool: [UInt8] = []
    private var fromHost: [UInt8] = []
    private var calls: [UInt64: Question] = [:]

    /// A question is not answered yet.
    var isWaiting: Bool { !calls.isEmpty }

    init(tool: Int32, host: Int32) {
        self.tool = tool
        self.host = host
    }

    func closeTool() {
        guard !isToolGone else { return }
        isToolGone = true
        close(tool)
    }

    /// Hands on what the tool says, frame by frame.
    ///
    /// - Parameter keepingHost: the host does not hear that the tool is done.
    /// - Returns: false when it says nothing more.
    func passOn(keepingHost: Bool) -> Bool {
        guard let bytes = Self.read(tool) else { return false }
        fromTool += bytes
        var out: [UInt8] = []
        for (whole, frame) in Self.frames(in: &fromTool) {
            if keepingHost, frame?.kind == .shutdown {
                guard Self.write(PeerFrame(.goodbye).bytes, to: tool) else { return false }
                continue
            }
            out += whole
            if let frame, frame.kind == .request {
                let body = frame.message.bytes(1)
                calls[frame.id] = Question(
                    call: MessageReader(body)?.numbers.last.flatMap { Call(rawValue: $0) }, body: body)
            }
        }
        return Self.write(out, to: host)
    }

    /// Hands on what the host says.
    ///
    /// - Parameter damage: makes of an answer, or a failure, what is said instead; nil for nothing, and an error to close.
    /// - Returns: false when it says nothing more.
    func passBack(_ damage: (PeerFrame, Question?) throws -> [UInt8]?) -> Bool {
        guard let bytes = Self.read(host) else { return false }
        fromHost += bytes
        for (whole, frame) in Self.frames(in: &fromHost) {
            var out: [UInt8]? = whole
            if let frame, frame.kind == .failure || frame.kind == .answer {
                let question = calls.removeValue(forKey: frame.id)
                do { out = try damage(frame, question).map { $0 == frame.bytes ? whole : $0 } } catch { return false }
            }
            guard let out, !isToolGone else { continue }
            guard Self.write(out, to: tool) else { return false }
        }
        return true
    }

    /// The answer to a call that has nothing to say.
    static func success(_ frame: PeerFrame) -> [UInt8] {
        PeerFrame.answer(frame.id, MessageWriter.message { $0.message(Self.done) { _ in } }).bytes
    }

    // MARK: Bytes

    /// Takes the whole frames off the beginning of what came.
    private static func frames(in buffer: inout [UInt8]) -> [(whole: [UInt8], frame: PeerFrame?)] {
        var frames: [(whole: [UInt8], frame: PeerFrame?)] = []
        var rest = buffer[...]
        while true {
            var after = rest
            guard let length = MessageReader.varint(&after), length <= UInt64(after.count) else { break }
            let end = after.startIndex + Int(length)
            frames.append((Array(rest[..<end]), PeerFrame(body: Array(after[..<end]))))
            rest = rest[end...]
        }
        buffer = Array(rest)
        return frames
    }

    private static func read(_ descriptor: Int32) -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = Glibc.read(descriptor, &chunk, chunk.count)
        if count < 0, errno == EINTR { return [] }
        return count > 0 ? Array(chunk[..<count]) : nil
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
