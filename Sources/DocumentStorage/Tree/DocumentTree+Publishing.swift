internal import CDocentShims
package import DocumentModel
internal import Glibc

extension DocumentTree {
    /// Puts a verified staging file at an item's place.
    ///
    /// - Parameters:
    ///   - request: the file's, where somebody has it.
    ///   - replacing: the file that may be there and is to be replaced; nil when none may be there
    ///     (`destinationExists`). A file that was changed since, or is open for writing, is never replaced
    ///     (`unsyncedEdits`, `busy`).
    ///   - digest: of what that file holds, where that is known.
    ///   - durably: the new name is on disk when the call returns.
    /// - Returns: the identity that the file has at its place.
    package func publish(
        _ file: StagedFile, in request: StagingRequest? = nil, at location: Location, replacing: FileIdentity?,
        digest: [UInt8]? = nil, durably: Bool = false
    ) throws -> FileIdentity {
        let (parent, name) = try place(of: location)
        let folder = try documents.makingFolders(parent)
        guard let request = try request?.folder ?? staging.requestIfPresent(named: file.request) else {
            throw Self.missing(file)
        }
        if let replacing, let old = try folder.file(name) {
            try replace(old, replacing, digest, name, in: folder, with: file, in: request, location)
        } else {
            try publishAnew(file, from: request, as: name, in: folder, location)
        }
        guard let identity = try folder.status(name)?.identity, identity.inode == file.identity.inode else {
            throw DocumentError(
                .busy, "\(path(of: location)) was replaced by another program the moment it was there: try again.")
        }
        if durably { try folder.flush() }
        return identity
    }

    private func publishAnew(
        _ file: StagedFile, from request: DirectoryHandle, as name: String, in folder: DirectoryHandle,
        _ location: Location
    ) throws {
        var outcome = try request.rename(file.name, to: folder, name, .notReplacing)
        // A folder that a program has given the document's name, with nothing in it but what the host has put there.
        if outcome == .targetExists, try hasPlaceholders(location), try holdsOnlyPlaceholders(location) {
            try removeFolder(at: location)
            outcome = try request.rename(file.name, to: folder, name, .notReplacing)
        }
        switch outcome {
        case .done: return
        case .targetExists:
            throw DocumentError(
                .destinationExists,
                "Another file lies in the place of \(location), and is not overwritten: move it elsewhere and try again."
            )
        case .sourceMissing: throw Self.missing(file)
        }
    }

    /// Exchanges the two, looks at what came out, and exchanges them back when that is not what may be replaced: an
    /// edit that was made at the last moment is never lost.
    private func replace(
        _ old: OpenFile, _ expected: FileIdentity, _ digest: [UInt8]?, _ name: String, in folder: DirectoryHandle,
        with file: StagedFile,
        in request: DirectoryHandle, _ location: Location
    ) throws {
        let status = try old.status()
        guard status.isFile else { throw notAFile(location) }
        guard status.identity.hasSameContents(as: expected) else { throw changed(location) }
        // Readers keep the old contents; a writer would go on writing into a file that nobody sees.
        let lease = try old.takeLease(DOCENT_LEASE_READ)
        guard lease != .refused else { throw inUse(location, "for writing") }
        defer { if lease == .held { old.dropLease() } }
        guard try hasContents(old, as: expected, digest) else { throw changed(location) }
        // Attributes that are not the remote's are this document's, whatever its contents (COORD-20).
        try request.file(file.name)?.takeForeignAttributes(of: old)
        guard try request.rename(file.name, to: folder, name, .exchanging) == .done else {
            return try publishAnew(file, from: request, as: name, in: folder, location)
        }
        let found = try request.status(file.name)?.identity
        let isExpected = found.map { $0.hasSameContents(as: expected) } ?? false
        if isExpected, !(lease == .held && old.isLeaseWanted(DOCENT_LEASE_READ)) {
            try request.unlink(file.name)
            return
        }
        _ = try request.rename(file.name, to: folder, name, .exchanging)
        if let returned = try request.status(file.name)?.identity, returned.inode != file.identity.inode {
            // Somebody saved over it in between: what was saved last is what stays.
            _ = try request.rename(file.name, to: folder, name, .exchanging)
        }
        throw isExpected ? inUse(location, "for writing") : changed(location)
    }

    /// Removes a document, only when it still is what was recorded. What is gone already is no error.
    package func removeFile(at location: Location, expecting: FileIdentity) throws {
        _ = try removeFile(at: location, expecting: expecting, into: nil)
    }

    /// The same.
    ///
    /// - Parameter slot: where its file goes instead of away.
    /// - Returns: whether it is there.
    func removeFile(at location: Location, expecting: FileIdentity, into slot: TrashStore.Slot?) throws -> Bool {
        try drop(location, expecting: expecting, DOCENT_LEASE_READ, refusing: "for writing", into: slot)
    }

    /// Takes a document's contents away, its placeholder being there (PH-5); only when it still is what was recorded,
    /// has no other name, and nobody has it open (XFER-12).
    ///
    /// - Parameter digest: of its contents, where they are known: it is read where its state cannot tell that they are these.
    func evictFile(at location: Location, expecting: FileIdentity, digest: [UInt8]?) throws {
        _ = try drop(location, expecting: expecting, DOCENT_LEASE_WRITE, refusing: "") { file in
            try hasContents(file, as: expecting, digest)
        }
    }

