internal import DocumentTransport
internal import Synchronization

/// Waiting for what is known of a failure: open requests fail as soon as the connection has ended, and the record is there
/// once the process is gone.
extension ProviderSupervisor {
    /// Waits while a life is over and not settled: until its record is kept. Returns at once when nothing is ending.
    package func waitWhileDying(atMost limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.waitUntilSettled() }
            group.addTask { try? await Task.sleep(for: limit) }
            _ = await group.next()
            group.cancelAll()
        }
    }

    private func waitUntilSettled() async {
        while !Task.isCancelled, core.withLock({ $0.isEnding && !$0.hasEnded }) { await waitForNews() }
    }

    private func waitForNews() async {
        let id = core.withLock { core in
            core.nextWaiter += 1
            return core.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWaiting = core.withLock { core in
                    guard core.isEnding, !core.hasEnded, !Task.isCancelled else { return false }
                    core.settlingWaiters[id] = continuation
                    return true
                }
                if !isWaiting { continuation.resume() }
            }
        } onCancel: {
            core.withLock { $0.settlingWaiters.removeValue(forKey: id) }?.resume()
        }
    }

    /// A life was settled, or a finding is kept.
    func resumeSettlingWaiters() {
        let waiters = core.withLock { core in
            defer { core.settlingWaiters = [:] }
            return Array(core.settlingWaiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }
}

extension ProviderSupervisor.Core {
    /// The process or its connection is over, whether the life has noticed or not; or what was found is not kept yet.
    fileprivate var isEnding: Bool { isDying || live?.connection.hasEnded == true || unkeptFindings > 0 }
}
