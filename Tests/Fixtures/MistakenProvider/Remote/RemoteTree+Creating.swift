import DocumentModel
import DocumentProvider

extension RemoteTree {
    /// What a create that was done before came to; nil when it was not.
    func earlier(_ operation: String) throws(DocumentError) -> RemoteRecord? {
        guard let outcome = operations[operation] else { return nil }
        guard let id = outcome else {
            throw DocumentError(.invalidArgument, "This operation's name was used for a removal. Use a new one.")
        }
        return try record(id)
    }

    /// Whether an item could be made, before its contents are taken.
    func checkCreation(_ creation: ItemCreation) throws(DocumentError) {
        guard (creation.kind == .document) == (creation.contents != nil) else {
            throw DocumentError(
                .invalidArgument, "“\(creation.name)”: a document needs contents, and a folder has none."
            )
        }
        let parent = try folder(for: creation.parentID)
        guard mistake != .createOverwrites, mistake != .createChoosesAnotherName else { return }
        guard mistake != .repeatedCreateMakesSecond || operations[creation.operation] == nil else { return }
        guard child(of: parent, named: stored(creation.name)) == nil else { throw collision(creation.name) }
    }

    /// Makes an item.
    mutating func create(
        _ creation: ItemCreation, size: Int64, now: Timestamp
    ) throws(DocumentError) -> RemoteRecord {
        try checkCreation(creation)
        let parent = try folder(for: creation.parentID)
        var name = stored(creation.name)
        if let there = child(of: parent, named: name) {
            switch mistake {
            case .createOverwrites: bury(there.id)
            case .createChoosesAnotherName, .repeatedCreateMakesSecond: name = freeName(like: name, in: parent)
            default: throw collision(name)
            }
        }
        sequence += 1
        let hasContents = creation.kind == .document || mistake == .foldersHaveContents
        let record = RemoteRecord(
            id: try freshIdentifier(), serial: nextSerial, parentID: parent, name: name, kind: creation.kind,
            size: creation.kind == .folder && hasContents ? 4096 : size, modified: kept(creation.modified) ?? now,
            created: now, contentVersion: hasContents ? sequence : 0, metadataVersion: sequence, changed: sequence
        )
        nextSerial += 1
        records[record.id] = record
        operations[creation.operation] = .some(record.id)
        return record
    }

    /// Removes an item, with all that is in it.
    mutating func delete(_ deletion: ItemDeletion) throws(DocumentError) {
        if operations[deletion.operation] == .some(nil), mistake != .deleteOfGoneFails { return }
        if deletion.id == .root {
            throw DocumentError(.deletionRejected, "The top folder cannot be removed.")
        }
        guard let record = records[deletion.id] else {
            if mistake == .deleteOfGoneFails { throw missing(deletion.id) }
            return
        }
        if mistake != .baseVersionIgnoredOnDelete { try check(deletion.baseVersion, of: record) }
        let below = descendants(of: record.id)
        if !below.isEmpty {
            let isRefused = deletion.recursive ? mistake == .recursiveRemovalRefused : mistake != .fullFolderRemoved
            guard !isRefused else {
                throw DocumentError(.directoryNotEmpty, "“\(record.name)” is not empty. Remove what is in it first.")
            }
        }
        if mistake != .removalLeavesChildren {
            for record in below.reversed() { bury(record.id, isTold: mistake != .feedOmitsDescendants) }
        }
        bury(record.id)
        operations[deletion.operation] = .some(nil)
    }

    // MARK: Parts

    mutating func bury(_ id: ItemIdentifier, isTold: Bool = true) {
        records[id] = nil
        sequence += 1
        if isTold { graves.append(RemoteGrave(id: id, changed: sequence)) }
        forgetOldGraves()
    }

    mutating func freshIdentifier() throws(DocumentError) -> ItemIdentifier {
        if mistake == .identifierReused, let grave = graves.popLast() { return grave.id }
        return try ItemIdentifier("\(identifierPrefix)\(nextSerial)")
    }

    /// The folder that something is to be put into.
    func folder(for id: ItemIdentifier) throws(DocumentError) -> ItemIdentifier {
        if mistake == .documentTakenForFolder, let record = records[id], record.kind == .document {
            return record.parentID
        }
        if mistake == .unknownParentTakenForTop, id != .root, records[id] == nil { return .root }
        try checkFolder(id)
        return id
    }

    func check(_ base: ItemVersion, of record: RemoteRecord) throws(DocumentError) {
        var base = base
        let version = try record.version
        if mistake == .baseVersionIgnored { base = try ItemVersion(content: [], metadata: base.metadata) }
        if mistake == .baseMetadataVersionIgnored { base = base.contentOnly }
        guard version.satisfies(base) else {
            throw DocumentError(
                .versionNoLongerAvailable, "“\(record.name)” has changed since: list its folder again, and try again."
            )
        }
    }

    func collision(_ name: ItemName) -> DocumentError {
        DocumentError(.nameCollision, "There is something called “\(name)” already. Choose another name.")
    }

    /// A time of change, as it is stored.
    func kept(_ time: Timestamp?) -> Timestamp? {
        switch mistake {
        case .modifiedTimeLost: nil
        case .nanosecondsLost: time.map { Timestamp(seconds: $0.seconds) }
        default: time
        }
    }

    private func freeName(like name: ItemName, in folder: ItemIdentifier) -> ItemName {
        for number in 2... {
            if let free = try? ItemName("\(number) \(name)"), child(of: folder, named: free) == nil { return free }
        }
        return name
    }
}
