import Glibc

/// A host that keeps to the protocol, one step at a time, but for what its behaviour does otherwise.
final class HostPeer {
    struct Options {
        var providerID = "org.example.provider"
        var settings: [(key: String, value: String)] = []
        var command: [String] = []
    }

    /// How long a provider may take for anything, in milliseconds.
    static let patience: Int32 = 10_000
    /// The same, for its end.
    private static let endPatience: Int32 = 5000

    let provider: SpawnedProvider
    let folder: String
    private let options: Options
    private(set) var reply = MessageReader.empty
    private var nextID: UInt64 = 1
    /// The final frames that came, by request.
    private(set) var finals: [UInt64: [PeerFrame]] = [:]
    private var asked: Set<UInt64> = []
    /// The numbers of the pongs that came.
    private(set) var pongs: [UInt64] = []
    /// How often the hello was answered again.
    private(set) var laterReplies = 0
    /// Whether the provider asks for placeholders in vain.
    var refusesPlaceholders = false
    /// How often the provider has asked for something.
    private(set) var questions = 0

    init(_ options: Options, folder: String, keepsErrors: Bool) throws {
        self.options = options
        self.folder = folder
        for name in ["state", "staging", "root"] { mkdir("\(folder)/\(name)", 0o700) }
        provider = try SpawnedProvider(options.command, keepsErrors: keepsErrors)
    }

    // MARK: Opening

    func hello(versions: [UInt64] = [1], features: [String] = []) -> PeerFrame {
        PeerFrame(.hello) { hello in
            for version in versions { hello.number(1, version) }
            for feature in features { hello.text(2, feature) }
            hello.text(4, "misbehaving-peer 1.0")
            hello.number(5, UInt64(getpid()))
            hello.text(6, "session")
            hello.message(8) { settings in
                settings.text(1, "work")
                for (key, value) in options.settings {
                    settings.message(2) {
                        $0.text(1, key)
                        $0.text(2, value)
                    }
                }
                settings.text(3, "\(folder)/state")
                settings.text(4, "\(folder)/root")
                settings.text(5, "\(folder)/staging")
                settings.text(6, options.providerID)
            }
        }
    }

    func open(versions: [UInt64] = [1], features: [String] = []) throws {
        try send(hello(versions: versions, features: features))
        try receiveReply()
        guard reply.number(1) == 1 else { throw Finding("It answered the hello with version \(reply.number(1)).") }
    }

    func receiveReply() throws {
        do {
            try provider.pipe.expectPreface(timeout: Self.patience)
            guard let frame = try provider.pipe.read(timeout: Self.patience), frame.kind == .helloReply else {
                throw Finding("It did not answer the hello.")
            }
            reply = frame.message
        } catch let error as FramePipe.Ended {
            throw Finding("It did not answer the hello: \(error).")
        }
    }

    var rootID: String {
        let id = MessageReader(reply.bytes(6))?.text(2) ?? ""
        return id.isEmpty ? "/" : id
    }

    var isModifying: Bool {
        (MessageReader(reply.bytes(6)) ?? .empty).all(1).contains(Array("modifying".utf8))
    }

    // MARK: Asking

    func request(
        _ kind: PeerCall.Kind, deadline: UInt64 = 0, _ build: (inout MessageWriter) -> Void = { _ in }
    ) -> PeerFrame {
        let id = nextID
        nextID += 2
        asked.insert(id)
        return PeerFrame(id: id, .request) {
            $0.message(1) { $0.message(kind.rawValue, build) }
            if deadline != 0 { $0.number(2, deadline) }
        }
    }

    func item(_ id: String) -> PeerFrame { request(.item) { $0.text(1, id) } }

    func send(_ frames: PeerFrame...) throws {
        for frame in frames { try write(frame.bytes) }
    }

    func write(_ bytes: [UInt8]) throws {
        do {
            try provider.pipe.write(bytes)
        } catch {
            throw Finding("It does not read any more: \(error).")
        }
    }

    /// Reads until the request's final frame has come, and answers what the provider asks meanwhile.
    @discardableResult
    func final(of id: UInt64, timeout: Int32 = patience) throws -> PeerFrame {
        while true {
            if let frame = finals[id]?.first { return frame }
            guard try step(timeout: timeout) else {
                throw Finding("It ended without an answer to request \(id).")
            }
        }
    }

