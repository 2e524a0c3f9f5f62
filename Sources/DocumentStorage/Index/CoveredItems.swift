package import DocumentModel

/// What a removal covers: which items are to go with it, and in which versions. What is none of them stays, with the folders
/// around it (VER-15).
package struct CoveredItems: Sendable {
    enum Version: Sendable {
        /// Whichever it has: what was changed here goes as it is by then.
        case any
        case known([UInt8])
    }

    /// By row: an item may get another identifier meanwhile.
    private(set) var versions: [Int64: Version]

    init(_ versions: [Int64: Version]) { self.versions = versions }

    package func contains(_ item: IndexedItem) -> Bool { versions[item.row] != nil }

    /// The version that a document was seen in; nil when it goes in any.
    package func version(of document: IndexedItem) -> [UInt8]? {
        guard case .known(let version) = versions[document.row] else { return nil }
        return version
    }
}

/// What was known of an item, and of all that is in it, when somebody asked for its removal: what is found out from then on,
/// they have not seen.
package struct SeenItems: Sendable {
    private var items: [Int64: IndexedItem] = [:]
    /// Folders of which all was known.
    private var listed: Set<Int64> = []

    /// - Parameter isWhole: a folder is to go with what is in it.
    package init(at location: Location, isWhole: Bool, _ index: IndexReader) throws {
        guard let item = try index.item(at: location) else { return }
        let all = isWhole && item.item.kind != .document ? try index.subtree(of: item.id, in: item.domain) : [item]
        for item in all {
            items[item.row] = item
            guard isWhole, item.item.kind != .document else { continue }
            if try index.listing(of: item.id, in: item.domain).isComplete { listed.insert(item.row) }
        }
    }

    /// What their removal covers when all is known: what they have seen, as it was then; and what is in folders that nobody
    /// had listed, as it is.
    package func covered(of item: IndexedItem, isWhole: Bool, _ index: IndexReader) throws -> CoveredItems {
        let all = isWhole ? try index.subtree(of: item.id, in: item.domain) : [item]
        let rows = Dictionary(all.map { ($0.id, $0.row) }) { first, _ in first }
        var versions: [Int64: CoveredItems.Version] = [:]
        // Another one has its name by now.
        guard items.isEmpty || items[item.row] != nil else { return CoveredItems([:]) }
        for item in all {
            let isInListed = item.item.parentID.flatMap { rows[$0] }.map(listed.contains) ?? false
            if let seen = items[item.row] {
                versions[item.row] =
                    seen.isUnsent || item.isUnsent || item.item.kind != .document
                    ? .any : .known(seen.item.version.content)
            } else if !isInListed {
                versions[item.row] = item.isUnsent ? .any : .known(item.item.version.content)
            }
        }
        return CoveredItems(versions)
    }
}
