import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentWire
import Logging
import ProviderLauncher
import SystemPackage

/// Brings large documents part by part, where their providers can give parts (DOWN-10): what has come stays when the rest
/// does not, over restarts of the provider, of the host and of the machine.
package struct PartwiseFetch: Sendable {
    /// Which documents, and how.
    package struct Limits: Sendable {
        /// What is smaller comes as a whole. In bytes.
        package var smallest: Int64 = 16 << 20
        /// What is larger comes as a whole, if it is true. In bytes.
        package var largest: Int64 = 1 << 42
        /// Of what is not so large that there would be too many. In bytes.
        package var partSize: Int64 = 1 << 20
        package var mostParts: Int64 = 1 << 16
        /// What is asked for at once in the beginning, and at most, in bytes.
        package var firstRun: Int64 = 4 << 20
        package var longestRun: Int64 = 128 << 20
        /// What comes faster than this, in bytes a second for each request, comes again sooner than it is read again: it counts
        /// until the machine's life ends.
        package var fast: Int64 = 32 << 20
        /// How many requests are under way for one document.
        package var requests = 4
        /// How many more, when somebody waits for a part.
        package var moreRequests = 2
        /// How long what has come is kept when nobody goes on with it, in seconds.
        package var patience: Int64 = 7 * 86400

        package init() {}

        /// In whole steps of the smallest.
        func partSize(of size: Int64) -> Int64 { (size / mostParts / partSize + 1) * partSize }
    }

    let storage: StorageThreads
    let limits: Limits
    let transfers: PartialTransfers
    /// Counts from some moment, and never backwards.
    let clock: @Sendable () -> Duration
    /// In seconds since 1970.
    let date: @Sendable () -> Int64
    let logger: Logger

    /// Whether an item is to come in parts, as far as its provider says.
    func apply(to item: IndexedItem, of domain: Domain) -> Bool {
        domain.bundle.manifest.capabilities.contains(.ranges) && !item.item.version.content.isEmpty
            && item.item.size.map { (limits.smallest...limits.largest).contains($0) } ?? false
    }

    /// - Returns: nil when it has to come as a whole.
    func fetch(
        _ item: IndexedItem, of domain: Domain, _ report: @escaping Materialiser.ProgressObserver
    ) async throws(DocumentError) -> IndexedItem? {
        guard apply(to: item, of: domain), let size = item.item.size else { return nil }
        let outcome = try await storage.run {
            [limits, date, logger] store -> Result<Materialisation, DocumentError> in
            let now = date()
            do {
                try store.dropNeedlessParts(before: now - limits.patience)
            } catch {
                logger.warning("parts that nobody needs stay", metadata: ["error": "\(error)"])
            }
            if let refusal = try store.lackOfRoom(for: item.id, in: item.domain, size: size) {
                // Nothing was begun that it could be noted with, and people are to see what it waits for.
                _ = try? store.root.index.write(durably: false) { index in
                    guard let now = try index.item(item.id, in: item.domain), !now.isUnsent else { return }
                    try index.setProblem(refusal, of: item.id, in: item.domain)
                }
                return .failure(refusal)
            }
            return .success(
                try store.beginMaterialising(
                    item.id, in: item.domain, version: item.item.version.content, size: size,
                    partSize: limits.partSize(of: size),
                    now: now))
        }
        // Not thrown where it was found: what goes from the trash when nothing can be written would not be enough.
        let begun = try outcome.get()
        let provided: Item
        do throws(DocumentError) {
            provided = try await bring(try await look(at: begun, report), from: domain.provider, report)
        } catch {
            switch error.code {
            case .unimplemented, .notPermitted, .versionNoLongerAvailable, .invalidArgument:
                // It gives no parts, after all; or what it has is something else by now.
                try await storage.run { try $0.abandon(begun, because: nil) }
                logger.debug(
                    "a document comes as a whole", metadata: ["domain": "\(item.domain)", "reason": "\(error)"])
                return nil
            default:
                try await end(begun, because: error)
                throw error.about(begun.location)
            }
        }
        do throws(DocumentError) {
            let settled = try await compare(begun, report)
            return try await storage.run { try $0.finish(begun, as: provided, since: settled) }
        } catch {
            try await end(begun, because: error)
            throw domain.provider.blamed(for: error).about(begun.location)
        }
    }

    /// - Parameter error: which of what has come is worth nothing any more, or all of it is for the next time.
    private func end(_ begun: Materialisation, because error: DocumentError) async throws(DocumentError) {
        try await storage.run { store in
            switch error.code {
            case .contractBroken, .protocolViolation, .noSuchItem: try store.abandon(begun, because: error)
            // There may be no room but that of the parts.
            case .localStorage where error.isOutOfSpace: try store.abandon(begun, because: error)
            // That nobody wants it any more, or that it was paused, is nothing that is wrong with it.
            case .cancelled: try store.interrupt(begun, because: nil)
            default: try store.interrupt(begun, because: error)
            }
        }
    }

    /// Reads again what came in an earlier life of the machine, a part at a time.
    private func look(
        at begun: Materialisation, _ report: @escaping Materialiser.ProgressObserver
    ) async throws(DocumentError) -> Materialisation {
        guard let unsure = begun.partial?.unsure, !unsure.isEmpty else { return begun }
        var lost: Set<Int> = []
        for part in unsure.keys.sorted() {
            if Task.isCancelled { throw DocumentError(.cancelled, "The transfer was cancelled.") }
            if try await storage.run({ try !$0.isAsRecorded(part: part, of: begun) }) { lost.insert(part) }
            report(nil)
        }
        return try await storage.run { [lost] in try $0.keep(all: begun, but: lost) }
    }

    /// Reads what has a digest again, a part at a time: what was written to a part after it was given is found.
    private func compare(
        _ begun: Materialisation, _ report: @escaping Materialiser.ProgressObserver
    ) async throws(DocumentError) -> SettledParts? {
        guard let settled = try await storage.run({ try $0.settle(begun) }) else { return nil }
        for part in settled.digests.keys.sorted() {
            if Task.isCancelled { throw DocumentError(.cancelled, "The transfer was cancelled.") }
            try await storage.run { try $0.verify(part: part, in: settled, of: begun) }
            report(nil)
        }
        return settled
    }

    /// Until all parts are here.
    private func bring(
        _ begun: Materialisation, from session: ProviderSession, _ report: @escaping Materialiser.ProgressObserver
    ) async throws(DocumentError) -> Item {
        guard let partial = begun.partial else {
            throw DocumentError(.internal, "\(begun.location) was to come in parts, and nobody knows in which.")
        }
        let transfer = PartialTransfer(
            RangePlan(
                size: partial.size, partSize: partial.partSize, firstRun: Int(limits.firstRun / partial.partSize),
                longestRun: Int(limits.longestRun / partial.partSize), present: partial.digests.keys), report)
        transfer.tell()
        let key = begun.item.key
        transfers.began(transfer, of: key, into: ComingFile(path: begun.file.path, inode: begun.file.identity.inode))
        // From then on who waits for some of it waits for all: the file is on its way to its place.
        defer { transfers.ended(key) }
        let item: Item?
        do {
            item = try await withThrowingTaskGroup(of: Item?.self) { group in
                // Nil: somebody waits for a part.
                group.addTask { await transfer.untilWanted() }
                var item: Item?
                var requests = 0
                while true {
                    while requests < limits.requests + limits.moreRequests,
                        let next = requests < limits.requests ? transfer.next() : transfer.nextWanted()
                    {
                        requests += 1
                        group.addTask {
                            let item = try await bring(next.parts, next.bytes, of: begun, partial, session, transfer)
                            transfers.arrived(key)
                            return item
                        }
                    }
                    guard requests > 0 else {
                        group.cancelAll()
                        return item
                    }
                    if let given = try await group.next() ?? nil {
                        item = given
                        requests -= 1
                    } else if !Task.isCancelled {
                        group.addTask { await transfer.untilWanted() }
                    }
                }
            }
        } catch {
            throw DocumentError(wrapping: error)
        }
        if let item { return item }
        // All of it had come before.
        let now = try await session.item(partial.itemID)
        guard now.version.content == partial.version else {
            throw DocumentError(.versionNoLongerAvailable, "\(begun.location) has changed meanwhile.")
        }
        return now
    }

    private func bring(
        _ parts: Range<Int>, _ bytes: Range<Int64>, of begun: Materialisation, _ partial: PartialContents,
        _ session: ProviderSession, _ transfer: PartialTransfer
    ) async throws(DocumentError) -> Item {
        let start = clock()
        let call = ProviderCall.RangeCall(
            id: partial.itemID, stagingPath: begun.file.path.string, contentVersion: partial.version, range: bytes)
        let item = try await session.provideRange(
            call,
            onProgress: { [transfers] progress in
                if transfer.progressed(progress, of: parts) { transfers.arrived(begun.item.key) }
            })
        guard item.size == nil || item.size == partial.size else {
            throw session.broken("gave a part of \(begun.location), and another size than before for the same version")
        }
        do throws(DocumentError) {
            let elapsed = Double((clock() - start) / .milliseconds(1)) / 1000
            let isFast = Double(bytes.upperBound - bytes.lowerBound) > Double(limits.fast) * elapsed
            try await storage.run { [date] in
                try $0.record(parts: parts, of: begun, now: date(), digesting: !isFast)
            }
        } catch {
            throw session.blamed(for: error)
        }
        transfer.arrived(parts, in: clock() - start)
        var whole = item
        whole.size = partial.size
        return whole
    }
}
