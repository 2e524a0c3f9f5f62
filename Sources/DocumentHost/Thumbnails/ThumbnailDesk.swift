import DocumentModel
import DocumentStorage
import Logging
import Synchronization

/// Thumbnails for whoever asks: from what is kept here, of the very contents that an item has; else from its provider
/// (PICK-17).
final class ThumbnailDesk: Sendable {
    /// How long things are taken to be as they were.
    struct Pace: Sendable {
        /// That an item has none is not asked again sooner: a server may make them by and by.
        var missing = Duration.seconds(300)
        /// After the index was written, what is not of any item's contents any more is forgotten so much later.
        var sweep = Duration.seconds(30)
    }

    /// Providers are asked for these, and nothing between: what is kept then serves more who ask.
    private static let sizes = [128, 256, 512, 1024]
    private static let mostMissing = 4_096

    private let storage: StorageThreads
    private let fetcher: ThumbnailFetcher
    private let work: WorkGroup
    private let pace: Pace
    private let logger: Logger
    /// Of what it is known that there is none, and until when.
    private let missing = Mutex<[ThumbnailKey: ContinuousClock.Instant]>([:])
    private let isSweepDue = Atomic(false)

    init(storage: StorageThreads, fetcher: ThumbnailFetcher, work: WorkGroup, pace: Pace, logger: Logger) {
        self.storage = storage
        self.fetcher = fetcher
        self.work = work
        self.pace = pace
        self.logger = logger
    }

    /// The size that is asked for and kept.
    static func size(for wanted: Int) -> Int { sizes.first { $0 >= wanted } ?? 1024 }

    /// - Returns: an outcome for each.
    /// - Throws: `cancelled` when the caller is.
    func thumbnails(_ keys: [ThumbnailKey]) async throws(DocumentError) -> [ThumbnailKey: ThumbnailOutcome] {
        var outcomes = try await kept(keys) { [$0] }
        let now = ContinuousClock.now
        missing.withLock { missing in
            for key in keys where missing[key].map({ $0 > now }) ?? false { outcomes[key] = .missing }
        }
        var asked = try await fetcher.fetch(keys.filter { outcomes[$0] == nil })
        for (key, outcome) in asked where outcome == .missing { noteMissing(key) }
        // Whoever cannot reach the provider is served with what is here, in whatever size.
        let failed = asked.filter { if case .failed(let error) = $0.value { error.isOfTheMoment } else { false } }
        asked.merge(try await kept(Array(failed.keys), as: Self.otherSizes)) { $1 }
        outcomes.merge(asked) { $1 }
        return outcomes
    }

    /// Whether one is kept here of the contents that an item has, in whatever size.
    func hasThumbnail(_ item: IndexedItem) async -> Bool {
        guard let version = item.thumbnailVersion else { return false }
        let any = ThumbnailKey(domain: item.domain, id: item.id, contentVersion: version, size: 0)
        return (try? await kept([any], as: Self.otherSizes))?.isEmpty == false
    }

    private func kept(
        _ keys: [ThumbnailKey], as places: @escaping @Sendable (ThumbnailKey) -> [ThumbnailKey]
    ) async throws(DocumentError) -> [ThumbnailKey: ThumbnailOutcome] {
        guard !keys.isEmpty else { return [:] }
        let logger = logger
        return try await storage.run { store in
            var outcomes: [ThumbnailKey: ThumbnailOutcome] = [:]
            do {
                for key in keys {
                    if let found = try store.root.thumbnails.thumbnail(places(key)) { outcomes[key] = .image(found) }
                }
            } catch {
                // The provider has them, too.
                logger.notice("kept thumbnails cannot be read", metadata: ["error": "\(error)"])
            }
            return outcomes
        }
    }

    /// Larger ones first: those can be made smaller.
    private static func otherSizes(_ key: ThumbnailKey) -> [ThumbnailKey] {
        (sizes.filter { $0 > key.size } + sizes.reversed().filter { $0 < key.size }).map { size in
            ThumbnailKey(domain: key.domain, id: key.id, contentVersion: key.contentVersion, size: size)
        }
    }

    private func noteMissing(_ key: ThumbnailKey) {
        let until = ContinuousClock.now + pace.missing
        missing.withLock { missing in
            if missing.count >= Self.mostMissing { missing = [:] }
            missing[key] = until
        }
    }

    // MARK: Forgetting

    /// What was written may have been the end of an item, or of its contents: that is looked at by and by.
    func indexWasWritten() {
        guard !storage.store.root.thumbnails.isEmpty, !isSweepDue.exchange(true, ordering: .acquiringAndReleasing)
        else {
            return
        }
        work.add { [self] in
            // It throws when the host ends.
            do { try await Task.sleep(for: pace.sweep) } catch { return }
            // What is written from now on is looked at again.
            isSweepDue.store(false, ordering: .releasing)
            await sweep()
        }
    }

    private func sweep() async {
        do throws(DocumentError) {
            try await storage.run { store in
                try store.root.thumbnails.sweep { keys in
                    try store.root.index.read { index in
                        let domains = Set(try index.domains().map(\.name))
                        return Set(
                            try keys.filter { key in
                                guard domains.contains(key.domain) else { return false }
                                return try index.item(key.id, in: key.domain)?.thumbnailVersion == key.contentVersion
                            })
                    }
                }
            }
        } catch {
            logger.notice("thumbnails cannot be swept", metadata: ["error": "\(error)"])
        }
    }
}

extension DocumentError {
    /// Whether it is about reaching the provider, and not about the item.
    fileprivate var isOfTheMoment: Bool {
        code.errorClass != .definitive && code != .cancelled && code != .contractBroken
    }
}
