import DocumentModel
import DocumentTransport
import DocumentWire
import Glibc

/// What is done wrong with the frames themselves, which no provider that is made with the SDK could do: learns the
/// mistake from the hello, and has a say in every frame after it.
struct FrameDamage: ~Copyable, Sendable {
    private(set) var mistake: Mistake?
    private var incoming = FrameDecoder(limit: Frame.maximumBodyLength)
    private var outgoing = FrameDecoder(limit: Frame.maximumBodyLength, expectsPreface: true)
    private var isReading = true
    private var calls: [UInt64: ProviderCall] = [:]
    private var seenIDs: Set<UInt64> = []
    private var cancelledIDs: Set<UInt64> = []
    private var answered: [UInt64: [UInt8]] = [:]
    /// What the host gets for a cancel that came too late.
    private var owed: [UInt8] = []
    private var shutdowns = 0

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
        }
        for body in frames { note(body) }
        if mistake == .splitFramesKill, incoming.isMidFrame { _exit(3) }
        guard mistake == .mergedFramesDropped, isReading else { return bytes }
        return frames.first.map(Self.framed) ?? []
    }

    private mutating func note(_ body: [UInt8]) {
        if mistake == .largeFramesKill, body.count > 65_536 { _exit(3) }
        guard let frame = body.withUnsafeBytes({ try? Frame(body: $0) }) else { return }
        switch frame.kind {
        case .hello(let hello):
            guard mistake == nil, let settings = try? SessionSettings(serialized: hello.context) else { return }
            mistake = settings.settings["mistake"].flatMap(Mistake.init)
        case .request(let body, _, _, _):
            seenIDs.insert(frame.id)
            calls[frame.id] = try? ProviderCall(serialized: body)
            if calls[frame.id] == nil, mistake == .unknownRequestKills { _exit(3) }
        case .cancel:
            cancelledIDs.insert(frame.id)
            if mistake == .cancelAnsweredTwice { owed += answered.removeValue(forKey: frame.id) ?? [] }
            if !seenIDs.contains(frame.id), mistake == .unknownCancelKills { _exit(3) }
        case .shutdown:
            shutdowns += 1
            if shutdowns > 1, mistake == .secondShutdownKills { kill(getpid(), SIGKILL) }
        default: break
        }
    }

    /// - Returns: what goes to the host beside what the provider says.
    mutating func takeOwed() -> [UInt8] {
        defer { owed = [] }
        return owed
    }

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
        if !hadPreface, outgoing.hasPreface { result += FrameDecoder.preface }
        for body in frames {
            if let frame = body.withUnsafeBytes({ try? Frame(body: $0) }), let damaged = damaged(frame) {
                result += damaged
            } else {
                result += Self.framed(body)
            }
        }
        return result
    }

    /// - Returns: what goes out instead of a frame; nil when nothing is wrong with it.
    private mutating func damaged(_ frame: Frame) -> [UInt8]? {
        let call: ProviderCall? = if case .answer = frame.kind { calls.removeValue(forKey: frame.id) } else { nil }
        switch (mistake, frame.kind, call) {
        case (.choosesUnofferedVersion, .helloReply(var reply), _) where reply.version == 0:
            reply.version = 1
            return Self.bytes(Frame(.helloReply(reply)))
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
        case (.badArgumentsAnswered, .failure(let error), _) where error.code == .invalidArgument:
            return answer(frame, .delete)
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

    // MARK: Bytes

    private static func hasNext(_ body: [UInt8]) throws -> Bool {
        guard case .enumerate(let page) = try ProviderReply(serialized: body) else { return false }
        return page.next != nil
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

    private static func bytes(_ frame: Frame) -> [UInt8] {
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
}
