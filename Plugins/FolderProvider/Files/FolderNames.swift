internal import CDocentShims
internal import DocumentModel
internal import Glibc
internal import SystemPackage

/// Gives, exchanges and takes away names in open folders: those of items, as they are on the disk (``DiskName``).
struct FolderNames: Sendable {
    /// A call of the system that changes names, or has them written to disk.
    enum Call: Hashable, Sendable {
        case rename(flags: UInt32)
        case link
        case unlink
        case flush
    }

    /// Tests stand here before each call, and may answer in the system's place.
    var beforeCall: @Sendable (Call) -> Int32? = { _ in nil }

    /// Renames when the new name is free, in one step.
    ///
    /// - Returns: 0, or the negative error number; -EEXIST when the name is taken, and one that ``isUnknown(_:)`` where the
    ///   file system cannot do that.
    func move(
        _ name: String, in folder: borrowing OpenFile, to newName: String, in newFolder: borrowing OpenFile
    ) -> Int32 {
        rename(name, folder, newName, newFolder, flags: UInt32(DOCENT_RENAME_NOREPLACE))
    }

    /// Whether so answers a file system that cannot rename in such a way: those of networks, and of programs.
    static func isUnknown(_ result: Int32) -> Bool {
        result == -EINVAL || result == -ENOSYS || result == -EOPNOTSUPP
    }

    /// Gives whatever has a name a temporary one, which nobody else uses: so it need not be known to be free.
    ///
    /// - Returns: 0, or the negative error number.
    func take(_ name: String, in folder: borrowing OpenFile, as temporary: String) -> Int32 {
        rename(name, folder, temporary, folder, flags: 0)
    }

    /// Gives what has a temporary name another one, when that is free.
    ///
    /// - Returns: 0, or the negative error number; -EEXIST when the name is taken.
    func place(
        _ temporary: String, in folder: borrowing OpenFile, as name: String, in newFolder: borrowing OpenFile
    ) -> Int32 {
        let result = move(temporary, in: folder, to: name, in: newFolder)
        guard Self.isUnknown(result) else { return result }
        // A link fails too when the name is taken.
        let linked = link(temporary, folder, name, newFolder)
        if linked == 0 {
            // Where it stays, nobody sees it, and the next run of the provider removes it.
            _ = unlink(temporary, in: folder)
            return 0
        }
        guard linked == -EPERM || linked == -EOPNOTSUPP || linked == -ENOSYS else { return linked }
        // Folders have no links, which take the place of an empty folder at most; and some file systems have none at all.
        var status = docent_entry_status()
        let found = docent_entry_status(newFolder.descriptor, DiskName.path(name), &status)
        guard found == -ENOENT else { return found == 0 ? -EEXIST : found }
        let renamed = rename(temporary, folder, name, newFolder, flags: 0)
        return renamed == -ENOTEMPTY || renamed == -ENOTDIR || renamed == -EISDIR ? -EEXIST : renamed
    }

    /// Exchanges a temporary name and another one of the same folder.
    ///
    /// - Returns: 0, or the negative error number. Then ``third(of:)`` may have a file, where the file system needs three
    ///   steps.
    func exchange(_ temporary: String, _ name: String, in folder: borrowing OpenFile) -> Int32 {
        let result = rename(temporary, folder, name, folder, flags: UInt32(DOCENT_RENAME_EXCHANGE))
        guard Self.isUnknown(result) else { return result }
        let third = Self.third(of: temporary)
        let taken = take(name, in: folder, as: third)
        guard taken == 0 else { return taken }
        let placed = place(temporary, in: folder, as: name, in: folder)
        guard placed == 0 else { return placed }
        return take(third, in: folder, as: temporary)
    }

    /// The name that something has between two others.
    static func third(of temporary: String) -> String { temporary + "x" }

    /// Takes a temporary name away from a file that has another one.
    ///
    /// - Returns: 0, or the negative error number.
    func unlink(_ temporary: String, in folder: borrowing OpenFile) -> Int32 {
        if let answer = beforeCall(.unlink) { return answer }
        return docent_unlinkat(folder.descriptor, DiskName.path(temporary), 0)
    }

