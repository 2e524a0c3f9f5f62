internal import CDocentShims
internal import DocumentModel
internal import Glibc
internal import SystemPackage

/// A copy of a document in a place of the tool's own: it appears there whole and flushed, or not at all.
enum LocalCopy {
    /// How much is copied between two looks at whether the task was cancelled.
    private static let chunk = 64 * 1_048_576

    /// Refuses a destination before anything is downloaded for it.
    static func check(_ destination: FilePath, replacing: Bool) throws(DocumentError) {
        guard let name = destination.lastComponent, name.kind == .regular else {
            throw DocumentError(.invalidArgument, "“\(destination)” is not the name of a file: name the copy.")
        }
        var status = stat()
        if lstat(destination.string, &status) == 0 {
            if status.st_mode & S_IFMT == S_IFDIR {
                throw DocumentError(
                    .destinationExists, "\(destination) is a folder: name the file that the copy will be.")
            }
            if !replacing { throw exists(destination) }
        }
        let folder = destination.removingLastComponent()
        if stat(folder.isEmpty ? "." : folder.string, &status) != 0 {
            throw DocumentError(
                .noSuchItem,
                "The folder \(folder) for the copy is not there (\(Errno(rawValue: errno))): make it first.")
        }
    }

    /// Copies an open file. Runs on the client's loop, whatever actor the caller is on: it blocks.
    @concurrent
    static func make(of input: FileDescriptor, at destination: FilePath, replacing: Bool) async throws {
        let folder = destination.removingLastComponent()
        let temporary = folder.appending(".docent-import-\(String(UInt64.random(in: .min ... .max), radix: 16))")
        do {
            let output = try FileDescriptor.open(
                temporary, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: FilePermissions(rawValue: 0o666))
            defer { try? output.close() }
            do {
                try copy(input, to: output)
                try checked(docent_fsync(output.rawValue))
                try publish(temporary, at: destination, replacing: replacing)
            } catch {
                unlink(temporary.string)
                throw error
            }
            flushFolder(folder.isEmpty ? "." : folder)
        } catch let error as Errno where error == .fileExists {
            throw exists(destination)
        } catch let error as Errno {
            throw DocumentError(
                .localStorage,
                "The copy \(destination) cannot be written (\(error)): make room, or choose another place.")
        }
    }

    static func copy(_ input: FileDescriptor, to output: FileDescriptor) throws {
        if docent_clone(input.rawValue, output.rawValue) == 0 { return }
        var offset: Int64 = 0
        while true {
            try Task.checkCancellation()
            let count = docent_copy_file_range(input.rawValue, offset, output.rawValue, offset, chunk)
            // Between some file systems the kernel cannot copy.
            if count == -Int(EXDEV) || count == -Int(EOPNOTSUPP) || count == -Int(EINVAL) {
                return try copyByHand(input, to: output, from: offset)
            }
            guard count >= 0 else { throw Errno(rawValue: Int32(-count)) }
            if count == 0 { return }
            offset += Int64(count)
        }
    }

    private static func copyByHand(_ input: FileDescriptor, to output: FileDescriptor, from start: Int64) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_048_576, alignment: 4_096)
        defer { buffer.deallocate() }
        var offset = start
        while true {
            try Task.checkCancellation()
            let count = try input.read(fromAbsoluteOffset: offset, into: buffer)
            if count == 0 { return }
            try output.writeAll(toAbsoluteOffset: offset, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += Int64(count)
        }
    }

    /// The same for a file that somebody else has written beside it.
    static func publish(flushing file: FilePath, at destination: FilePath, replacing: Bool) throws(Errno) {
        let written = open(file.string, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard written >= 0 else { throw Errno(rawValue: errno) }
        defer { close(written) }
        try checked(docent_fsync(written))
        try publish(file, at: destination, replacing: replacing)
        let folder = destination.removingLastComponent()
        flushFolder(folder.isEmpty ? "." : folder)
    }

    private static func publish(_ temporary: FilePath, at destination: FilePath, replacing: Bool) throws(Errno) {
        if replacing {
            if rename(temporary.string, destination.string) != 0 { throw Errno(rawValue: errno) }
            return
        }
        let result = docent_renameat2(
            DOCENT_AT_FDCWD, temporary.string, DOCENT_AT_FDCWD, destination.string, UInt32(DOCENT_RENAME_NOREPLACE))
        // Where the file system does not know how to rename without replacing, a link does the same.
        if result == -EINVAL {
            if link(temporary.string, destination.string) != 0 { throw Errno(rawValue: errno) }
            unlink(temporary.string)
        } else {
            try checked(result)
        }
    }

    /// Makes the name durable. Where a folder cannot be flushed there is nothing to be done about it.
    private static func flushFolder(_ folder: FilePath) {
        guard let descriptor = try? FileDescriptor.open(folder, .readOnly, options: [.directory, .closeOnExec]) else {
            return
        }
        _ = docent_fsync(descriptor.rawValue)
        try? descriptor.close()
    }

    private static func checked(_ result: Int32) throws(Errno) {
        if result < 0 { throw Errno(rawValue: -result) }
    }

    private static func exists(_ destination: FilePath) -> DocumentError {
        DocumentError(
            .destinationExists, "\(destination) exists already: choose another name, or say that it may be replaced.")
    }
}
