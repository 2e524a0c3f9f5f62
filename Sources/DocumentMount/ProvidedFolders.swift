package import DocumentModel
import Glibc
package import SystemPackage

/// The folders of this machine that domains are made of, and what their providers are given besides, with all that is mounted in
/// it: a mount of all documents is none of their business, and a provider that runs already keeps what it was given.
package struct ProvidedFolders: Sendable {
    private struct Folder {
        var path: FilePath
        var domain: DomainName
    }

    private let folders: [Folder]

    /// - Parameters:
    ///   - domains: with their settings.
    ///   - providers: which say what of those is a path, and what they may reach in each domain.
    package init(of domains: [DomainDescription], by providers: [ProviderDescription]) {
        let used = Dictionary(providers.map { ($0.id, $0) }) { one, _ in one }
        var folders: [Folder] = []
        for domain in domains {
            guard let provider = used[domain.providerID] else { continue }
            let named = provider.settings.filter { $0.type == .path }.compactMap { domain.settings[$0.key] }
            for text in named + provider.places {
                let path = FilePath(text)
                if path.isAbsolute { folders.append(Folder(path: path.lexicallyNormalized(), domain: domain.name)) }
            }
        }
        self.folders = folders
    }

    /// Refuses a place for a mount that is one of them, or lies in one. Blocks.
    ///
    /// - Parameter place: absolute, and without symbolic links.
    package func check(
        _ place: FilePath, realPath: (FilePath) -> FilePath? = Self.realPath
    ) throws(DocumentError) {
        for folder in folders {
            guard place.starts(with: folder.path) || realPath(folder.path).map({ place.starts(with: $0) }) == true
            else { continue }
            throw DocumentError(
                .invalidArgument,
                "\(place) lies in “\(folder.path)”, which the provider of \(folder.domain) may read: it would see the documents of all domains there. Name another folder for the mount."
            )
        }
    }

    /// Nil when it does not exist.
    package static func realPath(_ path: FilePath) -> FilePath? {
        guard let real = realpath(path.string, nil) else { return nil }
        defer { free(real) }
        return FilePath(String(cString: real))
    }
}
