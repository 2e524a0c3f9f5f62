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
    }

    /// How long the pipes of a process that is gone are read on, if somebody else holds them open.
    private static let drainTime = Duration.milliseconds(200)

    func live() async {
        let (stop, stopContinuation) = AsyncStream<Void>.makeStream()
        let (configuration, isWanted) = core.withLock { core in
            core.stop = { stopContinuation.finish() }
            return (core.configuration, core.machine.state == .starting)
        }
        // It may have been called off while the launch was on its way.
        if !isWanted { stopContinuation.finish() }
        let failure = ProviderFailure(bundle: configuration.bundle, domain: configuration.settings.domain)
        let handshake = ProviderHandshake(manifest: configuration.bundle.manifest, settings: configuration.settings)
        do {
            let bundle = configuration.bundle
            try await verify(bundle)
            let launch = ProviderLaunch(
                program: bundle.executable, arguments: bundle.manifest.arguments,
                environment: ProviderEnvironment.allowed(from: context.environment),
                workingFolder: configuration.workingFolder, logger: launchLogger())
            let (life, exit) = try await ProviderProcess.run(launch, in: context) { process in
                await self.serve(process, handshake, stop)
            }
            settle(life.end, failure, exit: exit, evidence: life.evidence)
        } catch {
            let isPermanent = error.code == .notConfigured
            settle(
                .refused(ProviderHandshake.Refusal(error: error, isPermanent: isPermanent)), failure, exit: nil,
                evidence: nil)
        }
    }

    /// Off the event loop: it reads the whole program when there is a digest to check.
    private func verify(_ bundle: ProviderBundle) async throws(DocumentError) {
        do {
            try await context.blocking.run { try bundle.verify() }
        } catch let error as DocumentError {
            throw error
        } catch {
            throw DocumentError(.internal, "The provider's program could not be checked: \(error).")
        }
    }

    private func launchLogger() -> Logger {
        var logger = context.logger
        for (key, value) in metadata() { logger[metadataKey: key] = value }
        return logger
    }

    private func serve(
        _ process: ProviderProcess, _ handshake: ProviderHandshake, _ stop: AsyncStream<Void>
    ) async -> (end: LifeEnd, evidence: FrameViolation?) {
        core.withLock { $0.processID = process.processID }
        let session = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let connection = Connection(
            end: process.takeEnd(), loop: context.loop,
            configuration: handshake.configuration(context: context, session: session), logger: launchLogger())
        let end = await withTaskGroup(of: LifeEvent.self) { group in
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
            while end == nil, let event = await group.next() {
                switch event {
                case .opened(let capabilities, let peer):
                    isOpen = true
                    group.addTask { .connectionEnded(await connection.run(self.handler)) }
                    group.addTask {
                        do throws(ProviderHandshake.Refusal) {
                            return .identified(version: try await handshake.identify(connection), capabilities, peer)
                        } catch {
                            return .refused(error)
                        }
                    }
                case .identified(_, let capabilities, let peer):
                    begin(
                        LiveProvider(
                            connection: connection, capabilities: capabilities.capabilities,
                            rootID: capabilities.rootID, software: peer.software, processID: process.processID))
                case .refused(let refusal):
                    end = .refused(refusal)
                case .exited:
                    core.withLock { $0.isDying = true }
                    group.addTask {
                        try? await Task.sleep(for: Self.drainTime)
                        return .drained
                    }
                case .drained:
                    connection.close(handshake.death)
                case .connectionEnded(let connectionEnd):
                    end = isServing ? .served(connectionEnd) : nil
                case .stop:
                    end = .stopped
                case .cancelled:
                    end = .stopped
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
        return (end, connection.failure)
    }

    /// The handshake is done.
    private func begin(_ live: LiveProvider) {
        let actions = core.withLock { core in
            core.live = live
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

    /// The process is gone.
    private func settle(_ end: LifeEnd, _ failure: ProviderFailure, exit: ProcessExit?, evidence: FrameViolation?) {
        let (error, isPermanent): (DocumentError?, Bool) =
            switch end {
            case .stopped: (nil, false)
            case .refused(let refusal):
                (failure.ofStart(refusal.error, exit: exit, evidence: evidence), refusal.isPermanent)
            case .served(let connectionEnd):
                (exit.map { failure.ofLife(connectionEnd?.error, exit: $0, evidence: evidence) }, false)
            }
        let actions = core.withLock { core in
            core.live = nil
            core.stop = nil
            core.processID = nil
            core.isDying = false
            if let error { core.lastFailure = error }
            let news = error ?? DocumentError(.providerDied, "The provider was stopped.")
            return isPermanent
                ? core.machine.startFailed(news, isPermanent: true, now: .now)
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
        finishIfEnded()
    }
}
