import DocumentModel
import DocumentStorage
import FileCoordination
import Logging
import Synchronization

/// Lets go of contents that the remote has newer ones of, where people want them here no longer than that (XFER-14): when the
/// index tells of them, when whoever used them has ended, and at the start. What cannot leave stays, and is tried again. While
/// nobody has said so of anything, nothing is done.
final class OutdatedContents: Sendable {
    /// A domain's documents: one after the other, so that one provider that answers nothing keeps no other's.
    private struct Line {
        var due: Set<ItemIdentifier> = []
        var trying: ItemIdentifier?
        /// Those that could not leave.
        var staying: Set<ItemIdentifier> = []
        /// How often something could not leave, one time after the other.
        var failures = 0
    }

    private static let mostDoublings = 7

    private let lines = Mutex<[DomainName: Line]>([:])
    private let storage: StorageThreads
    private let domains: DomainRegistry
    private let evictor: Evictor
    private let hub: EventHub
    private let work: WorkGroup
    private let wakes: DomainWakes
    private let clock: @Sendable () -> Duration
    /// After which what could not leave is tried again, at first.
    private let patience: Duration
    private let logger: Logger

    init(
        storage: StorageThreads, domains: DomainRegistry, evictor: Evictor, hub: EventHub, work: WorkGroup,
        clock: @escaping @Sendable () -> Duration, patience: Duration, logger: Logger
    ) {
        self.storage = storage
        self.domains = domains
        self.evictor = evictor
        self.hub = hub
        self.work = work
        wakes = DomainWakes(work: work, clock: clock)
        self.clock = clock
        self.patience = patience
        self.logger = logger
    }

    // MARK: What there is to let go

    /// Looks at everything that is outdated: at the start, when something was said of how it is kept, or resumed, and when a
    /// provider can be asked again.
    func look(at only: DomainName? = nil) async {
        do throws(DocumentError) {
            try await hub.listen(.outdatedContents, whileKept: .whileCurrent) { [weak self] changes in
                self?.changed(changes)
            }
            guard try storage.read({ try $0.isAnythingKept(.whileCurrent) }) else { return }
            for domain in try storage.read({ try $0.domains().map(\.name) }) where only.map({ $0 == domain }) ?? true {
                var row: Int64 = 0
                var isMore = true
                while isMore, !Task.isCancelled {
                    let after = row
                    let (found, last) = try storage.read { index in
                        let page = try index.unsettled(in: domain, after: after)
                        return (try page.filter { try index.isToLeaveOutdated($0) }.map(\.key), page.last?.row)
                    }
                    for key in found { add(key) }
                    row = last ?? row
                    isMore = last != nil
                }
            }
        } catch {
            // A domain that has just been removed has nothing to look at.
            logger.notice("what is outdated could not be looked up", metadata: ["error": "\(error)"])
        }
    }

    /// Called where the index was written.
    private func changed(_ changes: [ItemChange]) {
        let keys = Set(
            changes.compactMap { change -> ItemKey? in
                if case .removed = change.kind { return nil }
                return ItemKey(domain: change.domain, id: change.id)
            })
        if !keys.isEmpty { work.add { [self] in look(at: keys) } }
    }

    private func look(at keys: Set<ItemKey>) {
        for key in keys {
            do throws(DocumentError) {
                let isMeant = try storage.read { index in
                    try index.item(key.id, in: key.domain).map { try index.isToLeaveOutdated($0) } ?? false
                }
                if isMeant { add(key) }
            } catch {
                logger.notice("a document could not be looked up", metadata: metadata(key, error))
            }
        }
    }

    /// Somebody has ended who used or presented it, and may have kept it here.
    func useEnded(of key: ItemKey) {
        let isMeant = lines.withLock { lines in
            guard let line = lines[key.domain] else { return false }
            return line.staying.contains(key.id) || line.trying == key.id
        }
        if isMeant { add(key) }
    }

    // MARK: Letting go

    private func add(_ key: ItemKey) {
        let isFirst = lines.withLock { lines in
            var line = lines[key.domain] ?? Line()
            defer { lines[key.domain] = line }
            let isFirst = line.due.isEmpty && line.trying == nil
            line.due.insert(key.id)
            line.staying.remove(key.id)
            return isFirst
        }
        if isFirst { work.add { [self] in await run(key.domain) } }
    }

    private func next(of name: DomainName) -> ItemKey? {
        lines.withLock { lines in
            let id = Task.isCancelled ? nil : lines[name]?.due.popFirst()
            lines[name]?.trying = id
            if let id { lines[name]?.staying.remove(id) }
            return id.map { ItemKey(domain: name, id: $0) }
        }
    }

    private func run(_ name: DomainName) async {
        while let key = next(of: name) {
            guard let domain = domains.find(name) else { return lines.withLock { $0[name] = nil } }
            do throws(DocumentError) {
                let outdated = try storage.read { index -> (item: IndexedItem, location: Location)? in
                    guard let item = try index.item(key.id, in: name), try index.isToLeaveOutdated(item),
                        let location = try index.shownLocation(of: item)
                    else { return nil }
                    return (item, location)
                }
                guard let (item, location) = outdated else { continue }
                if try await evictor.evictOutdated(item, at: location, on: domain) {
                    logger.debug("outdated contents have left", metadata: ["item": "\(location)"])
                }
                lines.withLock { $0[name]?.failures = 0 }
            } catch {
                if error.code == .cancelled { continue }
                logger.debug("outdated contents stay here", metadata: metadata(key, error))
                stays(key, because: error)
            }
        }
        tryAgainLater(name)
    }

    private func stays(_ key: ItemKey, because error: DocumentError) {
        let isUnreachable = error.code.errorClass == .resolvable || error.code == .providerUnavailable
        lines.withLock { lines in
            guard var line = lines[key.domain] else { return }
            defer { lines[key.domain] = line }
            line.staying.insert(key.id)
            // The others would meet the same.
            if isUnreachable {
                line.staying.formUnion(line.due)
                line.due = []
            }
        }
    }

    /// Nothing tells when a program that coordinates nothing has closed its file, or a provider can be asked again.
    private func tryAgainLater(_ name: DomainName) {
        let pause = lines.withLock { lines -> Duration? in
            guard let line = lines[name], !line.staying.isEmpty else {
                if let line = lines[name], line.due.isEmpty, line.trying == nil { lines[name] = nil }
                return nil
            }
            defer { lines[name]?.failures += 1 }
            return patience * (1 << min(line.failures, Self.mostDoublings))
        }
        guard let pause else { return }
        wakes.wake(name, at: clock() + pause) { [self] in
            let staying = lines.withLock { $0[name]?.staying ?? [] }
            for id in staying { add(ItemKey(domain: name, id: id)) }
        }
    }

    private func metadata(_ key: ItemKey, _ error: DocumentError) -> Logger.Metadata {
        ["domain": "\(key.domain)", "item.id": "\(key.id)", "error": "\(error)"]
    }
}
