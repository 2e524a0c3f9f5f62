internal import DocumentModel

/// How deep items may lie: nobody could open what is deeper, and whoever goes through the folders around it has to end.
extension ItemApplier {
    /// Whether items may lie in a row: it is a folder, and not too deep.
    mutating func checkFolder(_ row: Int64, of id: ItemIdentifier) throws -> Bool {
        let kind = try sql.first("SELECT kind FROM item WHERE row = ?", .int(row)) { try ItemRow.kind($0.int(0)) }
        guard kind != .document else {
            reject(id, "is a document, so that nothing can lie in it")
            return false
        }
        guard try depth(of: row) < IndexReader.maximumDepth else {
            reject(id, "lies deeper than \(IndexReader.maximumDepth) folders")
            return false
        }
        return true
    }

    private func depth(of row: Int64) throws -> Int {
        var depth = 0
        var next: Int64? = row
        while let current = next, depth < 2 * IndexReader.maximumDepth {
            next = try parent(of: current)
            depth += 1
        }
        return depth
    }

    /// Whether a folder whose parent changes takes something of what is in it deeper than items may lie. What is too deep
    /// already may still be moved up, or beside its place.
    func isTooDeep(_ move: WaitingMove, from oldParent: Int64, _ kind: ItemKind) throws -> Bool {
        guard oldParent != move.parent else { return false }
        let depth = try depth(of: move.parent)
        guard try depth > self.depth(of: oldParent) else { return false }
        let room = IndexReader.maximumDepth - depth
        guard kind != .document, room > 0 else { return room < 1 }
        return try sql.first(
            """
            WITH RECURSIVE sub (row, height) AS (
                SELECT ?, 1 UNION ALL SELECT item.row, height + 1 FROM item JOIN sub ON item.parent = sub.row
                    WHERE height <= ?
            )
            SELECT 1 FROM sub WHERE height > ? LIMIT 1
            """, .int(move.row), .int(Int64(room)), .int(Int64(room))
        ) { _ in true } ?? false
    }
}
