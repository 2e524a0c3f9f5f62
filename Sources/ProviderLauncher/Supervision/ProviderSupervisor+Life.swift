internal import DocumentModel
internal import DocumentTransport
internal import DocumentWire
internal import Logging
internal import Synchronization
internal import SystemPackage

/// One life of a process: from the launch to the reaping.
extension ProviderSupervisor {
    /// Why a life came to its end.
    private enum LifeEnd: Sendable {
        case refused(ProviderHandshake.Refusal)
        case served(ConnectionEnd?)
        /// Because we said so, before or after the handshake.
        case stopped
    }

    private enum LifeEvent: Sendable {
        case opened(SessionCapabilities, Peer)
        case identified(version: String, SessionCapabilities, Peer)
        case refused(ProviderHandshake.Refusal)
        case exited
        /// After its end the process's pipes had time to be read empty.
        case drained
        case connectionEnded(ConnectionEnd)
        case stop
        case cancelled
        /// What was missing when it was started is there.
        case returned
    }

    /// How long the pipes of a process that is gone are read on, if somebody else holds them open.
    private static let drainTime = Duration.milliseconds(200)

    func live() async {
        if let link = context.link { return await live(by: link) }
        let (stop, stopContinuation) = AsyncStream<Void>.makeStream()
        let (configuration, isWanted) = core.withLock { core in
            core.stop = { stopContinuation.finish() }
            return (core.configuration, core.machine.state == .starting)
        }
        // It may have been called off while the launch was on its way.
        if !isWanted { stopContinuation.finish() }
        let failure = ProviderFailure(bundle: configuration.bundle, domain: configuration.settings.domain)
        let handshake = ProviderHandshake(
            manifest: configuration.bundle.manifest, settings: configuration.settings,
            expectedRootID: configuration.expectedRootID)
        let autopsy = ProviderAutopsy(
            bundle: configuration.bundle, settings: configuration.settings, host: context.software, begin: .now)
        do {
            let launch = try await prepare(configuration)
            let (life, exit) = try await ProviderProcess.run(launch, in: context) { process in
                await self.serve(process, handshake, stop, configuration, missing: launch.sandbox?.missing ?? [])
            }
            let outcome = Outcome(life.end, failure, exit: exit, evidence: life.evidence)
            await keep(outcome, autopsy, configuration, exit: exit, evidence: life.evidence, remains: life.remains)
            settle(outcome.error, isPermanent: outcome.isPermanent, isTold: outcome.isTold)
        } catch {
            // No provider has died of a disk that does not answer, or of what is mounted just now.
            let refusal = ProviderHandshake.Refusal(
                error: error, isPermanent: error.code == .notConfigured,
                isTold: [.deadlineExceeded, .serverUnreachable].contains(error.code))
            let outcome = Outcome(.refused(refusal), failure, exit: nil, evidence: nil)
            await keep(
                outcome, autopsy, configuration, exit: nil, evidence: nil, remains: ProviderAutopsy.Remains())
            settle(outcome.error, isPermanent: outcome.isPermanent, isTold: outcome.isTold)
        }
    }

    /// Before the supervisor goes on. What was open when the connection ended has failed by then.
    private func keep(
        _ outcome: Outcome, _ autopsy: ProviderAutopsy, _ configuration: Configuration, exit: ProcessExit?,
        evidence: FrameViolation?, remains: ProviderAutopsy.Remains
    ) async {
        guard let error = outcome.error, configuration.postMortems != nil else { return }
        await keep(
            autopsy.record(error, exit: exit, evidence: evidence, remains: remains, leavingOut: redaction))
    }

