import DocumentModel
import Glibc
import SystemPackage

/// A path that is said to lie below the document storage root, made a location (PICK-2, PICK-15).
struct StorageRootPath {
    /// The folder that the domains' folders lie in.
    let documents: FilePath

    /// Follows links as far as something exists, so that what counts is where the path leads. Blocks.
    ///
    /// - Throws: `outsideStorageRoot` when that is the root itself, or a domain's, or anywhere else but below one.
    func location(of path: String) throws(DocumentError) -> Location {
        let given = FilePath(path)
        guard given.isAbsolute, let root = Self.resolved(documents) else { throw Self.outside(path) }
        var existing = given
        var missing: [FilePath.Component] = []
        var resolved = Self.resolved(existing)
        while resolved == nil, let last = existing.lastComponent {
            // What is not there cannot be gone up from.
            guard last.kind == .regular, !Self.isLink(existing) else { throw Self.outside(path) }
            missing.insert(last, at: 0)
            existing.removeLastComponent()
            resolved = Self.resolved(existing)
        }
        guard var place = resolved else { throw Self.outside(path) }
        for component in missing { place.append(component) }
        guard place.starts(with: root), place.components.count > root.components.count + 1 else {
            throw Self.outside(path)
        }
        let below = place.components.dropFirst(root.components.count).map(\.string)
        guard let domain = below.first else { throw Self.outside(path) }
        var names: [ItemName] = []
        for component in below.dropFirst() { names.append(try ItemName(component)) }
        return Location(domain: try DomainName(domain), components: names)
    }

    private static func resolved(_ path: FilePath) -> FilePath? {
        guard let text = realpath(path.string, nil) else { return nil }
        defer { free(text) }
        return FilePath(String(cString: text))
    }

    private static func isLink(_ path: FilePath) -> Bool {
        var status = stat()
        return lstat(path.string, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    private static func outside(_ path: String) -> DocumentError {
        DocumentError(
            .outsideStorageRoot,
            "“\(ItemName.printable(path, limit: 200))” does not lie in a domain of the document storage root: choose a document below it."
        )
    }
}
