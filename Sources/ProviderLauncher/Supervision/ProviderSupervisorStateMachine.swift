package import DocumentModel

/// When a provider is started, left alone and given up. Knows no process and no clock: it is told what happened and
/// when, and says what to do.
package struct ProviderSupervisorStateMachine: Sendable {
    package typealias Instant = ContinuousClock.Instant

    package struct Policy: Hashable, Sendable {
        /// A life that is shorter is an early death.
        package var shortLife: Duration = .seconds(30)
        /// How many early deaths in a row are followed by a start without delay.
        package var freeRestarts = 1
        /// The first delay; each further early death doubles it.
        package var firstDelay: Duration = .seconds(10)
        package var longestDelay: Duration = .seconds(300)
        /// So many deaths within the window, and it is not started again.
        package var deathsToGiveUp = 5
        package var window: Duration = .seconds(180)

        package init() {}
    }

    package enum State: Hashable, Sendable {
        /// Not running, and nobody minds. The next use starts it.
        case stopped
        /// Launched, and not yet through the handshake.
        case starting
        /// Serving since then.
        case running(since: Instant)
        /// Died early; not started again before then.
        case backingOff(until: Instant, DocumentError)
        /// Not started again until a user or a new manifest says so.
        case givenUp(DocumentError)
        /// Told to end, and not yet gone. With `restart`, somebody wants it again.
        case stopping(restart: Bool)
        /// The host ends: never started again.
        case ended
    }

    package enum Action: Hashable, Sendable {
        case launch
        /// Call `timer` after that time.
        case wait(Duration)
        /// Those who wait for the start get the connection.
        case serveWaiters
        case failWaiters(DocumentError)
        /// Tell the process to end.
        case shutDown
        /// For the log and the status: it is not tried again.
        case giveUp(DocumentError)
    }

    /// What somebody who wants to use the provider is to do.
    package enum Answer: Hashable, Sendable {
        case use
        /// Wait for `serveWaiters` or `failWaiters`.
        case wait
        case refuse(DocumentError)
    }

    package private(set) var state: State = .stopped
    private let policy: Policy
    /// For messages.
    private let name: String
    private let identifier: String
    private var deaths: [Instant] = []
    private var earlyDeaths = 0

    /// - Parameters:
    ///   - name: what messages call the provider: `Photos (org.example.photos)`.
    ///   - identifier: what commands call it.
    package init(name: String, identifier: String, policy: Policy = Policy()) {
        self.name = name
        self.identifier = identifier
        self.policy = policy
    }

    /// Somebody wants to use the provider.
    package mutating func wanted(now: Instant) -> (Answer, [Action]) {
        switch state {
        case .stopped:
            state = .starting
            return (.wait, [.launch])
        case .starting:
            return (.wait, [])
        case .running:
            return (.use, [])
        case .backingOff(let until, let error):
            guard now >= until else { return (.refuse(unavailable(until - now, error)), []) }
            state = .starting
            return (.wait, [.launch])
        case .givenUp(let error):
            return (.refuse(error), [])
        case .stopping:
            state = .stopping(restart: true)
            return (.wait, [])
        case .ended:
            return (.refuse(hostEnds), [])
        }
    }

    /// The handshake is done.
    package mutating func handshakeDone(now: Instant) -> [Action] {
        guard state == .starting else { return [] }
        state = .running(since: now)
        return [.serveWaiters]
    }

    /// It could not be started, or died or misbehaved before the handshake was done.
    ///
    /// - Parameters:
    ///   - isPermanent: trying again cannot help until something is installed or configured.
    ///   - isDeath: counts among the deaths for which it is given up. It does not when the provider said itself, in
    ///     order, why it cannot work just now: it is only started later and later.
    package mutating func startFailed(
        _ error: DocumentError, isPermanent: Bool, isDeath: Bool = true, now: Instant
    ) -> [Action] {
        switch state {
        case .starting:
            if isPermanent {
                let final = givenUpError(error, "cannot work as it is installed")
                state = .givenUp(final)
                return [.failWaiters(error), .giveUp(final)]
            }
            return [.failWaiters(error)] + died(lived: .zero, error, counts: isDeath, now: now)
        case .stopping:
            return gone()
        default:
            return []
        }
    }

    /// The process is gone.
    ///
    /// - Parameter error: says how it ended; not used when it was told to end.
    package mutating func exited(_ error: DocumentError, now: Instant) -> [Action] {
        switch state {
        case .running(let since): died(lived: now - since, error, now: now)
        case .starting: startFailed(error, isPermanent: false, now: now)
        case .stopping: gone()
        case .stopped, .backingOff, .givenUp, .ended: []
        }
    }

    /// The time that `wait` asked for has passed.
    package mutating func timer(now: Instant) -> [Action] {
        guard case .backingOff(let until, _) = state else { return [] }
        guard now >= until else { return [.wait(until - now)] }
        // Started by the next use, not before.
        state = .stopped
        return []
    }

    /// Nobody has used it for long enough.
    package mutating func idle() -> [Action] {
        guard case .running = state else { return [] }
        state = .stopping(restart: false)
        return [.shutDown]
    }

    /// The host ends.
    package mutating func end() -> [Action] {
        switch state {
        case .running:
            state = .ended
            return [.shutDown]
        case .starting, .stopping:
            state = .ended
            return [.failWaiters(hostEnds), .shutDown]
        case .stopped, .backingOff, .givenUp, .ended:
            state = .ended
            return []
        }
    }

    /// A user wants a fresh start, or the manifest changed: what was is forgotten, and a running process, which has
    /// the old settings, is replaced at the next use.
    package mutating func reset() -> [Action] {
        deaths = []
        earlyDeaths = 0
        switch state {
        case .backingOff, .givenUp:
            state = .stopped
            return []
        case .running:
            state = .stopping(restart: false)
            return [.shutDown]
        case .starting:
            // Those who wait for it are served by the next one.
            state = .stopping(restart: true)
            return [.shutDown]
        case .stopped, .stopping, .ended:
            return []
        }
    }

    /// What is launched from now on is another: a running process is replaced at the next use, and what was is kept.
    package mutating func replace() -> [Action] {
        guard case .running = state else { return [] }
        state = .stopping(restart: false)
        return [.shutDown]
    }

    private mutating func gone() -> [Action] {
        guard case .stopping(restart: true) = state else {
            state = .stopped
            return []
        }
        state = .starting
        return [.launch]
    }

    private mutating func died(
        lived: Duration, _ error: DocumentError, counts: Bool = true, now: Instant
    ) -> [Action] {
        deaths = deaths.filter { now - $0 < policy.window } + (counts ? [now] : [])
        earlyDeaths = lived < policy.shortLife ? earlyDeaths + 1 : 0
        if deaths.count >= policy.deathsToGiveUp {
            let minutes = policy.window.components.seconds / 60
            let final = givenUpError(error, "died \(deaths.count) times within \(minutes) minutes")
            state = .givenUp(final)
            return [.giveUp(final)]
        }
        let delay = delay(afterEarlyDeaths: earlyDeaths)
        guard delay > .zero else {
            state = .stopped
            return []
        }
        state = .backingOff(until: now + delay, error)
        return [.wait(delay)]
    }

    private func delay(afterEarlyDeaths count: Int) -> Duration {
        guard count > policy.freeRestarts else { return .zero }
        var delay = policy.firstDelay
        for _ in 1..<(count - policy.freeRestarts) where delay < policy.longestDelay { delay *= 2 }
        return min(delay, policy.longestDelay)
    }

    private func unavailable(_ rest: Duration, _ error: DocumentError) -> DocumentError {
        let seconds = max(1, rest.components.seconds + (rest.components.attoseconds > 0 ? 1 : 0))
        return DocumentError(
            .providerUnavailable,
            "The provider \(name) died and is not started again for another \(seconds) s; try again then.",
            detail: error.detail,
            retryAfter: rest,
            causes: [error.message] + error.causes
        )
    }

    private func givenUpError(_ error: DocumentError, _ why: String) -> DocumentError {
        DocumentError(
            .providerUnavailable,
            "The provider \(name) \(why) and is not started again until it is installed anew, or told to: docent provider restart \(identifier).",
            detail: error.detail,
            causes: [error.message] + error.causes
        )
    }

    private var hostEnds: DocumentError {
        DocumentError(.providerUnavailable, "The host is ending; try again when it has been started anew.")
    }
}
