import DocumentModel
import DocumentStorage
import DocumentTransport
import Logging
import ProviderLauncher

extension DocumentHost {
    /// How long what is copied, and then what was asked of the storage root, is waited for when the host ends.
    private static let patienceAtEnd = Duration.seconds(20)

    /// Runs the domains' providers and the host's own work until the task is cancelled; then ends the providers, in
    /// parallel, closes the storage root, and ends its threads. What is asked of it after that fails, or says that it has ended.
    public func run() async {
        // Not a child: the providers end in good order after everything else was cancelled.
        let providers = Task(executorPreference: loop) { [fleet] in await fleet.run() }
        await withTaskExecutorPreference(loop) {
            await withDiscardingTaskGroup { group in
                group.addTask { [self] in await work.run() }
                group.addTask { [self] in await localChanges.run() }
                group.addTask { [self] in
                    await moveKeptSecrets()
                    await openWhenKeyringAnswers()
                }
                group.addTask { [self] in await departures.resume(nil) }
                group.addTask { [self] in await clearing.resume(nil) }
                group.addTask { [self] in await interrupted.settle(nil) }
                group.addTask { [self] in await backlog.settle(nil) }
                work.add { [self] in await keepTrashWithinLimits() }
                do throws(DocumentError) {
                    for key in try treeWork.conflicts.left() {
                        work.add { [treeWork] in await treeWork.conflicts.end(key) }
                    }
                    try sender.enqueueAll(of: nil)
                    reclaimer.setLimits(try storage.read { try $0.spaceLimits() })
                } catch {
                    logger.error("unsent documents could not be looked up", metadata: ["error": "\(error)"])
                }
                work.add { [pinKeeper] in await pinKeeper.resume() }
                work.add { [pinKeeper] in await pinKeeper.look() }
                work.add { [outdatedContents] in await outdatedContents.look() }
                // What a host that ended before has left.
                follower.placeholders.wake()
                missingDigests.begin()
                sideKeeper.indexWasWritten()
            }
        }
        fleet.stopAll()
        await providers.value
        storage.store.follower.handOver(to: nil)
        storage.store.versionNews.onPruned(nil)
        work.finish()
        do throws(DocumentError) {
            try await uses.writeDown(in: storage)
        } catch {
            logger.notice("what was used when is not written down", metadata: ["error": "\(error)"])
        }
        recordThreads.shutdown()
        sweepThread.shutdown()
        secretThread.shutdown()
        if await !storage.shutdown(within: Self.patienceAtEnd) {
            logger.warning("a disk or a network that something is copied from gives no answer: it is not waited for")
        }
        do {
            try root.close()
        } catch {
            logger.error("the storage root could not be closed", metadata: ["error": "\(error)"])
        }
        domains.removeAll()
        // Last of all: what is left, of whoever still waits for something, goes on elsewhere.
        if ownsLoop { await loop.end() }
    }
}
