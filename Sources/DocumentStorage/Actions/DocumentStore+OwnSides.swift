package import DocumentModel

/// This device's side of a conflict, on its way to the remote (VER-2).
package struct SideKeeping: Sendable {
    package var side: OwnSide
    package var item: IndexedItem
    /// What the provider is to take.
    package var snapshot: StagedFile
    package var request: StagingRequest
    package var digest: [UInt8] { side.digest }
}

extension DocumentStore {
    /// Takes a copy of a document in conflict that the remote is to keep, and writes down that it is asked for: what was asked
    /// for before, and not answered, is asked for again under the same name.
    ///
    /// - Returns: nil when the remote has it already, or the document is in conflict no more.
    package func beginKeepingSide(of id: ItemIdentifier, in domain: DomainName) throws -> SideKeeping? {
        let (item, location) = try locate(id, in: domain)
        guard item.state == .conflict, let file = try tree.file(at: location) else { return nil }
        let last = try index.read { try $0.ownSides(of: id, in: domain) }.last
        if let last, last.version != nil, last.isOf(file) { return nil }
        let request = try root.staging.makeRequest(.sending(domain))
        return try takingBack {
            try request.remove()
        } _: {
            let snapshot = try root.staging.snapshot(of: location, in: request)
            let digest = try VersionStore.digest(ofFileAt: snapshot.path)
            let source = snapshot.source ?? file
            let side = OwnSide(
                number: 0, itemID: id, operation: RandomName.make(), digest: digest, inode: source.inode,
                size: source.size, modified: source.modified)
            if var last, last.version != nil, last.digest == digest {
                // A program has set its times, or put the same in its place.
                (last.inode, last.size, last.modified) = (side.inode, side.size, side.modified)
                try index.write { try $0.update(last) }
                try request.remove()
                return nil
            }
            // Of other contents it is another question: each is told apart by its contents.
            let asked = last?.version == nil && last?.digest == digest ? last : nil
            return SideKeeping(
                side: try asked ?? index.write { try $0.addOwnSide(side, in: domain) }, item: item, snapshot: snapshot,
                request: request)
        }
    }

    /// The provider has answered: that is what it keeps now.
    ///
    /// - Throws: `contractBroken` when it cannot be what it was given. Then it is taken for not kept.
    package func finish(_ keeping: SideKeeping, as version: ProvidedVersion) throws {
        defer { try? keeping.request.remove() }
        var side = keeping.side
        if let size = version.size, let given = keeping.snapshot.source?.size, size != given {
            throw DocumentError(
                .contractBroken, "It was given \(given) bytes to keep, and says that it keeps \(size).",
                itemID: side.itemID)
        }
        side.version = version.id
        side.written = version.modified == .zero ? nil : version.modified
        // Where it was asked before, the same contents may be in another file by now.
        if let source = keeping.snapshot.source {
            (side.inode, side.size, side.modified) = (source.inode, source.size, source.modified)
        }
        try index.write { index in
            // It would go with ours, and nobody has resolved it.
            let others = try index.remoteSides(of: side.itemID, in: keeping.item.domain)
            guard !others.contains(where: { $0.version == version.id }) else {
                throw DocumentError(
                    .contractBroken,
                    "It keeps a version under the identifier “\(version.id)”, which another device's has already.",
                    itemID: side.itemID)
            }
            try index.update(side)
        }
    }

    /// Whether a document's file has just these contents. Reads all of it.
    package func hasContents(_ id: ItemIdentifier, in domain: DomainName, digest: [UInt8]) throws -> Bool {
        let (_, location) = try locate(id, in: domain)
        guard try tree.file(at: location) != nil else { return false }
        return try VersionStore.digest(ofFileAt: tree.path(of: location)) == digest
    }
}

extension IndexReader {
    /// Documents in conflict of which the remote does not keep what is here, as far as the index knows.
    package func unkeptSides(in domain: DomainName) throws -> [IndexedItem] {
        let kept = try ownSides(in: domain)
        return try Set(conflicts(in: domain).map(\.itemID)).sorted().compactMap { id in
            guard let item = try item(id, in: domain), item.state == .conflict, let local = item.local else {
                return nil
            }
            let last = kept.last { $0.itemID == id }
            return last?.version != nil && last?.isOf(local) == true ? nil : item
        }
    }

    /// What the remote calls what else is to stay of a document, its own and others'.
    package func versionsToStay(besides side: OwnSide, in domain: DomainName) throws -> Set<String> {
        let own = try ownSides(of: side.itemID, in: domain).filter { $0.number != side.number }.compactMap(\.version)
        let others = try remoteSides(of: side.itemID, in: domain).filter { !$0.isSettled }.map(\.version)
        return Set(own + others)
    }

    /// What the remote is not to keep any more: of documents that are in conflict no more, and whose contents it has or that are
    /// gone; and what newer contents have taken the place of.
    package func needlessOwnSides(in domain: DomainName) throws -> [OwnSide] {
        let sides = try ownSides(in: domain)
        var newest: [ItemIdentifier: Int64] = [:]
        for side in sides where side.version != nil { newest[side.itemID] = side.number }
        return try sides.filter { side in
            if try item(side.itemID, in: domain)?.isUnsent != true { return true }
            return newest[side.itemID].map { side.number < $0 } ?? false
        }
    }
}
