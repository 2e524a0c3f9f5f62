/// One thing to do so that here and the remote agree again.
package enum SyncOperation: Hashable, Sendable {
    /// Move what is on disk to where the remote has it.
    case relocate(to: ItemTrees.Place)
    /// The remote has newer contents; what is here is not current any more, and is fetched again on the next access
    /// (DOWN-3).
    case markOutdated
    /// Send what was changed here; the change began from this version.
    case send(baseVersion: [UInt8])
    /// Both sides changed: fetch the remote's contents beside ours, keep both, and say so (VER-2).
    case keepBoth(remoteVersion: [UInt8])
    /// The item is gone on the remote, and what is here is what was agreed on: remove it here.
    case remove
    /// The item is gone on the remote, and was changed here: the edit survives as a new item (VER-15).
    case sendAsNew
}

/// Compares the three trees of an item and says what to do: a pure function.
package enum SyncPlanner {
    package static func plan(_ item: ItemTrees) -> [SyncOperation] {
        guard let remote = item.remote else {
            return item.local == .changed ? [.sendAsNew] : [.remove]
        }
        var operations: [SyncOperation] = []
        if let synced = item.synced, synced.place != remote.place {
            operations.append(.relocate(to: remote.place))
        }
        guard let synced = item.synced else {
            // Contents that no version is known of cannot be called a change of the remote's.
            if item.local == .changed { operations.append(.keepBoth(remoteVersion: remote.contentVersion)) }
            return operations
        }
        switch (item.local, synced.contentVersion == remote.contentVersion) {
        case (.absent, _), (.clean, true): break
        case (.clean, false): operations.append(.markOutdated)
        case (.changed, true): operations.append(.send(baseVersion: synced.contentVersion))
        case (.changed, false): operations.append(.keepBoth(remoteVersion: remote.contentVersion))
        }
        return operations
    }
}
