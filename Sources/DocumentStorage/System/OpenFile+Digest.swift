internal import CDocentShims
internal import DocumentModel

extension OpenFile {
    /// The digest of some of its bytes (SHA-256), as far as there are any. Reads them, a piece at a time.
    func digest(_ range: Range<Int64>) throws -> [UInt8] {
        var digest = Digest()
        let length = Int(min(1 << 18, max(range.upperBound - range.lowerBound, 1)))
        try withUnsafeTemporaryAllocation(byteCount: length, alignment: 16) { buffer in
            guard let base = buffer.baseAddress else { return }
            var offset = range.lowerBound
            while offset < range.upperBound {
                let wanted = Int(min(Int64(length), range.upperBound - offset))
                let count = kernel(.read) { docent_pread(descriptor, base, wanted, offset) }
                guard count >= 0 else { throw DocumentError.system(count, "“\(name)” could not be read") }
                if count == 0 { return }
                digest.add(UnsafeRawBufferPointer(start: base, count: count))
                offset += Int64(count)
            }
        }
        return digest.finish()
    }

    /// The digest of all that it holds, known to have been that at one moment.
    ///
    /// - Parameter file: what it is to be; what is written to it from now on gives it a later time, and what a program stores
    ///   into its mapping of it.
    /// - Returns: nil when it is something else, or is changed meanwhile.
    func digest(as file: FileIdentity) throws -> [UInt8]? {
        docent_wait_past(file.changed.seconds, file.changed.nanoseconds)
        try writeBack()
        guard try status().identity == file else { return nil }
        let digest = try digest(0..<file.size)
        return try status().identity == file ? digest : nil
    }
}
