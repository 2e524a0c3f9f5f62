package import DocumentModel

/// What other devices have left at the remote of their sides of conflicts (VER-2).
extension DocumentStore {
    /// What has become of the sides of an item.
    package struct SideChange: Sendable {
        package var gained: [RemoteSide] = []
        /// They were resolved elsewhere.
        package var lost: [RemoteSide] = []
        /// What was kept for this device is not kept any more: its conflict was resolved elsewhere.
        package var own: OwnSide?
    }

    /// Records which versions the remote keeps of an item.
    ///
    /// - Parameter asked: the item as it was before the remote was asked.
    package func record(_ versions: [ProvidedVersion], of asked: IndexedItem) throws -> SideChange {
        let (id, domain) = (asked.id, asked.domain)
        let listed = versions.filter { $0.role == .conflict }
        let names = Set(listed.map(\.id))
        var left: [KeptVersion] = []
        let change = try index.write { index in
            var change = SideChange()
            try index.noteSidesListed(of: id, in: domain, metadata: asked.item.version.metadata)
            let known = try index.remoteSides(of: id, in: domain)
            let kept = try index.keptVersions(of: id, in: domain)
            for side in known where !names.contains(side.version) {
                try index.remove(side)
                if !side.isSettled { change.lost.append(side) }
                left += kept.filter { $0.role == .side && $0.identifier == side.identifier }
            }
            let own = try index.ownSides(of: id, in: domain)
            let others = Set(known.map(\.version) + own.compactMap(\.version))
            for version in listed where !others.contains(version.id) {
                let side = RemoteSide(version, of: id)
                try index.addRemoteSide(side, in: domain)
                change.gained.append(side)
            }
            for var side in own where !side.isSeen && side.version.map(names.contains) == true {
                side.isSeen = true
                try index.update(side)
            }
            if var last = own.last, let version = last.version, !names.contains(version) {
                if !last.isSeen {
                    // It may only be late, or gone before it was ever listed: the remote is asked once more, by the same name.
                    last.version = nil
                    try index.update(last)
                } else if try index.item(id, in: domain)?.state == .conflict {
                    change.own = last
                } else {
                    // There is nothing to be followed. In conflict once more, the same contents are to be kept once more.
                    try index.remove(last)
                }
            }
            return change
        }
        try drop(left)
        return change
    }

    /// Keeps the contents of a side that the provider has given, under the name that it has here. The request ends in any case.
    ///
    /// - Throws: `contractBroken` when they are not those that it has listed.
    package func keepSide(
        _ file: StagedFile, of request: StagingRequest, as version: ProvidedVersion, side: RemoteSide,
        in domain: DomainName
    ) throws -> KeptVersion {
        defer { try? request.remove() }
        let stamp = ItemStamp(
            domain: domain, id: side.itemID, contentVersion: [], size: version.size ?? 0, modified: version.modified)
        guard side.isOf(version) else {
            throw DocumentError(
                .contractBroken,
                "It gave other contents of the version “\(side.version)” than it had listed. Nothing was changed here.",
                itemID: side.itemID)
        }
        let verified = try request.verify(
            file, size: version.size ?? side.size, sha256: version.sha256 ?? side.digest, stamp: stamp)
        let (_, location) = try locate(side.itemID, in: domain)
        if let known = try fetchedSide(side, in: domain) { return known }
        let kept = KeptVersion(
            itemID: side.itemID, role: .side, version: .none,
            kept: try root.versions.keep(verified, of: location, in: side.identifier), size: verified.identity.size,
            modified: version.modified, device: version.savedBy ?? "")
        try index.write { index in
            for old in try index.keptVersions(of: side.itemID, in: domain)
            where old.role == .side && old.identifier == side.identifier {
                try index.removeKeptVersion(number: old.number)
            }
            try index.addKeptVersion(kept, in: domain)
        }
        return kept
    }

    /// The contents of a side, where they are here.
    package func fetchedSide(_ side: RemoteSide, in domain: DomainName) throws -> KeptVersion? {
        try index.read { try $0.keptVersions(of: side.itemID, in: domain) }
            .first { kept in
                try kept.role == .side && kept.identifier == side.identifier
                    && root.versions.status(of: kept.kept) != nil
            }
    }

    /// Sides are resolved here: from now on they are none any more, and go at the remote as soon as that can be (VER-6).
    package func settle(_ sides: [RemoteSide]) throws {
        try index.write { index in for side in sides { try index.settle(side) } }
    }

    /// The remote does not keep it any more.
    package func forget(_ side: RemoteSide, in domain: DomainName) throws {
        let left = try index.read { try $0.keptVersions(of: side.itemID, in: domain) }
            .filter { $0.role == .side && $0.identifier == side.identifier }
        try index.write { try $0.remove(side) }
        try drop(left)
    }

    /// What the remote keeps of an item is asked for once more.
    package func listSidesAgain(of id: ItemIdentifier, in domain: DomainName) throws {
        try index.write(durably: false) { try $0.noteSidesListed(of: id, in: domain, metadata: nil) }
    }

    /// The same of all documents of which the remote keeps this device's side: what it has said of them may not have been
    /// followed to the end.
    package func listOwnSidesAgain(in domain: DomainName) throws {
        let documents = try index.read { Set(try $0.ownSides(in: domain).filter { $0.version != nil }.map(\.itemID)) }
        guard !documents.isEmpty else { return }
        try index.write(durably: false) { index in
            for id in documents.sorted() { try index.noteSidesListed(of: id, in: domain, metadata: nil) }
        }
    }

    package func forget(_ side: OwnSide) throws { try index.write { try $0.remove(side) } }
}

extension IndexReader {
    /// Those that were resolved here and are to go at the remote: of documents that hold nothing that was not sent, which may
    /// be just these contents.
    package func settledSides(in domain: DomainName) throws -> [RemoteSide] {
        try remoteSides(in: domain).filter { side in
            guard let item = try item(side.itemID, in: domain) else { return true }
            return side.isSettled && !item.isUnsent
        }
    }
}
