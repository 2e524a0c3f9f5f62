import DocumentModel
package import DocumentTransport
package import DocumentWire

/// Plays one side of a recorded session, and holds what the other side does against the recording: frames go in, frames
/// come out, without I/O.
///
/// A frame of our side is sent as soon as everything has come that the recording has before it. What comes is compared
/// by what it means: progress, log lines, pings and the order of answers may differ.
package struct ReplayStateMachine: Sendable {
    /// What to do next.
    package enum Step: Hashable, Sendable {
        /// Send it. What depends on this run, such as paths of staging files, is still as recorded.
        case send(Frame)
        case sendBytes([UInt8])
        /// The recording has our side close its stream here.
        case closeOutput
        /// Something has to come first.
        case wait
        case finished
    }

    /// Where the two sessions part.
    package struct Difference: Error, Hashable, Sendable {
        /// The number of the entry in the recording, from 1; nil for what is not in it.
        package var entry: Int?
        package var recorded: String
        package var found: String
    }

    private let entries: [TrafficEntry]
    /// Documents whose contents are zeros in a replay: nothing is known of their digests.
    private let zeroed: Set<ItemIdentifier>
    private let own: FrameRedaction.Direction
    private var position = 0
    /// What has to come, by its place in the recording.
    private var awaited: [(entry: Int, key: Key, frame: Frame)] = []
    /// What came before its turn.
    private var early: [(key: Key, frame: Frame)] = []

    /// What a frame is, so that it can be found in a recording.
    private enum Key: Hashable, Sendable {
        case hello, reply, goodbye, shutdown, end
        case request(UInt64)
        case final(UInt64)
        case cancel(UInt64)
    }

    /// - Parameter own: the direction of the frames that are played.
    package init(_ record: TrafficRecord, playing own: FrameRedaction.Direction) {
        entries = record.entries
        self.own = own
        zeroed = Self.zeroed(in: record.entries)
    }

    /// What was made, or changed, from a file of the host's.
    private static func zeroed(in entries: [TrafficEntry]) -> Set<ItemIdentifier> {
        var asked: Set<UInt64> = []
        var zeroed: Set<ItemIdentifier> = []
        for entry in entries {
            guard let frame = entry.frame else { continue }
            switch (entry.direction, frame.kind) {
            case (.toProvider, .request(let body, _, _, _)):
                switch try? ProviderCall(serialized: body) {
                case .create(let call) where call.contentsPath != nil: asked.insert(frame.id)
                case .modify(let call) where call.contentsPath != nil: asked.insert(frame.id)
                default: break
                }
            case (.toHost, .answer(let body)) where asked.contains(frame.id):
                switch try? ProviderReply(serialized: body) {
                case .create(let item), .modify(let item): zeroed.insert(item.id)
                default: break
                }
            default: break
            }
        }
        return zeroed
    }

    /// What is to be done now. Call it until it says to wait, or that all is finished.
    package mutating func next() throws(Difference) -> Step {
        while position < entries.count {
            let entry = entries[position]
            if entry.direction == own {
                guard awaited.isEmpty else { return .wait }
                position += 1
                switch entry.content {
                case .preface: continue
                case .end: return .closeOutput
                case .bytes(let bytes): return .sendBytes(bytes)
                case .frame(let body):
                    guard let frame = entry.frame else {
                        return .sendBytes(MessageBytes(raw: body).framed)
                    }
                    if Self.isPassing(frame) { continue }
                    // Of a kind that nobody knows: it is what it was.
                    if case .unknown = frame.kind { return .sendBytes(MessageBytes(raw: body).framed) }
                    return .send(frame)
                }
            }
            position += 1
            guard let frame = entry.frame, let key = Self.key(frame) else { continue }
            if let index = early.firstIndex(where: { $0.key == key }) {
                let came = early.remove(at: index).frame
                try compare(frame, came, entry: position)
            } else {
                awaited.append((position, key, frame))
            }
        }
        guard awaited.isEmpty else { return .wait }
        if let extra = early.first {
            throw Difference(entry: nil, recorded: "nothing more", found: Self.brief(extra.frame, from: other))
        }
        return .finished
    }

    /// Takes what the other side sent.
    package mutating func receive(_ frame: Frame) throws(Difference) {
        guard let key = Self.key(frame) else { return }
        guard let index = awaited.firstIndex(where: { $0.key == key }) else {
            early.append((key, frame))
            return
        }
        let expected = awaited.remove(at: index)
        try compare(expected.frame, frame, entry: expected.entry)
    }

    /// The other side's stream has ended.
    package func streamEnded() throws(Difference) {
        guard let missing = awaited.first else { return }
        throw Difference(
            entry: missing.entry, recorded: Self.brief(missing.frame, from: other), found: "the end of the stream")
    }

    /// What is waited for, in words.
    package var awaitedWords: String {
        awaited.first.map { Self.brief($0.frame, from: other) } ?? "nothing"
    }

    /// The recorded good answer to a request of the other side or of ours.
    package func recordedAnswer(to id: UInt64) -> [UInt8]? {
        for entry in entries {
            if let frame = entry.frame, frame.id == id, case .answer(let body) = frame.kind { return body }
        }
        return nil
    }

    private var other: FrameRedaction.Direction { own == .toProvider ? .toHost : .toProvider }

    // MARK: Comparing

    /// Comes at any time, and means nothing for the order of the others. Our side's are not played either: pings are
    /// answered as they come.
    private static func isPassing(_ frame: Frame) -> Bool {
        switch frame.kind {
        case .ping, .pong, .progress, .heartbeat, .notification: true
        default: false
        }
    }

    private static func key(_ frame: Frame) -> Key? {
        switch frame.kind {
        case .hello: .hello
        case .helloReply: .reply
        case .goodbye: .goodbye
        case .shutdown: .shutdown
        case .request: .request(frame.id)
        case .answer, .failure: .final(frame.id)
        case .unknown: frame.id == 0 ? nil : .request(frame.id)
        // A host that asks again at other times cancels at other times.
        case .cancel, .ping, .pong, .progress, .heartbeat, .notification: nil
        }
    }

    private func compare(_ recorded: Frame, _ found: Frame, entry: Int) throws(Difference) {
        let (one, two) = (compared(recorded), compared(found))
        guard one.words != two.words else { return }
        let shown = MessageDifference(recorded: one.text, found: two.text)
        throw Difference(entry: entry, recorded: shown.recorded, found: shown.found)
    }

    /// A frame without what differs from run to run: as what is compared, and as text for people.
    private func compared(_ frame: Frame) -> (words: String, text: String) {
        var frame = frame
        if other == .toHost, case .answer(let body) = frame.kind,
            case .startProviding(let provided) = try? ProviderReply(serialized: body),
            zeroed.contains(provided.item.id)
        {
            let reply = ProviderReply.startProviding(ProvidedContents(provided.item))
            frame = Frame(id: frame.id, .answer(body: reply.serialized()))
        }
        return (Self.words(frame, from: other), Self.text(frame, from: other))
    }

    /// In protobuf's text format, below one line that says what it is.
    private static func text(_ frame: Frame, from direction: FrameRedaction.Direction) -> String {
        let toProvider = direction == .toProvider
        switch frame.kind {
        case .request(let body, _, _, _):
            let text = MessageText.text(of: body, as: toProvider ? .providerCall : .hostCall)
            return "Request \(frame.id)\n" + (text ?? words(frame, from: direction))
        case .answer(let body):
            let text = MessageText.text(of: body, as: toProvider ? .hostAnswer : .providerAnswer)
            return "Answer \(frame.id)\n" + (text ?? words(frame, from: direction))
        case .failure(let error): return "Failure \(frame.id)\n\(error.code): \(error.message)"
        default: return words(frame, from: direction)
        }
    }

    /// One line: what it is, and which call.
    private static func brief(_ frame: Frame, from direction: FrameRedaction.Direction) -> String {
        let text = text(frame, from: direction).split(separator: "\n").prefix(2)
        return text.joined(separator: ": ").replacing(" {", with: "")
    }

    /// What a frame means, without what differs from run to run.
    private static func words(_ frame: Frame, from direction: FrameRedaction.Direction) -> String {
        switch frame.kind {
        case .hello(let hello): return "Hello, versions \(hello.versions)"
        case .helloReply(let reply):
            // A provider may tell them in whatever order it likes.
            let capabilities =
                (try? SessionCapabilities(serialized: reply.context)).map { context in
                    let names = context.capabilities.map(\.rawValue).sorted().joined(separator: ", ")
                    return "capabilities \(names.isEmpty ? "none" : names), root \(context.rootID)"
                } ?? "capabilities unreadable"
            return "HelloReply, version \(reply.version), \(capabilities)"
        case .request(let body, _, _, _): return "Request \(frame.id): \(question(body, direction))"
        case .answer(let body): return "Answer \(frame.id): \(reply(body, direction))"
        case .failure(let error): return "Failure \(frame.id): \(error.code)"
        case .goodbye: return "Goodbye"
        case .shutdown: return "Shutdown"
        default: return "\(frame)"
        }
    }

    private static func question(_ body: [UInt8], _ direction: FrameRedaction.Direction) -> String {
        if direction == .toProvider {
            guard let call = try? ProviderCall(serialized: body) else { return "\(body)" }
            return "\(call.withPath("a file"))"
        }
        return (try? HostCall(serialized: body)).map { "\($0)" } ?? "\(body)"
    }

    private static func reply(_ body: [UInt8], _ direction: FrameRedaction.Direction) -> String {
        if direction == .toHost { return (try? ProviderReply(serialized: body)).map { "\($0)" } ?? "\(body)" }
        return (try? HostReply(serialized: body)).map { "\($0)" } ?? "\(body)"
    }
}

extension ProviderCall {
    /// The same with another staging or contents file, where there is one.
    package func withPath(_ path: String) -> ProviderCall {
        switch self {
        case .startProviding(let id, _, let version):
            return .startProviding(id, stagingPath: path, contentVersion: version)
        case .provideRange(var call):
            call.stagingPath = path
            return .provideRange(call)
        case .create(var call) where call.contentsPath != nil:
            call.contentsPath = path
            return .create(call)
        case .modify(var call) where call.contentsPath != nil:
            call.contentsPath = path
            return .modify(call)
        default: return self
        }
    }

    /// The staging or contents file, if there is one.
    package var path: String? {
        switch self {
        case .startProviding(_, let path, _): path
        case .provideRange(let call): call.stagingPath
        case .create(let call): call.contentsPath
        case .modify(let call): call.contentsPath
        default: nil
        }
    }
}
