package import DocumentModel
internal import Logging

/// What the remote has of a document, and lies here beside its file, when the document is removed (VER-2). Who removes a
/// document in conflict has seen one side at most: each of them goes into the trash.
extension DocumentStore {
    /// Contents that are kept beside a document's file, and the rows that tell of them.
    fileprivate struct KeptSide {
        var itemID: ItemIdentifier
        var location: Location
        var kept: String
        var conflict: Int64?
        var version: Int64?
    }

    /// To be done before the documents themselves go, so that what was in their files is the newest of what is in the trash.
    ///
    /// - Parameters:
    ///   - discardingEdits: else what was changed here survives, with its conflict.
    ///   - skippingTrash: they go for good.
    func trashSides(
        of ids: [ItemIdentifier], in domain: DomainName, discardingEdits: Bool, skippingTrash: Bool
    ) throws {
        let sides = try index.read { try $0.sides(of: ids, in: domain, discardingEdits: discardingEdits) }
        try putAside(sides, in: domain, skippingTrash: skippingTrash)
    }

    /// Sides of conflicts whose documents are gone. Of those it is known only what they were called.
    func trashForgottenSides() throws {
        for domain in try index.read({ try $0.domains() }).map(\.name) {
            let forgotten = try index.read { index in
                try index.conflicts(in: domain).filter { try index.item($0.itemID, in: domain) == nil }
            }
            let sides = forgotten.compactMap { conflict -> KeptSide? in
                let last = conflict.kept.split(separator: "/").last.map(String.init)
                guard let name = last.flatMap({ try? ItemName($0) }) else { return nil }
                return KeptSide(
                    itemID: conflict.itemID, location: Location(domain: domain, components: [name]),
                    kept: conflict.kept, conflict: conflict.number)
            }
            try putAside(sides, in: domain, skippingTrash: false)
        }
    }

    private func putAside(_ sides: [KeptSide], in domain: DomainName, skippingTrash: Bool) throws {
        guard !sides.isEmpty else { return }
        var taken: [TakenFile] = []
        var done: [KeptSide] = []
        for side in sides {
            do {
                let file = try root.versions.status(of: side.kept)
                let slot = file.flatMap { skippingTrash ? nil : trashSlot(for: $0, at: side.location) }
                if let file, let slot, try root.versions.move(side.kept, to: slot) {
                    taken.append(
                        TakenFile(
                            id: side.itemID, location: side.location, file: file, recorded: nil,
                            trashed: entry(slot.id, side.location, file)))
                } else {
                    try root.versions.remove(side.kept)
                }
                done.append(side)
            } catch {
                // Whatever is wrong with it, the document is removed; the next start finds it.
                logger.warning(
                    "what the remote had of a removed document stays among the versions",
                    metadata: ["path": "\(root.versions.path(of: side.kept))", "error": "\(error)"])
            }
        }
        if !taken.isEmpty { try root.trash.flush(domain) }
        try index.write(durably: false) { index in
            try recordTrash(of: taken, in: index)
            for side in done {
                if let number = side.conflict { try index.removeConflict(number: number) }
                if let number = side.version { try index.removeKeptVersion(number: number) }
            }
        }
        try trimTrash(after: taken)
    }

    /// Documents at or below one that are to be removed with what was changed here and not sent, while the remote has other
    /// contents that are not here: nobody here has seen those, and nothing would be left of them.
    package func unseenSides(within id: ItemIdentifier, in domain: DomainName) throws -> [IndexedItem] {
        guard try index.read({ try $0.trashLimits() }).keepsAnything, try root.shortage() == 0 else { return [] }
        return try index.read { index in
            let conflicts = try index.conflicts(in: domain)
            return try index.present(within: id, in: domain).filter { item in
                guard item.isUnsent, !item.isArriving, !item.isGone, item.item.capabilities.contains(.read),
                    item.state == .conflict || item.synced?.content != item.item.version.content,
                    try !conflicts.contains(where: { try $0.itemID == item.id && isWhatRemoteHas($0, of: item) })
                else { return false }
                return try !index.keptVersions(of: item.id, in: domain).contains { kept in
                    try kept.isKnown(to: item) && root.versions.status(of: kept.kept) != nil
                }
            }
        }
    }
}

extension IndexReader {
    fileprivate func sides(
        of ids: [ItemIdentifier], in domain: DomainName, discardingEdits: Bool
    ) throws -> [DocumentStore.KeptSide] {
        let conflicts = Dictionary(grouping: try conflicts(in: domain), by: \.itemID)
        return try ids.flatMap { id -> [DocumentStore.KeptSide] in
            guard let item = try item(id, in: domain), item.item.kind == .document, discardingEdits || !item.isUnsent
            else { return [] }
            let isOther = item.local == nil || item.synced?.content != item.item.version.content
            let versions = try isOther ? keptVersions(of: id, in: domain).filter { $0.isKnown(to: item) } : []
            guard !versions.isEmpty || conflicts[id] != nil else { return [] }
            let (_, location) = try located(id, in: domain)
            return (conflicts[id] ?? []).map {
                DocumentStore.KeptSide(itemID: id, location: location, kept: $0.kept, conflict: $0.number)
            }
                + versions.map {
                    DocumentStore.KeptSide(itemID: id, location: location, kept: $0.kept, version: $0.number)
                }
        }
    }
}

extension KeptVersion {
    /// Whether these are the contents that the remote has of an item.
    fileprivate func isKnown(to item: IndexedItem) -> Bool {
        let version = item.item.version
        guard role != .base, role != .side, !version.content.isEmpty else { return false }
        return self.version.content == version.content || isRemote(version, of: item.id)
    }
}
