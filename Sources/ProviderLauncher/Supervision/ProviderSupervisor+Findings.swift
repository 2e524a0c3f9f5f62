package import DocumentModel
internal import DocumentTransport
internal import DocumentWire
internal import Logging
internal import Synchronization

/// Records of answers that cannot be: the provider is not ended for them, and its author is told all the same.
extension ProviderSupervisor {
    /// What was found in what a process said.
    struct Finding: Sendable {
        let error: DocumentError
        let autopsy: ProviderAutopsy
        var remains: ProviderAutopsy.Remains
        /// The tail of what it has written to standard error by now.
        let words: @Sendable () -> [String]
    }

    /// The same finding, again and again, is told once in this time.
    private static let findingInterval = Duration.seconds(10)
    /// What it wrote before, and has to say about it, comes through another pipe.
    private static let lastWordsTime = Duration.milliseconds(100)

    package func noteBroken(_ finding: DocumentError) {
        guard finding.code == .contractBroken || finding.code == .protocolViolation else { return }
        let started = core.withLock { core -> (finding: Finding, connection: Connection)? in
            guard core.configuration.postMortems != nil, let live = core.live, !core.hasEnded else { return nil }
            let now = ContinuousClock.now
            if let last = core.lastFinding, last.message == finding.message, now - last.time < Self.findingInterval {
                return nil
            }
            core.lastFinding = (finding.message, now)
            core.unkeptFindings += 1
            let autopsy = ProviderAutopsy(
                bundle: core.configuration.bundle, settings: core.configuration.settings, host: context.software,
                begin: core.began)
            let remains = ProviderAutopsy.Remains(
                session: core.session, software: live.software, processID: live.processID, stage: .serving)
            return (
                Finding(error: finding, autopsy: autopsy, remains: remains, words: core.lastWords ?? { [] }),
                live.connection
            )
        }
        guard let started else { return }
        var found = started.finding
        // Not under the lock, which it may need.
        found.remains.flight = started.connection.flightRecord
        tell(of: found)
    }

    func keep(_ finding: Finding) async {
        await context.loop.pause(Self.lastWordsTime)
        var finding = finding
        finding.remains.lastWords = finding.words()
        let record = finding.autopsy.record(
            finding.error, exit: nil, evidence: nil, remains: finding.remains, leavingOut: redaction)
        await keep(record)
        core.withLock { $0.unkeptFindings -= 1 }
        resumeSettlingWaiters()
    }

    /// One after the other: a store writes one record of a domain at a time.
    func keep(_ record: PostMortem) async {
        let configuration = core.withLock { $0.configuration }
        guard let store = configuration.postMortems else { return }
        let (domain, turn) = (configuration.settings.domain, keeping)
        do {
            _ = try await context.blocking.run { try turn.run { try store.keep(record, of: domain) } }
        } catch {
            context.logger.warning(
                "what is known of a provider's failure could not be kept", metadata: metadata(["error": "\(error)"]))
        }
    }

    /// Lets one through at a time.
    final class Turn: Sendable {
        private let lock = Mutex(())

        func run<Result: Sendable>(_ body: () throws -> Result) rethrows -> Result {
            try lock.withLock { _ in try body() }
        }
    }
}