    /// Has all names in a folder written to disk.
    ///
    /// - Returns: 0, or the negative error number.
    func flush(_ folder: borrowing OpenFile) -> Int32 {
        if let answer = beforeCall(.flush) { return answer }
        return docent_fsync(folder.descriptor)
    }

    private func rename(
        _ name: String, _ folder: borrowing OpenFile, _ newName: String, _ newFolder: borrowing OpenFile, flags: UInt32
    ) -> Int32 {
        if let answer = beforeCall(.rename(flags: flags)) { return answer }
        return docent_renameat2(
            folder.descriptor, DiskName.path(name), newFolder.descriptor, DiskName.path(newName), flags)
    }

    private func link(
        _ name: String, _ folder: borrowing OpenFile, _ newName: String, _ newFolder: borrowing OpenFile
    ) -> Int32 {
        if let answer = beforeCall(.link) { return answer }
        return docent_linkat(folder.descriptor, DiskName.path(name), newFolder.descriptor, DiskName.path(newName))
    }

    /// Removes a file or a folder with all that is in it, whatever that is. Follows nothing.
    ///
    /// Uses few descriptors however deep the folder is: folders in it are lifted to its top first.
    ///
    /// - Returns: 0, or the negative error number.
    static func remove(_ name: String, in folder: borrowing OpenFile) -> Int32 {
        let name = DiskName.path(name)
        let asFile = docent_unlinkat(folder.descriptor, name, 0)
        guard asFile == -EISDIR || asFile == -EPERM else { return asFile == -ENOENT ? 0 : asFile }
        let asFolder = docent_unlinkat(folder.descriptor, name, 1)
        guard asFolder == -ENOTEMPTY || asFolder == -EEXIST else { return asFolder == -ENOENT ? 0 : asFolder }
        do throws(SystemFailure) {
            let top = try folder.openBeneath(name, .folder)
            var folders = try emptied(top)
            while let next = folders.popLast() {
                if docent_unlinkat(top.descriptor, next, 1) == 0 { continue }
                let inner = try top.openBeneath(next, .folder)
                for child in try emptied(inner) {
                    let lifted = Array(".docent-lifted-\(UInt64.random(in: .min ... .max))".utf8CString)
                    let result = docent_renameat2(inner.descriptor, child, top.descriptor, lifted, 0)
                    guard result == 0 else { throw SystemFailure(result) }
                    folders.append(lifted)
                }
                let result = docent_unlinkat(top.descriptor, next, 1)
                guard result == 0 else { throw SystemFailure(result) }
            }
            return docent_unlinkat(folder.descriptor, name, 1)
        } catch {
            return -error.errno.rawValue
        }
    }

    /// Removes all files of a folder.
    ///
    /// - Returns: the folders in it, by name; names need not be text.
    private static func emptied(_ folder: borrowing OpenFile) throws(SystemFailure) -> [[CChar]] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
        defer { buffer.deallocate() }
        guard let base = buffer.baseAddress else { return [] }
        var folders: [[CChar]] = []
        while true {
            let filled = docent_getdents(folder.descriptor, base, buffer.count)
            guard filled >= 0 else { throw SystemFailure(filled) }
            if filled == 0 { return folders }
            var entry = docent_entry()
            var offset = docent_entry_at(base, filled, 0, &entry)
            while offset != 0 {
                if let name = entry.name, strcmp(name, ".") != 0, strcmp(name, "..") != 0 {
                    let result = docent_unlinkat(folder.descriptor, name, 0)
                    if result == -EISDIR || result == -EPERM {
                        folders.append(Array(UnsafeBufferPointer(start: name, count: entry.name_length + 1)))
                    } else if result != 0, result != -ENOENT {
                        throw SystemFailure(result)
                    }
                }
                offset = offset < filled ? docent_entry_at(base, filled, offset, &entry) : 0
            }
        }
    }
}
