internal import CDocentShims
internal import DocumentModel

extension OpenFile {
    /// The digest of some of its bytes (SHA-256), as far as there are any. Reads them, a piece at a time.
    func digest(_ range: Range<Int64>) throws -> [UInt8] {
        var digest = Digest()
        _ = try read(range, into: &digest) { false }
        return digest.finish()
    }

    /// - Parameter isToEnd: is asked before each piece.
    /// - Returns: false when it said so.
    private func read(_ range: Range<Int64>, into digest: inout Digest, unless isToEnd: () -> Bool) throws -> Bool {
        let length = Int(min(1 << 18, max(range.upperBound - range.lowerBound, 1)))
        return try withUnsafeTemporaryAllocation(byteCount: length, alignment: 16) { buffer in
            guard let base = buffer.baseAddress else { return true }
            var offset = range.lowerBound
            while offset < range.upperBound {
                if isToEnd() { return false }
                let wanted = Int(min(Int64(length), range.upperBound - offset))
                let count = kernel(.read) { docent_pread(descriptor, base, wanted, offset) }
                guard count >= 0 else { throw DocumentError.system(count, "“\(name)” could not be read") }
                if count == 0 { return true }
                digest.add(UnsafeRawBufferPointer(start: base, count: count))
                offset += Int64(count)
            }
            return true
        }
    }

    /// The digest of all that it holds, known to have been that at one moment.
    ///
    /// - Parameters:
    ///   - file: what it is to be; what is written to it from now on gives it a later time, and what a program stores into its
    ///     mapping of it.
    ///   - isToEnd: whether nobody wants to know any more; asked again and again.
    /// - Returns: nil when it is something else, or is changed meanwhile, and when it was ended.
    func digest(as file: FileIdentity, unless isToEnd: () -> Bool = { false }) throws -> [UInt8]? {
        docent_wait_past(file.changed.seconds, file.changed.nanoseconds)
        try writeBack()
        guard try status().identity == file else { return nil }
        var digest = Digest()
        guard try read(0..<file.size, into: &digest, unless: isToEnd) else { return nil }
        let found = digest.finish()
        return try status().identity == file ? found : nil
    }
}
