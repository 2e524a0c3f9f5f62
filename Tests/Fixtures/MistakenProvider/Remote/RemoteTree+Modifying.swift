import DocumentModel
import DocumentProvider

extension RemoteTree {
    /// Changes an item, all that is asked or nothing.
    ///
    /// - Parameter size: of the new contents, when there are some.
    mutating func modify(
        _ change: ItemModification, size: Int64?, now: Timestamp
    ) throws(DocumentError) -> RemoteRecord {
        var record = try checkModification(change)
        let old = record
        if let parentID = change.parentID { record.parentID = try folder(for: parentID) }
        if let name = change.name, mistake != .moveKeepsName || record.parentID == old.parentID {
            record.name = stored(name)
        }
        sequence += 1
        if let size {
            if mistake != .sizeNeverChanges { record.size = size }
            record.contentVersion = mistake == .versionKeptOverContents ? record.contentVersion : sequence
            record.modified = now
        }
        if let modified = change.modified { record.modified = kept(modified) ?? now }
        let isRenamed = record.name != old.name
        let isMoved = record.parentID != old.parentID
        if isRenamed, mistake == .contentVersionChangesOverRename, record.kind == .document {
            record.contentVersion = sequence
        }
        if !(isRenamed && mistake == .versionKeptOverRename) { record.metadataVersion = sequence }
        if !(isMoved && mistake == .feedOmitsMoves) { record.changed = sequence }
        try displace(record)
        if isRenamed && mistake == .identifierChangesOverRename || isMoved && mistake == .identifierChangesOverMove
            || size != nil && mistake == .identifierChangesOverContents
        {
            try replaceIdentifier(of: &record)
        }
        if isRenamed, mistake == .folderRenameLosesChildren {
            for var child in children(of: record.id) { try replaceIdentifier(of: &child) }
        }
        records[record.id] = record
        operations[change.operation] = .some(record.id)
        return record
    }

    /// Whether an item could be changed so, before its contents are taken.
    func checkModification(
        _ change: ItemModification, base: ItemVersion? = nil
    ) throws(DocumentError) -> RemoteRecord {
        if change.id == .root { throw DocumentError(.invalidArgument, "The top folder cannot be changed.") }
        guard let record = records[change.id] else {
            if mistake == .unknownItemIsInternalError {
                throw DocumentError(.internal, "Nobody knows why, but it did not work.")
            }
            throw missing(change.id)
        }
        try check(base ?? change.baseVersion, of: record)
        guard change.contents == nil || record.kind == .document else {
            throw DocumentError(.invalidArgument, "“\(record.name)” is a folder, and has no contents of its own.")
        }
        let parent = try change.parentID.map { id throws(DocumentError) in try folder(for: id) } ?? record.parentID
        if mistake != .movedIntoItself, isInside(parent, record.id) {
            throw DocumentError(.invalidArgument, "“\(record.name)” cannot be moved into itself.")
        }
        let name = change.name.map(stored) ?? record.name
        if let there = child(of: parent, named: name), there.id != record.id {
            let isMove = parent != record.parentID
            guard mistake == .renameOverwrites && !isMove || mistake == .moveOverwrites && isMove else {
                throw collision(name)
            }
        }
        return record
    }

    /// Gives an item another version, though nothing of it has changed; only a mistake leads here.
    mutating func touch(_ id: ItemIdentifier) -> RemoteRecord? {
        sequence += 1
        records[id]?.metadataVersion = sequence
        return nil
    }

    /// Takes away what has the name of a changed item; only a mistake leads here.
    private mutating func displace(_ record: RemoteRecord) throws(DocumentError) {
        if let there = child(of: record.parentID, named: record.name), there.id != record.id { bury(there.id) }
    }

    private mutating func replaceIdentifier(of record: inout RemoteRecord) throws(DocumentError) {
        let children = children(of: record.id)
        records[record.id] = nil
        graves.append(RemoteGrave(id: record.id, changed: sequence))
        record.id = try freshIdentifier()
        nextSerial += 1
        sequence += 1
        record.changed = sequence
        records[record.id] = record
        for child in children { records[child.id]?.parentID = record.id }
    }

    private func isInside(_ folder: ItemIdentifier, _ other: ItemIdentifier) -> Bool {
        var place = folder
        while place != .root {
            if place == other { return true }
            guard let above = records[place]?.parentID else { return false }
            place = above
        }
        return false
    }
}
