package import DocumentModel
internal import Synchronization
package import SystemPackage

/// Contents that were here when their documents were removed: `.docent/trash/<domain>/<entry>`.
package final class TrashStore: Sendable {
    /// Where a document's file is put when it leaves the tree.
    struct Slot {
        var id: String
        var folder: DirectoryHandle
        /// What says of the file itself what it is, should the index not get to know it.
        var label: [UInt8]
    }

    static let attribute = "user.docent.removed"

    private let folder: DirectoryHandle
    private let path: FilePath
    /// How many bytes are there, so that nobody has to count them; nil while nobody has.
    private let load = Mutex<UInt64?>(nil)

    init(folder: DirectoryHandle, path: FilePath) {
        self.folder = folder
        self.path = path
    }

    func isKnown(toHold bytes: UInt64) { load.withLock { $0 = bytes } }

    /// As far as is known without a look.
    package var isEmpty: Bool { load.withLock { $0 == 0 } }

    /// - Returns: how many bytes are there now.
    func grew(by bytes: Int64) -> UInt64 {
        load.withLock { load in
            let all = (load ?? 0) + UInt64(max(bytes, 0))
            load = all
            return all
        }
    }

    func shrank(by bytes: UInt64) { load.withLock { load in load = load.map { $0 - min($0, bytes) } } }

    /// Makes durable what was put there of a domain.
    func flush(_ domain: DomainName) throws { try folder.folderIfPresent([domain.rawValue])?.flush() }

    func slot(for location: Location) throws -> Slot {
        Slot(
            id: RandomName.make(), folder: try folder.makingFolders([location.domain.rawValue]),
            label: Array(location.description.utf8))
    }

    /// Where the contents of an entry are.
    package func path(of id: String, in domain: DomainName) -> FilePath {
        path.appending(domain.rawValue).appending(id)
    }

    /// Nil when they are gone.
    func file(of id: String, in domain: DomainName) throws -> FileIdentity? {
        try folder.folderIfPresent([domain.rawValue])?.status(id)?.identity
    }

    func remove(_ id: String, in domain: DomainName) throws {
        _ = try folder.folderIfPresent([domain.rawValue])?.unlink(id)
    }

    /// All of a domain goes.
    func removeAll(of domain: DomainName) throws {
        try folder.removeTree(domain.rawValue, .folder)
    }

    /// What lies there, with what each file says that it was; nil where it says nothing. What cannot be looked at is left out.
    func files(of domain: DomainName) throws -> [String: (file: FileIdentity, location: Location?)] {
        guard let folder = try folder.folderIfPresent([domain.rawValue]) else { return [:] }
        var names: [String] = []
        try folder.forEachEntry { name, kind in
            if let name, kind == .file { names.append(name) }
        }
        var found: [String: (FileIdentity, Location?)] = [:]
        for name in names {
            guard let file = try? folder.file(name), let status = try? file.status() else { continue }
            found[name] = (status.identity, try? Self.label(of: file))
        }
        return found
    }

    /// Where a file was that is in the trash, or on its way there.
    static func label(of file: OpenFile) throws -> Location? {
        guard let label = try file.attribute(attribute, limit: 65_536) else { return nil }
        let place = String(validating: label, as: UTF8.self).flatMap { try? Location($0) }
        return place?.isRoot == false ? place : nil
    }

    /// Its contents are a document's again: it gets a second name in a request, where the file system has such a thing.
    func link(_ id: String, in domain: DomainName, to request: DirectoryHandle, _ name: String) throws -> FileIdentity?
    {
        guard let folder = try folder.folderIfPresent([domain.rawValue]), let file = try folder.file(id),
            try folder.link(id, to: request, name)
        else { return nil }
        try? file.setAttribute(Self.attribute, to: [])
        return try file.status().identity
    }
}
