package import DocumentModel
import DocumentTransport
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

    /// Refuses a place for a mount that is one of them, or lies in one. Of a folder that gives no answer, as on a network
    /// that is gone, only the name counts: the place has answered, so that it does not lie there.
    ///
    /// - Parameters:
    ///   - place: absolute, and without symbolic links.
    ///   - patience: how long an answer is waited for.
    package func check(
        _ place: FilePath, within patience: Duration = .seconds(2),
        realPath: @escaping @Sendable (FilePath) -> FilePath? = { Self.realPath($0) }
    ) async throws(DocumentError) {
        let places = await places(within: patience, realPath)
        for folder in folders {
            let isNamed = place.starts(with: folder.path)
            guard isNamed || places[folder.path].map({ place.starts(with: $0) }) == true else { continue }
            throw DocumentError(
                .invalidArgument,
                "\(place) lies in “\(folder.path)”, which the provider of \(folder.domain) may read: it would see the documents of all domains there. Name another folder for the mount."
            )
        }
    }

    /// Where the folders are without symbolic links, as far as that is answered in time.
    private func places(
        within patience: Duration, _ realPath: @escaping @Sendable (FilePath) -> FilePath?
    ) async -> [FilePath: FilePath] {
        let paths = Set(folders.map(\.path))
        let lookups = UnboundedCalls(name: "docent-lookup", mostHanging: max(paths.count, 1))
        return await withTaskGroup(of: (FilePath, FilePath?).self) { group in
            for path in paths {
                group.addTask {
                    let answer = try? await lookups.run(within: patience) { realPath(path) }
                    return (path, answer ?? nil)
                }
            }
            var places: [FilePath: FilePath] = [:]
            for await (path, place) in group { places[path] = place }
            return places
        }
    }

    /// Nil when it does not exist.
    package static func realPath(_ path: FilePath) -> FilePath? {
        guard let real = realpath(path.string, nil) else { return nil }
        defer { free(real) }
        return FilePath(String(cString: real))
    }
}
