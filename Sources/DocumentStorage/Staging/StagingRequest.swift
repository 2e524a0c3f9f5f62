internal import CDocentShims
internal import DocumentModel
internal import Glibc
package import SystemPackage

/// A file in a request's folder.
package struct StagedFile: Hashable, Sendable {
    /// The request's name.
    package var request: String
    package var name: String
    package var path: FilePath
    package var identity: FileIdentity
    /// Of a snapshot: the file that it was made of, as it was then.
    package var source: FileIdentity?
    /// Of what was verified: its digest (SHA-256), where it was read.
    package var digest: [UInt8]?
}

/// One request's folder. Remove it when the request has ended; what a crash leaves is swept at the next start.
package struct StagingRequest: Sendable {
    package let name: String
    package let path: FilePath
    let folder: DirectoryHandle
    private let around: DirectoryHandle
    private let staging: DirectoryHandle
    /// It was another request's: that one's file may be in it, which is not needed any more.
    private let isSpare: Bool

    static let contents = "contents"
    private static let copyAttempts = 4
    static let closingAttempts = 25
    private static let copyChunk = 64 << 20
    /// What is larger is not read while somebody waits for it, unless its provider has given a digest.
    static let mostReadAtOnce: Int64 = 16 << 20

    /// - Parameter around: the folder that it was made in; staging itself when no provider sees it.
    init(
        name: String, path: FilePath, folder: DirectoryHandle, around: DirectoryHandle, staging: DirectoryHandle,
        isSpare: Bool = false
    ) {
        self.name = name
        self.path = path
        self.folder = folder
        self.around = around
        self.staging = staging
        self.isSpare = isSpare
    }

    /// Makes the empty file that a provider is to fill (0600).
    package func makeFile() throws -> StagedFile {
        var file = try folder.makeFile(Self.contents)
        if file == nil, isSpare {
            // The provider has made it, in a folder that it knew from before.
            try folder.removeTree(Self.contents, folder.status(Self.contents)?.isFolder == true ? .folder : .file)
            file = try folder.makeFile(Self.contents)
        }
        guard let file else {
            throw DocumentError(.internal, "The request \(name) has a staging file already.")
        }
        return staged(try file.status().identity)
    }

    /// Makes the request's file with what a body writes; from the beginning again, as often as it says that what it reads
    /// has changed meanwhile.
    ///
    /// - Returns: nil when it said so each time.
    func makeFile(attempts: Int, _ write: (OpenFile) throws -> Bool) throws -> StagedFile? {
        for _ in 0..<attempts {
            guard let file = try folder.makeFile(Self.contents) else {
                throw DocumentError(.internal, "The request \(name) has a staging file already.")
            }
            if try write(file) { return staged(try file.status().identity) }
            try folder.unlink(Self.contents)
        }
        return nil
    }

    /// The request's file, from before a crash; nil when there is none.
    func existingFile() throws -> StagedFile? {
        guard let status = try folder.status(Self.contents), status.isFile else { return nil }
        return staged(status.identity)
    }

    package func remove() throws {
        // Mostly there is nothing else in it, and often not even that.
        _ = try? folder.unlink(Self.contents)
        for place in [around, staging] {
            do {
                if try place.removeFolder(leaf) { return }
            } catch let error as DocumentError where error.code == .directoryNotEmpty {
                return try place.removeTree(leaf, .folder)
            }
        }
    }

    /// The same when its file has gone to its place.
    func removeEmptied() throws {
        // What was verified was withdrawn.
        if (try? staging.removeFolder(leaf)) != true { try remove() }
    }

    /// The last part of its name: random, and nobody else's.
    package var leaf: String { name.split(separator: "/").last.map(String.init) ?? name }

    /// Takes it out of its provider's sight: what is not open by now is not going to be opened any more.
    private func withdraw() throws {
        if around !== staging { _ = try around.rename(leaf, to: staging, leaf, .notReplacing) }
    }

    // MARK: Verifying

    /// Checks what a provider has filled: the same regular file, ours, with one name, of the expected size, without
    /// holes, no longer open for writing, and with the digest if one is known; `contractBroken` when not. Then gives
    /// it its time and its stamp, and flushes it. Where somebody still has it open for reading, another file with the same
    /// contents takes its place.
    ///
    /// - Parameters:
    ///   - size: nil when nobody knows it.
    ///   - settled: what the file was when its contents were looked at, from ``settled(_:)``.
    ///   - inParts: it came in parts: programs may have it open for reading, and go on in this very file.
    ///   - stamp: its size is replaced by the file's; and so is its time when it is zero, which means unknown.
    package func verify(
        _ file: StagedFile, size: Int64?, sha256: [UInt8]? = nil, since settled: FileIdentity? = nil,
        inParts: Bool = false, stamp: ItemStamp
    ) throws -> StagedFile {
        try withdraw()
        guard var open = try openStaged(file) else { throw broken("is gone: a provider must not remove or rename it") }
        let status = try open.status()
        try check(status, file)
        if let size, status.raw.size != size {
            throw broken("has \(status.raw.size) bytes where the provider says \(size)")
        }
        guard try isClosed(open) else {
            throw stillOpen
        }
        if let settled, try open.status().identity.changed != settled.changed { throw changedAfterwards }
        let hole = try open.firstHole(from: 0, size: status.raw.size)
        guard hole == status.raw.size else {
            throw broken("has a hole at byte \(hole): a provider must write every byte")
        }
        // There may be no room for two of what is so large that it comes in parts.
        if !inParts { open = try unshared(open, stamp) }
        let digest =
            try sha256 != nil || status.raw.size <= Self.mostReadAtOnce
            ? self.digest(of: open, 0..<status.raw.size) : nil
        if let sha256, digest != sha256 {
            throw broken("does not have the digest that the provider gave: the contents were damaged on the way")
        }
        var staged = try seal(open, stamp)
        staged.digest = digest
        return staged
    }

    /// Whether nobody can write it any more. A process that is just being started holds for a moment, until its program
    /// replaces it, whatever its parent had open: who made the file and closed it is waited for.
    ///
    /// - Parameter kind: `DOCENT_LEASE_WRITE`: nor read it.
    func isClosed(
        _ open: OpenFile, _ kind: docent_lease_kind = DOCENT_LEASE_READ, attempts: Int = Self.closingAttempts
    ) throws -> Bool {
        for _ in 0..<attempts {
            switch try open.takeLease(kind) {
            case .refused: usleep(10_000)
            case .held:
                open.dropLease()
                return true
            case .unavailable: return true
            }
        }
        return false
    }

    /// Gives a staging file its time and its stamp, and flushes it.
    private func seal(_ open: OpenFile, _ stamp: ItemStamp) throws -> StagedFile {
        try open.setMode(0o600)
        if stamp.modified != .zero { try open.setModified(stamp.modified) }
        // As the file system keeps it: some have whole seconds only.
        let identity = try open.status().identity
        var stamp = stamp
        stamp.size = identity.size
        stamp.modified = identity.modified
        try open.setAttribute(ItemStamp.attribute, to: stamp.bytes)
        try open.flush()
        return staged(try open.status().identity)
    }

    /// Stamps a copy that the host made itself: see ``verify(_:size:sha256:since:inParts:stamp:)``.
    package func stamp(_ file: StagedFile, _ stamp: ItemStamp) throws -> StagedFile {
        guard let open = try openStaged(file) else { throw broken("is gone") }
        let status = try open.status()
        try check(status, file)
        let digest = try status.raw.size <= Self.mostReadAtOnce ? self.digest(of: open, 0..<status.raw.size) : nil
        var staged = try seal(open, stamp)
        staged.digest = digest
        return staged
    }

    func openStaged(_ file: StagedFile) throws -> OpenFile? {
        // Not everything can be opened: a socket, for one, fails in a way that says nothing.
        guard let status = try folder.status(file.name) else { return nil }
        guard status.isFile || status.raw.type == Int32(DOCENT_TYPE_SYMLINK.rawValue) else {
            throw broken("is not a regular file any more")
        }
        do {
            return try folder.file(file.name)
        } catch let error as DocumentError where error.code == .outsideStorageRoot {
            throw broken("was replaced by a symbolic link")
        }
    }

    func check(_ status: FileStatus, _ file: StagedFile) throws {
        guard status.isFile else { throw broken("is not a regular file any more") }
        guard status.raw.inode == file.identity.inode else {
            throw broken("was replaced by another file: a provider must write into the one it was given")
        }
        guard status.raw.links == 1 else { throw broken("was given a second name") }
        guard status.raw.owner == geteuid() else { throw broken("belongs to another user") }
    }

    func digest(of file: OpenFile, _ range: Range<Int64>) throws -> [UInt8] {
        try file.digest(range)
    }

    var stillOpen: DocumentError {
        broken("is still open for writing: a provider must close it before it answers")
    }

    var changedAfterwards: DocumentError {
        broken("was changed after its parts were given: a provider must not touch it once it has answered")
    }

    func broken(_ what: String) -> DocumentError {
        DocumentError(
            .contractBroken, "The staging file \(path.appending(Self.contents)) \(what). Nothing was changed here.")
    }

    private func staged(_ identity: FileIdentity, source: FileIdentity? = nil) -> StagedFile {
        StagedFile(
            request: name, name: Self.contents, path: path.appending(Self.contents), identity: identity, source: source)
    }

    // MARK: Copying

    /// Copies a file, by sharing its blocks where the file system can. The copy has the source's time, and all its
    /// bytes are of one moment: a source that changes meanwhile is copied again.
    func copy(_ source: OpenFile, named sourceName: String) throws -> StagedFile {
        guard let target = try spareFile() ?? folder.makeFile(Self.contents) else {
            throw DocumentError(.internal, "The request \(name) has a staging file already.")
        }
        let (before, copy) = try Self.copy(source, named: sourceName, to: target)
        return staged(copy, source: before)
    }

    /// The file of the request that the folder was made for, with what was in it. What has got another name since, or somebody
    /// still has open, is theirs, and goes out of the way.
    private func spareFile() throws -> OpenFile? {
        guard isSpare, let file = try folder.file(Self.contents, O_RDWR | O_NONBLOCK) else { return nil }
        let status = try file.status()
        guard status.isFile, status.raw.links == 1, try file.takeLease(DOCENT_LEASE_WRITE) == .held else {
            try folder.unlink(Self.contents)
            return nil
        }
        file.dropLease()
        return file
    }

    /// Copies a file into one of ours, of which nothing is left: see ``copy(_:named:)``.
    static func copy(
        _ source: OpenFile, named sourceName: String, to target: OpenFile
    ) throws -> (source: FileIdentity, copy: FileIdentity) {
        for attempt in 0..<Self.copyAttempts {
            if attempt > 0 { try target.truncate(to: 0) }
            let before = try source.status().identity
            // What is written from now on bears a later time, so that it is told from what is copied.
            docent_wait_past(before.changed.seconds, before.changed.nanoseconds)
            // What a program stores into its mapping from now on shows in the file's time.
            try source.writeBack()
            let copied: Int64
            do {
                copied = try copy(source, to: target, size: before.size)
            } catch {
                // What there is of it fills the disk, perhaps, and would keep the index from being written to.
                try? target.truncate(to: 0)
                throw error
            }
            // Emptied before, it would be written to disk when it is closed.
            if try target.status().raw.size > before.size { try target.truncate(to: before.size) }
            let after = try source.status().identity
            // The time of the inode's own change tells what a restored modification time would hide.
            guard before == after, copied == before.size, try target.status().raw.size == before.size else { continue }
            try target.setModified(before.modified)
            return (before, try target.status().identity)
        }
        throw DocumentError(
            .busy, "\(sourceName) keeps changing while it is copied: wait until the program that writes it is done.")
    }

    /// - Returns: how many bytes were there to be copied.
    private static func copy(_ source: OpenFile, to target: OpenFile, size: Int64) throws -> Int64 {
        if kernel(.clone, { docent_clone(source.descriptor, target.descriptor) }) >= 0 { return size }
        var offset: Int64 = 0
        while offset < size {
            let chunk = Int(min(Int64(copyChunk), size - offset))
            let count = kernel(.copyRange) {
                docent_copy_file_range(source.descriptor, offset, target.descriptor, offset, chunk)
            }
            switch count {
            case 1...: offset += Int64(count)
            case 0: return offset
            case -Int(EXDEV), -Int(EINVAL), -Int(EOPNOTSUPP), -Int(ENOSYS), -Int(EPERM):
                return try copyByHand(source, to: target, from: offset)
            default: throw DocumentError.system(count, "“\(source.name)” could not be copied")
            }
        }
        return offset
    }

    private static func copyByHand(_ source: OpenFile, to target: OpenFile, from start: Int64) throws -> Int64 {
        let length = 1 << 20
        return try withUnsafeTemporaryAllocation(byteCount: length, alignment: 16) { buffer in
            var offset = start
            guard let base = buffer.baseAddress else { return offset }
            while true {
                let count = kernel(.read) { docent_pread(source.descriptor, base, length, offset) }
                guard count >= 0 else { throw DocumentError.system(count, "“\(source.name)” could not be read") }
                if count == 0 { return offset }
                let written = kernel(.write) { docent_pwrite_all(target.descriptor, base, count, offset) }
                guard written >= 0 else { throw DocumentError.system(written, "“\(target.name)” could not be written") }
                offset += Int64(count)
            }
        }
    }
}
