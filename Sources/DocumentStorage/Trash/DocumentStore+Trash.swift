package import DocumentModel
internal import Logging

/// The trash (CONT-13): contents that were here when their document was removed, here or at its provider, are put aside
/// for a while instead of being removed with it. One file gets another place; nothing is copied.
extension DocumentStore {
    /// What is made free at once when nothing can be written, in bytes.
    private static let room: UInt64 = 100_000_000

    /// Takes the contents of a document that is gone out of the tree, into the trash where they are to be kept. The index is
    /// to hear of it by ``record(_:in:)`` when that is on disk.
    ///
    /// - Parameter skippingTrash: they are not: there is a copy of them elsewhere, or they are to go for good.
    func takeAway(
        _ file: FileIdentity, of item: IndexedItem, at location: Location, skippingTrash: Bool
    ) throws -> TakenFile {
        // Nobody misses what has never been anything.
        let slot = skippingTrash || item.isArriving ? nil : trashSlot(for: file, at: location)
        let isInTrash = try tree.removeFile(at: location, expecting: file, into: slot)
        if isInTrash { try reached(.removeKept) }
        let trashed = isInTrash ? slot.map { entry($0.id, location, file) } : nil
        return TakenFile(id: item.id, location: location, file: file, recorded: item.local, trashed: trashed)
    }

    func record(_ taken: [TakenFile], in index: IndexTransaction) throws {
        try recordTrash(of: taken, in: index)
        for file in taken {
            let domain = file.location.domain
            // Other contents may have come meanwhile.
            guard let item = try index.item(file.id, in: domain), item.local == file.recorded else { continue }
            try index.setPlaceholder(file.id, in: domain)
        }
    }

    func recordTrash(of taken: [TakenFile], in index: IndexTransaction) throws {
        for trashed in taken.compactMap(\.trashed) { try index.addTrash(trashed) }
    }

    /// What is recorded may be more than the trash is to hold.
    func trimTrash(after taken: [TakenFile]) throws {
        let trashed = taken.filter { $0.trashed != nil }
        guard !trashed.isEmpty else { return }
        let limits = try index.read { try $0.trashLimits() }
        let bytes = trashed.reduce(0) { $0 + $1.file.size }
        if root.trash.grew(by: bytes) > limits.bytes { try trimTrash() }
    }

    /// - Returns: nil where they are not kept: whatever is wrong with the trash, the document is removed.
    func trashSlot(for file: FileIdentity, at location: Location) -> TrashStore.Slot? {
        guard file.size > 0 else { return nil }
        do {
            let limits = try index.read { try $0.trashLimits() }
            guard limits.keepsAnything, UInt64(file.size) <= limits.bytes else { return nil }
            // Somebody may remove it to have room.
            guard try root.shortage() == 0 else {
                try trimTrash()
                return nil
            }
            return try root.trash.slot(for: location)
        } catch {
            logger.warning("what is removed cannot be kept in the trash", metadata: ["error": "\(error)"])
            return nil
        }
    }

    func entry(_ id: String, _ location: Location, _ file: FileIdentity) -> TrashedDocument {
        Self.document(id, location, file, at: date())
    }

    private static func document(
        _ id: String, _ location: Location, _ file: FileIdentity, at date: Int64
    ) -> TrashedDocument {
        TrashedDocument(
            id: id, location: location, size: UInt64(max(file.size, 0)), modified: file.modified, removed: date)
    }

    /// Removes for good what is too old; then the oldest, when it is too much (down to nine tenths of what may be, so that
    /// this is not done for each), and as much as the disk lacks.
    ///
    /// - Parameter bytes: so much is to be made free in any case.
    /// - Returns: whether something went.
    @discardableResult
    package func trimTrash(freeing bytes: UInt64 = 0) throws -> Bool {
        let status = try index.read { try $0.trashStatus() }
        let first = date() - Int64(status.limits.days) * 86_400
        var left = status.bytes
        while true {
            let old = try index.read { try $0.trash(removedBy: first, limit: 100) }
            try drop(old)
            left -= old.reduce(0) { $0 + min(left, $1.document.size) }
            if old.count < 100 { break }
        }
        // Known beforehand: not every file system has the room at once when a file is gone.
        let surplus = left > status.limits.bytes ? left - status.limits.bytes / 10 * 9 : 0
        var toGo = max(surplus, bytes, try root.shortage())
        while toGo > 0 {
            let oldest = try index.read { try $0.oldestTrash(limit: 100) }
            let chosen = oldest.prefix { record in
                guard toGo > 0 else { return false }
                toGo -= min(toGo, record.document.size)
                return true
            }
            try drop(Array(chosen))
            if chosen.isEmpty { break }
        }
        return try measureTrash().documents < status.documents
    }

    /// Nothing can be written, whatever the file system says of its room (a quota, for one): some of what is oldest goes.
    ///
    /// - Returns: whether something went.
    @discardableResult
    package func makeRoomInTrash() throws -> Bool { try trimTrash(freeing: Self.room) }

    @discardableResult
    private func measureTrash() throws -> TrashStatus {
        let status = try index.read { try $0.trashStatus() }
        root.trash.isKnown(toHold: status.bytes)
        return status
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
            if case .one(let id) = choice, page.isEmpty, before == .max { throw Self.unknownTrash(id) }
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

    private static func unknownTrash(_ id: String) -> DocumentError {
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

    /// - Throws: `noSuchItem` for an identifier that names nothing, also when its contents are gone.
    package func trashed(_ id: String) throws -> TrashRecord {
        guard let record = try index.read({ try $0.trash(.one(id), limit: 1) }).first else {
            throw Self.unknownTrash(id)
        }
        guard try root.trash.file(of: id, in: record.domain) != nil else {
            try drop([record])
            throw Self.unknownTrash(id)
        }
        return record
    }

    /// Its contents are a document's again.
    package func finishRestoring(_ record: TrashRecord) throws {
        try drop([record])
        root.trash.shrank(by: record.document.size)
    }

    /// After a crash: what lies there and the index does not know is taken up, as its file says; what is not there any more
    /// is forgotten.
    func reconcileTrash() throws {
        try trashForgottenSides()
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
                    let place = location?.domain == domain.name ? location : nil
                    // What has no name that a document can have, nobody has put there but by hand.
                    guard let name = try? ItemName(id) else { continue }
                    try index.addTrash(
                        Self.document(id, place ?? Location(domain: domain.name, components: [name]), file, at: date()))
                }
            }
        }
        try trimTrash()
    }
}
