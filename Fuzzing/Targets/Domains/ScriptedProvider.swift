import DocumentModel
import DocumentTransport
import DocumentWire
import Glibc
import Synchronization

/// A provider's side of a connection: it answers as a script says, and where the script says nothing, well.
final class ScriptedProvider: RequestHandler {
    private struct State {
        var answers: [DomainScript.Step]
        var connection: Connection?
        var fillings = 0
    }

    private let state: Mutex<State>
    private let ledger: DocumentLedger
    private let documents = WellKnownDocuments()

    init(_ answers: [DomainScript.Step], ledger: DocumentLedger) {
        state = Mutex(State(answers: answers))
        self.ledger = ledger
    }

    /// Has something else go wrong, after what the script says.
    func add(_ step: DomainScript.Step) { state.withLock { $0.answers.append(step) } }

    func connect(to connection: Connection) { state.withLock { $0.connection = connection } }

    func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] {
        let call = try ProviderCall(serialized: body)
        let connection = state.withLock { $0.connection }
        while let step = next(for: call) {
            switch step.kind {
            case .tell: connection?.notify(step.body)
            case .ask: _ = try? await connection?.request(step.body, deadline: .total(.seconds(5)))
            case .fail:
                let code = step.body.prefix(2).reduce(0) { $0 << 8 | Int($1) }
                throw DocumentError(
                    DocumentError.Code(rawValue: code), String(decoding: step.body.dropFirst(2), as: UTF8.self))
            case .leave:
                connection?.close(nil)
                throw CancellationError()
            case .answer, .answerBlindly:
                // What it was given is its own only if it says so in a way that the host can understand.
                let isUnderstood = (try? ProviderReply(serialized: step.body, to: call))?.fits(call) == true
                take(call, isAcknowledged: isUnderstood)
                fill(call, step)
                return step.body
            case .fill:
                fill(call, step)
                return documents.answer(call).serialized()
            case .act: continue
            }
        }
        take(call, isAcknowledged: true)
        fill(call, nil)
        return try documents.checkedAnswer(call).serialized()
    }

    /// The first step that has to do with a call. Who the provider is is not among what a script says.
    private func next(for call: ProviderCall) -> DomainScript.Step? {
        if case .identity = call { return nil }
        return state.withLock { state in
            let index = state.answers.firstIndex { step in
                switch step.kind {
                case .answer: (try? ProviderReply(serialized: step.body))?.fits(call) == true
                case .fill:
                    switch call {
                    case .startProviding, .provideRange: true
                    default: false
                    }
                default: true
                }
            }
            return index.map { state.answers.remove(at: $0) }
        }
    }

    /// What a call brings of the caller's.
    private func take(_ call: ProviderCall, isAcknowledged: Bool) {
        let path: String? =
            switch call {
            case .create(let call): call.contentsPath
            case .modify(let call): call.contentsPath
            default: nil
            }
        guard isAcknowledged, let path, let contents = DocumentLedger.contents(of: path) else { return }
        ledger.took(contents)
    }

    /// Fills what a call wants to have filled, as a step says; well when there is none.
    private func fill(_ call: ProviderCall, _ step: DomainScript.Step?) {
        switch call {
        case .startProviding(let id, let path, _): fill(path, id, step?.body.first ?? 0)
        // Answers to it all begin with the same byte.
        case .provideRange(let call): fill(call, step?.body.last ?? 0)
        default: break
        }
    }

    /// Fills a part of a staging file, in one of several manners.
    private func fill(_ call: ProviderCall.RangeCall, _ manner: UInt8) {
        let contents = WellKnownDocuments.contents(of: call.id)
        let range = call.range.clamped(to: 0..<Int64(contents.count))
        let part = Array(contents[Int(range.lowerBound)..<Int(range.upperBound)])
        // All of it, in the end, or nothing that anybody is to see.
        ledger.provided(contents)
        switch manner % 8 {
        case 1: break
        case 2: write(Array(part.prefix(part.count / 2)), to: call.stagingPath, at: range.lowerBound)
        case 3: unlink(call.stagingPath)
        case 4:
            unlink(call.stagingPath)
            symlink("/etc/passwd", call.stagingPath)
        case 5: write(part, to: call.stagingPath, at: range.upperBound)
        case 6:
            write(part, to: call.stagingPath, at: range.lowerBound)
            truncate(call.stagingPath, off_t(range.upperBound) - 1)
        default: write(part, to: call.stagingPath, at: range.lowerBound)
        }
    }

    private func write(_ part: [UInt8], to path: String, at offset: Int64) {
        let file = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        _ = pwrite(file, part, part.count, off_t(offset))
    }

    /// Fills a staging file, in one of several manners.
    private func fill(_ path: String, _ id: ItemIdentifier, _ manner: UInt8) {
        let number = state.withLock { state in
            state.fillings += 1
            return state.fillings
        }
        let contents = WellKnownDocuments.contents(of: id)
        switch manner % 8 {
        case 1: break
        case 2: ledger.provided(write(contents + contents, to: path))
        case 3: unlink(path)
        case 4:
            unlink(path)
            symlink("/etc/passwd", path)
        case 5:
            unlink(path)
            mkdir(path, 0o700)
        case 6: ledger.provided(write(contents + [UInt8(truncatingIfNeeded: number)], to: path))
        default: ledger.provided(write(contents, to: path))
        }
    }

    private func write(_ contents: [UInt8], to path: String) -> [UInt8] {
        let file = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return contents }
        defer { close(file) }
        _ = Glibc.write(file, contents, contents.count)
        return contents
    }
}
