import DocumentModel
import DocumentTransport
import DocumentWire

extension Exchange {
    /// Puts an entry of a recording into words.
    ///
    /// - Parameter isOfTool: its messages are those of `docent.service.v1`, and are shown as bytes.
    init(_ entry: TrafficEntry, isOfTool: Bool = false) {
        let (seconds, attoseconds) = entry.time.components
        let (summary, text) = Self.words(for: entry, isOfTool: isOfTool)
        self.init(
            time: Double(seconds) + Double(attoseconds) / 1e18, isToProvider: entry.direction == .toProvider,
            summary: summary, text: text)
    }

    private static let longestText = 16_384

    private static func words(for entry: TrafficEntry, isOfTool: Bool) -> (summary: String, text: String) {
        switch entry.content {
        case .preface: return ("Preface", "")
        case .end: return ("End of the stream", "")
        case .bytes(let bytes):
            let evidence = FrameViolation("", offset: 0, bytes: bytes)
            return ("\(bytes.count) bytes that are no frame", "\(evidence.hex)\n\(evidence.text)")
        case .frame(let body):
            guard let frame = entry.frame else {
                let evidence = FrameViolation("", offset: 0, bytes: body)
                return ("A frame of \(body.count) bytes that is no message", evidence.hex)
            }
            if isOfTool, let (summary, text) = toolWords(for: frame) { return (summary, text) }
            let (summary, text) = words(for: frame, entry.direction)
            return (summary, text.utf8.count > longestText ? text.prefix(longestText) + "…" : text)
        }
    }

    /// A message between a host and a tool, as bytes; nil for a frame that carries none.
    private static func toolWords(for frame: Frame) -> (summary: String, text: String)? {
        let (name, body): (String, [UInt8])
        switch frame.kind {
        case .request(let bytes, _, _, _): (name, body) = ("Request \(frame.id)", bytes)
        case .answer(let bytes): (name, body) = ("Answer \(frame.id)", bytes)
        case .notification(let bytes): (name, body) = ("Notification", bytes)
        case .hello(let hello): (name, body) = ("Hello, versions \(hello.versions)", hello.context)
        case .helloReply(let reply): (name, body) = ("HelloReply, version \(reply.version)", reply.context)
        default: return nil
        }
        let evidence = FrameViolation("", offset: 0, bytes: Array(body.prefix(longestText / 4)))
        return ("\(name): \(body.count) bytes", "\(evidence.hex)\n\(evidence.text)")
    }

    static func words(for frame: Frame, _ direction: FrameRedaction.Direction) -> (summary: String, text: String) {
        let toProvider = direction == .toProvider
        switch frame.kind {
        case .hello(let hello):
            return ("Hello, versions \(hello.versions)", "\(hello.words)\n" + fields(hello.context, .settings))
        case .helloReply(let reply):
            return (
                "HelloReply, version \(reply.version), \(reply.software)", fields(reply.context, .capabilities)
            )
        case .request(let body, let deadline, let label, _):
            let call = fields(body, toProvider ? .providerCall : .hostCall)
            let name = label.map { " [\($0.text)]" } ?? ""
            return ("Request \(frame.id)\(name): \(brief(call))", "deadline \(deadline) ms\n\(call)")
        case .answer(let body):
            let reply = fields(body, toProvider ? .hostAnswer : .providerAnswer)
            return ("Answer \(frame.id): \(brief(reply))", reply)
        case .failure(let error):
            return ("Failure \(frame.id): \(error.code)", [error.description, error.detail].joined(separator: "\n"))
        case .progress(let progress):
            return (
                "Progress \(frame.id): \(progress.done)" + (progress.expected.map { " of \($0)" } ?? "") + " bytes", ""
            )
        case .heartbeat: return ("Heartbeat \(frame.id)", "")
        case .cancel: return ("Cancel \(frame.id)", "")
        case .notification(let body):
            let event = fields(body, .providerEvent)
            return ("Notification: \(brief(event))", event)
        case .shutdown: return ("Shutdown", "")
        case .goodbye: return ("Goodbye", "")
        case .ping(let number): return ("Ping \(number)", "")
        case .pong(let number): return ("Pong \(number)", "")
        case .unknown: return ("A frame of an unknown kind, \(frame.id)", "")
        }
    }

    /// As the protos name them; as bytes where they are no such message, or one without a field.
    private static func fields(_ body: [UInt8], _ kind: MessageText.Kind) -> String {
        guard let text = MessageText.text(of: body, as: kind) else {
            return "\(body.count) bytes that are no such message\n" + FrameViolation("", offset: 0, bytes: body).hex
        }
        return text.isEmpty ? "no field is set\n" + FrameViolation("", offset: 0, bytes: body).hex : text
    }

    private static func brief(_ text: String) -> String {
        let line = text.split { $0.isWhitespace }.joined(separator: " ")
        return line.count > 100 ? line.prefix(100) + "…" : line
    }
}

extension Frame.Hello {
    fileprivate var words: String {
        let features = features.isEmpty ? "none" : features.joined(separator: ", ")
        return "software \(software), process \(processID), session \(session), locale \(locale), features \(features)"
    }
}
