internal import CDocentShims
internal import DocumentModel
internal import DocumentProvider
internal import Glibc

/// Copies a file without loading it: shares its blocks where the file system can, else copies within the kernel, else
/// through a small buffer. Holes stay holes.
struct FileCopier {
    /// So much goes between two looks at the cancel flag.
    private static let step = 8 << 20
    private static let bufferSize = 1 << 20

    let transfer: TransferMonitor
    /// Names both ends in errors.
    let sourceName: String
    let targetName: String
    let sourceSide: SystemFailure.Side
    let targetSide: SystemFailure.Side
    /// Whether the copy is going to be flushed: then the disk gets to work at once, and the flush is short.
    var isFlushedSoon = false

    /// - Returns: how many bytes the copy has.
    /// - Throws: `CancellationError`, ``DocumentError``.
    func copy(_ source: borrowing OpenFile, size: Int64, to target: borrowing OpenFile) throws -> Int64 {
        try transfer.checkCancellation()
        transfer.report(0, of: size)
        if size > 0, docent_clone(source.descriptor, target.descriptor) == 0 {
            var status = docent_entry_status()
            try check(docent_entry_status(target.descriptor, "", &status), target: true)
            transfer.report(status.size, of: size)
            return status.size
        }
        return try copyPieces(source, size: size, to: target)
    }

    /// Copies a part to the same place, every byte of it: a hole becomes zeros.
    ///
    /// - Returns: false when the source has become shorter.
    func copy(
        _ range: Range<Int64>, of source: borrowing OpenFile, to target: borrowing OpenFile
    ) throws -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferSize, alignment: 4096)
        defer { buffer.deallocate() }
        var place = range.lowerBound
        while place < range.upperBound {
            try transfer.checkCancellation()
            let wanted = Int(min(Int64(buffer.count), range.upperBound - place))
            let count = try copy(wanted, of: source, to: target, at: place, through: buffer)
            if count == 0 { return false }
            place += Int64(count)
            transfer.report(place - range.lowerBound, of: range.upperBound - range.lowerBound)
        }
        return true
    }

    private func copyPieces(_ source: borrowing OpenFile, size: Int64, to target: borrowing OpenFile) throws -> Int64 {
        var inKernel = true
        var done: Int64 = 0
        while let piece = Self.data(of: source, from: done) {
            done = piece.lowerBound
            while done < piece.upperBound {
                try transfer.checkCancellation()
                let wanted = Int(min(Int64(Self.step), piece.upperBound - done))
                var count = 0
                if inKernel {
                    count = docent_copy_file_range(source.descriptor, done, target.descriptor, done, wanted)
                    // Some file systems say "nothing" where they should say "cannot".
                    if Self.isUnsupported(count) || (count == 0 && done < size) {
                        inKernel = false
                        continue
                    }
                    try check(count, target: true)
                } else {
                    count = try copyThroughBuffer(source, to: target, at: done, wanted)
                }
                // Shorter than it was.
                if count == 0 { return try finish(source, to: target) }
                if isFlushedSoon { _ = docent_start_writeback(target.descriptor, done, Int64(count)) }
                done += Int64(count)
                transfer.report(done, of: max(size, done))
            }
        }
        return try finish(source, to: target)
    }

    /// The next piece that is not a hole; open-ended where the file system cannot tell, nil when only holes are left.
    private static func data(of source: borrowing OpenFile, from offset: Int64) -> Range<Int64>? {
        let data = docent_seek_data(source.descriptor, offset)
        if data == -Int64(ENXIO) { return nil }
        guard data >= 0 else { return offset..<Int64.max }
        let hole = docent_seek_hole(source.descriptor, data)
        return data..<(hole > data ? hole : Int64.max)
    }

    /// A hole at the end has no data to copy: the length alone makes it.
    private func finish(_ source: borrowing OpenFile, to target: borrowing OpenFile) throws -> Int64 {
        var status = docent_entry_status()
        try check(docent_entry_status(source.descriptor, "", &status), target: false)
        var reached = docent_entry_status()
        try check(docent_entry_status(target.descriptor, "", &reached), target: true)
        if reached.size < status.size { try check(docent_ftruncate(target.descriptor, status.size), target: true) }
        transfer.report(status.size, of: status.size)
        return max(status.size, reached.size)
    }

    private func copyThroughBuffer(
        _ source: borrowing OpenFile, to target: borrowing OpenFile, at offset: Int64, _ wanted: Int
    ) throws(DocumentError) -> Int {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(wanted, Self.bufferSize), alignment: 4096)
        defer { buffer.deallocate() }
        return try copy(buffer.count, of: source, to: target, at: offset, through: buffer)
    }

    private func copy(
        _ wanted: Int, of source: borrowing OpenFile, to target: borrowing OpenFile, at offset: Int64,
        through buffer: UnsafeMutableRawBufferPointer
    ) throws(DocumentError) -> Int {
        guard let base = buffer.baseAddress else { return 0 }
        let count = try check(docent_pread(source.descriptor, base, wanted, offset), target: false)
        try check(docent_pwrite_all(target.descriptor, base, count, offset), target: true)
        return count
    }

    private static func isUnsupported(_ result: Int) -> Bool {
        [EXDEV, EINVAL, ENOSYS, EOPNOTSUPP, EPERM, ETXTBSY].contains { result == -Int($0) }
    }

    @discardableResult
    private func check<Result: BinaryInteger>(_ result: Result, target: Bool) throws(DocumentError) -> Result {
        try SystemFailure.check(
            result, target ? targetSide : sourceSide,
            target ? "\(targetName) cannot be written" : "\(sourceName) cannot be read")
    }
}

/// Where a transfer reports to, and hears of a cancel.
struct TransferMonitor: Sendable {
    var report: @Sendable (_ done: Int64, _ expected: Int64) -> Void
    var checkCancellation: @Sendable () throws -> Void

    func report(_ done: Int64, of expected: Int64) {
        report(done, expected)
    }

    static let none = TransferMonitor(report: { _, _ in }, checkCancellation: {})
}
