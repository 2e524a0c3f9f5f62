package import DocumentModel
internal import Logging

/// The trash (CONT-13): contents that were here when their document was removed, here or at its provider, are put aside
/// for a while instead of being removed with it. One file gets another place; nothing is copied.
extension DocumentStore {
    /// Takes the contents of a document that is gone out of the tree, into the trash where they are to be kept.
    ///
    /// - Parameter isKept: they are not: there is a copy of them elsewhere.
    func takeAway(_ file: FileIdentity, of item: IndexedItem, at location: Location, isKept elsewhere: Bool) throws {
        let slot = try elsewhere ? nil : trashSlot(for: file, of: item, at: location)
        let isInTrash = try tree.removeFile(at: location, expecting: file, into: slot)
        if isInTrash { try reached(.removeKept) }
        try index.write(durably: false) { index in
            if let slot, isInTrash { try index.addTrash(Self.document(slot.id, location, file, at: date())) }
            try index.setPlaceholder(item.id, in: item.domain)
        }
        if isInTrash, root.trash.grew(by: file.size) > (try index.read { try $0.trashLimits() }).bytes {
            try trimTrash()
        }
    }

    private func trashSlot(
        for file: FileIdentity, of item: IndexedItem, at location: Location
    ) throws -> TrashStore.Slot? {
        // Nobody misses what has never been anything.
        guard file.size > 0, !item.isArriving else { return nil }
        let limits = try index.read { try $0.trashLimits() }
        guard limits.keepsAnything, UInt64(file.size) <= limits.bytes else { return nil }
        // Somebody may remove it to have room.
        guard try !root.isNearlyFull() else {
            try trimTrash()
            return nil
        }
        return try root.trash.slot(for: location)
    }

    private static func document(
        _ id: String, _ location: Location, _ file: FileIdentity, at date: Int64
    ) -> TrashedDocument {
        TrashedDocument(
            id: id, location: location, size: UInt64(max(file.size, 0)), modified: file.modified, removed: date)
    }

    /// Removes for good what is too old or too much, and what it takes when the disk is nearly full; the oldest first.
    package func trimTrash() throws {
        let status = try index.read { try $0.trashStatus() }
        let first = date() - Int64(status.limits.days) * 86_400
        var bytes = status.bytes
        var isMore = status.documents > 0
        while isMore {
            let oldest = try index.read { try $0.oldestTrash(limit: 100) }
            let surplus = try oldest.prefix { record in
                guard
                    try bytes > status.limits.bytes || record.document.removed <= first || root.isNearlyFull()
                else { return false }
                // At once: whether the disk is nearly full still depends on it.
                try root.trash.remove(record.document.id, in: record.domain)
                bytes -= min(bytes, record.document.size)
                return true
            }
            try drop(Array(surplus))
            isMore = !surplus.isEmpty && surplus.count == oldest.count
        }
        try measureTrash()
    }

    private func measureTrash() throws {
        root.trash.isKnown(toHold: try index.read { try $0.trashStatus() }.bytes)
    }

    /// Removes what is in the trash for good.
    ///
    /// - Parameter date: only what was removed before, in seconds since 1970.
    /// - Throws: `noSuchItem` for an identifier that names nothing.
    /// - Returns: how much it was.
    package func emptyTrash(
        _ choice: TrashChoice, removedBefore date: Int64 = .max
    ) throws -> (documents: UInt64, bytes: UInt64) {
        var total: (documents: UInt64, bytes: UInt64) = (0, 0)
        var before = UInt64.max
        while true {
            let page = try index.read { try $0.trash(choice, before: before, limit: 500) }
            if case .one(let id) = choice, page.isEmpty, total.documents == 0 { throw Self.unknownTrash(id) }
            guard let last = page.last else { break }
            before = last.number
            let chosen = page.filter { $0.document.removed < date }
            try drop(chosen)
            for record in chosen {
                total.documents += 1
                total.bytes += record.document.size
            }
        }
        try measureTrash()
        return total
    }

    package static func unknownTrash(_ id: String) -> DocumentError {
        DocumentError(.noSuchItem, "Nothing in the trash is called “\(id)”: docent trash shows what there is.")
    }

    /// The file first: a row without one is found and dropped.
    private func drop(_ records: [TrashRecord]) throws {
        guard !records.isEmpty else { return }
        for record in records { try root.trash.remove(record.document.id, in: record.domain) }
        try index.write(durably: false) { index in
            for record in records { try index.removeTrash(number: record.number) }
        }
    }

    /// Its contents are a document's again.
    package func finishRestoring(_ record: TrashRecord) throws {
        try drop([record])
        try measureTrash()
    }

    /// After a crash: what lies there and the index does not know is taken up, as its file says; what is not there any more
    /// is forgotten.
    func reconcileTrash() throws {
        for domain in try index.read({ try $0.domains() }) {
            var files = try root.trash.files(of: domain.name)
            var gone: [TrashRecord] = []
            for record in try index.read({ try $0.trash(of: domain.name) })
            where files.removeValue(forKey: record.document.id) == nil {
                gone.append(record)
            }
            guard !files.isEmpty || !gone.isEmpty else { continue }
            try index.write(durably: false) { index in
                for record in gone { try index.removeTrash(number: record.number) }
                for (id, (file, location)) in files.sorted(by: { $0.key < $1.key }) {
                    let place = location.flatMap { $0.domain == domain.name && !$0.isRoot ? $0 : nil }
                    try index.addTrash(
                        Self.document(
                            id, place ?? Location(domain: domain.name, components: [try ItemName(id)]), file,
                            at: date()))
                }
            }
        }
        try trimTrash()
    }
}
