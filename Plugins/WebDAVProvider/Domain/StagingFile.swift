internal import CDocentShims
internal import DocumentModel
internal import SystemPackage

/// The file that contents are written to. Writing blocks.
final class StagingFile: Sendable {
    private let file: FileDescriptor

    init(_ path: FilePath) throws(DocumentError) {
        do {
            file = try FileDescriptor.open(path, .writeOnly, options: [.closeOnExec, .noFollow])
        } catch {
            throw Self.failure(error)
        }
    }

    deinit {
        // Nothing is in a buffer here; the host flushes the file.
        try? file.close()
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(DocumentError) {
        do {
            try file.writeAll(toAbsoluteOffset: offset, bytes)
        } catch {
            throw Self.failure(error)
        }
    }

    func shorten(to size: Int64) throws(DocumentError) {
        let result = docent_ftruncate(file.rawValue, size)
        if result != 0 { throw Self.failure(Errno(rawValue: -result)) }
    }

    private static func failure(_ error: any Error) -> DocumentError {
        DocumentError(
            .localStorage, "The staging file cannot be written: \((error as? Errno)?.description ?? "\(error)").")
    }
}
