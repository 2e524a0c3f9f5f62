import DocumentModel
import FoundationEssentials
import SwiftProtobuf

extension Frame {
    /// The longest length that can stand before a body: four bytes of seven bits.
    package static let maximumBodyLength = (1 << 28) - 1

    /// Appends the frame as it travels: the length of its body, then the body.
    ///
    /// Requests and answers are written by hand (see ``init(body:)``), the same bytes as SwiftProtobuf's.
    package func append(to output: inout [UInt8]) {
        switch kind {
        case .request(let body, let deadline, let label, let priority):
            let deadlineSize = deadline == 0 ? 0 : 1 + varintSize(UInt64(deadline))
            // A label's length is one byte.
            let labelSize = label.map { 2 + $0.bytes.count } ?? 0
            let prioritySize = priority == .ordinary ? 0 : 2
            append(FrameField.request, body, extra: deadlineSize + labelSize + prioritySize, to: &output)
            if deadline != 0 {
                output.append(FrameField.deadline)
                appendVarint(UInt64(deadline), to: &output)
            }
            if let label {
                output.append(FrameField.label)
                output.append(UInt8(label.bytes.count))
                output.append(contentsOf: label.bytes)
            }
            if priority != .ordinary { output += [FrameField.priority, priority.rawValue] }
        case .answer(let body):
            append(FrameField.answer, body, extra: 0, to: &output)
        default:
            let body = generalBody()
            appendVarint(UInt64(body.count), to: &output)
            output.append(contentsOf: body)
        }
    }

    /// How long the body of a request or of an answer will be, at most.
    package static func bodyLength(carrying count: Int) -> Int {
        // Three tags, the longest forms of the id, two lengths and the deadline, the longest label, and the
        // priority.
        count + 3 + 10 + 5 + 5 + 6 + 2 + RequestLabel.limit + 2
    }

    /// The body as SwiftProtobuf writes it.
    package func generalBody() -> [UInt8] {
        let wire = WireFrame(self)
        // Serialising fails only for required fields and messages of 2 GiB, and we have neither.
        let bytes: [UInt8]? = try? wire.serializedBytes()
        return bytes ?? []
    }

    /// Writes all up to the end of `body`, with `extra` bytes more announced.
    private func append(_ tag: UInt8, _ body: [UInt8], extra: Int, to output: inout [UInt8]) {
        let bodySize = body.isEmpty ? 0 : 1 + varintSize(UInt64(body.count)) + body.count
        let messageSize = bodySize + extra
        let idSize = id == 0 ? 0 : 1 + varintSize(id)
        appendVarint(UInt64(idSize + 1 + varintSize(UInt64(messageSize)) + messageSize), to: &output)
        if id != 0 {
            output.append(FrameField.id)
            appendVarint(id, to: &output)
        }
        output.append(tag)
        appendVarint(UInt64(messageSize), to: &output)
        if !body.isEmpty {
            output.append(FrameField.body)
            appendVarint(UInt64(body.count), to: &output)
            output.append(contentsOf: body)
        }
    }
}

extension WireFrame {
    fileprivate init(_ frame: Frame) {
        self.init()
        id = frame.id
        switch frame.kind {
        case .hello(let hello): kind = .hello(WireHello(hello))
        case .helloReply(let reply): kind = .helloReply(WireHelloReply(reply))
        case .request(let body, let deadline, let label, let priority):
            kind = .request(
                .with {
                    $0.body = Data(body); $0.deadlineMs = deadline; $0.label = label?.text ?? ""
                    $0.priority = WirePriority(rawValue: Int(priority.rawValue)) ?? .ordinary
                })
        case .answer(let body): kind = .answer(.with { $0.body = Data(body) })
        case .failure(let error): kind = .failure(WireFailure(error))
        case .progress(let progress):
            kind = .progress(
                .with {
                    $0.bytesDone = progress.done; $0.bytesExpected = progress.expected ?? 0
                })
        case .heartbeat: kind = .progress(WireProgress())
        case .cancel: kind = .cancel(WireCancel())
        case .notification(let body): kind = .notification(.with { $0.body = Data(body) })
        case .shutdown: kind = .shutdown(WireShutdown())
        case .goodbye: kind = .goodbye(WireGoodbye())
        case .ping(let number): kind = .ping(.with { $0.number = number })
        case .pong(let number): kind = .pong(.with { $0.number = number })
        case .unknown: kind = nil
        }
    }
}

extension WireHello {
    fileprivate init(_ hello: Frame.Hello) {
        self.init()
        versions = hello.versions
        features = hello.features
        limits = WireLimits(hello.limits)
        software = hello.software
        processID = hello.processID
        session = hello.session
        locale = hello.locale
        context = Data(hello.context)
    }
}

extension WireHelloReply {
    fileprivate init(_ reply: Frame.HelloReply) {
        self.init()
        version = reply.version
        features = reply.features
        limits = WireLimits(reply.limits)
        software = reply.software
        versions = reply.versions
        context = Data(reply.context)
        if let error = reply.failure { failure = WireFailure(error) }
    }
}

extension WireLimits {
    fileprivate init(_ limits: Frame.Limits) {
        self.init()
        frameBytes = limits.frameBytes
        requests = limits.requests
    }
}