    /// Records the traffic, if it is wanted.
    private func recorded(
        _ end: PipeEnd, session: String, _ configuration: Configuration
    ) async -> (end: any TransportEnd, file: TrafficFile?) {
        guard let folder = configuration.recordings else { return (end, nil) }
        let manifest = configuration.bundle.manifest
        let notes = [
            TrafficRecord.Note(key: "provider", text: manifest.identifier.rawValue),
            TrafficRecord.Note(key: "version", text: manifest.version),
            TrafficRecord.Note(key: "domain", text: configuration.settings.domain.rawValue),
            TrafficRecord.Note(key: "session", text: session),
        ]
        let file = try? await context.blocking.run { TrafficFile(in: folder, session: session, notes: notes) }
        guard let file = file ?? nil else {
            context.logger.warning(
                "the traffic cannot be recorded", metadata: metadata(["recordings": "\(folder)"]))
            return (end, nil)
        }
        let redaction = FrameRedaction(recording: configuration.settings.settings, of: manifest)
        let recorder = TrafficRecorder(redaction: redaction) { file.append($0) }
        return (RecordingEnd(end, recorder: recorder), file)
    }

    func launchLogger() -> Logger {
        var logger = context.logger
        for (key, value) in metadata() { logger[metadataKey: key] = value }
        return logger
    }

    private func serve(
        _ process: ProviderProcess, _ handshake: ProviderHandshake, _ stop: AsyncStream<Void>,
        _ configuration: Configuration, missing: [FilePath]
    ) async -> (end: LifeEnd, evidence: FrameViolation?, remains: ProviderAutopsy.Remains) {
        let session = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        core.withLock { core in
            core.processID = process.processID
            core.began = .now
            core.session = session
            core.lastWords = { process.lastWords }
            core.lastFinding = nil
        }
        var remains = ProviderAutopsy.Remains(session: session, stage: .handshake)
        let (transport, file) = await recorded(process.takeEnd(), session: session, configuration)
        let connection = Connection(
            end: transport, loop: context.loop,
            configuration: handshake.configuration(context: context, session: session), logger: launchLogger())
        let end = await withTaskGroup(of: LifeEvent.self) { group in
            if let file {
                group.addTask {
                    while (try? await Task.sleep(for: .milliseconds(200))) != nil {
                        _ = try? await self.context.blocking.run { file.flush() }
                    }
                    return .cancelled
                }
            }
            group.addTask { await process.waitUntilExited() ? .exited : .cancelled }
            group.addTask {
                for await _ in stop {}
                return Task.isCancelled ? .cancelled : .stop
            }
            group.addTask {
                do throws(ProviderHandshake.Refusal) {
                    let (capabilities, peer) = try await handshake.open(connection)
                    return .opened(capabilities, peer)
                } catch {
                    return .refused(error)
                }
            }
            var isOpen = false
            var end: LifeEnd?
            /// The connection's, when it came before the provider was known: what told who it is may still be on its way.
            var earlyEnd: ConnectionEnd?
            while end == nil, let event = await group.next() {
                switch event {
                case .opened(let capabilities, let peer):
                    isOpen = true
                    remains.software = peer.software
                    if let failure = peer.failure {
                        // It has said itself that nothing that it is asked will be answered.
                        end = .refused(
                            ProviderHandshake.Refusal(error: failure, isPermanent: false, isTold: true))
                        continue
                    }
                    group.addTask { .connectionEnded(await connection.run(self.handler)) }
                    group.addTask {
                        do throws(ProviderHandshake.Refusal) {
                            return .identified(version: try await handshake.identify(connection), capabilities, peer)
                        } catch {
                            return .refused(error)
                        }
                    }
                case .identified(_, let capabilities, let peer):
                    remains.stage = .serving
                    begin(
                        LiveProvider(
                            connection: connection, capabilities: capabilities.capabilities,
                            rootID: capabilities.rootID, software: peer.software, processID: process.processID,
                            missing: missing))
                    if !missing.isEmpty {
                        group.addTask {
                            await self.tellOfReturn(of: missing)
                            return .returned
                        }
                    }
                    // Nothing else would ever say that nobody answers.
                    if let earlyEnd { end = .served(earlyEnd) }
                case .refused(let refusal):
                    end = .refused(refusal)
                case .exited:
                    remains.processID = process.processID
                    core.withLock { $0.isDying = true }
                    group.addTask {
                        try? await Task.sleep(for: Self.drainTime)
                        return .drained
                    }
                case .drained:
                    connection.close(handshake.death)
                case .connectionEnded(let connectionEnd):
                    if isServing {
                        end = .served(connectionEnd)
                    } else {
                        earlyEnd = connectionEnd
                    }
                case .stop:
                    end = .stopped
                case .cancelled:
                    end = .stopped
                case .returned:
                    continue
                }
            }
            core.withLock { $0.isDying = true }
            if case .stopped = end, isOpen, !Task.isCancelled {
                // While the provider winds up, its connection has to run. Half of the time is for the end of its input.
                group.addTask {
                    await connection.shutdown(grace: self.context.ladder.terminateAfter / 2)
                    return .drained
                }
                await process.end(context.ladder)
            } else {
                connection.close(nil)
                await process.end(.brief)
            }
            connection.close(nil)
            group.cancelAll()
            await group.waitForAll()
            return end ?? .stopped
        }
        if let file { _ = try? await context.blocking.run { file.close() } }
        remains.processID = process.processID
        remains.flight = connection.flightRecord
        return (end, connection.failure, remains)
    }

