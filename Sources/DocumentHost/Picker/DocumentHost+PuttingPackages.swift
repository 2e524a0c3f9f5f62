import DocumentModel
import DocumentStorage
import FileCoordination
import Glibc
import Logging
import ProviderLauncher
import SystemPackage

/// A local package is one document to people: it is exported, or moved, with all of its parts, or not at all.
extension DocumentHost {
    /// Copies a local package to a place, or moves it there: it becomes an item as a whole, durably, and is sent then; when it
    /// cannot be, it is taken back. The original of a move goes when all of it was sent, and only then (PICK-6).
    func putPackage(
        _ source: FilePath, at place: Location, on domain: Domain, removingSource: Bool, replacing: Bool,
        onProgress: @escaping @Sendable (TransferProgress?) -> Void
    ) async throws(DocumentError) -> (item: IndexedItem, status: ItemStatus) {
        try await check(source, at: place, on: domain, removingSource: removingSource)
        try await follower.freshen(domain)
        _ = try await exporter.folder(of: place, in: domain)
        guard try await resolver.resolveIfPresent(place, in: domain) == nil else {
            throw replacing
                ? DocumentError(
                    .destinationExists,
                    "\(place) exists already, and a package replaces nothing: choose another name.")
                : Exporter.exists(place)
        }
        let moving = removingSource ? try await arrivals.localMoves.source(source) : nil
        let (item, parts) = try await arrivals.copyIn(source, to: place, on: domain, moving: moving)
        let copies = try await copies(in: item)
        do throws(DocumentError) {
            try await waitUntilSent(item, onProgress: onProgress)
        } catch {
            throw await takeBack(item, copies, at: place, on: domain, because: error)
        }
        if removingSource {
            let left = try await storage.runOutside { _, _ in try OutsideTree.remove(source, expecting: parts) }
            if let first = left.first {
                logger.warning(
                    "what was changed in a package while it was moved stays in its old place",
                    metadata: ["item": "\(place)", "path": "\(first)"])
            }
        }
        // By now it has its provider's identifier.
        let now = try storage.read { try $0.item(item.id, in: item.domain) } ?? item
        await arrivals.localMoves.arrived(moving, as: now, in: nil)
        return (now, try status(of: now))
    }

    /// Wherever it is renamed to meanwhile.
    private func waitUntilSent(
        _ item: IndexedItem, onProgress: @escaping @Sendable (TransferProgress?) -> Void
    ) async throws(DocumentError) {
        while true {
            guard let place = try storage.read({ try $0.location(of: item.id, in: item.domain) }) else {
                throw DocumentError(.noSuchItem, "It was removed while it was sent.")
            }
            try await waitUntilSent(place, onProgress: onProgress)
            if try storage.read({ try $0.location(of: item.id, in: item.domain) }) == place { return }
        }
    }

    /// The files of its parts: who writes in one of them makes another one of it.
    private func copies(in item: IndexedItem) async throws(DocumentError) -> [FileIdentity] {
        let places = try storage.read { index in
            try index.present(within: item.id, in: item.domain).compactMap {
                try index.diskLocation(of: $0.id, in: $0.domain)
            }
        }
        return try await storage.run { store in
            try places.compactMap { try store.root.tree.file(at: $0) }
        }
    }

    private func check(
        _ source: FilePath, at place: Location, on domain: Domain, removingSource: Bool
    ) async throws(DocumentError) {
        let mode: PickerMode = removingSource ? .move : .export
        try domain.require([mode], for: removingSource ? "moved to" : "added")
        try domain.requireModifying(place)
        guard !domain.isDropBox else {
            throw DocumentError(
                .notPermitted, "\(domain.name) takes files only, and \(source) is a package: put it in as an archive.")
        }
        guard ItemKind(ofFolderNamed: place.name) == .package else {
            throw DocumentError(
                .invalidArgument,
                "\(source) is a package, and would be a mere folder as \(place): keep the end of its name.")
        }
        let type = ContentType(kind: .package, pathExtension: place.name?.pathExtension)
        guard domain.bundle.manifest.isOffered(for: mode, types: [type]) else {
            throw DocumentError(.typeNotAccepted, "\(domain.name) does not take documents of the type \(type).")
        }
        let root = try await storage.run { OriginalPath.resolved($0.root.path, followingLink: true) }
        guard !source.starts(with: root) else {
            throw DocumentError(
                .invalidArgument,
                "\(source) lies in the storage root: rename the package itself, or import a copy of it first.")
        }
    }

    /// Not all of it could be sent: nothing of it stays, neither here nor on the remote; unless somebody works with it by now.
    private func takeBack(
        _ item: IndexedItem, _ copies: [FileIdentity], at place: Location, on domain: Domain,
        because error: DocumentError
    ) async -> DocumentError {
        do throws(DocumentError) {
            guard try storage.read({ try $0.location(of: item.id, in: item.domain) }) == place,
                try await self.copies(in: item).elementsEqual(copies, by: { $0.hasSameContents(as: $1) })
            else {
                return error.wrapped(
                    "\(place) is not sent to its end: \(error.message) Somebody has changed or renamed it meanwhile, so it stays here, and is sent later."
                )
            }
            try await arranger.remove(
                place, recursive: true, discardingUnsent: true, on: domain, by: nil, isApproved: true)
            return error.wrapped("\(place) could not be made: \(error.message)")
        } catch let other {
            if other.code == .noSuchItem { return error.wrapped("\(place) could not be made: \(error.message)") }
            return error.wrapped(
                "\(place) is not sent to its end: \(error.message) It cannot be taken back now (\(other.message)), so it stays here whole, and is sent later."
            )
        }
    }
}

extension OriginalPath {
    /// Whether a local folder is treated as one document. Blocks.
    static func isPackage(_ path: FilePath) -> Bool {
        var status = stat()
        guard let name = path.lastComponent.flatMap({ try? ItemName($0.string) }),
            ItemKind(ofFolderNamed: name) == .package
        else { return false }
        return stat(path.string, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
