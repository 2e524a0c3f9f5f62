internal import CDocentShims
internal import DocumentModel
internal import DocumentProvider
internal import Glibc
internal import SystemPackage

/// The folder, in the provided one, that versions are kept in: a folder for each, with its contents and a note. One appears
/// and goes as a whole, by a rename, and is on disk before; so all who have the folder open see the same.
struct VersionsFolder: ~Copyable {
    static let name = ".docent-versions"
    /// Of all documents together.
    static let most = 4096
    private static let contents = "contents"
    private static let note = "note"

    private let folder: OpenFile

    private init(_ folder: consuming OpenFile) {
        self.folder = folder
    }

    /// - Returns: nil when nothing was ever kept.
    static func open(in root: borrowing OpenFile) throws(DocumentError) -> VersionsFolder? {
        do throws(SystemFailure) {
            return VersionsFolder(try root.openBeneath(name, .folder))
        } catch {
            if error.errno == .noSuchFileOrDirectory { return nil }
            throw error.error(.remote, "The folder “\(name)” cannot be opened")
        }
    }

    static func make(in root: borrowing OpenFile) throws(DocumentError) -> VersionsFolder {
        if let there = try open(in: root) { return there }
        let made = docent_mkdirat(root.descriptor, name, 0o777)
        if made != -EEXIST { try SystemFailure.check(made, .remote, "The folder “\(name)” cannot be made") }
        guard let folder = try open(in: root) else {
            throw DocumentError(.busy, "The folder “\(name)” was taken away at once; try again.")
        }
        if made == 0 { Attributes.inherit(from: root, to: folder.folder, mask: 0o777) }
        try SystemFailure.check(docent_fsync(root.descriptor), .remote, "The folder “\(name)” cannot be made")
        return folder
    }

