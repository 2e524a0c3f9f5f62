internal import CDocentShims
internal import DocumentModel

/// All of a folder's items at one moment.
struct FolderListing {
    var items: [(name: EntryName, facts: FileFacts)] = []
    /// Names that something is under that could not be looked at.
    var hidden: Set<EntryName> = []
    var leftOut = LeftOut()

    private static let attempts = 4

    /// Reads a folder, again when it changed meanwhile: a name that moves while the folder is read may be missed.
    ///
    /// - Returns: whether the listing is of one moment; if not, a name that is missing may be there.
    /// - Throws: ``SystemFailure``.
    static func read(
        _ folder: borrowing OpenFile, _ sighting: Sighting, onTemporary: (String) -> Void = { _ in }
    ) throws(SystemFailure) -> (listing: FolderListing, isStable: Bool) {
        var listing = FolderListing()
        for _ in 0..<attempts {
            let before = sighting.facts(of: folder)
            listing = FolderListing()
            try listing.fill(folder, sighting, onTemporary)
            if let before, let after = sighting.facts(of: folder), before.changed == after.changed,
                before.modified == after.modified
            {
                return (listing, true)
            }
        }
        return (listing, false)
    }

    private mutating func fill(
        _ folder: borrowing OpenFile, _ sighting: Sighting, _ onTemporary: (String) -> Void
    ) throws(SystemFailure) {
        let result = docent_rewind(folder.descriptor)
        guard result == 0 else { throw SystemFailure(result) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
        defer { buffer.deallocate() }
        guard let base = buffer.baseAddress else { return }
        while true {
            let filled = docent_getdents(folder.descriptor, base, buffer.count)
            guard filled >= 0 else { throw SystemFailure(filled) }
            if filled == 0 { return }
            var entry = docent_entry()
            var offset = docent_entry_at(base, filled, 0, &entry)
            while offset != 0 {
                add(entry, folder, sighting, onTemporary)
                offset = offset < filled ? docent_entry_at(base, filled, offset, &entry) : 0
            }
        }
    }

    private mutating func add(
        _ entry: docent_entry, _ folder: borrowing OpenFile, _ sighting: Sighting, _ onTemporary: (String) -> Void
    ) {
        guard let start = entry.name, entry.name_length > 0 else { return }
        let bytes = UnsafeBufferPointer(
            start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self), count: entry.name_length)
        if bytes.elementsEqual(".".utf8) || bytes.elementsEqual("..".utf8) { return }
        if TemporaryName.isTemporary(bytes) {
            onTemporary(String(decoding: bytes, as: UTF8.self))
            return
        }
        if entry.type == DOCENT_ENTRY_SYMLINK.rawValue {
            leftOut.links += 1
            return
        }
        if entry.type == DOCENT_ENTRY_OTHER.rawValue {
            leftOut.special += 1
            return
        }
        guard let name = EntryName(onDisk: bytes) else {
            leftOut.unnameable += 1
            return
        }
        switch sighting.look(at: name.rawValue, in: folder) {
        case .item(let facts): items.append((name, facts))
        // Else it is gone by now, or a folder of the host.
        case .absent: if entry.type == DOCENT_ENTRY_UNKNOWN.rawValue { leftOut.special += 1 }
        case .hidden:
            leftOut.hidden += 1
            hidden.insert(name)
        }
    }
}
