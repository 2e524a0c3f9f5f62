internal import CDocentShims
internal import DocumentModel
internal import DocumentWire
internal import Glibc
package import SystemPackage

/// A copy of a document, or of a folder with all that is in it, in a place of the tool's own: it appears there whole and
/// flushed, or not at all.
package enum LocalTree {
    /// Copies it. Runs on the client's loop, whatever actor the caller is on: it blocks.
    ///
    /// - Returns: all that was copied, folders before what lies in them.
    @concurrent
    static func copy(_ source: FilePath, isFolder: Bool, to destination: FilePath) async throws -> [MoveOutCall.Part] {
        let around = destination.removingLastComponent()
        let temporary = around.appending(".docent-moving-\(String(UInt64.random(in: .min ... .max), radix: 16))")
        do {
            var parts: [MoveOutCall.Part] = []
            do {
                if isFolder {
                    try copyFolder(source, to: temporary, [], &parts)
                } else {
                    parts.append(MoveOutCall.Part(path: [], file: try copyFile(source, to: temporary)))
                }
                try publish(temporary, at: destination)
            } catch {
                remove(temporary)
                throw error
            }
            try flushFolder(around.isEmpty ? "." : around)
            return parts
        } catch let error as Errno where error == .fileExists || error == .directoryNotEmpty {
            throw DocumentError(.destinationExists, "\(destination) exists already: choose another name.")
        } catch let error as Errno {
            throw DocumentError(
                .localStorage,
                "The copy \(destination) cannot be written (\(error)): make room, or choose another place.")
        }
    }

    private static func copyFolder(
        _ source: FilePath, to target: FilePath, _ path: [ItemName], _ parts: inout [MoveOutCall.Part]
    ) throws {
        try Task.checkCancellation()
        parts.append(MoveOutCall.Part(path: path, file: nil))
        if mkdir(target.string, 0o777) != 0 { throw Errno(rawValue: errno) }
        for name in try entries(of: source) where name != ItemName.placeholderFolder {
            var status = stat()
            let from = source.appending(name)
            guard lstat(from.string, &status) == 0 else { throw Errno(rawValue: errno) }
            // What is no item stays where it is: links, devices, names that none can have.
            guard let item = try? ItemName(name) else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                try copyFolder(from, to: target.appending(name), path + [item], &parts)
            } else if status.st_mode & S_IFMT == S_IFREG {
                parts.append(
                    MoveOutCall.Part(path: path + [item], file: try copyFile(from, to: target.appending(name))))
            }
        }
        try flushFolder(target)
    }

    private static func entries(of folder: FilePath) throws -> [String] {
        guard let stream = opendir(folder.string) else { throw Errno(rawValue: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
            }
            if let name, name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// - Returns: what the file was, before and after.
    private static func copyFile(_ source: FilePath, to target: FilePath) throws -> MoveOutCall.File {
        let input = try FileDescriptor.open(source, .readOnly, options: [.closeOnExec, .noFollow])
        defer { try? input.close() }
        let output = try FileDescriptor.open(
            target, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
            permissions: FilePermissions(rawValue: 0o666))
        defer { try? output.close() }
        let before = try status(of: input)
        try LocalCopy.copy(input, to: output)
        let result = docent_set_modified(output.rawValue, before.modified.seconds, before.modified.nanoseconds)
        if result < 0 { throw Errno(rawValue: -result) }
        let flushed = docent_fsync(output.rawValue)
        if flushed < 0 { throw Errno(rawValue: -flushed) }
        guard try status(of: input) == before else {
            throw DocumentError(.busy, "\(source) was changed while it was copied: try again.")
        }
        return before
    }

    private static func status(of file: FileDescriptor) throws -> MoveOutCall.File {
        var status = stat()
        guard fstat(file.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
        return MoveOutCall.File(
            inode: UInt64(status.st_ino), size: Int64(status.st_size),
            modified: Timestamp(
                seconds: Int64(status.st_mtim.tv_sec), nanoseconds: UInt32(truncatingIfNeeded: status.st_mtim.tv_nsec)))
    }

    private static func publish(_ temporary: FilePath, at destination: FilePath) throws {
        let result = docent_renameat2(
            DOCENT_AT_FDCWD, temporary.string, DOCENT_AT_FDCWD, destination.string, UInt32(DOCENT_RENAME_NOREPLACE))
        if result >= 0 { return }
        // Where the file system does not know how to rename without replacing, nothing may be there a moment before.
        guard result == -EINVAL else { throw Errno(rawValue: -result) }
        var status = stat()
        guard lstat(destination.string, &status) != 0 else { throw Errno.fileExists }
        if rename(temporary.string, destination.string) != 0 { throw Errno(rawValue: errno) }
    }

    /// Removes a file, or a folder with whatever is in it, as far as that is possible.
    package static func remove(_ path: FilePath) {
        let around = path.removingLastComponent()
        guard let name = path.lastComponent?.string,
            let folder = try? FileDescriptor.open(
                around.isEmpty ? "." : around, .readOnly, options: [.directory, .closeOnExec])
        else { return }
        _ = docent_remove_tree(folder.rawValue, name)
        try? folder.close()
    }

    private static func flushFolder(_ folder: FilePath) throws {
        let descriptor = try FileDescriptor.open(folder, .readOnly, options: [.directory, .closeOnExec])
        defer { try? descriptor.close() }
        // Where a folder cannot be flushed there is nothing to be done about it.
        _ = docent_fsync(descriptor.rawValue)
    }
}
