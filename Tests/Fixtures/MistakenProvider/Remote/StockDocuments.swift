import DocumentModel
import DocumentProvider

/// What the remote holds when it is new: small, empty and large documents, folders in folders, and a folder of more
/// documents than fit a page.
enum StockDocuments {
    static let largeSize = 4 * 1_048_576
    static let manyCount = 120

    static func fill(_ remote: Remote) throws {
        let filling = Filling(remote: remote)
        try remote.change { tree in
            try filling.put("Welcome.txt", Array("Welcome to the remote.\n".utf8), &tree)
            try filling.put("Empty.txt", [], &tree)
            try filling.put("Large.bin", pattern(of: largeSize), &tree)
            try filling.put(".hidden settings", Array("a = 1\n".utf8), &tree)
            let reports = try filling.put("Reports", nil, &tree)
            try filling.put("First quarter.txt", in: reports, Array("Up.\n".utf8), &tree)
            try filling.put("Second quarter.txt", in: reports, Array("Down.\n".utf8), &tree)
            let archive = try filling.put("Archive", in: reports, nil, &tree)
            try filling.put("Last year.txt", in: archive, Array("Neither.\n".utf8), &tree)
            try filling.put("Nothing", nil, &tree)
            let many = try filling.put("Many", nil, &tree)
            for number in 1...manyCount {
                try filling.put("Note \(number).txt", in: many, Array("Note \(number)\n".utf8), &tree)
            }
            return nil
        }
    }

    /// Bytes that repeat at no power of two, none of them 0.
    private static func pattern(of size: Int) -> [UInt8] {
        let period = (0..<4093).map { UInt8($0 * 31 % 251) | 1 }
        var bytes = period
        while bytes.count < size { bytes += bytes.prefix(size - bytes.count) }
        return bytes
    }

    private struct Filling {
        let remote: Remote

        /// Makes an item; its contents are in their place before the tree is.
        @discardableResult
        func put(
            _ name: String, in folder: ItemIdentifier = .root, _ bytes: [UInt8]?, _ tree: inout RemoteTree
        ) throws -> ItemIdentifier {
            let creation = ItemCreation(
                parentID: folder, name: try ItemName(name), kind: bytes == nil ? .folder : .document,
                contents: bytes == nil ? nil : "/stock", modified: nil, operation: "stock \(tree.nextSerial)"
            )
            let record = try tree.create(
                creation, size: Int64(bytes?.count ?? 0), now: Timestamp(seconds: 1_700_000_000)
            )
            if let bytes {
                let file = try FileDescriptor.open(
                    remote.place(of: record), .writeOnly, options: [.create, .truncate, .closeOnExec],
                    permissions: .ownerReadWrite
                )
                try file.closeAfter { _ = try file.writeAll(bytes) }
            }
            return record.id
        }
    }
}
