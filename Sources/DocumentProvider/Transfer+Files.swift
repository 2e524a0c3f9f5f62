public import SystemPackage

/// Whole contents in memory, for providers of small documents. Both report progress and end when nobody waits any more.
extension Transfer {
    private static let chunkSize = 1_048_576

    /// Writes contents to a staging file, and nothing else.
    ///
    /// - Throws: `Errno`, or `CancellationError`.
    public func write(_ contents: [UInt8], to stagingFile: FilePath) throws {
        let file = try FileDescriptor.open(stagingFile, .writeOnly, options: [.truncate, .closeOnExec, .noFollow])
        try file.closeAfter {
            var rest = contents[...]
            while !rest.isEmpty {
                try checkCancellation()
                try file.writeAll(rest.prefix(Self.chunkSize))
                rest = rest.dropFirst(Self.chunkSize)
                report(UInt64(contents.count - rest.count), of: UInt64(contents.count))
            }
        }
    }

    /// Writes a part of contents to its place in a staging file, and nothing else.
    ///
    /// - Parameter offset: in bytes from the beginning.
    /// - Throws: `Errno`, or `CancellationError`.
    public func write(_ part: ArraySlice<UInt8>, to stagingFile: FilePath, at offset: Int64) throws {
        let file = try FileDescriptor.open(stagingFile, .writeOnly, options: [.closeOnExec, .noFollow])
        try file.closeAfter {
            var rest = part
            while !rest.isEmpty {
                try checkCancellation()
                let done = part.count - rest.count
                try file.writeAll(toAbsoluteOffset: offset + Int64(done), rest.prefix(Self.chunkSize))
                rest = rest.dropFirst(Self.chunkSize)
                report(UInt64(part.count - rest.count), of: UInt64(part.count))
            }
        }
    }

    /// Reads the contents that a call came with.
    ///
    /// - Throws: `Errno`, or `CancellationError`.
    public func read(_ contents: FilePath) throws -> [UInt8] {
        let file = try FileDescriptor.open(contents, .readOnly, options: [.closeOnExec, .noFollow])
        return try file.closeAfter {
            let size = Int(try file.seek(offset: 0, from: .end))
            try file.seek(offset: 0, from: .start)
            var bytes: [UInt8] = []
            bytes.reserveCapacity(size)
            while true {
                try checkCancellation()
                let before = bytes.count
                bytes += try [UInt8](unsafeUninitializedCapacity: Self.chunkSize) { buffer, count in
                    count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
                }
                if bytes.count == before { return bytes }
                report(UInt64(bytes.count), of: UInt64(max(size, bytes.count)))
            }
        }
    }
}