    /// Whether an open file holds what it held in a state. It is read where somebody has touched it, and may have set the time
    /// of modification back.
    private func hasContents(_ file: OpenFile, as expected: FileIdentity, _ digest: [UInt8]?) throws -> Bool {
        try file.writeBack()
        let now = try file.status().identity
        guard now.hasSameContents(as: expected) else { return false }
        if now.changed == expected.changed, tellsOfStores || digest == nil { return true }
        guard let digest else { return false }
        return try file.digest(as: now) == digest
    }

    /// The file first gets a name in staging, and goes for good only after another look: whoever opened it at the last
    /// moment makes it come back.
    private func drop(
        _ location: Location, expecting: FileIdentity, _ kind: docent_lease_kind, refusing use: String,
        into slot: TrashStore.Slot? = nil, if isExpected: (OpenFile) throws -> Bool = { _ in true }
    ) throws -> Bool {
        let (parent, name) = try place(of: location)
        guard let folder = try documents.folderIfPresent(parent), let file = try folder.file(name) else { return false }
        let status = try file.status()
        guard status.isFile else { throw notAFile(location) }
        guard status.identity.hasSameContents(as: expecting) else { throw changed(location) }
        guard kind == DOCENT_LEASE_READ || status.raw.links == 1 else {
            throw DocumentError(
                .notPermitted,
                "\(path(of: location)) has \(status.raw.links) names (hard links), so that dropping it would free nothing: remove the others first."
            )
        }
        let lease = try file.takeLease(kind)
        guard lease != .refused else { throw inUse(location, use) }
        defer { if lease == .held { file.dropLease() } }
        // With the lease nobody opens it unseen from here on.
        guard try isExpected(file) else { throw changed(location) }

        // Whatever becomes of this host: what lies in staging says by itself what it was.
        if let slot { try? file.setAttribute(TrashStore.attribute, to: slot.label) }
        let leaving = Self.leavingPrefix + RandomName.make()
        guard try folder.rename(name, to: staging, leaving, .notReplacing) == .done else { return false }
        let moved = try staging.status(leaving)?.identity
        let isExpected = moved.map { $0.hasSameContents(as: expecting) } ?? false
        if isExpected, !(lease == .held && file.isLeaseWanted(kind)) {
            guard let slot else {
                try staging.unlink(leaving)
                return false
            }
            return try staging.rename(leaving, to: slot.folder, slot.id, .notReplacing) == .done
        }
        if slot != nil { try? file.setAttribute(TrashStore.attribute, to: []) }
        guard try staging.rename(leaving, to: folder, name, .notReplacing) == .done else {
            throw DocumentError(
                .busy,
                "\(path(of: location)) was changed and replaced while it was removed: the former contents are kept as \(staging.path)/\(leaving)."
            )
        }
        throw isExpected ? inUse(location, use) : changed(location)
    }

    /// What files are called in staging while they leave.
    static var leavingPrefix: String { "leaving-" }

    // MARK: Moving

    /// Moves a document or a folder; its placeholder goes, and is for the caller to write anew. What is not on disk
    /// is no error.
    ///
    /// - Returns: the document's identity at its new place; nil for a folder, and when nothing was there.
    package func move(from: Location, to: Location) throws -> FileIdentity? {
        let file = try moveEntry(from: from, to: to)
        // A program may have moved it before.
        if file == nil { folderMoves.moved(from: from, to: to) }
        return file
    }

    private func moveEntry(from: Location, to: Location) throws -> FileIdentity? {
        let (oldParent, oldName) = try place(of: from)
        let (newParent, newName) = try place(of: to)
        guard let oldFolder = try documents.folderIfPresent(oldParent) else { return try file(at: to) }
        if try oldFolder.status(oldName) != nil {
            let newFolder = try documents.makingFolders(newParent)
            if try newFolder.status(newName)?.isFolder == true {
                // A folder that stood for what had the name before; documents in it make this throw.
                try removeFolder(at: to)
            }
            if try oldFolder.rename(oldName, to: newFolder, newName, .notReplacing) == .targetExists {
                throw DocumentError(
                    .destinationExists,
                    "Another file lies in the place of \(to), and is not overwritten: move it elsewhere and try again."
                )
            }
            try newFolder.flush()
            if oldParent != newParent { try oldFolder.flush() }
        }
        if let placeholders = try oldFolder.folderIfPresent([ItemName.placeholderFolder]) {
            try placeholders.unlink(oldName)
        }
        guard let folder = try documents.folderIfPresent(newParent), let status = try folder.status(newName),
            status.isFile
        else { return nil }
        return status.identity
    }

    // MARK: Errors

    private func changed(_ location: Location) -> DocumentError {
        DocumentError(
            .unsyncedEdits, "\(path(of: location)) was changed in the meantime: its contents stay, and are to be sent.")
    }

    private func inUse(_ location: Location, _ use: String) -> DocumentError {
        let how = use.isEmpty ? "open" : "open \(use)"
        return DocumentError(
            .busy, "\(path(of: location)) is \(how) in another program: close it there and try again.")
    }

    private static func missing(_ file: StagedFile) -> DocumentError {
        DocumentError(.contractBroken, "The staging file \(file.path) is gone: the provider must not remove it.")
    }
}
