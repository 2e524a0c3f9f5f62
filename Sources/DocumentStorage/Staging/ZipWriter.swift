internal import CLibArchive
internal import DocumentModel
internal import Glibc

/// Writes one ZIP file, entry by entry.
final class ZipWriter {
    private let archive: OpaquePointer
    private let name: String
    private static let chunk = 1 << 18

    /// - Parameter file: empty, and written to from its beginning.
    init(into file: OpenFile) throws {
        name = file.name
        guard let archive = archive_write_new() else {
            throw DocumentError(.localStorage, "There is no memory for a ZIP file: close some programs and try again.")
        }
        self.archive = archive
        try check(archive_write_set_format_zip(archive))
        // Whole blocks at the end would be nulls behind the last entry.
        try check(archive_write_set_bytes_in_last_block(archive, 1))
        try check(archive_write_open_fd(archive, file.descriptor))
    }

    deinit {
        _ = archive_write_free(archive)
    }

    func addFolder(_ path: String, modified: Timestamp) throws {
        try begin(path + "/", type: S_IFDIR, permissions: 0o755, size: nil, modified)
    }

    /// - Returns: whether all of the file was there, as long as it was when it began.
    func add(_ file: OpenFile, as path: String, size: Int64, modified: Timestamp) throws -> Bool {
        try begin(path, type: S_IFREG, permissions: 0o644, size: size, modified)
        var offset: Int64 = 0
        while offset < size {
            let bytes = try file.read(upTo: Int(min(Int64(Self.chunk), size - offset)), from: offset)
            if bytes.isEmpty { return false }
            let written = bytes.withUnsafeBytes { archive_write_data(archive, $0.baseAddress, $0.count) }
            guard written == bytes.count else { throw failure() }
            offset += Int64(bytes.count)
        }
        return true
    }

    /// Writes what readers look for at the end.
    func finish() throws {
        try check(archive_write_close(archive))
    }

    private func begin(
        _ path: String, type: mode_t, permissions: mode_t, size: Int64?, _ modified: Timestamp
    ) throws {
        guard let entry = archive_entry_new() else {
            throw DocumentError(.localStorage, "There is no memory for a ZIP file: close some programs and try again.")
        }
        defer { archive_entry_free(entry) }
        archive_entry_set_pathname(entry, path)
        archive_entry_set_filetype(entry, UInt32(type))
        archive_entry_set_perm(entry, permissions)
        if let size { archive_entry_set_size(entry, size) }
        archive_entry_set_mtime(entry, time_t(modified.seconds), Int(modified.nanoseconds))
        try check(archive_write_header(archive, entry))
    }

    private func check(_ result: Int32) throws {
        guard result >= ARCHIVE_WARN else { throw failure() }
    }

    private func failure() -> DocumentError {
        let words = archive_error_string(archive).map { String(cString: $0) } ?? "for a reason that nobody told"
        return DocumentError(.localStorage, "“\(name)” could not be written: \(words).")
    }
}

/// Runs a body with names of files taken for UTF-8, whatever the environment's language is: on this thread only.
func withNamesInUTF8<Value>(_ body: () throws -> Value) throws -> Value {
    guard let locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil) else {
        throw DocumentError(.localStorage, "This system has no locale C.UTF-8: install the C library's locales.")
    }
    let before = uselocale(locale)
    defer {
        uselocale(before)
        freelocale(locale)
    }
    return try body()
}