    /// Waits until there is something that its manifest asks for and that was not there when it was started, and has what
    /// waits for the provider's word asked for again: it cannot give that word, because the sandbox keeps from it what has
    /// come since. With the next call it is replaced.
    private func tellOfReturn(of missing: [FilePath]) async {
        while (try? await Task.sleep(for: .seconds(2))) != nil {
            guard !lookups.isBusy, await isThere(anyOf: missing) else { continue }
            await handler.received(notification: ProviderEvent.errorResolved([]).serialized())
            return
        }
    }

    /// The handshake is done.
    func begin(_ live: LiveProvider) {
        let actions = core.withLock { core in
            core.live = live
            core.processID = live.processID
            return core.machine.handshakeDone(now: .now)
        }
        guard !actions.isEmpty else { return }
        context.logger.info(
            "provider started",
            metadata: metadata(["provider.pid": "\(live.processID)", "provider.software": "\(live.software)"]))
        observe(.started(live))
        perform(actions)
        watchIdleness()
    }

    private var isServing: Bool { core.withLock { $0.live != nil } }

    /// What the end of a life means; no error when it was told to end.
    private struct Outcome: Sendable {
        var error: DocumentError?
        var isPermanent = false
        var isTold = false

        init(_ end: LifeEnd, _ failure: ProviderFailure, exit: ProcessExit?, evidence: FrameViolation?) {
            switch end {
            case .stopped: break
            case .refused(let refusal):
                error = failure.ofStart(refusal.error, exit: exit, evidence: evidence)
                isPermanent = refusal.isPermanent
                isTold = refusal.isTold
            case .served(let connectionEnd):
                error = exit.map { failure.ofLife(connectionEnd?.error, exit: $0, evidence: evidence) }
            }
        }
    }

    /// The process is gone.
    ///
    /// - Parameter error: nil when it was told to end.
    func settle(_ error: DocumentError?, isPermanent: Bool = false, isTold: Bool = false) {
        let actions = core.withLock { core in
            core.live = nil
            core.stop = nil
            core.processID = nil
            core.lastWords = nil
            core.isDying = false
            if let error { core.lastFailure = error }
            let news = error ?? DocumentError(.providerDied, "The provider was stopped.")
            return isPermanent || isTold
                ? core.machine.startFailed(news, isPermanent: isPermanent, isDeath: !isTold, now: .now)
                : core.machine.exited(news, now: .now)
        }
        if let error {
            context.logger.warning(
                "\(error.message)",
                metadata: metadata(["provider.error": "\(error)", "provider.detail": "\(error.detail)"]))
            observe(.died(error))
        } else {
            observe(.stopped)
        }
        perform(actions)
        settleWaiters()
        resumeSettlingWaiters()
        finishIfEnded()
    }
}
