import CDocentShims
package import DocumentModel
import Glibc
package import SystemPackage

/// A folder of this machine that the documents are mounted at, or are to be.
package struct MountPoint: Hashable, Sendable {
    /// Absolute, and without symbolic links.
    package let path: FilePath

    /// An extended attribute of the mount's top folder: the process that serves it.
    static let processAttribute = ExtendedAttributes.prefix + "process"

    /// `~/Docent`.
    package static func usual() throws(DocumentError) -> FilePath {
        guard let home = getenv("HOME").map({ FilePath(String(cString: $0)) }), home.isAbsolute else {
            throw DocumentError(
                .invalidArgument, "HOME is not set, so there is no usual place for the mount: name a folder.")
        }
        return home.appending("Docent")
    }

    /// The place of a mount that is there, or is to be.
    ///
    /// A mount whose process has died answers nothing: only the folder around it is looked at.
    package init(_ path: FilePath) throws(DocumentError) {
        let lexical = path.lexicallyNormalized()
        let around = lexical.removingLastComponent()
        guard let name = lexical.lastComponent, name.kind == .regular else {
            throw DocumentError(.invalidArgument, "“\(path)” is not the name of a folder: name one.")
        }
        guard let folder = realpath(around.isEmpty ? "." : around.string, nil) else {
            throw DocumentError(
                .invalidArgument,
                "The folder around \(path) cannot be found (\(Errno(rawValue: errno))): make it, or name another one.")
        }
        defer { free(folder) }
        self.path = FilePath(String(cString: folder)).appending(name)
    }

    /// Ends a mount whose process was killed while it waited in the kernel: it would last as long as that waits, which may be
    /// for the mount itself, and whoever touched it would wait, too. Nothing of the mount is touched here.
    ///
    /// - Returns: whether nothing of it is left to be taken away.
    @discardableResult
    package func endIfServerIsGone() -> Bool {
        guard let entry = try? MountTable.now().entry(at: path), entry.type == "fuse.docent",
            let server = MountServer(source: entry.source), server.isGone
        else { return false }
        return abort(entry)
    }

    /// Everything that waits for the mount ends, with `ENOTCONN`.
    private func abort(_ entry: MountTable.Entry) -> Bool {
        if entry.abort() { return false }
        // It fails while programs use the mount, and has ended its connection all the same.
        return umount2(path.string, Int32(MNT_FORCE)) == 0
    }

    /// Makes the folder where it is missing, takes a dead mount away, and checks that documents may be mounted there.
    ///
    /// - Throws: ``DocumentError``: `destinationExists` when something is mounted or lies there; `invalidArgument` for a
    ///   place in the storage root, or around it: whoever goes through it would never end.
    package func prepare(storageRoot: String) throws(DocumentError) {
        let root = FilePath(storageRoot)
        guard !path.starts(with: root), !root.starts(with: path) else {
            throw DocumentError(
                .invalidArgument,
                "\(path) is in the storage root \(root), or around it: name another folder for the mount."
            )
        }
        if isDead { try detach() }
        guard !isMounted else {
            throw DocumentError(
                .destinationExists,
                "Something is mounted at \(path) already: docent unmount \(path) takes a mount of ours away."
            )
        }
        if mkdir(path.string, 0o700) == 0 { return }
        guard errno == EEXIST else {
            throw DocumentError(
                .localStorage, "The folder \(path) cannot be made (\(Errno(rawValue: errno))): name another one.")
        }
        var status = docent_status()
        guard docent_fstatat(AT_FDCWD, path.string, &status) == 0, status.type == Int32(DOCENT_TYPE_FOLDER.rawValue)
        else {
            throw DocumentError(.destinationExists, "\(path) is not a folder: name another one, or take it away.")
        }
        guard try isEmpty() else {
            throw DocumentError(
                .destinationExists,
                "\(path) is not empty, and what is in it could not be seen while documents are mounted there: name another folder."
            )
        }
    }

    /// Whether what is mounted there is this process's own. The mount itself is not asked.
    ///
    /// Also where the kernel's table cannot be read: else a mount that nobody serves would be left at its place.
    var isServedHere: Bool {
        guard let table = try? MountTable.now() else { return true }
        return table.entry(at: path)?.source == MountServer.own().source
    }

    /// Whether another file system begins there.
    package var isMounted: Bool {
        var (own, around) = (docent_status(), docent_status())
        let result = docent_fstatat(AT_FDCWD, path.string, &own)
        guard result == 0 else { return result == -ENOTCONN }
        guard docent_fstatat(AT_FDCWD, path.removingLastComponent().string, &around) == 0 else { return false }
        return own.device != around.device
    }

    /// Whether the process that served a mount there has died. The kernel may know the folder's attributes from before.
    private var isDead: Bool {
        do {
            try FileDescriptor.open(path, .readOnly, options: [.directory, .noFollow, .closeOnExec]).close()
            return false
        } catch {
            return error as? Errno == Errno(rawValue: ENOTCONN)
        }
    }

    /// The process that serves the mount; nil when there is none of ours.
    package var process: Int32? {
        guard
            let folder = try? FileDescriptor.open(path, .readOnly, options: [.directory, .noFollow, .closeOnExec])
        else { return nil }
        defer { try? folder.close() }
        var buffer = [UInt8](repeating: 0, count: 32)
        let count = docent_fgetxattr(folder.rawValue, Self.processAttribute, &buffer, buffer.count)
        return count > 0 ? Int32(String(decoding: buffer.prefix(count), as: UTF8.self)) : nil
    }

    private func isEmpty() throws(DocumentError) -> Bool {
        guard let folder = opendir(path.string) else {
            throw DocumentError(
                .localStorage, "\(path) cannot be looked into (\(Errno(rawValue: errno))): name another folder.")
        }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != Array(".".utf8), name != Array("..".utf8) { return false }
        }
        return true
    }

    /// Takes the mount away.
    ///
    /// - Throws: ``DocumentError``: `busy` while programs use it.
    package func unmount() throws(DocumentError) { try unmount(lazily: false) }

    /// Takes the mount away from its place, also while programs use it, or when it is dead.
    func detach() throws(DocumentError) { try unmount(lazily: true) }

    private func unmount(lazily: Bool) throws(DocumentError) {
        if umount2(path.string, lazily ? Int32(MNT_DETACH) : 0) == 0 { return }
        let reason = Errno(rawValue: errno)
        guard reason == .notPermitted else { throw Self.refused(path, reason) }
        // Without the rights of root: the program that libfuse brings for this.
        let words = ["fusermount3", "-u", "-q"] + (lazily ? ["-z"] : []) + ["--", path.string]
        var arguments = words.map { strdup($0) } + [nil]
        defer { for word in arguments { free(word) } }
        var process = pid_t()
        guard posix_spawnp(&process, words[0], nil, nil, &arguments, environ) == 0 else {
            throw DocumentError(
                .localStorage, "\(path) cannot be unmounted: there is no fusermount3. Install the Debian package fuse3."
            )
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw Self.refused(path, isMounted ? .resourceBusy : reason) }
    }

    private static func refused(_ path: FilePath, _ reason: Errno) -> DocumentError {
        switch reason {
        case .resourceBusy:
            DocumentError(
                .busy,
                "\(path) is in use: end the programs that have something open in it (fuser -m names them), and try again."
            )
        default: DocumentError(.invalidArgument, "Nothing of ours is mounted at \(path) (\(reason)).")
        }
    }
}
