internal import CDocentShims
internal import DocumentModel
internal import Glibc

/// An open folder. Everything in the storage root is reached from one of these: names are resolved beneath it by the
/// kernel, and neither `..` nor a symbolic link nor a mount leads out of it.
final class DirectoryHandle: Sendable {
    /// What a rename does when the new name is taken.
    enum RenameMode: UInt32 {
        case replacing = 0
        case notReplacing = 1
        case exchanging = 2
    }

    let descriptor: Int32
    /// What it is called in messages.
    let path: String

    private static let beneath =
        UInt64(DOCENT_RESOLVE_BENEATH) | UInt64(DOCENT_RESOLVE_NO_SYMLINKS) | UInt64(DOCENT_RESOLVE_NO_MAGICLINKS)
        | UInt64(DOCENT_RESOLVE_NO_XDEV)
    /// The magic numbers of tmpfs and ramfs.
    private static let inMemory: Set<UInt64> = [0x0102_1994, 0x8584_58f6]
    /// Paths longer than this are opened in parts (the kernel takes 4,095 bytes).
    private static let longestPath = 3_800

    private init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        _ = docent_close(descriptor)
    }

    /// Whether it is in a file system that has no disk behind it.
    var isInMemory: Bool {
        var system = docent_file_system()
        let result = kernel(.fileSystem) { docent_fstatfs(descriptor, &system) }
        return result >= 0 && Self.inMemory.contains(system.type)
    }

    /// Opens a folder by a path that the user chose: symbolic links on the way to it are followed.
    convenience init(trusting path: String) throws {
        let result = kernel(.open) {
            docent_openat2(Int32(DOCENT_AT_FDCWD), path, UInt64(O_RDONLY | O_DIRECTORY), 0, 0)
        }
        guard result >= 0 else { throw DocumentError.system(result, "The folder “\(path)” could not be opened") }
        self.init(descriptor: Int32(result), path: path)
    }

    // MARK: Folders beneath

    /// Nil when it, or a folder on the way to it, does not exist.
    ///
    /// - Parameter asPlace: nothing but the state of what is in it will be asked for: that is opened with less work, and
    ///   nobody who watches it hears of it.
    func folderIfPresent(_ components: some Collection<String>, asPlace: Bool = false) throws -> DirectoryHandle? {
        let flags = UInt64(O_DIRECTORY) | UInt64(asPlace ? DOCENT_PLACE_ONLY : O_RDONLY)
        var current = self
        var rest = components[...]
        repeat {
            var path = ""
            while let next = rest.first, path.isEmpty || path.utf8.count + next.utf8.count < Self.longestPath {
                try Self.check(next)
                path += path.isEmpty ? next : "/" + next
                rest = rest.dropFirst()
            }
            if path.isEmpty { path = "." }
            let folder = current
            let result = kernel(.open) {
                docent_openat2(folder.descriptor, path, flags, 0, Self.beneath)
            }
            if result == -Int(ENOENT) { return nil }
            guard result >= 0 else {
                throw DocumentError.system(result, "The folder “\(current.path)/\(path)” could not be opened")
            }
            current = DirectoryHandle(
                descriptor: Int32(result), path: path == "." ? current.path : "\(current.path)/\(path)")
        } while !rest.isEmpty
        return current
    }

    /// The same for who only looks: also nil where a file or a symbolic link is in the way, which somebody has put there.
    func folderIfNotReplaced(_ components: some Collection<String>) throws -> DirectoryHandle? {
        do {
            return try folderIfPresent(components)
        } catch {
            guard try isReplaced(components) else { throw error }
            return nil
        }
    }

    private func isReplaced(_ components: some Collection<String>) throws -> Bool {
        var folder: DirectoryHandle? = self
        for name in components {
            guard let status = try folder?.status(name) else { return true }
            guard status.isFolder else { return true }
            folder = try folder?.folderIfPresent([name])
        }
        return false
    }

    func folder(_ components: some Collection<String>) throws -> DirectoryHandle {
        guard let folder = try folderIfPresent(components) else {
            throw DocumentError(
                .localStorage, "The folder “\(path)/\(components.joined(separator: "/"))” does not exist.")
        }
        return folder
    }

    /// Opens a folder, and makes it and those on the way to it where they are missing.
    func makingFolders(_ components: some Collection<String>) throws -> DirectoryHandle {
        if let folder = try folderIfPresent(components) { return folder }
        var current = self
        for component in components {
            if let next = try current.folderIfPresent(CollectionOfOne(component)) {
                current = next
            } else {
                _ = try current.makeFolder(component)
                current = try current.folder(CollectionOfOne(component))
            }
        }
        return current
    }

    /// - Returns: false when something has the name already.
    func makeFolder(_ name: String) throws -> Bool {
        try Self.check(name)
        let result = kernel(.makeFolder) { docent_mkdirat(descriptor, name, 0o700) }
        if result == -Int(EEXIST) { return false }
        guard result >= 0 else { throw DocumentError.system(result, "The folder “\(path)/\(name)” could not be made") }
        return true
    }

    /// - Returns: false when it did not exist; throws `directoryNotEmpty` when something is in it.
    func removeFolder(_ name: String) throws -> Bool {
        try Self.check(name)
        let result = kernel(.unlink) { docent_unlinkat(descriptor, name, 1) }
        if result == -Int(ENOENT) { return false }
        if result == -Int(ENOTEMPTY) || result == -Int(EEXIST) {
            throw DocumentError(
                .directoryNotEmpty, "The folder “\(path)/\(name)” is not empty: move what is in it elsewhere first.")
        }
        guard result >= 0 else {
            throw DocumentError.system(result, "The folder “\(path)/\(name)” could not be removed")
        }
        return true
    }

    // MARK: Files in it

    /// Opens a file of this folder; a symbolic link is refused.
    ///
    /// - Returns: nil when it does not exist.
    func file(_ name: String, _ flags: Int32 = O_RDONLY | O_NONBLOCK) throws -> OpenFile? {
        try Self.check(name)
        let result = kernel(.open) { docent_openat2(descriptor, name, UInt64(flags), 0o600, Self.beneath) }
        if result == -Int(ENOENT) { return nil }
        guard result >= 0 else { throw DocumentError.system(result, "“\(path)/\(name)” could not be opened") }
        return OpenFile(descriptor: Int32(result), name: "\(path)/\(name)")
    }

    /// Makes a file (0600) for reading and writing.
    ///
    /// - Returns: nil when something has the name already.
    func makeFile(_ name: String) throws -> OpenFile? {
        try Self.check(name)
        let flags = UInt64(O_RDWR | O_CREAT | O_EXCL)
        let result = kernel(.open) { docent_openat2(descriptor, name, flags, 0o600, Self.beneath) }
        if result == -Int(EEXIST) { return nil }
        guard result >= 0 else { throw DocumentError.system(result, "“\(path)/\(name)” could not be made") }
        return OpenFile(descriptor: Int32(result), name: "\(path)/\(name)")
    }

    /// Of whatever has the name, a symbolic link itself included; nil when nothing has.
    func status(_ name: String) throws -> FileStatus? {
        try Self.check(name)
        var raw = docent_status()
        let result = kernel(.status) { docent_fstatat(descriptor, name, &raw) }
        if result == -Int(ENOENT) { return nil }
        guard result >= 0 else {
            throw DocumentError.system(result, "The state of “\(path)/\(name)” could not be read")
        }
        return FileStatus(raw: raw)
    }

    /// - Returns: false when it did not exist.
    @discardableResult
    func unlink(_ name: String) throws -> Bool {
        try Self.check(name)
        let result = kernel(.unlink) { docent_unlinkat(descriptor, name, 0) }
        if result == -Int(ENOENT) { return false }
        guard result >= 0 else { throw DocumentError.system(result, "“\(path)/\(name)” could not be removed") }
        return true
    }

    /// How a rename ended, where it did not fail otherwise.
    enum Renamed {
        case done
        case sourceMissing
        case targetExists
    }

    func rename(_ name: String, to target: DirectoryHandle, _ newName: String, _ mode: RenameMode) throws -> Renamed {
        try Self.check(name)
        try Self.check(newName)
        let result = kernel(.rename) {
            docent_renameat2(descriptor, name, target.descriptor, newName, mode.rawValue)
        }
        switch result {
        case 0...: return .done
        case -Int(ENOENT): return .sourceMissing
        case -Int(EEXIST), -Int(ENOTEMPTY): return .targetExists
        default:
            throw DocumentError.system(
                result, "“\(path)/\(name)” could not be given the name “\(target.path)/\(newName)”")
        }
    }

    /// Gives a file a second name.
    ///
    /// - Returns: false when the file system has no such thing.
    func link(_ name: String, to target: DirectoryHandle, _ newName: String) throws -> Bool {
        try Self.check(name)
        try Self.check(newName)
        let result = kernel(.link) { docent_linkat(descriptor, name, target.descriptor, newName) }
        if [-Int(EPERM), -Int(EOPNOTSUPP), -Int(EMLINK)].contains(result) { return false }
        guard result >= 0 else {
            throw DocumentError.system(
                result, "“\(path)/\(name)” could not be given the name “\(target.path)/\(newName)”, too")
        }
        return true
    }

    /// Makes the folder's names durable.
    func flush() throws {
        let result = kernel(.flush) { docent_fsync(descriptor) }
        guard result >= 0 else {
            throw DocumentError.system(result, "The folder “\(path)” could not be written to disk")
        }
    }

    // MARK: Listing

    enum EntryKind: Sendable {
        case file, folder, other
    }

    /// Calls the closure for each entry but `.` and `..`, in the file system's order. `name` is nil for a name that
    /// is not UTF-8: no item can have it.
    func forEachEntry(_ body: (_ name: String?, _ kind: EntryKind) throws -> Void) throws {
        try forEachInode { name, kind, _ in try body(name, kind) }
    }

    /// The same, with each entry's inode.
    func forEachInode(_ body: (_ name: String?, _ kind: EntryKind, _ inode: UInt64) throws -> Void) throws {
        try forEachName { bytes, entry in
            let name = String(validating: bytes, as: UTF8.self)
            try body(name, try kind(of: entry, name), entry.inode)
        }
    }

    /// The same, with each name as it is, be it UTF-8 or not. What the file system does not say the kind of is `other` then.
    func forEachEntry(bytes body: (_ name: UnsafeRawBufferPointer, _ kind: EntryKind) throws -> Void) throws {
        try forEachName { bytes, entry in
            try body(bytes, try kind(of: entry, String(validating: bytes, as: UTF8.self)))
        }
    }

    private func forEachName(_ body: (UnsafeRawBufferPointer, docent_entry) throws -> Void) throws {
        // Its own open file: the position in a folder belongs to that, and others may be reading too.
        let own = try folder([])
        try withUnsafeTemporaryAllocation(byteCount: 1 << 15, alignment: 8) { buffer in
            guard let base = buffer.baseAddress else { return }
            while true {
                let filled = kernel(.readFolder) { docent_getdents(own.descriptor, base, buffer.count) }
                guard filled >= 0 else { throw DocumentError.system(filled, "The folder “\(path)” could not be read") }
                if filled == 0 { return }
                var offset = 0
                while offset < filled {
                    var entry = docent_entry()
                    offset = docent_entry_at(base, filled, offset, &entry)
                    guard offset > 0, let characters = entry.name else { break }
                    let bytes = UnsafeRawBufferPointer(start: characters, count: entry.name_length)
                    if bytes.elementsEqual(".".utf8) || bytes.elementsEqual("..".utf8) { continue }
                    try body(bytes, entry)
                }
            }
        }
    }

    private func kind(of entry: docent_entry, _ name: String?) throws -> EntryKind {
        switch entry.type {
        case Int32(DOCENT_ENTRY_FILE.rawValue): return .file
        case Int32(DOCENT_ENTRY_FOLDER.rawValue): return .folder
        case Int32(DOCENT_ENTRY_UNKNOWN.rawValue):
            // Some file systems leave it to stat.
            guard let name, let status = try status(name) else { return .other }
            return status.isFile ? .file : status.isFolder ? .folder : .other
        default: return .other
        }
    }

    /// Single components only: the calls that take two folders have no way to be told to stay beneath them.
    private static func check(_ name: String) throws {
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0)
        else {
            throw DocumentError(.outsideStorageRoot, "“\(name)” is not the name of a file in a folder.")
        }
    }
}
