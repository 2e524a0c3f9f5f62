package import DocumentModel
package import DocumentStorage
package import DocumentSync

/// What the index knows of one item, as the planner sees it: its part of the three trees. The planner may be given a part
/// of a domain; what is to be done with an item's contents does not depend on more than this.
extension SyncTrees {
    /// - Parameters:
    ///   - item: as the index has it.
    ///   - root: the domain's top folder.
    ///   - folders: those around it, from the inside outwards: what is made anew goes into them.
    package init(of item: IndexedItem, in root: ItemIdentifier, inside folders: [IndexedItem] = []) {
        self.init(root: root)
        for item in [item] + folders where item.id != root { add(item) }
        guard item.isArriving else { return }
        // Made here; the folders around it are made before it is, also those that were removed on the remote since (VER-15).
        for var folder in folders where folder.isGone {
            folder.isGone = false
            add(folder)
        }
        remote[item.id] = nil
        synced[item.id] = nil
    }

    private mutating func add(_ item: IndexedItem) {
        guard let parent = item.item.parentID, let name = item.item.name else { return }
        // Where it cannot lie here because of a sibling, the index has decided.
        let place = SyncPlace(parentID: parent, name: name)
        // What is in a package is sent document by document, as what is in a folder.
        let kind: ItemKind = item.item.kind == .document ? .document : .folder
        let revision = item.local.map(\.revision)
        remote[item.id] =
            item.isGone
            ? .gone
            : .present(
                Remote(
                    place: place, kind: kind, version: item.item.version.content,
                    stamp: VersionStamp(item.item.modified)))
        local[item.id] = .present(
            Local(
                place: place, kind: kind, revision: revision,
                stamp: VersionStamp(item.local?.modified ?? item.item.modified), isHidden: item.state == .nameClash))
        // A file that was changed is no state that both sides agreed on.
        synced[item.id] = Synced(
            place: place, kind: kind, version: item.synced?.content ?? item.item.version.content,
            revision: item.isUnsent ? nil : revision)
    }

    /// What the planner says of one item; nil when there is nothing to do, or something else has to be done first.
    ///
    /// - Parameter wanting: somebody waits for its contents.
    package func operation(on id: ItemIdentifier, wanting: Bool = false) -> SyncOperation? {
        var circumstances = SyncPlanner.Circumstances()
        if wanting { circumstances.wanted = [id] }
        return SyncPlanner.plan(self, circumstances).operations.first { $0.id == id }
    }
}

extension FileIdentity {
    /// Another one for each state of the file that can be told from others.
    package var revision: UInt64 {
        let parts = [
            inode, UInt64(bitPattern: size), UInt64(bitPattern: modified.seconds), UInt64(modified.nanoseconds),
        ]
        return StableHash(
            parts.lazy.flatMap { part in (0..<8).lazy.map { UInt8(truncatingIfNeeded: part >> ($0 * 8)) } }
        )
        .value
    }
}

extension VersionStamp {
    /// Contents that bear a time and nothing else.
    package init(_ time: Timestamp) {
        let (seconds, overflows) = time.seconds.multipliedReportingOverflow(by: 1_000_000)
        let latest = time.seconds < 0 ? Int64.min : .max
        self.init(time: overflows ? latest : seconds &+ Int64(time.nanoseconds / 1000), device: 0)
    }
}

extension IndexReader {
    /// What is to be done with an item that was changed here, or nil: nothing.
    ///
    /// One in conflict is left alone until somebody says which contents stay (VER-14).
    package func operation(on id: ItemIdentifier, in domain: DomainName) throws -> SyncOperation? {
        guard let item = try self.item(id, in: domain) else { return nil }
        return try operation(on: item)
    }

    /// The same of an item as it is now.
    package func operation(on item: IndexedItem) throws -> SyncOperation? {
        guard item.mayBeUnsent else { return nil }
        return try trees(around: item).operation(on: item.id)
    }

    /// The trees around an item, when something of it is to be sent.
    package func unsentTrees(of id: ItemIdentifier, in domain: DomainName) throws -> SyncTrees? {
        guard let item = try self.item(id, in: domain), item.mayBeUnsent else { return nil }
        let trees = try trees(around: item)
        return trees.operation(on: item.id) == nil ? nil : trees
    }

    /// An item whose contents somebody waits for, and what is to be done so that its current ones are here.
    package func wanted(
        _ id: ItemIdentifier, in domain: DomainName
    ) throws -> (item: IndexedItem, operation: SyncOperation?)? {
        guard let item = try self.item(id, in: domain) else { return nil }
        return (item, item.state == .conflict ? nil : try trees(around: item).operation(on: id, wanting: true))
    }

    /// An item's part of the three trees, with the folders around it.
    package func trees(around item: IndexedItem) throws -> SyncTrees {
        let root = try rootID(of: item.domain)
        var folders: [IndexedItem] = []
        var next = item.item.parentID
        while let id = next, id != root, let folder = try self.item(id, in: item.domain) {
            folders.append(folder)
            next = folder.item.parentID
        }
        return SyncTrees(of: item, in: root, inside: folders)
    }
}

extension KnownItem {
    /// What is to be done so that its current contents are here: what ``IndexReader/wanted(_:in:)`` says.
    var wantedOperation: SyncOperation? {
        guard item.state != .conflict else { return nil }
        let root = folders.last?.id ?? item.id
        return SyncTrees(of: item, in: root, inside: folders).operation(on: item.id, wanting: true)
    }
}

extension IndexedItem {
    fileprivate var mayBeUnsent: Bool {
        state == .changed || state == .sending || (isArriving && item.kind != .document)
    }
}
