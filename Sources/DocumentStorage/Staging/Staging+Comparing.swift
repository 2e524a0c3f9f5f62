internal import DocumentModel

extension Staging {
    /// Whether two staging files hold the same bytes. Reads both, a piece at a time.
    package func haveSameContents(_ one: StagedFile, _ other: StagedFile) throws -> Bool {
        guard let left = try folder(of: one).file(one.name), let right = try folder(of: other).file(other.name) else {
            throw DocumentError(.localStorage, "A staging file is gone, and cannot be compared: try again.")
        }
        return try left.hasSameBytes(as: right)
    }
}

extension OpenFile {
    /// Whether both hold the same bytes. Reads both, a piece at a time.
    func hasSameBytes(as other: OpenFile) throws -> Bool {
        let size = try status().identity.size
        guard try other.status().identity.size == size else { return false }
        let piece = 1 << 20
        var offset: Int64 = 0
        while offset < size {
            let bytes = try read(upTo: piece, from: offset)
            guard !bytes.isEmpty, try other.read(upTo: piece, from: offset) == bytes else { return false }
            offset += Int64(bytes.count)
        }
        return true
    }
}
