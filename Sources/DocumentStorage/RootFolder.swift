internal import CDocentShims
internal import DocumentModel
internal import Glibc
internal import SystemPackage

/// The storage root's own folder: making it, and refusing what cannot be one.
enum RootFolder {
    static func open(_ path: FilePath) throws -> DirectoryHandle {
        guard path.isAbsolute else {
            throw DocumentError(.invalidArgument, "“\(path)” cannot be the storage root: give an absolute path.")
        }
        try makeFolders(on: path.lexicallyNormalized())
        let given = try DirectoryHandle(trusting: path.string)
        let root = try DirectoryHandle(trusting: realPath(of: given))
        var status = docent_status()
        let result = kernel(.status) { docent_fstat(root.descriptor, &status) }
        guard result >= 0 else { throw DocumentError.system(result, "The state of \(path) could not be read") }
        guard status.owner == geteuid() else {
            throw DocumentError(
                .notPermitted, "\(path) belongs to another user: choose a folder of your own as the storage root.")
        }
        try refuseForeignContents(of: root)
        if status.mode & 0o077 != 0 {
            let result = kernel(.setMode) { docent_fchmod(root.descriptor, 0o700) }
            guard result >= 0 else { throw DocumentError.system(result, "The mode of \(path) could not be set") }
        }
        return root
    }

    /// Others' files are not for us to live among, and their folder's mode is not for us to change.
    private static func refuseForeignContents(of root: DirectoryHandle) throws {
        guard try root.status(".docent") == nil else { return }
        try root.forEachEntry { name, _ in
            if name == "documents" { return }
            throw DocumentError(
                .invalidArgument,
                "\(root.path) holds other files and is not a storage root: choose an empty folder, or one that does not exist yet."
            )
        }
    }

    private static func makeFolders(on path: FilePath) throws {
        var current = FilePath(root: path.root, [])
        for component in path.components {
            current.append(component)
            let result = kernel(.makeFolder) { current.withPlatformString { docent_mkdirat(-100, $0, 0o700) } }
            if result < 0, result != -Int(EEXIST) {
                throw DocumentError.system(result, "The folder “\(current)” could not be made")
            }
        }
    }

    private static func realPath(of folder: DirectoryHandle) throws -> String {
        let size = 4096
        var length = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            let name = "/proc/self/fd/\(folder.descriptor)"
            length = buffer.withMemoryRebound(to: CChar.self) { characters in
                guard let base = characters.baseAddress else { return 0 }
                return kernel(.open) { docent_readlinkat(Int32(DOCENT_AT_FDCWD), name, base, size) }
            }
            count = max(0, length)
        }
        // Without /proc the path is used as it was given.
        guard length > 0, length < size else { return folder.path }
        guard let path = String(validating: bytes, as: UTF8.self) else {
            throw DocumentError(.invalidArgument, "The path of the storage root must be UTF-8: choose another one.")
        }
        return path
    }

    // MARK: File systems

    /// Tries all that publishing depends on, on two empty files.
    static func refuseUnfit(documents: DirectoryHandle, staging: DirectoryHandle) throws {
        var system = docent_file_system()
        let result = kernel(.fileSystem) { docent_fstatfs(staging.descriptor, &system) }
        guard result >= 0 else { throw DocumentError.system(result, "The file system could not be asked") }
        if let name = networkFileSystems[system.type] {
            throw unfit(documents, "it is on a network (\(name)), where locks and renames do not hold")
        }
        if system.is_read_only != 0 { throw unfit(documents, "it is mounted read-only") }
        guard let (file, one) = try makeTrialFile("probe-one", in: staging) else {
            throw unfit(documents, "new files cannot be made")
        }
        defer { _ = try? staging.unlink(one) }
        guard let (_, two) = try makeTrialFile(".docent-probe", in: documents) else {
            throw unfit(documents, "new files cannot be made")
        }
        defer { _ = try? documents.unlink(two) }
        do { try file.setAttribute("user.docent.probe", to: [1]) } catch let error as DocumentError {
            guard error.code != .localStorage || !error.message.contains("full") else { throw error }
            throw unfit(documents, "it keeps no extended attributes (\(error.detail))")
        }
        if try staging.status("PROBE" + one.dropFirst(5)) != nil {
            throw unfit(documents, "it takes upper and lower case for the same name")
        }
        do {
            guard try staging.rename(one, to: documents, two, .notReplacing) == .targetExists,
                try staging.rename(one, to: documents, two, .exchanging) == .done
            else { throw unfit(documents, "a rename does not keep what has the name already") }
        } catch let error as DocumentError where error.code != .internal {
            throw unfit(documents, "files cannot be exchanged or renamed with care (\(error.detail))")
        }
    }

    /// An empty file to try something with, by the same name each time: what a host has left that was killed meanwhile is made
    /// anew, and goes. What somebody has put there stays, and the file has another name.
    ///
    /// - Returns: nil when none can be made.
    private static func makeTrialFile(
        _ name: String, in folder: DirectoryHandle
    ) throws -> (file: OpenFile, name: String)? {
        if let file = try folder.makeFile(name) { return (file, name) }
        if let status = try folder.status(name), !status.isFile || status.identity.size > 0 {
            let other = "probe-" + RandomName.make()
            return try folder.makeFile(other).map { ($0, other) }
        }
        try folder.unlink(name)
        return try folder.makeFile(name).map { ($0, name) }
    }

    private static func unfit(_ folder: DirectoryHandle, _ reason: String) -> DocumentError {
        DocumentError(
            .localStorage,
            "The file system of \(folder.path) cannot hold a storage root: \(reason). Choose a folder on a local disk (ext4, xfs, btrfs).",
            detail: reason
        )
    }

    private static let networkFileSystems: [UInt64: String] = [
        0x6969: "NFS", 0x517B: "SMB", 0xFF53_4D42: "CIFS", 0xFE53_4D42: "SMB2", 0x0102_1997: "9P",
        0x5346_414F: "AFS", 0x00C3_6400: "Ceph", 0x7375_7245: "Coda",
    ]
}
