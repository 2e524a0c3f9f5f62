import Dispatch
import DocumentProvider
import Glibc

/// A provider whose author knows nothing of sandboxes: it sleeps, detaches tasks and keeps Dispatch's queues full while it
/// answers.
@main struct DispatchingProvider: Provider {
    init(context: ProviderContext) {}

    func item(for id: ItemIdentifier) async throws -> Item {
        guard id == .root else { throw DocumentError(.noSuchItem, "There is no item \(id) here.") }
        let busy = Self.keepQueuesFull(for: .milliseconds(2500))
        async let detached = Task.detached { Self.work(for: .milliseconds(100)) }.value
        try await Task.sleep(for: .seconds(3))
        _ = await detached
        await busy.value
        return .root
    }

    /// More blocks than there are threads for them, so that the library counts which of its threads run.
    private static func keepQueuesFull(for duration: Duration) -> Task<Void, Never> {
        Task.detached {
            await withTaskGroup(of: Void.self) { group in
                let end = ContinuousClock.now + duration
                for _ in 0..<200 {
                    group.addTask {
                        while ContinuousClock.now < end {
                            await withCheckedContinuation { continuation in
                                DispatchQueue.global().async {
                                    usleep(20_000)
                                    continuation.resume()
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    private static func work(for duration: Duration) {
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end {}
    }

    func items(in container: ItemIdentifier, page: PageToken?, suggestedCount: Int) throws -> ItemPage {
        ItemPage(items: [])
    }

    func startProvidingItem(
        _ id: ItemIdentifier, at file: FilePath, contentVersion: [UInt8], transfer: Transfer
    ) throws -> Item {
        throw DocumentError(.noSuchItem, "There is no document here.")
    }

    func providePlaceholder(for id: ItemIdentifier) {}
    func itemChanged(_ id: ItemIdentifier) {}
    func stopProvidingItem(_ id: ItemIdentifier) {}
}