    @discardableResult
    func final(of frame: PeerFrame) throws -> PeerFrame {
        try send(frame)
        return try final(of: frame.id)
    }

    /// Takes one frame; false at the end of the stream.
    @discardableResult
    func step(timeout: Int32 = patience) throws -> Bool {
        let next: PeerFrame?
        do {
            next = try provider.pipe.read(timeout: timeout)
        } catch {
            throw Finding("It does not say what it should: \(error).")
        }
        guard let frame = next else {
            return false
        }
        switch frame.kind {
        case .answer, .failure:
            guard asked.contains(frame.id) else { throw Finding("It answered request \(frame.id), which nobody made.") }
            finals[frame.id, default: []].append(frame)
            guard finals[frame.id]?.count == 1 else { throw Finding("It answered request \(frame.id) twice.") }
        case .request:
            questions += 1
            if refusesPlaceholders {
                try send(.failure(frame.id, 303, "The disk is full."))
            } else {
                try send(.answer(frame.id, MessageWriter.message { $0.message(1) { _ in } }))
            }
        case .pong: pongs.append(frame.message.number(1))
        case .helloReply: laterReplies += 1
        default: break
        }
        return true
    }

    /// The items of the top folder, first page.
    func topItems() throws -> [MessageReader] {
        let root = rootID
        let frame = try final(of: request(.enumerate) { $0.text(1, root) })
        guard frame.kind == .answer else { throw Finding("It does not list its top folder: \(frame.message.text(2))") }
        let answer = (MessageReader(frame.message.bytes(1)) ?? .empty).message(PeerCall.Kind.enumerate.rawValue)
        return answer.all(1).compactMap { MessageReader($0) }
    }

    /// The identifier of a document in the top folder.
    func someDocument() throws -> String {
        guard let item = try topItems().first(where: { $0.number(4) == PeerItem.document }) else {
            throw Misuse(description: "the provider's top folder has no document to try this with")
        }
        return item.text(1)
    }

    /// A request for contents, and the staging file that it names.
    func providing(_ id: String) throws -> (frame: PeerFrame, path: String) {
        let path = "\(folder)/staging/\(nextID)"
        _ = try File(path, O_WRONLY | O_CREAT)
        return (
            request(.startProviding) {
                $0.text(1, id); $0.text(2, path)
            }, path
        )
    }

    // MARK: Ending

    /// Says goodbye in good order, and sees to it that the provider goes.
    func close() throws {
        try send(PeerFrame(.shutdown))
        while try step() {}
        try expectEnd()
    }

    /// The provider has to be gone soon, by itself, and has to say that all is well: nobody broke off.
    func expectEnd(within seconds: Double = 5) throws {
        let status = try expectGone(within: seconds)
        guard status == 0 else { throw Finding("It ended with status \(status), though it was asked to end.") }
    }

    /// The provider has to be gone soon, by itself. Whether it takes that for a failure is its own business.
    ///
    /// - Returns: the status that it ended with.
    @discardableResult
    func expectGone(within seconds: Double = 5) throws -> Int32 {
        guard let status = provider.wait(seconds: seconds) else {
            throw Finding("It still runs \(seconds) s after it should have ended.")
        }
        guard status & 0x7F == 0 else { throw Finding("It was ended by signal \(status & 0x7F).") }
        return status >> 8 & 0xFF
    }

    /// Says no more, and hears the provider out, to whom no hello was said.
    func expectNoAnswerBeforeHello() throws {
        provider.closeInput()
        do {
            try provider.pipe.expectPreface(timeout: Self.patience)
        } catch is FramePipe.Ended {
            // It went before it had begun.
            return
        }
        while try step(timeout: Self.endPatience) {}
        guard finals.isEmpty else { throw Finding("It answers what was asked before the hello.") }
    }

    /// The final frame of a request, which has to be an answer.
    @discardableResult
    func answer(of frame: PeerFrame, _ what: String) throws -> MessageReader {
        let final = try final(of: frame)
        guard final.kind == .answer else { throw Finding("\(what): \(final.message.text(2))") }
        return MessageReader(final.message.bytes(1)) ?? .empty
    }

    /// It still answers.
    func expectService() throws {
        let root = rootID
        let frame = try final(of: item(root))
        guard frame.kind == .answer else { throw Finding("It does not answer any more: \(frame.message.text(2))") }
    }
}
