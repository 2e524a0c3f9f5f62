internal import CDocentShims
internal import DocumentModel
internal import Glibc
internal import SystemPackage

/// A file or folder under a temporary name in the folder where it is going to have its place: whole, and on disk.
struct TemporaryItem: ~Copyable {
    let folder: OpenFile
    let folderKey: FileKey
    let name: String
    /// As it is while nobody else knows of it.
    let facts: FileFacts
    /// Of its contents; nil for a folder, and for what is large.
    let digest: [UInt8]?

    var key: FileKey { facts.key }

    /// - Parameters:
    ///   - contents: a file of the host; nil for a folder.
    ///   - savedBy: which device the contents come from; empty when it is not known.
    ///   - model: the file that it is going to replace, whose permissions and attributes it gets.
    init(
        in folder: consuming OpenFile, sighting: Sighting, tag: String, contents: FilePath?, modified: Timestamp?,
        savedBy: String, like model: consuming OpenFile?, naming target: String, _ transfer: TransferMonitor
    ) throws {
        let name = TemporaryName.fresh(tag: tag)
        do {
            let file: OpenFile
            var digest: [UInt8]?
            if let contents {
                let source = try OpenFile.open(contents, flags: .document, naming: "the new contents of \(target)")
                let size = try source.status(naming: "The new contents of \(target)").size
                file = try folder.openBeneath(name, .fresh, .remote, "\(target) cannot be written")
                let copier = FileCopier(
                    transfer: transfer, sourceName: "The new contents of \(target)", targetName: target,
                    sourceSide: .local, targetSide: .remote,
                    isFlushedSoon: true)
                let copied = try copier.copy(source, size: size, to: file)
                digest = ContentDigest.of(file, size: copied)
                if let model {
                    Attributes.copy(from: model, to: file)
                } else {
                    Attributes.inherit(from: folder, to: file, mask: 0o666)
                }
                if let modified { _ = docent_set_modified(file.descriptor, modified.seconds, modified.nanoseconds) }
                SavingDevice.write(savedBy, to: file)
            } else {
                try SystemFailure.check(
                    docent_mkdirat(folder.descriptor, name, 0o777), .remote, "\(target) cannot be made")
                file = try folder.openBeneath(name, .folder, .remote, "\(target) cannot be made")
            }
            if contents == nil { Attributes.inherit(from: folder, to: file, mask: 0o777) }
            try SystemFailure.check(docent_fsync(file.descriptor), .remote, "\(target) cannot be written to disk")
            // A server may set the time of a file when it is closed.
            file.close()
            guard case .item(let facts) = sighting.look(at: name, in: folder),
                let folderKey = sighting.facts(of: folder)?.key
            else {
                throw DocumentError(.internal, "\(target) cannot be looked at; try again.")
            }
            // What another program writes to it once it has its place, of the same size perhaps, bears a later time.
            // The time of change tells that also when the time of modification is set, be it by us or by that program.
            if contents != nil {
                docent_wait_past(facts.modified.seconds, facts.modified.nanoseconds)
                docent_wait_past(facts.changed.seconds, facts.changed.nanoseconds)
            }
            self.facts = facts
            self.digest = digest
            self.folderKey = folderKey
        } catch {
            _ = FolderNames.remove(name, in: folder)
            throw error
        }
        self.name = name
        self.folder = folder
    }

    /// Removes it, unless it has its place already: then its temporary name may be another file's.
    ///
    /// - Parameter isPlanned: it may have had its place for a moment. What a program has written into it there stays.
    func discard(_ sighting: Sighting, isPlanned: Bool) {
        if case .item(let found) = sighting.look(at: name, in: folder),
            isPlanned ? FolderMirror.isSame(found, as: facts) && !isRewritten : found.key == key
        {
            _ = FolderNames.remove(name, in: folder)
        }
    }

    /// Whether its contents are others, whatever its time says; false where nobody can tell.
    private var isRewritten: Bool {
        guard let digest, let file = try? folder.openBeneath(name, .document) else { return false }
        return ContentDigest.of(file, size: facts.size) != digest
    }
}

/// What a file has besides its contents.
enum Attributes {
    /// Copies what can be copied: permissions, owner, and attributes with access lists among them.
    static func copy(from model: borrowing OpenFile, to file: borrowing OpenFile) {
        var status = docent_entry_status()
        guard docent_entry_status(model.descriptor, "", &status) == 0 else { return }
        _ = docent_fchown(file.descriptor, status.owner, status.group)
        for name in names(of: model) {
            let size = docent_fgetxattr(model.descriptor, name, nil, 0)
            guard size >= 0 else { continue }
            var value = [UInt8](repeating: 0, count: size)
            let length = docent_fgetxattr(model.descriptor, name, &value, value.count)
            if length >= 0 { _ = docent_fsetxattr(file.descriptor, name, value, length, 0) }
        }
        _ = docent_fchmod(file.descriptor, status.mode)
    }

    /// Makes a new item as open to others as the folder around it. The host's own habit, by which the system would go,
    /// is to keep everything to itself.
    static func inherit(from folder: borrowing OpenFile, to file: borrowing OpenFile, mask: UInt32) {
        // A default access list there says it already.
        guard docent_fgetxattr(folder.descriptor, "system.posix_acl_default", nil, 0) < 0 else { return }
        var around = docent_entry_status()
        var own = docent_entry_status()
        guard docent_entry_status(folder.descriptor, "", &around) == 0,
            docent_entry_status(file.descriptor, "", &own) == 0
        else { return }
        _ = docent_fchmod(file.descriptor, (own.mode & 0o7000) | (around.mode & mask & 0o777))
    }

    fileprivate static func names(of model: borrowing OpenFile) -> [String] {
        let size = docent_flistxattr(model.descriptor, nil, 0)
        guard size > 0 else { return [] }
        var list = [CChar](repeating: 0, count: size)
        let length = docent_flistxattr(model.descriptor, &list, list.count)
        guard length > 0 else { return [] }
        return list.prefix(length).split(separator: 0).map { name in
            String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}
