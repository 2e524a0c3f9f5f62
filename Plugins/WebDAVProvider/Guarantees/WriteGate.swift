internal import DocumentModel
internal import Logging
internal import Synchronization
internal import SystemPackage

/// Whether, and how, may be written: what was found out of the server, and what the user has chosen (RS-1, RS-10).
///
/// The server is tried when the domain is opened for the first time; who wants to write before that has ended waits.
final class WriteGate: Sendable {
    /// How changes are made so that none is lost.
    enum Way: Hashable, Sendable {
        /// By conditions, which the server keeps atomically.
        case conditions
        /// Each document is claimed by the moving of a folder before it is changed (SLOT-2).
        case claims
        /// As if nobody else wrote there, because the user says so.
        case alone
    }

    private enum State {
        case untried
        case trying(Task<Certificate, any Error>)
        case known(Certificate)
    }

    private struct Knowledge {
        var state = State.untried
        /// The server lets nothing be made.
        var isRefused = false
    }

    private let settings: WebDAVSettings
    private let finder: GuaranteeFinder
    private let knowledge = Mutex(Knowledge())
    private let logger: Logger
    /// Tells people what is known, and whether they may lose something.
    private let tell: @Sendable (String, Bool) -> Void

    init(
        _ settings: WebDAVSettings, finder: GuaranteeFinder, logger: Logger,
        tell: @escaping @Sendable (String, Bool) -> Void
    ) {
        self.settings = settings
        self.finder = finder
        self.logger = logger
        self.tell = tell
    }

    /// One that knows already.
    init(_ settings: WebDAVSettings, known certificate: Certificate) {
        self.settings = settings
        finder = GuaranteeFinder(settings: settings, stateFolder: "/")
        logger = Logger(label: "known")
        tell = { _, _ in }
        knowledge.withLock { $0.state = .known(certificate) }
    }

    /// Begins to find out; nobody waits for it.
    func begin() {
        guard !settings.isReadOnly else { return tell(WriteNote.readOnly, false) }
        tell(WriteNote.trying(0), false)
        _ = attempt()
    }

    func stop() {
        knowledge.withLock { knowledge in
            if case .trying(let task) = knowledge.state { task.cancel() }
        }
    }

    /// What may be done with items, as far as it is known by now.
    var capabilities: ItemCapabilities {
        if settings.isReadOnly { return .readOnly }
        return knowledge.withLock { knowledge in
            guard case .known(let certificate) = knowledge.state else { return knowledge.isRefused ? .readOnly : .all }
            return certificate.guarantee == .nothing && !settings.isSingleWriter ? .readOnly : .all
        }
    }

    /// Whether a tag names one version only, also right after a change; false while that is not known.
    var hasExactTags: Bool {
        knowledge.withLock { knowledge in
            if case .known(let certificate) = knowledge.state { certificate.hasExactTags } else { false }
        }
    }

    /// How to write; waits until it is known.
    ///
    /// - Parameter isWaiting: called from time to time while it waits.
    /// - Throws: `notPermitted` when nothing may be written; why the server could not be tried, as `ServerFailure` or else.
    func writing(isWaiting: @escaping @Sendable () -> Void) async throws -> Way {
        guard !settings.isReadOnly else { throw DocumentError(.notPermitted, WriteNote.readOnly) }
        let certificate = try await known(isWaiting)
        switch certificate.guarantee {
        case .conditionalChanges: return .conditions
        case .folderMoves: return .claims
        case .nothing where settings.isSingleWriter: return .alone
        case .nothing: throw DocumentError(.notPermitted, WriteNote.text(certificate, settings))
        }
    }

    private func known(_ isWaiting: @escaping @Sendable () -> Void) async throws -> Certificate {
        if case .known(let certificate) = knowledge.withLock({ $0.state }) { return certificate }
        let attempt = attempt()
        return try await withThrowingTaskGroup(of: Certificate?.self) { group in
            group.addTask { try await attempt.value }
            group.addTask { [finder] in
                while true {
                    try await finder.timing.pause(.seconds(5))
                    isWaiting()
                }
            }
            defer { group.cancelAll() }
            guard let certificate = try await group.next() ?? nil else { throw CancellationError() }
            return certificate
        }
    }

    /// The one that is under way, or a new one. It goes on when nobody waits for it any more: others will.
    private func attempt() -> Task<Certificate, any Error> {
        knowledge.withLock { knowledge in
            if case .trying(let task) = knowledge.state { return task }
            let task = Task { try await find() }
            knowledge.state = .trying(task)
            return task
        }
    }

    private func find() async throws -> Certificate {
        do {
            let told = Mutex(0)
            let certificate = try await finder.find { [tell] percent in
                // Not more often than people look.
                let isDue = told.withLock { last in
                    guard percent >= last + 10 else { return false }
                    last = percent
                    return true
                }
                guard isDue else { return }
                tell(WriteNote.trying(percent), false)
            }
            knowledge.withLock { $0.state = .known(certificate) }
            let note = WriteNote.text(certificate, settings)
            logger.notice("\(note)", metadata: ["server": "\(certificate.subject)"])
            tell(note, certificate.guarantee == .nothing && settings.isSingleWriter)
            return certificate
        } catch {
            let failure = (error as? ServerFailure)?.error("The server cannot be tried", settings.address) ?? error
            let isRefusal = (failure as? DocumentError)?.code == .notPermitted
            // The next one who wants to write tries again.
            knowledge.withLock { knowledge in
                knowledge.state = .untried
                knowledge.isRefused = isRefusal
            }
            if !(error is CancellationError) {
                logger.warning(
                    "What the server guarantees to writers is not known.", metadata: ["cause": "\(failure)"])
                tell(isRefusal ? WriteNote.refused : WriteNote.unknown, false)
            }
            throw error
        }
    }
}