    /// What a version is called: 32 hexadecimal digits, made from the operation's name and never taken from anybody.
    static func identifier(of operation: String) -> String {
        MD5.digest(of: Array("version \(operation)".utf8)).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    static func isIdentifier(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 32
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    func watch(by watches: inout FolderWatches) { watches.watchVersions(folder) }

    /// All that is kept, and what earlier runs of this provider have left half done.
    func read(
        _ sighting: Sighting, tag: String
    ) throws(DocumentError) -> (notes: [String: VersionNote], left: [String]) {
        var left: [String] = []
        let listing: FolderListing
        do throws(SystemFailure) {
            listing = try FolderListing.read(folder, sighting) { name in
                if TemporaryName.isTemporary(name, tag: tag), !left.contains(name) { left.append(name) }
            }.listing
        } catch {
            throw error.error(.remote, "The folder “\(Self.name)” cannot be read")
        }
        var notes: [String: VersionNote] = [:]
        for (name, facts) in listing.items.sorted(by: { $0.name < $1.name })
        where facts.isFolder && Self.isIdentifier(name.rawValue) && notes.count < Self.most {
            if let note = try note(of: name.rawValue) { notes[name.rawValue] = note }
        }
        return (notes, left)
    }

    /// Nil for what is gone, or is none. What cannot be read may be there: it must not be taken for gone.
    func note(of id: String) throws(DocumentError) -> VersionNote? {
        let file: OpenFile
        do throws(SystemFailure) {
            file = try folder.openBeneath("\(id)/\(Self.note)", .document)
        } catch {
            let isNone: [Errno] = [.noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels]
            if isNone.contains(error.errno) { return nil }
            throw error.error(.remote, "What is noted of a kept version cannot be read")
        }
        let status = try file.status(naming: "What is noted of a kept version")
        guard status.type == DOCENT_TYPE_FILE.rawValue, status.size <= VersionNote.largest else { return nil }
        return VersionNote(try file.contents(naming: "What is noted of a kept version"))
    }

    /// - Returns: nil when it is gone.
    func openContents(of id: String) throws(DocumentError) -> OpenFile? {
        do throws(SystemFailure) {
            return try folder.openBeneath("\(id)/\(Self.contents)", .document)
        } catch {
            if error.errno == .noSuchFileOrDirectory || error.errno == .notDirectory { return nil }
            throw error.error(.remote, "A kept version cannot be read")
        }
    }

    /// Writes a version to the disk, under a temporary name.
    func stage(
        _ keeping: VersionKeeping, _ note: VersionNote, tag: String, _ transfer: TransferMonitor
    ) throws -> String {
        let name = TemporaryName.fresh(tag: tag)
        try SystemFailure.check(docent_mkdirat(folder.descriptor, name, 0o777), .remote, "A version cannot be kept")
        do {
            let own = try folder.openBeneath(name, .folder, .remote, "A version cannot be kept")
            Attributes.inherit(from: folder, to: own, mask: 0o777)
            let source = try OpenFile.open(keeping.contents, flags: .document, naming: "the contents of a version")
            let size = try source.status(naming: "The contents of a version").size
            let file = try own.openBeneath(Self.contents, .fresh, .remote, "A version cannot be kept")
            let copier = FileCopier(
                transfer: transfer, sourceName: "The contents of a version", targetName: "A kept version",
                sourceSide: .local, targetSide: .remote, isFlushedSoon: true)
            _ = try copier.copy(source, size: size, to: file)
            Attributes.inherit(from: own, to: file, mask: 0o666)
            _ = docent_set_modified(file.descriptor, keeping.modified.seconds, keeping.modified.nanoseconds)
            try SystemFailure.check(docent_fsync(file.descriptor), .remote, "A version cannot be written to disk")
            try write(note, in: own, as: Self.note)
            try SystemFailure.check(docent_fsync(own.descriptor), .remote, "A version cannot be written to disk")
        } catch {
            discard(name)
            throw error
        }
        return name
    }

    /// Gives a staged version its name.
    ///
    /// - Returns: false when there is one of that name already.
    func place(_ staged: String, as id: String) throws(DocumentError) -> Bool {
        let result = FolderNames().place(staged, in: folder, as: id, in: folder)
        if result == -EEXIST || result == -ENOTEMPTY { return false }
        try SystemFailure.check(result, .remote, "A version cannot be kept")
        try SystemFailure.check(docent_fsync(folder.descriptor), .remote, "A version cannot be written to disk")
        return true
    }

    func discard(_ staged: String) { _ = FolderNames.remove(staged, in: folder) }

    /// The document is another file, or elsewhere, by now. Where that cannot be written down it is found out again.
    func follow(_ id: String, with note: VersionNote, tag: String) {
        guard let own = try? folder.openBeneath(id, .folder) else { return }
        let fresh = TemporaryName.fresh(tag: tag)
        do {
            try write(note, in: own, as: fresh)
            let result = docent_renameat2(own.descriptor, fresh, own.descriptor, Self.note, 0)
            try SystemFailure.check(result, .remote, "A note cannot be written")
        } catch {
            _ = FolderNames.remove(fresh, in: own)
        }
    }

    /// - Returns: when it is gone for good; one that is gone already is.
    func remove(_ id: String, tag: String) throws(DocumentError) {
        let taken = TemporaryName.fresh(tag: tag)
        let result = docent_renameat2(folder.descriptor, id, folder.descriptor, taken, 0)
        if result == -ENOENT { return }
        try SystemFailure.check(result, .remote, "A kept version cannot be removed")
        try SystemFailure.check(docent_fsync(folder.descriptor), .remote, "A kept version cannot be removed")
        discard(taken)
    }

    private func write(_ note: VersionNote, in own: borrowing OpenFile, as name: String) throws(DocumentError) {
        let file = try own.openBeneath(name, .fresh, .remote, "A note cannot be written")
        Attributes.inherit(from: own, to: file, mask: 0o666)
        let bytes = note.bytes
        let written = bytes.withUnsafeBytes { buffer in
            buffer.baseAddress.map { docent_pwrite_all(file.descriptor, $0, buffer.count, 0) } ?? 0
        }
        try SystemFailure.check(written, .remote, "A note cannot be written")
        try SystemFailure.check(docent_fsync(file.descriptor), .remote, "A note cannot be written to disk")
    }
}
