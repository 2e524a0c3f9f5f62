internal import DocumentModel
internal import DocumentTransport
internal import DocumentWire
internal import Logging
internal import Synchronization

/// A provider reaches what it was granted when it was started, and nothing that has the name of that later: a folder that was
/// put in its place, from a copy perhaps. It says that its remote is away then, and cannot know better.
extension ProviderSupervisor {
    /// Has the running provider replaced, where something else has the name of what it was granted. Until it can reach its remote
    /// again that is waited for. The next one is granted what is there by then, and is not replaced for that.
    ///
    /// - Returns: whether the next call comes to another one.
    func replaceWherePlacesAre() async -> Bool {
        guard let live = core.withLock({ $0.isDying ? nil : $0.live }), !live.places.isEmpty, !lookups.isBusy else {
            return false
        }
        if await change(of: live.places) == .replaced { return await replace(live) }
        let isFirst = core.withLock { core in
            isAway.store(true, ordering: .relaxed)
            defer { core.awaitsPlaces = true }
            return !core.awaitsPlaces
        }
        if isFirst { commandsContinuation.yield(.waitForPlaces(live)) }
        return false
    }

    /// Looks until something else is there, the provider has answered again, or it has ended.
    func waitForPlaces(of live: LiveProvider) async {
        while (try? await Task.sleep(for: .seconds(2))) != nil {
            let isWaiting = core.withLock { core in
                core.awaitsPlaces = isAway.load(ordering: .relaxed) && core.live?.connection === live.connection
                return core.awaitsPlaces
            }
            guard isWaiting else { return }
            if !lookups.isBusy, await change(of: live.places) == .replaced {
                core.withLock { $0.awaitsPlaces = false }
                _ = await replace(live)
                return
            }
        }
        core.withLock { $0.awaitsPlaces = false }
    }

    /// Its remote is where it looks for it.
    func noteReached() {
        if isAway.load(ordering: .relaxed) { isAway.store(false, ordering: .relaxed) }
    }

    /// What waits for the provider's word is asked for again: it cannot give that any more.
    private func replace(_ live: LiveProvider) async -> Bool {
        let actions = core.withLock { core in
            core.live?.connection === live.connection ? core.machine.replace() : []
        }
        // Another call has seen it, too.
        guard !actions.isEmpty else { return true }
        context.logger.notice(
            "the provider is started anew, because something else has the name of what it was given",
            metadata: metadata())
        perform(actions)
        await handler.received(notification: ProviderEvent.errorResolved([.serverUnreachable]).serialized())
        return true
    }

    /// Nil when it does not answer soon.
    private func change(of places: [GrantedPlace]) async -> GrantedPlace.Change? {
        try? await lookups.run(within: .seconds(1)) {
            let changes = places.map(\.change)
            return changes.contains(.replaced) ? .replaced : changes.contains(.gone) ? .gone : .none
        }
    }
}
