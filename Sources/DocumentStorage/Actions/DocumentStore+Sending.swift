package import DocumentModel

extension DocumentStore {
    /// The item is `sending`. After an answer finish; after a refusal abandon or record the conflict; without an
    /// answer (the provider died) ask again with the same value, since it may have been carried out.
    ///
    /// - Parameter seen: the item, and where its file is, as somebody has just read it.
    package func beginSending(
        _ id: ItemIdentifier, in domain: DomainName, seen: (item: IndexedItem, location: Location)? = nil
    ) throws -> Sending {
        var seen = seen
        while true {
            if let sending = try snapshotAndBegin(seen ?? locate(id, in: domain), in: domain) { return sending }
            seen = nil
        }
    }

    /// The snapshot comes first: until the entry is written down it is nobody's, and is swept at the next start. The entry is on
    /// disk before the provider is asked: also when the machine fails, it is asked for the same by the same name.
    ///
    /// - Returns: nil when the item was changed in the index, or moved, while its snapshot was made.
    private func snapshotAndBegin(
        _ seen: (item: IndexedItem, location: Location), in domain: DomainName
    ) throws -> Sending? {
        let (item, location) = seen
        guard item.state == .changed, let base = item.synced else {
            throw DocumentError(
                item.state == .conflict ? .inConflict : .invalidArgument,
                "\(location) is \(item.state.rawValue): there is nothing to be sent.")
        }
        var payload = JournalPayload()
        payload.boot = root.boot
        payload.base = base
        payload.place = location.components
        payload.isMaking = item.isArriving
        let earlier = try index.read { try $0.outstanding(of: item) }
        let request = try root.staging.makeRequest(reusing: .sending(domain))
        payload.staging = request.name
        return try takingBack {
            try remove(request, of: domain)
        } _: {
            try reached(.sendBegan)
            try refuseAnothers(item, at: location)
            let snapshot = try root.staging.snapshot(of: location, in: request)
            payload.file = snapshot.source
            payload.digest = digest(of: snapshot)
            let isRepeated = payload.takeName(of: earlier)
            if !isRepeated { payload.operation = RandomName.make() }
            let begun: (entry: JournalEntry, item: IndexedItem, folderRow: Int64?)? = try index.write { index in
                guard try index.isStill(item, at: location) else { return nil }
                try index.setState(.sending, of: item.id, in: domain)
                let entry = try index.begin(.sendSnapshotTaken, item: item.id, in: domain, payload: payload)
                return (entry, try index.known(item.id, in: domain), try index.folderRow(of: item))
            }
            guard let begun, let operation = payload.operation else {
                try remove(request, of: domain)
                return nil
            }
            try reached(.sendSnapshotTaken)
            var asked = item
            // What was told since is newer than the answer, perhaps.
            if isRepeated { asked.item.version = base }
            return Sending(
                entry: begun.entry, item: asked, begun: begun.item, location: location, snapshot: snapshot, base: base,
                operation: operation, isRepeated: isRepeated, folderRow: begun.folderRow)
        }
    }

    /// Takes the snapshot of a send that was begun once more.
    func snapshot(_ entry: JournalEntry, _ item: IndexedItem, _ location: Location) throws -> Sending {
        guard let name = entry.payload.staging, let operation = entry.payload.operation, let base = entry.payload.base
        else { throw DocumentError(.internal, "The journal's entry \(entry.id) lacks what a send needs.") }
        let snapshot = try root.staging.snapshot(of: location, in: request(named: name))
        var entry = entry
        entry.payload.file = snapshot.source
        entry = try index.write(durably: false) { try $0.advance(entry, to: .sendSnapshotTaken) }
        try reached(.sendSnapshotTaken)
        return Sending(
            entry: entry, item: item, location: location, snapshot: snapshot, base: base, operation: operation,
            isRepeated: true, folderRow: try index.read { try $0.folderRow(of: item) })
    }
}
