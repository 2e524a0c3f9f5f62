internal import CDocentShims
internal import DocumentModel
internal import SystemPackage

/// A file with contents to be sent. It is the host's, and stays as it is.
final class OpenContents: Sendable {
    private let file: FileDescriptor

    init(_ path: FilePath) throws(DocumentError) {
        do {
            file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .noFollow])
        } catch {
            throw Self.failure("cannot be opened: \((error as? Errno)?.description ?? "\(error)")")
        }
    }

    deinit {
        try? file.close()
    }

    func length() throws(DocumentError) -> Int64 {
        do {
            return try file.seek(offset: 0, from: .end)
        } catch {
            throw Self.failure("cannot be measured: \((error as? Errno)?.description ?? "\(error)")")
        }
    }

    /// - Returns: how many bytes there are now, at least one.
    /// - Throws: `localStorage` also when there is less than there was.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(DocumentError) -> Int {
        let count = buffer.baseAddress.map { docent_pread(file.rawValue, $0, buffer.count, offset) } ?? 0
        if count < 0 { throw Self.failure("cannot be read: \(Errno(rawValue: Int32(-count)).description)") }
        guard count > 0 else { throw Self.failure("was cut short while it was sent") }
        return count
    }

    /// Whether it has these bytes at a place.
    func matches(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(DocumentError) -> Bool {
        guard !bytes.isEmpty else { return true }
        guard try length() >= offset + Int64(bytes.count) else { return false }
        var own = [UInt8](repeating: 0, count: bytes.count)
        var count = 0
        do {
            try own.withUnsafeMutableBytes { buffer in
                while count < buffer.count {
                    count += try read(
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]), at: offset + Int64(count))
                }
            }
        } catch {
            throw (error as? DocumentError) ?? Self.failure("cannot be read: \(error)")
        }
        return own.elementsEqual(bytes)
    }

    private static func failure(_ what: String) -> DocumentError {
        DocumentError(.localStorage, "The file with the new contents \(what).")
    }
}
