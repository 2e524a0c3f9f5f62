import DocumentModel
import DocumentStorage
import DocumentSync
import FileCoordination
import Logging
import Synchronization

/// What there is to bring.
extension PinKeeper {
    /// Called where the index was written: what is new or has changed in what is pinned is looked at.
    func changed(_ changes: [ItemChange]) {
        let keys = Set(
            changes.compactMap { change -> ItemKey? in
                if case .removed = change.kind { return nil }
                return ItemKey(domain: change.domain, id: change.id)
            })
        if !keys.isEmpty { work.add { [self] in await look(at: keys) } }
    }

    private func look(at keys: Set<ItemKey>) async {
        for key in keys {
            do throws(DocumentError) {
                let item = try storage.read { index -> IndexedItem? in
                    guard try index.hasMarks(in: key.domain), let item = try index.item(key.id, in: key.domain),
                        !item.isGone, try index.marks(of: item).keeping == .pinned
                    else { return nil }
                    return item
                }
                guard let item else { continue }
                if item.item.kind != .document {
                    let isListed = try storage.read { try $0.listing(of: key.id, in: key.domain).isComplete }
                    if !isListed { await scan(item, isAsked: false) }
                } else if !item.isCurrent, standing(of: key).standing == .none {
                    // What is under way, or has failed, is tried again by itself: what it writes is no reason.
                    add(key)
                }
            } catch {
                logger.warning("a pinned item could not be looked up", metadata: metadata(key, error))
            }
        }
    }

    /// Everything at and below an item; folders that are not known are listed.
    func scan(_ item: IndexedItem, isAsked: Bool) async {
        var folders = [item]
        // A provider may say nothing by itself of what is new in these, or be ended for having nothing to do.
        var kept: [ItemIdentifier] = []
        if item.item.kind == .document, let parent = item.item.parentID, !parent.isArriving { kept.append(parent) }
        defer {
            if !isAsked, !kept.isEmpty, let domain = domains.find(item.domain) { lookout.keep(kept, in: domain) }
        }
        // Of which not all is known; what is below the others is asked for by itself.
        var failed: [IndexedItem] = []
        while let next = folders.popLast() {
            // The next host goes on with it.
            if Task.isCancelled { return }
            guard next.state != .nameClash else { continue }
            guard next.item.kind != .document else {
                want(next, isAsked)
                continue
            }
            if !next.id.isArriving { kept.append(next.id) }
            do throws(DocumentError) {
                let domain = try domains.domain(next.domain)
                let isListed = try storage.read { try $0.listing(of: next.id, in: next.domain).isComplete }
                if !isListed { try await follower.list(next.id, of: domain) }
                var cursor: ChildCursor?
                repeat {
                    let after = cursor
                    let page = try storage.read {
                        try $0.children(of: next.id, in: next.domain, after: after, limit: 500)
                    }
                    let documents = page.items.filter { $0.item.kind == .document && !$0.isGone && isWanting($0) }
                    if isAsked { try await requests.keep(documents) }
                    for child in page.items where !child.isGone {
                        if child.item.kind == .document { want(child, isAsked) } else { folders.append(child) }
                    }
                    cursor = page.next
                } while cursor != nil
            } catch {
                if [.transient, .resolvable].contains(error.code.errorClass) { failed.append(next) }
                logger.notice("what is below a folder could not be brought", metadata: metadata(next.key, error))
            }
        }
        if isAsked, item.item.kind != .document { await endScan(of: item, failed) }
    }

    /// What could not be listed for the moment is tried again, and asked for by itself; nothing else keeps the folder asked for.
    private func endScan(of item: IndexedItem, _ failed: [IndexedItem]) async {
        do throws(DocumentError) {
            try await requests.keep(failed)
        } catch {
            return logger.notice("what is below a folder is asked for again later", metadata: metadata(item.key, error))
        }
        if !failed.contains(where: { $0.key == item.key }) { requests.drop(item.key) }
        let domain = item.domain
        let failures = state.withLock { state in
            let count = failed.isEmpty ? 0 : (state.failedScans[domain] ?? 0) + 1
            state.failedScans[domain] = failed.isEmpty ? nil : count
            return count
        }
        guard failures > 0 else { return }
        let pause = Self.firstRescan * (1 << min(failures - 1, Self.mostDoublings))
        rescans.wake(domain, at: clock() + pause) { [self] in
            await takeUpRequests(of: domain, foldersOnly: true)
        }
    }

    private func want(_ item: IndexedItem, _ isAsked: Bool) {
        guard isWanting(item) else {
            if isAsked { requests.drop(item.key) }
            return
        }
        add(item.key)
    }

    /// Whether there is something of it to be brought.
    func isWanting(_ item: IndexedItem) -> Bool {
        !item.isCurrent && !item.isUnsent && item.state != .nameClash
    }
}
