import DocumentModel
import DocumentStorage
import FileCoordination
import Logging
import Synchronization

/// Makes the placeholders that listings have left to be made, in the background. While something is being listed only few:
/// somebody waits for that.
final class PlaceholderWriter: Sendable {
    private enum State {
        case idle, running, runningWithMore
    }

    private static let look = Duration.milliseconds(50)
    /// So often it looks whether listings have ended, before it goes on beside them.
    private static let looks = 20

    private let state = Mutex(State.idle)
    private let storage: StorageThreads
    private let listings: SharedTransfers<ItemKey, Void>
    private let work: WorkGroup
    private let logger: Logger

    init(
        storage: StorageThreads, listings: SharedTransfers<ItemKey, Void>, work: WorkGroup, logger: Logger
    ) {
        self.storage = storage
        self.listings = listings
        self.work = work
        self.logger = logger
    }

    /// There may be some to make.
    func wake() {
        let begins = state.withLock { state in
            defer { state = state == .idle ? .running : .runningWithMore }
            return state == .idle
        }
        if begins { work.add { [self] in await run() } }
    }

    private func run() async {
        repeat {
            do throws(DocumentError) {
                repeat {
                    await waitForListings()
                } while try await storage.run({ try $0.writeDuePlaceholders() }) && !Task.isCancelled
            } catch {
                logger.notice("placeholders wait for the next listing", metadata: ["error": "\(error)"])
            }
        } while !ends()
    }

    /// - Returns: false when there is more since.
    private func ends() -> Bool {
        state.withLock { state in
            let ends = state == .running || Task.isCancelled
            state = ends ? .idle : .running
            return ends
        }
    }

    private func waitForListings() async {
        var looks = 0
        while looks < Self.looks, !listings.keys.isEmpty, !Task.isCancelled {
            try? await Task.sleep(for: Self.look)
            looks += 1
        }
    }
}
