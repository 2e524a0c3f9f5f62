package import DocumentModel

/// Contents on their way from the provider.
package struct Materialisation: Sendable {
    package var entry: JournalEntry
    /// As it was before.
    package var item: IndexedItem
    package var location: Location
    /// What the provider is to fill.
    package var file: StagedFile
}

extension DocumentStore {
    /// The item is `materialising`; `file` is what the provider is to fill.
    package func beginMaterialising(_ id: ItemIdentifier, in domain: DomainName) throws -> Materialisation {
        let request = try root.staging.makeRequest()
        return try takingBack {
            try request.remove()
        } _: {
            let file = try request.makeFile()
            var payload = JournalPayload()
            payload.staging = request.name
            payload.file = file.identity
            // Need not survive the machine: what is lost then is only that something was begun.
            let materialisation = try index.write(durably: false) { index in
                let (item, location) = try index.located(id, in: domain)
                try Self.refuseMaterialising(item, at: location)
                payload.place = location.components
                try index.setState(.materialising, of: id, in: domain)
                let entry = try index.begin(.materialiseBegan, item: id, in: domain, payload: payload)
                return Materialisation(entry: entry, item: item, location: location, file: file)
            }
            try reached(.materialiseBegan)
            return materialisation
        }
    }

    private static func refuseMaterialising(_ item: IndexedItem, at location: Location) throws {
        guard item.item.kind == .document else {
            throw DocumentError(
                .invalidArgument, "\(location) is a \(item.item.kind): only documents have contents to be fetched.")
        }
        guard !item.isUnsent else {
            throw DocumentError(.unsyncedEdits, "\(location) has changes that were not sent yet: send them first.")
        }
    }

    /// Verifies what the provider has filled and puts it at the item's place. When it throws, abandon.
    ///
    /// - Parameters:
    ///   - item: what the provider answered, in exactly the version written.
    ///   - sha256: the contents' digest, where one is known.
    package func finish(
        _ materialisation: Materialisation, as item: Item, sha256: [UInt8]? = nil
    ) throws -> IndexedItem {
        let (id, domain) = (materialisation.item.id, materialisation.item.domain)
        guard item.id == id else {
            throw DocumentError(
                .contractBroken, "The provider of \(domain) was asked for the item “\(id)” and gave “\(item.id)”.",
                itemID: id)
        }
        let request = try self.request(named: materialisation.file.request)
        let stamp = ItemStamp(
            domain: domain, id: id, contentVersion: item.version.content, size: 0, modified: item.modified)
        let staged = try request.verify(materialisation.file, size: item.size, sha256: sha256, stamp: stamp)
        try reached(.materialiseVerified)

        // It may have been renamed, or the provider may have told of a newer version, while the contents came.
        let (now, location) = try locate(id, in: domain)
        let file = try tree.publish(staged, at: location, replacing: now.local)
        try reached(.materialisePublished)

        // Need not survive the machine: the file is on disk, and its stamp says whose it is and in which version.
        let (outcome, done) = try index.write(durably: false) { index in
            let wasOvertaken =
                now.item.version.content != materialisation.item.item.version.content
                && now.item.version.content != item.version.content
            let outcome = wasOvertaken ? ApplyOutcome() : try index.apply([item], in: domain)
            try index.setMaterialised(
                id, in: domain, version: item.version, file: file, state: wasOvertaken ? .outdated : .materialised)
            try index.finish(materialisation.entry)
            return (outcome, try index.item(id, in: domain))
        }
        try? root.placeholders.remove(at: location)
        // What stays because of an error is swept at the next start.
        try? request.remove()
        try reached(.materialiseRecorded)
        try perform(outcome)
        guard let done, outcome.work.isEmpty else { return try current(id, in: domain) }
        return done
    }

    /// Nothing of it stays; the item is what it was before, with the error as its problem.
    package func abandon(_ materialisation: Materialisation, because error: DocumentError?) throws {
        let (id, domain) = (materialisation.item.id, materialisation.item.domain)
        guard let (now, location) = try? locate(id, in: domain) else {
            // The item went away meanwhile.
            try index.write(durably: false) { try $0.finish(materialisation.entry) }
            return discard(request: materialisation.file.request)
        }
        var isHere = now.local != nil
        // The last step before the index was told may have failed after the file was at its place.
        if let found = try? tree.file(at: location), found.inode == materialisation.file.identity.inode {
            try tree.removeFile(at: location, expecting: found)
            isHere = false
        }
        // Before the index is told: what fills the disk may keep it from being written to.
        discard(request: materialisation.file.request)
        try index.write(durably: false) { index in
            if isHere {
                let isCurrent = now.synced?.content == now.item.version.content
                try index.setState(isCurrent ? .materialised : .outdated, of: id, in: domain)
            } else {
                try index.setPlaceholder(id, in: domain)
            }
            try index.setProblem(error, of: id, in: domain)
            try index.finish(materialisation.entry)
        }
        if !isHere { refreshPlaceholder(id, in: domain) }
    }
}
