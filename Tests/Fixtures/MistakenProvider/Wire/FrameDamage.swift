import DocumentModel
import DocumentTransport
import DocumentWire
import Glibc

/// What is done wrong with the frames themselves, which no provider that is made with the SDK could do: learns the
/// mistake from the hello, or is told of one that comes before it, and has a say in every frame.
struct FrameDamage: ~Copyable, Sendable {
    private(set) var mistake: Mistake?
    private(set) var hellos = 0
    private(set) var shutdowns = 0
    /// What the host gets beside what the provider says.
    var owed: [UInt8] = []
    /// The host's hello is not the plainest one that there is.
    var isHelloOdd = false
    /// The answer to the hello, as it went out.
    var helloReply: [UInt8] = []
    /// The last answer, as it went out.
    var lastAnswer: [UInt8] = []
    /// Of requests that the mistake is made with.
    var spoiltIDs: Set<UInt64> = []
    private var incoming = FrameDecoder(limit: FrameLimits.default.frameBytes)
    private var outgoing = FrameDecoder(limit: Frame.maximumBodyLength, expectsPreface: true)
    private var isReading = true
    private var calls: [UInt64: ProviderCall] = [:]
    private var seenIDs: Set<UInt64> = []
    private var askedIDs: Set<UInt64> = []
    private var cancelledIDs: Set<UInt64> = []
    private var answered: [UInt64: [UInt8]] = [:]
    /// What is there while it runs, of a provider that notices when it was killed.
    private var mark: String?

    /// - Parameter mistake: one that is made before the hello has come.
    init(mistake: Mistake?) {
        self.mistake = mistake
    }

    // MARK: From the host

    /// - Returns: what the provider gets of some bytes of the host's.
    mutating func received(_ bytes: [UInt8]) -> [UInt8] {
        var frames: [[UInt8]] = []
        guard isReading else { return bytes }
        do throws(FrameViolation) {
            try bytes.withUnsafeBufferPointer { buffer throws(FrameViolation) in
                try incoming.decode(UnsafeRawBufferPointer(buffer)) { body, _ throws(FrameViolation) in
                    frames.append([UInt8](body))
                }
            }
        } catch {
            // The provider finds it itself.
            isReading = false
            if mistake == .noiseKills { Self.die() }
        }
        if hellos == 0, incoming.isMidFrame { isHelloOdd = true }
        for (place, body) in frames.enumerated() { note(body, at: place) }
        if mistake == .splitFramesKill, incoming.isMidFrame { _exit(3) }
        guard isReading else { return bytes }
        switch mistake {
        case .mergedFramesDropped: return frames.first.map(Self.framed) ?? []
        case .hostLimitsIgnored where hellos == 1: return frames.flatMap(Self.withoutLimits)
        default: return bytes
        }
    }

    private mutating func note(_ body: [UInt8], at place: Int) {
        if mistake == .largeFramesKill, body.count > 65_536 { _exit(3) }
        guard let frame = body.withUnsafeBytes({ try? Frame(body: $0) }) else {
            if mistake == .noiseKills { Self.die() }
            return
        }
        switch frame.kind {
        case .hello(let hello):
            hellos += 1
            guard hellos == 1 else {
                if mistake == .secondHelloAnswered { owed += helloReply }
                return
            }
            note(hello)
            if Self.bytes(frame).count != Self.framed(body).count { isHelloOdd = true }
        case .request(let body, let deadline, _, _):
            seenIDs.insert(frame.id)
            calls[frame.id] = try? ProviderCall(serialized: body)
            note(request: frame, body, deadline: deadline, at: place)
        case .cancel:
            cancelledIDs.insert(frame.id)
            if mistake == .cancelAnsweredTwice { owed += answered.removeValue(forKey: frame.id) ?? [] }
            if !seenIDs.contains(frame.id), mistake == .unknownCancelKills { _exit(3) }
        case .answer, .failure:
            if askedIDs.remove(frame.id) == nil, mistake == .unaskedKills { Self.die() }
        case .pong:
            if mistake == .unaskedKills { Self.die() }
        case .unknown:
            if mistake == .unknownFramesKill { _exit(3) }
        case .notification:
            if mistake == .unknownFramesKill { _exit(3) }
        case .shutdown:
            shutdowns += 1
            if shutdowns > 1, mistake == .secondShutdownKills { kill(getpid(), SIGKILL) }
        default: break
        }
        if mistake == .unknownFieldsRefused, Self.bytes(frame).count != Self.framed(body).count {
            spoiltIDs.insert(frame.id)
        }
    }

