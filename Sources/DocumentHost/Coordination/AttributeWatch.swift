import DocumentModel
import DocumentStorage
import FileCoordination
import Logging
import Synchronization

/// Tells presenters of the attributes that they asked for, when the index has others of their item than before (COORD-41).
/// Costs nothing while nobody asks. One look ends before the next begins: what the earlier of two has read would count as the later
/// state.
final class AttributeWatch: Sendable {
    private struct State {
        /// Of those that ask; nil: their document is not created yet (COORD-29).
        var items: [PresenterID: ItemKey?] = [:]
        /// What was so at the last look.
        var last: [ItemKey: [ItemAttribute: String]] = [:]
        /// Or is about to.
        var isLooking = false
        /// Since it began to look last.
        var wasWritten = false

        mutating func forgetUnwatched() {
            let watched = Set(items.values.compactMap { $0 })
            last = last.filter { watched.contains($0.key) }
        }
    }

    /// Several changes that come together are looked at once.
    private static let pause = Duration.milliseconds(20)

    private let storage: StorageThreads
    private let broker: CoordinationBroker
    private let work: WorkGroup
    private let logger: Logger
    private let state = Mutex(State())

    init(storage: StorageThreads, broker: CoordinationBroker, work: WorkGroup, logger: Logger) {
        self.storage = storage
        self.broker = broker
        self.work = work
        self.logger = logger
    }

    /// A presenter asks for its item's attributes.
    func add(_ presenter: PresenterID, of item: CoordinatedItem?) {
        set(item?.key, of: presenter, isNew: true)
    }

    /// It has another item by now. One that asks for nothing is ignored.
    func setItem(_ item: CoordinatedItem?, of presenter: PresenterID) {
        set(item?.key, of: presenter, isNew: false)
    }

    func remove(_ presenters: [PresenterID]) {
        state.withLock { state in
            for presenter in presenters { state.items[presenter] = nil }
            state.forgetUnwatched()
        }
    }

    private func set(_ item: ItemKey?, of presenter: PresenterID, isNew: Bool) {
        guard isNew || state.withLock({ $0.items[presenter] != nil }) else { return }
        let now = item.flatMap { try? attributes(of: $0)?.now }
        state.withLock { state in
            state.items.updateValue(item, forKey: presenter)
            if let item, state.last[item] == nil { state.last[item] = now ?? [:] }
            state.forgetUnwatched()
        }
        // What was written since that look is found by the next one.
        indexWasWritten()
    }

    /// Something was written: whoever asked is told soon.
    func indexWasWritten() {
        let begins = state.withLock { state in
            guard !state.items.isEmpty else { return false }
            state.wasWritten = true
            defer { state.isLooking = true }
            return !state.isLooking
        }
        guard begins else { return }
        work.add { [self] in
            repeat {
                // It throws when the host ends.
                do { try await Task.sleep(for: Self.pause) } catch { return }
                look()
            } while mustLookAgain()
        }
    }

    /// False, and the next one who writes begins anew, when nothing was written since.
    private func mustLookAgain() -> Bool {
        state.withLock { state in
            state.isLooking = state.wasWritten
            return state.wasWritten
        }
    }

    private func look() {
        let keys = state.withLock { state in
            // What is written from now on is looked at again.
            state.wasWritten = false
            return Array(state.last.keys)
        }
        for key in keys {
            do throws(DocumentError) {
                guard let (item, now) = try attributes(of: key) else { continue }
                let changed = state.withLock { state -> Set<ItemAttribute> in
                    guard let before = state.last[key] else { return [] }
                    state.last[key] = now
                    return Set(ItemAttribute.allCases.filter { before[$0] != now[$0] })
                }
                if !changed.isEmpty { broker.attributesChanged(Set(changed.map(\.rawValue)), of: item) }
            } catch {
                logger.notice(
                    "attributes could not be looked up", metadata: ["item.id": "\(key.id)", "error": "\(error)"])
            }
        }
    }

    private func attributes(
        of key: ItemKey
    ) throws(DocumentError) -> (item: CoordinatedItem, now: [ItemAttribute: String])? {
        try storage.read { index in
            guard let item = try index.item(key.id, in: key.domain) else { return nil }
            // As everywhere, those that nobody here has resolved.
            let sides = item.item.conflictVersions > 0 ? try index.unresolvedSides(of: item).count : 0
            let isExcluded = try index.marks(of: item).keeping == .excluded
            return (
                try index.coordinated(item), item.attributes(unresolvedSides: sides, isExcluded: isExcluded)
            )
        }
    }
}

extension IndexedItem {
    fileprivate func attributes(unresolvedSides sides: Int, isExcluded: Bool) -> [ItemAttribute: String] {
        [
            .isDownloaded: "\(isCurrent)",
            .isDownloading: "\(state == .materialising)",
            .isUploaded: "\(!isUnsent)",
            .isUploading: "\(state == .sending)",
            .downloadingStatus: DownloadingStatus(of: state).rawValue,
            .hasUnresolvedConflicts: "\(state == .conflict || sides > 0)",
            .isExcludedFromSync: "\(isExcluded)",
        ]
    }
}

extension CoordinatedItem {
    /// Nil for a place where no item is yet.
    var key: Key? {
        if case .item(let key) = subject { key } else { nil }
    }
}
