import DocumentModel
import DocumentStorage
import DocumentTransport
import FileCoordination
import Synchronization

/// Looks through a domain's folders for documents' files that are not at their places: a program may have moved them to where
/// nobody watches. One look answers for all documents of a folder whose files are gone, and for all with changes that were not
/// sent, wherever they were: whoever removes many folders has their domain looked through a few times. There is none while
/// nothing is gone.
final class FileSearch: Sendable {
    private struct State {
        /// What was found of those that nobody has asked for yet, and when it was begun to be looked for.
        var found: [ItemKey: (file: MovedFile?, began: MonotonicTime)] = [:]
        /// Before that, no domain is looked through again: whoever removes one file after the other is no burden.
        var next: [DomainName: MonotonicTime] = [:]
    }

    /// What was found is as good as new for so long: files that leave together are looked at within that.
    private static let validity = Duration.seconds(10)

    private let state = Mutex(State())
    private let looks = Atomic<Int>(0)
    private let turns = KeyedLock<DomainName>()
    private let storage: StorageThreads
    private let loop: EventLoop
    private let restraint: Int
    private let patience: Duration

    /// - Parameters:
    ///   - restraint: the part of the time that may go into it: one in so many.
    ///   - patience: how long anybody waits until the next look, also for a document whose contents the remote has: without
    ///     it, it would not follow its file. Small domains are looked through again sooner than that.
    init(
        storage: StorageThreads, loop: EventLoop, restraint: Int = 5, patience: Duration = .seconds(1)
    ) {
        self.storage = storage
        self.loop = loop
        self.restraint = restraint
        self.patience = patience
    }

    /// Where the file of a document is by now that is not at its place.
    ///
    /// - Parameters:
    ///   - after: only what was looked for from then on counts; nil: also what was found shortly before.
    ///   - isAmongOthers: whether other documents' files have moved just now; that may be found while this one waits.
    /// - Returns: nil when it is at its place, or nowhere in its domain, as far as that is looked for: for one with changes in
    ///   any case, for others not before the time has come, where that takes long.
    func file(
        of item: IndexedItem, after: MonotonicTime? = nil,
        isAmongOthers: @autoclosure @Sendable () -> Bool = false
    ) async throws(DocumentError) -> MovedFile? {
        let (isMissing, beside, isDisplaced) = try await storage.run { store in
            try (store.isFileMissing(item), store.movedFile(of: item), store.isDisplaced(item))
        }
        guard isMissing else { return nil }
        if let beside { return beside }
        while true {
            let answer =
                switch try await known(item, after: after) {
                case let known?: Answer.found(known)
                case nil: try await search(item, after: after)
                }
            switch answer {
            case .found(let file): return file
            case .notBefore(let time):
                // The remote has its contents: nobody is kept waiting, and the file is told of where it is found.
                let wait = time.since(.now())
                guard item.isUnsent || isDisplaced || wait <= patience || isAmongOthers() else { return nil }
                await loop.pauseUnlessCancelled(wait)
                if Task.isCancelled { throw DocumentError(wrapping: CancellationError()) }
            }
        }
    }

    private enum Answer: Sendable {
        case found(MovedFile?)
        /// It was looked through just now.
        case notBefore(MonotonicTime)
    }

    /// How often a domain was looked through.
    var count: Int { looks.load(ordering: .acquiring) }

    /// What is known of a document, once; nil when nothing is.
    private func known(_ item: IndexedItem, after: MonotonicTime?) async throws(DocumentError) -> MovedFile?? {
        guard let known = state.withLock({ $0.found.removeValue(forKey: item.key) }),
            after.map({ $0 <= known.began }) ?? (MonotonicTime.now().since(known.began) < Self.validity)
        else { return nil }
        guard let file = known.file else { return .some(nil) }
        let isThere = try await storage.run { store in
            try store.root.tree.inode(at: file.location) == file.file.inode
                && !store.isRecorded(file.file, at: file.location, beside: item)
        }
        return isThere ? .some(file) : nil
    }

    /// What nobody has asked for in time.
    private func forgetOld() {
        let now = MonotonicTime.now()
        state.withLock { state in state.found = state.found.filter { now.since($0.value.began) < Self.validity } }
    }

    /// One at a time looks through a domain: it answers for those that wait meanwhile.
    private func search(_ item: IndexedItem, after: MonotonicTime?) async throws(DocumentError) -> Answer {
        try await turns.withLock(item.domain) { () async throws(DocumentError) in
            if let known = try await known(item, after: after) { return .found(known) }
            let began = MonotonicTime.now()
            if let next = state.withLock({ $0.next[item.domain] }), began < next { return .notBefore(next) }
            looks.add(1, ordering: .acquiringAndReleasing)
            let found = try await storage.run { try $0.movedFiles(besides: item) }
            let end = MonotonicTime.now()
            if found.count > 1 { loop.wake(at: end + Self.validity) { [weak self] in self?.forgetOld() } }
            return state.withLock { state in
                state.next[item.domain] = end + end.since(began) * restraint
                for (id, file) in found where id != item.id {
                    state.found[ItemKey(domain: item.domain, id: id)] = (file, began)
                }
                return .found(found[item.id] ?? nil)
            }
        }
    }
}
