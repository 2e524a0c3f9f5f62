internal import DocumentModel

/// How items are kept in the table `item`.
enum ItemRow {
    /// What ``read(_:domain:)`` reads, in its order; `item` joined with its folder and with the one it wants to be in.
    static let columns = """
        SELECT item.row, item.id, folder.id, item.name, item.kind, item.type, item.size, item.modified,
            item.modified_ns, item.created, item.created_ns, item.content, item.metadata, item.capabilities, item.state,
            item.gone, item.pinned, item.synced_content, item.synced_metadata, item.local_inode, item.local_size,
            item.local_modified, item.local_modified_ns, item.local_changed, item.local_changed_ns, wanted.id,
            item.wanted_name, item.problem_code, item.problem, item.digest, item.proven, item.proven_ns,
            item.conflict_versions
        FROM item
            LEFT JOIN item AS folder ON folder.row = item.parent
            LEFT JOIN item AS wanted ON wanted.row = item.wanted_parent
        """
    static let inRow = columns + " WHERE item.row = ?"
    static let withIdentifier = columns + " WHERE item.domain = ? AND item.id = ?"

    static func read(_ row: SQLStatement, domain: DomainName) throws -> IndexedItem {
        let parentID = try row.optionalText(2).map { try ItemIdentifier($0) }
        return IndexedItem(
            row: row.int(0),
            domain: domain,
            item: Item(
                id: try ItemIdentifier(row.text(1)),
                parentID: parentID,
                name: parentID == nil ? nil : try ItemName(row.text(3)),
                kind: try kind(row.int(4)),
                contentType: try ContentType(row.text(5)),
                size: row.optionalInt(6),
                modified: Timestamp(seconds: row.int(7), nanoseconds: UInt32(truncatingIfNeeded: row.int(8))),
                created: Timestamp(seconds: row.int(9), nanoseconds: UInt32(truncatingIfNeeded: row.int(10))),
                version: try ItemVersion(content: row.blob(11), metadata: row.blob(12)),
                capabilities: ItemCapabilities(rawValue: UInt32(truncatingIfNeeded: row.int(13))),
                conflictVersions: Int(row.int(32))
            ),
            synced: row.isNull(17) ? nil : try ItemVersion(content: row.blob(17), metadata: row.blob(18)),
            local: row.isNull(19) ? nil : file(row),
            proof: ContentsProof(
                digest: row.isNull(29) ? nil : row.blob(29),
                changed: row.optionalInt(30).map {
                    Timestamp(seconds: $0, nanoseconds: UInt32(truncatingIfNeeded: row.int(31)))
                }),
            state: try state(row.int(14)),
            wanted: try wanted(row),
            isGone: row.int(15) != 0,
            isPinned: row.int(16) == 1,
            problem: row.optionalInt(27).map {
                IndexedItem.ItemProblem(code: DocumentError.Code(rawValue: Int($0)), message: row.text(28))
            }
        )
    }

    private static func file(_ row: SQLStatement) -> FileIdentity {
        FileIdentity(
            inode: UInt64(bitPattern: row.int(19)), size: row.int(20),
            modified: Timestamp(seconds: row.int(21), nanoseconds: UInt32(truncatingIfNeeded: row.int(22))),
            changed: Timestamp(seconds: row.int(23), nanoseconds: UInt32(truncatingIfNeeded: row.int(24)))
        )
    }

    private static func wanted(_ row: SQLStatement) throws -> IndexedItem.WantedPlace? {
        guard let parent = row.optionalText(25), let name = row.optionalText(26) else { return nil }
        return IndexedItem.WantedPlace(parentID: try ItemIdentifier(parent), name: try ItemName(name))
    }

    // MARK: Numbers of cases; stored, so never changed

    static func number(of kind: ItemKind) -> Int64 {
        switch kind {
        case .document: 0
        case .folder: 1
        case .package: 2
        }
    }

    static func kind(_ number: Int64) throws -> ItemKind {
        switch number {
        case 0: .document
        case 1: .folder
        case 2: .package
        default: throw unknown("kind", number)
        }
    }

    static func number(of state: ItemState) -> Int64 {
        switch state {
        case .placeholder: 0
        case .materialising: 1
        case .materialised: 2
        case .outdated: 3
        case .changed: 4
        case .sending: 5
        case .conflict: 6
        case .nameClash: 7
        }
    }

    static func state(_ number: Int64) throws -> ItemState {
        guard let state = ItemState.allCases.first(where: { self.number(of: $0) == number }) else {
            throw unknown("state", number)
        }
        return state
    }

    private static func unknown(_ what: String, _ number: Int64) -> DocumentError {
        DocumentError(.localStorage, "The index holds a \(what) with the number \(number), which nobody has written.")
    }
}
