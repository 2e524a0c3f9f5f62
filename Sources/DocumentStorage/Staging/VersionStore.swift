package import DocumentModel
package import SystemPackage

/// Contents that lost against others, and are kept: `.docent/versions/<domain>/<random>/<name>`.
package struct VersionStore: Sendable {
    private let folder: DirectoryHandle
    private let path: FilePath
    private let staging: Staging

    init(folder: DirectoryHandle, path: FilePath, staging: Staging) {
        self.folder = folder
        self.path = path
        self.staging = staging
    }

    /// Keeps a copy of a document, durably.
    ///
    /// - Returns: its name below `versions/`.
    package func keep(copyOf location: Location) throws -> String {
        let request = try staging.makeRequest()
        do {
            let kept = try keep(staging.snapshot(of: location, in: request), of: location)
            try request.remove()
            return kept
        } catch {
            try? request.remove()
            throw error
        }
    }

    /// Keeps a staging file itself, durably.
    ///
    /// - Parameters:
    ///   - place: what it is to be named by, where that is known beforehand: what a crash has left there goes.
    ///   - stayingInStaging: it is left there, too, where the file system can give it two names.
    package func keep(
        _ file: StagedFile, of location: Location, in place: String? = nil, stayingInStaging: Bool = false
    ) throws -> String {
        guard let name = location.name else {
            throw DocumentError(.invalidArgument, "\(location) is a top folder and has no versions.")
        }
        let domain = try folder.makingFolders([location.domain.rawValue])
        if let place { try domain.removeTree(place, .folder) }
        let place = place ?? RandomName.make()
        let target = try folder.makingFolders([location.domain.rawValue, place])
        let request = try staging.folder(of: file)
        guard let open = try request.file(file.name) else {
            throw DocumentError(.localStorage, "The staging file \(file.path) is gone: there is nothing to keep.")
        }
        try open.flush()
        if try !stayingInStaging || !request.link(file.name, to: target, name.rawValue) {
            _ = try request.rename(file.name, to: target, name.rawValue, .notReplacing)
        }
        for folder in [target, domain, folder] { try folder.flush() }
        return "\(location.domain)/\(place)/\(name)"
    }

    /// Where a kept version is.
    package func path(of kept: String) -> FilePath {
        path.appending(FilePath(kept).components)
    }

    /// The file of a kept version; nil when it is gone.
    package func status(of kept: String) throws -> FileIdentity? {
        let parts = kept.split(separator: "/").map(String.init)
        guard parts.count == 3, let place = try folder.folderIfPresent(parts.prefix(2)) else { return nil }
        return try place.status(parts[2])?.identity
    }

    /// The file of a kept version that was verified when it was kept, and what it was then; nil for any other.
    func stamped(_ kept: String) throws -> (file: FileIdentity, stamp: ItemStamp)? {
        guard let file = try open(kept),
            let stamp = try file.attribute(ItemStamp.attribute).flatMap(ItemStamp.init(bytes:))
        else { return nil }
        return (try file.status().identity, stamp)
    }

    /// Opens a kept version for reading; nil when it is gone.
    func open(_ kept: String) throws -> OpenFile? {
        let parts = kept.split(separator: "/").map(String.init)
        guard parts.count == 3, let place = try folder.folderIfPresent(parts.prefix(2)) else { return nil }
        return try place.file(parts[2])
    }

    /// What a kept version is named by, for as long as it is kept.
    package static func identifier(of kept: String) -> String {
        let parts = kept.split(separator: "/")
        return parts.count == 3 ? String(parts[1]) : kept
    }

    /// A kept version goes into the trash; nothing of it is left here.
    ///
    /// - Returns: whether it is there.
    func move(_ kept: String, to slot: TrashStore.Slot) throws -> Bool {
        let parts = kept.split(separator: "/").map(String.init)
        guard parts.count == 3, let place = try folder.folderIfPresent(parts.prefix(2)),
            let file = try place.file(parts[2])
        else { return false }
        // Whatever becomes of this host: what lies there says by itself what it was.
        try? file.setAttribute(TrashStore.attribute, to: slot.label)
        guard try place.rename(parts[2], to: slot.folder, slot.id, .notReplacing) == .done else { return false }
        try remove(kept)
        return true
    }

    package func remove(_ kept: String) throws {
        let parts = kept.split(separator: "/").map(String.init)
        guard parts.count == 3, let domain = try folder.folderIfPresent(parts.prefix(1)) else { return }
        try domain.removeTree(parts[1], .folder)
    }

    /// Everything kept of a domain goes.
    package func removeAll(of domain: DomainName) throws {
        try folder.removeTree(domain.rawValue, .folder)
    }
}
