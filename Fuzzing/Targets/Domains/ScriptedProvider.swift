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
                if case .startProviding(let id, let path, _) = call { fill(path, id, step.body.first ?? 0) }
                return step.body
            case .fill:
                if case .startProviding(let id, let path, _) = call { fill(path, id, step.body.first ?? 0) }
                return documents.answer(call).serialized()
            case .act: continue
            }
        }
        take(call, isAcknowledged: true)
        if case .startProviding(let id, let path, _) = call { fill(path, id, 0) }
        return try documents.checkedAnswer(call).serialized()
    }

    /// The first step that has to do with a call. Who the provider is is not among what a script says.
    private func next(for call: ProviderCall) -> DomainScript.Step? {
        if case .identity = call { return nil }
        return state.withLock { state in
            let index = state.answers.firstIndex { step in
                switch step.kind {
                case .answer: (try? ProviderReply(serialized: step.body))?.fits(call) == true
                case .fill: if case .startProviding = call { true } else { false }
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
