import DocumentModel

/// All that the remote knows of its documents but their contents: a value that is changed as a whole or not at all.
struct RemoteTree: Sendable {
    /// What is done wrong with it.
    var mistake: Mistake?
    /// Anchors and page tokens of another epoch are not known.
    var epoch: UInt64 = 1
    /// Counts changes.
    var sequence: UInt64 = 0
    /// Anchors before this one are too old.
    var oldestAnchor: UInt64 = 0
    var nextSerial: UInt64 = 1
    /// Distinguishes the identifiers of one start from those of another.
    var identifierPrefix = "i"
    var records: [ItemIdentifier: RemoteRecord] = [:]
    var graves: [RemoteGrave] = []
    /// Versions beside contents.
    var kept: [String: KeptContents] = [:]
    /// What each operation came to; nil for a removal.
    var operations: [String: ItemIdentifier?] = [:]

    // MARK: Looking

    func record(_ id: ItemIdentifier) throws(DocumentError) -> RemoteRecord {
        guard let record = records[id] else { throw missing(id) }
        return record
    }

    func item(_ id: ItemIdentifier) throws(DocumentError) -> Item {
        id == .root ? .root : try record(id).item
    }

    func children(of folder: ItemIdentifier) -> [RemoteRecord] {
        records.values.filter { $0.parentID == folder }.sorted { $0.serial < $1.serial }
    }

    func child(of folder: ItemIdentifier, named name: ItemName) -> RemoteRecord? {
        records.values.first { record in
            guard record.parentID == folder else { return false }
            return mistake == .caseIgnored
                ? record.name.rawValue.lowercased() == name.rawValue.lowercased() : record.name == name
        }
    }

    /// All items below a folder.
    func descendants(of folder: ItemIdentifier) -> [RemoteRecord] {
        children(of: folder).flatMap { [$0] + descendants(of: $0.id) }
    }

    /// Fails unless it is a folder.
    func checkFolder(_ id: ItemIdentifier) throws(DocumentError) {
        guard id != .root, try record(id).kind == .document else { return }
        throw DocumentError(.invalidArgument, "“\(id)” is a document; choose a folder.")
    }

    // MARK: Paths

    func path(of id: ItemIdentifier) -> String? {
        if id == .root { return "" }
        guard let record = records[id] else { return nil }
        if mistake == .pathsAreBareNames { return record.name.rawValue }
        guard let above = path(of: record.parentID) else { return nil }
        return above.isEmpty ? record.name.rawValue : above + "/" + record.name.rawValue
    }

    func identifier(atPath path: String) -> ItemIdentifier? {
        var folder = ItemIdentifier.root
        // By bytes: a string's own splitting takes a slash and a combining mark for one character.
        for part in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true) {
            guard let name = try? ItemName(String(decoding: part, as: UTF8.self)),
                let child = records.values.first(where: { $0.parentID == folder && $0.name == name })
            else { return mistake == .wrongPathLeadsHome ? .root : nil }
            folder = child.id
        }
        return folder
    }

    func missing(_ id: ItemIdentifier) -> DocumentError {
        let words = "The remote has no item “\(id)”. List its folder again."
        return DocumentError(.noSuchItem, mistake == .failsWithoutWords ? "" : words)
    }
}
