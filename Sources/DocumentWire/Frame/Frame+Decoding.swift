import DocumentModel
import SwiftProtobuf

extension Frame {
    /// Decodes a frame's body.
    ///
    /// Requests and answers are nearly all of the traffic, and their fields are four; they are read by hand when they
    /// come in the form that every protobuf runtime writes. Everything else, and every surprise, is left to
    /// SwiftProtobuf, so that there is one judge of what is well-formed.
    package init(body bytes: UnsafeRawBufferPointer) throws(DecodingError) {
        if let frame = Frame(plain: bytes) {
            self = frame
        } else {
            self = try Frame(general: bytes)
        }
    }

    /// What SwiftProtobuf makes of a frame's body.
    package init(general bytes: UnsafeRawBufferPointer) throws(DecodingError) {
        do {
            self.init(try WireFrame(serializedBytes: [UInt8](bytes)))
        } catch {
            throw DecodingError()
        }
    }

    /// A request or an answer in the usual form: each field at most once, in the order of numbers, no others.
    private init?(plain bytes: UnsafeRawBufferPointer) {
        var scanner = FieldScanner(bytes)
        guard scanner.skip(FrameField.id), let id = scanner.varint() else { return nil }
        if scanner.skip(FrameField.request) {
            guard scanner.enterMessage() else { return nil }
            var body: [UInt8] = []
            if scanner.skip(FrameField.body) {
                guard let bytes = scanner.byteField() else { return nil }
                body = bytes
            }
            var deadline: UInt32 = 0
            if scanner.skip(FrameField.deadline) {
                guard let value = scanner.varint(), let short = UInt32(exactly: value) else { return nil }
                deadline = short
            }
            var label: RequestLabel?
            if scanner.skip(FrameField.label) {
                // Text that is none is for SwiftProtobuf to refuse.
                guard let bytes = scanner.byteField(), let text = String(validating: bytes, as: UTF8.self) else {
                    return nil
                }
                label = RequestLabel(text)
            }
            var priority = RequestPriority.ordinary
            if scanner.skip(FrameField.priority) {
                guard let value = scanner.varint(), let known = UInt8(exactly: value).flatMap(RequestPriority.init)
                else { return nil }
                priority = known
            }
            guard scanner.isAtEnd else { return nil }
            self.init(id: id, .request(body: body, deadline: deadline, label: label, priority: priority))
        } else if scanner.skip(FrameField.answer) {
            guard scanner.enterMessage() else { return nil }
            var body: [UInt8] = []
            if scanner.skip(FrameField.body) {
                guard let bytes = scanner.byteField() else { return nil }
                body = bytes
            }
            guard scanner.isAtEnd else { return nil }
            self.init(id: id, .answer(body: body))
        } else {
            return nil
        }
    }

    private init(_ wire: WireFrame) {
        self.init(id: wire.id, Kind(wire.kind))
    }
}

extension Frame.Kind {
    fileprivate init(_ wire: WireFrame.OneOf_Kind?) {
        switch wire {
        case .hello(let hello): self = .hello(Frame.Hello(hello))
        case .helloReply(let reply): self = .helloReply(Frame.HelloReply(reply))
        case .request(let request):
            self = .request(
                body: [UInt8](request.body), deadline: request.deadlineMs, label: RequestLabel(request.label),
                priority: RequestPriority(request.priority))
        case .answer(let answer): self = .answer(body: [UInt8](answer.body))
        case .failure(let failure): self = .failure(DocumentError(failure))
        case .progress(let progress):
            if progress.bytesDone == 0, progress.bytesExpected == 0 {
                self = .heartbeat
            } else {
                let expected = progress.bytesExpected
                self = .progress(TransferProgress(done: progress.bytesDone, expected: expected == 0 ? nil : expected))
            }
        case .cancel: self = .cancel
        case .notification(let notification): self = .notification(body: [UInt8](notification.body))
        case .shutdown: self = .shutdown
        case .goodbye: self = .goodbye
        case .ping(let ping): self = .ping(ping.number)
        case .pong(let pong): self = .pong(pong.number)
        case nil: self = .unknown
        }
    }
}

extension RequestPriority {
    /// One of a newer peer's is an ordinary one.
    fileprivate init(_ wire: WirePriority) {
        self = UInt8(exactly: wire.rawValue).flatMap(Self.init) ?? .ordinary
    }
}

extension Frame.Hello {
    fileprivate init(_ wire: WireHello) {
        versions = wire.versions
        features = wire.features
        limits = Frame.Limits(frameBytes: wire.limits.frameBytes, requests: wire.limits.requests)
        software = wire.software
        processID = wire.processID
        session = wire.session
        locale = wire.locale
        context = [UInt8](wire.context)
    }
}

extension Frame.HelloReply {
    fileprivate init(_ wire: WireHelloReply) {
        version = wire.version
        features = wire.features
        limits = Frame.Limits(frameBytes: wire.limits.frameBytes, requests: wire.limits.requests)
        software = wire.software
        versions = wire.versions
        context = [UInt8](wire.context)
        if wire.hasFailure { failure = DocumentError(wire.failure) }
    }
}
