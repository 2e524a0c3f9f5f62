package import DocumentModel
package import DocumentTransport
package import DocumentWire
internal import Logging
internal import Synchronization
package import SystemPackage

/// One domain's provider: started by the first use, watched while it lives, started again or given up when it dies,
/// stopped when nobody has used it for a while.
///
/// ``run()`` must run for as long as it is used; everything else only asks.
package final class ProviderSupervisor: Sendable {
    package struct Configuration: Sendable {
        package var bundle: ProviderBundle
        package var settings: SessionSettings
        /// A provider with another top folder is not served with; nil for any.
        package var expectedRootID: ItemIdentifier?
        /// The process's working folder; must exist.
        package var workingFolder: FilePath
        /// What of the machine is the provider's own, and what is nobody's.
        package var folders: SandboxFolders
        package var policy = ProviderSupervisorStateMachine.Policy()
        /// How long it may go unused; nil for ever.
        package var idleAfter: Duration? = .seconds(300)
        /// Where records of failures are kept; nil: nowhere.
        package var postMortems: PostMortemStore?
        /// The folder that the traffic is recorded in; nil: it is not.
        package var recordings: FilePath?
        /// What is secret beside settings: what was typed for the provider, and what it keeps.
        var learned: [String] = []

        /// The working folder is the provider's state folder, and so is all else that it may write to but its staging.
        package init(bundle: ProviderBundle, settings: SessionSettings) {
            self.bundle = bundle
            self.settings = settings
            workingFolder = FilePath(settings.stateFolder)
            folders = SandboxFolders(
                state: workingFolder, temporary: workingFolder, fetch: FilePath(settings.stagingFolder),
                send: FilePath(settings.stagingFolder), storageRoot: FilePath(settings.storageRoot))
        }
    }

    /// What the host's upper layers may want to know. After `started` nothing that was cached of an earlier process
    /// holds.
    package enum Event: Sendable {
        case started(LiveProvider)
        case died(DocumentError)
        case gaveUp(DocumentError)
        case stopped
    }

    enum Command: Sendable {
        case launch
        case timer(Duration)
        case idle(Duration)
        case keep(Finding)
    }

    struct Core {
        var configuration: Configuration
        /// Earlier settings: what is secret in them is so still, and a process that has them may still have something to say.
        var earlierSettings: [[String: String]] = []
        var machine: ProviderSupervisorStateMachine
        var live: LiveProvider?
        /// The process or its connection is over, and what follows from it is not settled yet.
        var isDying = false
        /// Tells the running life to end.
        var stop: (@Sendable () -> Void)?
        var waiters: [UInt64: CheckedContinuation<LiveProvider, any Error>] = [:]
        var nextWaiter: UInt64 = 0
        var leases = 0
        var lastRelease = ContinuousClock.now
        var idleTimerIsSet = false
        var processID: Int32?
        var lastFailure: DocumentError?
        /// When the process was launched, its connection's name, and what it wrote to standard error last.
        var began = ContinuousClock.now
        var session = ""
        var lastWords: (@Sendable () -> [String])?
        /// What was last found in an answer, and how many findings are not kept yet.
        var lastFinding: (message: String, time: ContinuousClock.Instant)?
        var unkeptFindings = 0
        /// How the bundle was when it was last about to be launched; nil when it gave no answer then.
        var launchStamp: BundleStamp?
        var endWaiters: [CheckedContinuation<Void, Never>] = []
        /// Those who wait until a life that is over is settled.
        var settlingWaiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var hasEnded = false
    }

    let context: LaunchContext
    let handler: any RequestHandler
    let observe: @Sendable (Event) -> Void
    let core: Mutex<Core>
    let keeping = Turn()
    /// Of paths that may be on a disk or a network that is gone: what hangs there is this provider's matter alone.
    let lookups = UnboundedCalls(name: "docent-lookup")
    private let commands: AsyncStream<Command>
    private let commandsContinuation: AsyncStream<Command>.Continuation

    /// - Parameters:
    ///   - handler: answers the provider's requests and takes its events.
    ///   - observe: is told of starts and ends. Must not block.
    package init(
        _ configuration: Configuration, in context: LaunchContext, handler: any RequestHandler,
        observe: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.context = context
        self.handler = handler
        self.observe = observe
        core = Mutex(
            Core(
                configuration: configuration,
                machine: ProviderSupervisorStateMachine(
                    name: ProviderFailure.name(of: configuration.bundle.manifest),
                    identifier: configuration.bundle.manifest.identifier.rawValue, policy: configuration.policy)))
        (commands, commandsContinuation) = AsyncStream.makeStream()
    }

    /// Does the supervisor's work until ``end()``. When its task is cancelled the process is killed.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for await command in commands {
                switch command {
                case .launch:
                    group.addTask { await self.live() }
                case .timer(let delay):
                    group.addTask {
                        guard (try? await Task.sleep(for: delay)) != nil else { return }
                        self.perform(self.core.withLock { $0.machine.timer(now: .now) })
                    }
                case .keep(let finding):
                    group.addTask { await self.keep(finding) }
                case .idle(let delay):
                    group.addTask {
                        guard (try? await Task.sleep(for: delay)) != nil else { return }
                        self.idleTimerFired()
                    }
                }
            }
            group.cancelAll()
        }
        // After a cancellation this was not said yet.
        let endWaiters = core.withLock { core in
            _ = core.machine.end()
            core.hasEnded = true
            defer { core.endWaiters = [] }
            return core.endWaiters
        }
        settleWaiters()
        resumeSettlingWaiters()
        for waiter in endWaiters { waiter.resume() }
    }

    /// Ends the provider in good order, for good. ``run()`` returns when it is gone.
    package func end() {
        let (actions, isIdle) = core.withLock { core in
            let actions = core.machine.end()
            return (actions, !actions.contains(.shutDown))
        }
        perform(actions)
        if isIdle { commandsContinuation.finish() }
    }

    /// Waits until ``run()`` is over.
    package func waitUntilEnded() async {
        await withCheckedContinuation { continuation in
            let hasEnded = core.withLock { core in
                if !core.hasEnded { core.endWaiters.append(continuation) }
                return core.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    // MARK: Use

    /// Starts the provider when it does not run, and keeps it from being stopped as idle until the closure returns.
    ///
    /// - Throws: ``DocumentError`` with the code `providerUnavailable` when it cannot be started, or not yet; and what the
    ///   closure throws.
    package func withProvider<Result: Sendable>(
        _ body: (LiveProvider) async throws(DocumentError) -> Result
    ) async throws(DocumentError) -> Result {
        core.withLock { $0.leases += 1 }
        defer { release() }
        let live = try await acquire()
        return try await body(live)
    }

    private func acquire() async throws(DocumentError) -> LiveProvider {
        let (ready, id): (LiveProvider?, UInt64) = core.withLock { core in
            core.nextWaiter += 1
            guard case .running = core.machine.state, !core.isDying else { return (nil, core.nextWaiter) }
            return (core.live, core.nextWaiter)
        }
        if let ready, await !isReplaced(ready) { return ready }
        await lookAgain()
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { join($0, as: id) }
            } onCancel: {
                core.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: CancellationError())
            }
        } catch let error as DocumentError {
            throw error
        } catch {
            throw DocumentError(.cancelled, "The call was cancelled before the provider had started.")
        }
    }

    /// Has a provider replaced for which there is something now that its manifest asks for, and that was not there when
    /// it was started: a folder on a disk that is mounted again. What a running process may reach does not grow.
    private func isReplaced(_ live: LiveProvider) async -> Bool {
        // One look serves all that ask meanwhile; and one that hangs is not repeated for each call.
        guard !live.missing.isEmpty, !lookups.isBusy, await isThere(anyOf: live.missing) else { return false }
        perform(
            core.withLock { core in
                core.live?.connection === live.connection ? core.machine.replace() : []
            })
        return true
    }

    /// Whether something is there that was not. What does not answer soon is not there.
    func isThere(anyOf missing: [FilePath]) async -> Bool {
        let realPath = context.realPath
        return (try? await lookups.run(within: .seconds(1)) { missing.contains { realPath($0) != nil } }) == true
    }

    private func join(_ continuation: CheckedContinuation<LiveProvider, any Error>, as id: UInt64) {
        let (outcome, actions) = core.withLock { core -> (Result<LiveProvider, any Error>?, [Action]) in
            if Task.isCancelled { return (.failure(CancellationError()), []) }
            if core.isDying {
                core.waiters[id] = continuation
                return (nil, [])
            }
            let (answer, actions) = core.machine.wanted(now: .now)
            switch answer {
            case .use:
                if let live = core.live { return (.success(live), actions) }
                core.waiters[id] = continuation
            case .wait:
                core.waiters[id] = continuation
            case .refuse(let error):
                return (.failure(error), actions)
            }
            return (nil, actions)
        }
        perform(actions)
        if let outcome { continuation.resume(with: outcome) }
    }

    /// A call on this connection found it dead, which the supervisor may not know yet.
    func foundDead(_ connection: Connection) {
        core.withLock { core in
            if core.live?.connection === connection { core.isDying = true }
        }
    }

    private func release() {
        core.withLock { core in
            core.leases -= 1
            core.lastRelease = .now
        }
        watchIdleness()
    }

    // MARK: Idleness

    func watchIdleness() {
        let delay: Duration? = core.withLock { core in
            guard core.leases == 0, !core.idleTimerIsSet, case .running = core.machine.state else { return nil }
            core.idleTimerIsSet = core.configuration.idleAfter != nil
            return core.configuration.idleAfter
        }
        if let delay { commandsContinuation.yield(.idle(delay)) }
    }

    private func idleTimerFired() {
        let (rest, actions): (Duration?, [Action]) = core.withLock { core in
            guard core.leases == 0, let idleAfter = core.configuration.idleAfter else {
                core.idleTimerIsSet = false
                return (nil, [])
            }
            let rest = idleAfter - (ContinuousClock.now - core.lastRelease)
            guard rest <= .zero else { return (rest, []) }
            core.idleTimerIsSet = false
            return (nil, core.machine.idle())
        }
        if let rest { commandsContinuation.yield(.idle(rest)) }
        perform(actions)
    }

    // MARK: What the machine wants

    typealias Action = ProviderSupervisorStateMachine.Action

    func perform(_ actions: [Action]) {
        for action in actions {
            switch action {
            case .launch:
                commandsContinuation.yield(.launch)
            case .wait(let delay):
                commandsContinuation.yield(.timer(delay))
            case .serveWaiters:
                let (live, waiters) = core.withLock { ($0.live, $0.takeWaiters()) }
                guard let live else { continue }
                for waiter in waiters { waiter.resume(returning: live) }
            case .failWaiters(let error):
                for waiter in core.withLock({ $0.takeWaiters() }) { waiter.resume(throwing: error) }
            case .shutDown:
                core.withLock { $0.stop }?()
            case .giveUp(let error):
                context.logger.error("\(error.message)", metadata: metadata(["provider.error": "\(error)"]))
                observe(.gaveUp(error))
            }
        }
    }

    /// Those who asked while a process was dying ask again.
    func settleWaiters() {
        while true {
            let next = core.withLock { core -> (UInt64, CheckedContinuation<LiveProvider, any Error>)? in
                switch core.machine.state {
                case .starting, .running, .stopping: return nil
                case .stopped, .backingOff, .givenUp, .ended: break
                }
                guard let (id, waiter) = core.waiters.min(by: { $0.key < $1.key }) else { return nil }
                core.waiters[id] = nil
                return (id, waiter)
            }
            guard let (id, waiter) = next else { return }
            join(waiter, as: id)
        }
    }

    /// The end was asked for, and nothing runs any more.
    func finishIfEnded() {
        if core.withLock({ $0.machine.state == .ended }) { commandsContinuation.finish() }
    }

    func tell(of finding: Finding) { commandsContinuation.yield(.keep(finding)) }

    func metadata(_ more: Logger.Metadata = [:]) -> Logger.Metadata {
        let (provider, domain) = core.withLock { core in
            (core.configuration.bundle.manifest.identifier, core.configuration.settings.domain)
        }
        return more.merging(["provider.id": "\(provider)", "domain": "\(domain)"]) { one, _ in one }
    }
}

extension ProviderSupervisor.Core {
    fileprivate mutating func takeWaiters() -> [CheckedContinuation<LiveProvider, any Error>] {
        defer { waiters = [:] }
        return waiters.sorted { $0.key < $1.key }.map(\.value)
    }
}
