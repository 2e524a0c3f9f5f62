import FileCoordination
import Logging

@testable import DocumentHost

extension Delivery {
    /// Sends one document at a time, with no host around it.
    static func alone(_ storage: StorageThreads) -> Delivery {
        let logger = Logger(label: "sending") { _ in SwiftLogNoOpLogHandler() }
        let locks = KeyedLock<ItemKey>()
        return Delivery(
            storage: storage, domains: DomainRegistry(), broker: CoordinationBroker(), locks: locks,
            digests: DigestTaker(storage: storage, locks: locks, work: WorkGroup()),
            owner: ClaimOwner(id: 0, name: "test"), logger: logger, clock: { .zero }, places: DomainPermits(each: 1),
            turns: DomainPermits(each: 1), folders: FolderReviver(storage: storage, logger: logger),
            made: MadeItems(storage: storage, logger: logger))
    }
}
