internal import CDocentShims
internal import DocumentModel
internal import Glibc
internal import SystemPackage

/// An open file or folder; closed when it goes out of use.
struct OpenFile: ~Copyable {
    let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        _ = docent_close(descriptor)
    }

    /// Closes it now.
    consuming func close() {}

    /// How to open.
    struct Flags {
        var flags: Int32
        var mode: UInt32 = 0

        /// A folder, to list it and to reach what is in it.
        static let folder = Flags(flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        /// A folder that a person named, who may do so through a symlink.
        static let namedFolder = Flags(flags: O_RDONLY | O_DIRECTORY)
        /// A document, to read it. Does not wait when it turns out to be a pipe.
        static let document = Flags(flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        /// A new file under a name that is free.
        static let fresh = Flags(flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o666)
        /// A new file that nobody writes, not even who makes it.
        static let empty = Flags(flags: O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        static let staging = Flags(flags: O_WRONLY | O_TRUNC | O_NOFOLLOW)
        /// Of which only a part is to be written.
        static let part = Flags(flags: O_WRONLY | O_NOFOLLOW)
        static let log = Flags(flags: O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, mode: 0o600)
        static let lockFile = Flags(flags: O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
    }

    /// Nothing outside a folder is reached from it: no `..`, no symlink, no mount.
    private static let inside = UInt64(
        DOCENT_RESOLVE_BENEATH | DOCENT_RESOLVE_NO_SYMLINKS | DOCENT_RESOLVE_NO_MAGICLINKS | DOCENT_RESOLVE_NO_XDEV)

    /// Opens what is beneath this folder.
    ///
    /// - Parameter path: names of items.
    /// - Throws: ``SystemFailure``.
    func openBeneath(_ path: String, _ flags: Flags) throws(SystemFailure) -> OpenFile {
        try openBeneath(DiskName.path(path), flags)
    }

    /// - Parameter doing: the beginning of the sentence that says what went wrong.
    func openBeneath(
        _ path: String, _ flags: Flags, _ side: SystemFailure.Side, _ doing: @autoclosure () -> String
    ) throws(DocumentError) -> OpenFile {
        do {
            return try openBeneath(path, flags)
        } catch {
            throw error.error(side, doing())
        }
    }

    /// - Parameter path: as it is on the disk; ends with a NUL.
    func openBeneath(_ path: [CChar], _ flags: Flags) throws(SystemFailure) -> OpenFile {
        let result = docent_openat2(descriptor, path, UInt64(flags.flags), flags.mode, Self.inside)
        guard result >= 0 else { throw SystemFailure(result) }
        return OpenFile(descriptor: result)
    }

    static func openAbsolute(_ path: FilePath, _ flags: Flags) throws(SystemFailure) -> OpenFile {
        let result = docent_openat2(DOCENT_AT_FDCWD, path.string, UInt64(flags.flags), flags.mode, 0)
        guard result >= 0 else { throw SystemFailure(result) }
        return OpenFile(descriptor: result)
    }

    /// For files of the host: what goes wrong is named as its own.
    static func open(_ path: FilePath, flags: Flags, naming what: String) throws(DocumentError) -> OpenFile {
        do {
            return try openAbsolute(path, flags)
        } catch {
            throw error.error(.local, "“\(path)” (\(what)) cannot be opened")
        }
    }

    func open(_ name: String, flags: Flags, naming what: String) throws(DocumentError) -> OpenFile {
        do {
            return try openBeneath(name, flags)
        } catch {
            throw error.error(.local, "“\(name)” (\(what)) cannot be opened")
        }
    }

    func status(naming what: String) throws(DocumentError) -> docent_entry_status {
        var status = docent_entry_status()
        try SystemFailure.check(docent_entry_status(descriptor, "", &status), .local, "\(what) cannot be read")
        return status
    }

    /// All of a small file.
    func contents(naming what: String) throws(DocumentError) -> [UInt8] {
        let size = Int(try status(naming: what).size)
        var bytes = [UInt8](repeating: 0, count: size)
        var done = 0
        while done < size {
            let count = bytes.withUnsafeMutableBytes { buffer in
                buffer.baseAddress.map { docent_pread(descriptor, $0 + done, size - done, Int64(done)) } ?? 0
            }
            try SystemFailure.check(count, .local, "\(what) cannot be read")
            if count == 0 { break }
            done += count
        }
        return Array(bytes.prefix(done))
    }
}
