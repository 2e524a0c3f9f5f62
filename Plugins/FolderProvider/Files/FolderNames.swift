internal import CDocentShims
internal import DocumentModel
internal import Glibc
internal import SystemPackage

/// Gives, exchanges and takes away names in open folders: those of items, as they are on the disk (``DiskName``).
enum FolderNames {
    /// Renames when the new name is free.
    ///
    /// - Returns: 0, or the negative error number; -EEXIST when the name is taken.
    static func move(
        _ name: String, in folder: borrowing OpenFile, to newName: String, in newFolder: borrowing OpenFile
    ) -> Int32 {
        let (name, newName) = (DiskName.path(name), DiskName.path(newName))
        let result = docent_renameat2(
            folder.descriptor, name, newFolder.descriptor, newName, UInt32(DOCENT_RENAME_NOREPLACE))
        guard result == -EINVAL || result == -ENOSYS else { return result }
        // Network file systems: a link fails too when the name is taken.
        let linked = docent_linkat(folder.descriptor, name, newFolder.descriptor, newName)
        if linked == 0 { return docent_unlinkat(folder.descriptor, name, 0) }
        guard linked == -EPERM || linked == -EOPNOTSUPP || linked == -ENOSYS else { return linked }
        var status = docent_entry_status()
        guard docent_entry_status(newFolder.descriptor, newName, &status) == -ENOENT else { return -EEXIST }
        return docent_renameat2(folder.descriptor, name, newFolder.descriptor, newName, 0)
    }

    /// Exchanges two names of a folder.
    ///
    /// - Returns: 0, or the negative error number.
    static func exchange(_ name: String, _ other: String, in folder: borrowing OpenFile) -> Int32 {
        let result = docent_renameat2(
            folder.descriptor, DiskName.path(name), folder.descriptor, DiskName.path(other),
            UInt32(DOCENT_RENAME_EXCHANGE))
        guard result == -EINVAL || result == -ENOSYS else { return result }
        // In three steps, under the lock, where the file system has nothing better.
        let third = name + thirdSuffix
        let first = docent_renameat2(
            folder.descriptor, DiskName.path(other), folder.descriptor, DiskName.path(third), 0)
        guard first == 0 else { return first }
        let second = move(name, in: folder, to: other, in: folder)
        guard second == 0 else {
            _ = move(third, in: folder, to: other, in: folder)
            return second
        }
        return move(third, in: folder, to: name, in: folder)
    }

    private static let thirdSuffix = "x"

    /// After a crash: brings an exchange in three steps to its end, or back to its beginning.
    static func endExchange(_ name: String, _ other: String, in folder: borrowing OpenFile) {
        let third = name + thirdSuffix
        // When the temporary name is free, the new file has its place already.
        if move(third, in: folder, to: name, in: folder) == -EEXIST {
            _ = move(third, in: folder, to: other, in: folder)
        }
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