    private mutating func note(_ hello: Frame.Hello) {
        let settings = try? SessionSettings(serialized: hello.context)
        mistake = mistake ?? settings?.settings["mistake"].flatMap(Mistake.init)
        isHelloOdd = isHelloOdd || hello.versions != [1] || !hello.features.isEmpty || hello.software.isEmpty
        guard mistake == .staysDownAfterKill, let mark = settings.map({ $0.stateFolder + "/runs" }) else { return }
        // It was not removed: whoever ran here did not come to an end.
        if access(mark, F_OK) == 0 { _exit(5) }
        close(open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
        self.mark = mark
    }

    private mutating func note(request frame: Frame, _ body: [UInt8], deadline: UInt32, at place: Int) {
        let call = calls[frame.id]
        switch mistake {
        case .unknownRequestKills where call == nil: _exit(3)
        case .answersBeforeHello where hellos == 0, .servesAfterShutdown where shutdowns > 0:
            owed += answer(frame, .delete)
        case .crowdIsInternalError where place >= 32, .hurryForgotten where (1..<1000).contains(deadline):
            spoiltIDs.insert(frame.id)
        case .unknownFieldsRefused where call?.serialized().count != body.count:
            spoiltIDs.insert(frame.id)
        default: break
        }
    }

    /// The host says no more.
    mutating func ended() {
        if mistake == .noiseKills, incoming.isMidFrame { Self.die() }
        if let mark { unlink(mark) }
        mark = nil
    }

    /// - Returns: what goes to the host beside what the provider says.
    mutating func takeOwed() -> [UInt8] {
        guard outgoing.hasPreface else { return [] }
        defer { owed = [] }
        return owed
    }

    /// Whether the host is heard out, for a moment, before the provider learns what it said.
    var waitsForMore: Bool { mistake == .servesAfterShutdown && shutdowns == 1 }

    /// Whether it is there for a host that never said hello and has gone.
    var staysWithoutHost: Bool { mistake == .lingers || mistake == .staysWithoutHello && hellos == 0 }

    // MARK: From the provider

    /// - Returns: what the host gets of some bytes of the provider's.
    mutating func sent(_ bytes: [UInt8]) -> [UInt8] {
        let hadPreface = outgoing.hasPreface
        var frames: [[UInt8]] = []
        do throws(FrameViolation) {
            try bytes.withUnsafeBufferPointer { buffer throws(FrameViolation) in
                try outgoing.decode(UnsafeRawBufferPointer(buffer)) { body, _ throws(FrameViolation) in
                    frames.append([UInt8](body))
                }
            }
        } catch {
            return bytes
        }
        var result: [UInt8] = []
        if !hadPreface, outgoing.hasPreface { result += preface }
        for body in frames {
            if let frame = body.withUnsafeBytes({ try? Frame(body: $0) }), let damaged = damaged(frame) {
                result += damaged
            } else {
                result += Self.framed(body)
            }
        }
        return result + takeOwed()
    }

    /// What the provider's output begins with.
    private var preface: [UInt8] {
        switch mistake {
        case .prefaceMissing: []
        case .speaksBeforeHello: FrameDecoder.preface + Self.bytes(Frame(.notification(body: [])))
        default: FrameDecoder.preface
        }
    }

    /// - Returns: what goes out instead of a frame; nil when nothing is wrong with it.
    private mutating func damaged(_ frame: Frame) -> [UInt8]? {
        var call: ProviderCall?
        switch frame.kind {
        case .answer, .failure:
            call = calls.removeValue(forKey: frame.id)
            lastAnswer = Self.bytes(frame)
            if spoiltIDs.contains(frame.id) { return spoilt(frame) }
        case .request: askedIDs.insert(frame.id)
        case .helloReply(let reply):
            helloReply = bytes(of: reply)
            return helloReply
        default: break
        }
        switch (mistake, frame.kind, call) {
        case (.wrongIdentity, .answer, .identity):
            guard let id = try? ProviderIdentifier("org.example.impostor") else { return nil }
            return answer(frame, .identity(id, version: "1"))
        case (.answersAnotherItem, .answer, .item): return answer(frame, .item(.root))
        case (.answersAnotherItem, .answer, .startProviding):
            return answer(frame, .startProviding(ProvidedContents(.root)))
        case (.vouchesForOthers, .answer(let body), .startProviding):
            guard case .startProviding(let provided) = try? ProviderReply(serialized: body) else { return nil }
            let digest = [UInt8](repeating: 7, count: 32)
            return answer(frame, .startProviding(ProvidedContents(provided.item, sha256: digest)))
        case (_, .answer(let body), .thumbnails):
            guard case .thumbnails(let given) = try? ProviderReply(serialized: body) else { return nil }
            return damaged(given).map { answer(frame, .thumbnails($0)) }
        case (.quotaImpossible, .answer, .quota):
            // Field 75: a total of 10 bytes, of which 20 are left.
            return Self.bytes(Frame(id: frame.id, .answer(body: [0xDA, 0x04, 4, 0x08, 10, 0x18, 20])))
        case (.answersAnotherKind, .answer, .item): return answer(frame, .delete)
        case (.answersTwice, .answer, .item): return Self.bytes(frame) + Self.bytes(frame)
        case (.cancelAnsweredTwice, .answer, _) where cancelledIDs.contains(frame.id),
            (.cancelAnsweredTwice, .failure, _) where cancelledIDs.contains(frame.id):
            return Self.bytes(frame) + Self.bytes(frame)
        case (.cancelAnsweredTwice, .answer, _), (.cancelAnsweredTwice, .failure, _):
            answered[frame.id] = Self.bytes(frame)
            return nil
        case (.reservedCode, .failure(var error), _):
            error.code = .providerDied
            return Self.bytes(Frame(id: frame.id, .failure(error)))
        case (.badArgumentsAnswered, .failure(let error), _) where error.code == .invalidArgument,
            (.badArgumentsAnswered, .failure(let error), .create) where Self.isRefusal(error),
            (.badArgumentsAnswered, .failure(let error), .modify) where Self.isRefusal(error):
            return answer(frame, .delete)
        case (.unknownCallsAnswered, .failure(let error), _) where error.code == .unimplemented:
            return answer(frame, .delete)
        case (.oddIdentifiersLeadHome, .failure, .item): return answer(frame, .item(.root))
        case (.goodbyeTooSoon, .goodbye, _): return Self.bytes(frame) + lastAnswer + Self.bytes(frame)
        case (.pingsUnansweredAtWork, .pong, _) where !seenIDs.isEmpty: return []
        case (.pongOfAnother, .pong(let number), _): return Self.bytes(Frame(.pong(number &+ 1)))
        case (.progressFalls, .answer, .startProviding), (.uploadProgressFalls, .answer, .create),
            (.uploadProgressFalls, .answer, .modify):
            let steps: [UInt64] = [100, 1]
            return steps.flatMap { Self.bytes(Frame(id: frame.id, .progress(TransferProgress(done: $0)))) }
                + Self.bytes(frame)
        case (.printsToStandardOutput, .answer, .enumerate): return Array("Listing…\n".utf8) + Self.bytes(frame)
        case (.pageTokenTooLong, .answer(let body), .enumerate) where (try? Self.hasNext(body)) == true:
            return merged(frame, body, field: [0x1A], [0x12])
        case (.anchorTooLong, .answer(let body), .currentAnchor):
            return merged(frame, body, field: [0xF2, 0x01], [0x0A])
        case (.anchorTooLong, .answer(let body), .changesSince):
            return merged(frame, body, field: [0xFA, 0x01], [0x1A])
        default: return nil
        }
    }

    /// Whether it is how a provider refuses what names something that is not there.
    private static func isRefusal(_ error: DocumentError) -> Bool {
        [.noSuchItem, .localStorage, .internal].contains(error.code)
    }

    // MARK: Bytes

    private static func hasNext(_ body: [UInt8]) throws -> Bool {
        guard case .enumerate(let page) = try ProviderReply(serialized: body) else { return false }
        return page.next != nil
    }

    /// What goes out instead of the answer to a request that the mistake is made with.
    private func spoilt(_ frame: Frame) -> [UInt8] {
        switch mistake {
        case .crowdIsInternalError:
            Self.bytes(Frame(id: frame.id, .failure(DocumentError(.internal, "There was too much at once."))))
        case .unknownFieldsRefused:
            Self.bytes(Frame(id: frame.id, .failure(DocumentError(.invalidArgument, "This has too many fields."))))
        default: []
        }
    }

    private func answer(_ frame: Frame, _ reply: ProviderReply) -> [UInt8] {
        Self.bytes(Frame(id: frame.id, .answer(body: reply.serialized())))
    }

    /// The answer with 501 bytes in one of its fields: of a message that comes twice in an answer, the second adds to
    /// the first.
    private func merged(_ frame: Frame, _ body: [UInt8], field: [UInt8], _ inner: [UInt8]) -> [UInt8] {
        let long = inner + [0xF5, 0x03] + [UInt8](repeating: 7, count: 501)
        return Self.bytes(Frame(id: frame.id, .answer(body: body + field + [0xF8, 0x03] + long)))
    }

    static func bytes(_ frame: Frame) -> [UInt8] {
        var bytes: [UInt8] = []
        frame.append(to: &bytes)
        return bytes
    }

    private static func framed(_ body: [UInt8]) -> [UInt8] {
        var length = body.count
        var bytes: [UInt8] = []
        while length >= 0x80 {
            bytes.append(UInt8(length & 0x7F | 0x80))
            length >>= 7
        }
        return bytes + [UInt8(length)] + body
    }

    /// A frame of the host's; of a hello without what it says of limits.
    private static func withoutLimits(_ body: [UInt8]) -> [UInt8] {
        guard let frame = body.withUnsafeBytes({ try? Frame(body: $0) }), case .hello(var hello) = frame.kind else {
            return framed(body)
        }
        hello.limits = Frame.Limits()
        return bytes(Frame(.hello(hello)))
    }

    /// Ends the process in a way that nobody takes for an end in good order.
    private static func die() -> Never {
        signal(SIGUSR1, SIG_DFL)
        kill(getpid(), SIGUSR1)
        while true { pause() }
    }
}
