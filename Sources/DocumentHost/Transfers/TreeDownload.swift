import DocumentModel
import DocumentStorage

/// Has the contents of everything below a folder here, many documents at a time, so that a provider with a slow remote is
/// kept busy also when the tree has many small folders.
struct TreeDownload: Sendable {
    /// How many folders and documents are under way at once: more than a server is asked at a time, and few enough that what
    /// others want does not wait behind them for long.
    static let width = 32
    private static let pageSize = 200
    /// What is wrong with one document, and says nothing of the others.
    private static let ofOneDocument: Set<DocumentError.Code> = [
        .noSuchItem, .notPermitted, .versionNoLongerAvailable, .cannotSynchronize,
    ]

    /// A folder that is still to be read, from somewhere on.
    struct Reading: Sendable {
        var folder: IndexedItem
        /// Nil at its beginning, which is when it is listed.
        var after: ChildCursor?
    }

    private enum Ended: Sendable {
        case read(documents: [IndexedItem], folders: [Reading], rest: Reading?)
        case brought(IndexedItem)
        case paused(IndexedItem)
        case failed(DocumentError, IndexedItem?)
    }

    let storage: StorageThreads
    /// Documents that wait for their turn (XFER-8).
    let requests: DownloadRequests
    let list: @Sendable (IndexedItem) async throws(DocumentError) -> Void
    /// The document as it is now; nil when it need not be brought.
    let wanted: @Sendable (IndexedItem) async throws(DocumentError) -> IndexedItem?
    /// Whether it is here; false when it is paused.
    let bring: @Sendable (IndexedItem) async throws(DocumentError) -> Bool

    /// - Returns: what is paused, and keeps no other's place, when all others are here.
    /// - Throws: the first failure, when everything that was under way has ended. After one that is not of a single document
    ///   nothing is begun any more.
    func callAsFunction(_ folder: IndexedItem) async throws(DocumentError) -> [IndexedItem] {
        var walk = TreeWalk<Reading, IndexedItem>(from: Reading(folder: folder), width: Self.width)
        var failure: DocumentError?
        let paused = await carryOut(&walk, &failure)
        requests.remove(paused.map(\.key))
        if let failure { throw failure }
        return paused
    }

    /// The same for somebody who has claimed nothing: what is paused is waited for, and comes as it is resumed.
    func callAsFunction(_ folder: IndexedItem, waitingFor pauses: PauseGate) async throws(DocumentError) {
        var walk = TreeWalk<Reading, IndexedItem>(from: Reading(folder: folder), width: Self.width)
        var failure: DocumentError?
        var paused = await carryOut(&walk, &failure)
        while !paused.isEmpty, !walk.hasFailed {
            let keys = paused.map(\.key)
            defer { requests.remove(keys) }
            try await pauses.untilResumed(anyOf: keys)
            walk.again(try storage.read { index in try paused.compactMap { try index.now($0) } })
            paused = await carryOut(&walk, &failure)
        }
        requests.remove(paused.map(\.key))
        if let failure { throw failure }
    }

    /// - Returns: what is paused; people see that it waits until its request is removed.
    private func carryOut(
        _ walk: inout TreeWalk<Reading, IndexedItem>, _ failure: inout DocumentError?
    ) async -> [IndexedItem] {
        var paused: [IndexedItem] = []
        requests.add(walk.waiting.map(\.key))
        await withTaskGroup(of: Ended.self) { group in
            while true {
                while let step = walk.next() { group.addTask { await carryOut(step) } }
                guard let ended = await group.next() else { break }
                switch ended {
                case .read(let documents, let folders, let rest):
                    requests.add(documents.map(\.key))
                    walk.read(documents, folders: folders, rest: rest)
                case .brought(let item):
                    requests.remove([item.key])
                    walk.ended()
                case .paused(let item):
                    paused.append(item)
                    walk.ended()
                case .failed(let error, let item):
                    if let item { requests.remove([item.key]) }
                    // What was removed on the way is not missed.
                    if let item, error.code == .noSuchItem, isGone(item) {
                        walk.ended()
                        continue
                    }
                    failure = failure ?? error
                    walk.ended(item == nil || !Self.ofOneDocument.contains(error.code))
                }
            }
        }
        requests.remove(walk.waiting.map(\.key))
        return paused
    }

    private func isGone(_ item: IndexedItem) -> Bool {
        guard let now = try? storage.read({ try $0.item(item.id, in: item.domain) }) else { return true }
        return now.isGone
    }

    private func carryOut(_ step: TreeWalk<Reading, IndexedItem>.Step) async -> Ended {
        switch step {
        case .read(let reading):
            do throws(DocumentError) {
                return try await read(reading)
            } catch {
                return .failed(error, nil)
            }
        case .bring(let item):
            do throws(DocumentError) {
                return try await bring(item) ? .brought(item) : .paused(item)
            } catch {
                return .failed(error, item)
            }
        }
    }

    private func read(_ reading: Reading) async throws(DocumentError) -> Ended {
        let folder = reading.folder
        if reading.after == nil { try await list(folder) }
        let page = try storage.read {
            try $0.children(of: folder.id, in: folder.domain, after: reading.after, limit: Self.pageSize)
        }
        var documents: [IndexedItem] = []
        var folders: [Reading] = []
        for item in page.items where item.state != .nameClash && !item.isGone {
            if item.item.kind != .document {
                folders.append(Reading(folder: item))
            } else if let item = try await wanted(item) {
                documents.append(item)
            }
        }
        return .read(documents: documents, folders: folders, rest: page.next.map { Reading(folder: folder, after: $0) })
    }
}
