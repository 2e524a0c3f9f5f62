package import DocumentModel
internal import PathKit
package import SystemPackage

/// The providers that are installed, and what is wrong with those that are not usable.
package struct ProviderCatalogue: Sendable {
    /// Further bundles, separated by colons.
    package static let environmentKey = "DOCENT_PROVIDER_PATH"

    /// What was found and cannot be used.
    package struct Problem: Hashable, Sendable {
        package var folder: FilePath
        /// Its sentence names the file and what is wrong.
        package var error: DocumentError
    }

    /// By identifier, in order.
    package private(set) var bundles: [ProviderBundle]
    package private(set) var problems: [Problem]
    private var duplicates: [ProviderIdentifier: DocumentError] = [:]

    /// Looks for bundles. Blocks.
    ///
    /// - Parameters:
    ///   - folders: folders of bundles; what has no manifest in them is not ours, and a folder that is not there is
    ///     empty.
    ///   - explicit: bundles; here a missing manifest is a problem.
    package init(folders: [FilePath], explicit: [FilePath] = []) {
        self.init(folders: folders, explicit: explicit, trust: .current)
    }

    init(folders: [FilePath], explicit: [FilePath], trust: BundleTrust) {
        bundles = []
        problems = []
        var candidates: [FilePath] = []
        for folder in folders {
            candidates += subfolders(of: folder).filter { (try? $0.appending(Manifest.fileName).stat()) != nil }
        }
        candidates += explicit.map {
            $0.string.hasSuffix("/" + Manifest.fileName) ? $0.removingLastComponent() : $0
        }

        // One folder may be reached by several ways, which makes it neither twice installed nor twice broken.
        var seen: Set<FilePath> = []
        var found: [ProviderBundle] = []
        for candidate in candidates {
            do throws(DocumentError) {
                guard seen.insert(try BundleTrust.real(candidate, "a provider's folder")).inserted else { continue }
                found.append(try ProviderBundle.load(folder: candidate, trust: trust))
            } catch {
                problems.append(Problem(folder: candidate, error: error))
            }
        }
        for (identifier, same) in Dictionary(grouping: found, by: \.manifest.identifier) {
            if let only = same.first, same.count == 1 {
                bundles.append(only)
            } else {
                refuse(same, of: identifier)
            }
        }
        bundles.sort { $0.manifest.identifier < $1.manifest.identifier }
        problems.sort { $0.folder.string < $1.folder.string }
    }

    /// - Throws: ``DocumentError`` with the code `notConfigured`.
    package func bundle(_ identifier: ProviderIdentifier) throws(DocumentError) -> ProviderBundle {
        if let bundle = bundles.first(where: { $0.manifest.identifier == identifier }) { return bundle }
        if let error = duplicates[identifier] { throw error }
        let known = bundles.map(\.manifest.identifier.rawValue).joined(separator: ", ")
        throw DocumentError(
            .notConfigured,
            "No provider “\(identifier)” is installed; "
                + (known.isEmpty ? "there is none at all." : "there are \(known)."),
            causes: problems.map(\.error.message)
        )
    }

    /// Where bundles are looked for: the user's, the system's, and beside the running program.
    package static func standardFolders(environment: [String: String], executable: FilePath) -> [FilePath] {
        var folders: [FilePath] = []
        if let data = environment["XDG_DATA_HOME"], data.utf8.first == UInt8(ascii: "/") {
            folders.append(FilePath(data).appending("docent/providers"))
        } else if let home = environment["HOME"], home.utf8.first == UInt8(ascii: "/") {
            folders.append(FilePath(home).appending(".local/share/docent/providers"))
        }
        let beside = executable.removingLastComponent()
        return folders + [
            "/usr/lib/docent/providers",
            beside.appending("providers"),
            beside.removingLastComponent().appending("lib/docent/providers"),
        ]
    }

    /// The bundles that the environment names.
    package static func explicitBundles(environment: [String: String]) -> [FilePath] {
        (environment[environmentKey] ?? "").split(separator: ":").map { FilePath(String($0)) }
    }

    private mutating func refuse(_ same: [ProviderBundle], of identifier: ProviderIdentifier) {
        let places = same.map { "“\($0.folder)”" }.sorted().joined(separator: " and ")
        let error = DocumentError(
            .notConfigured, "The provider “\(identifier)” is installed more than once: remove all but one of \(places)."
        )
        duplicates[identifier] = error
        problems += same.map { Problem(folder: $0.folder, error: error) }
    }

    private mutating func subfolders(of folder: FilePath) -> [FilePath] {
        let path = Path(folder.string)
        guard path.exists else { return [] }
        do {
            return try path.children().filter(\.isDirectory).map { FilePath($0.string) }.sorted {
                $0.string < $1.string
            }
        } catch {
            problems.append(
                Problem(
                    folder: folder,
                    error: DocumentError(
                        .notConfigured, "The folder of providers “\(folder)” cannot be listed: \(error).")))
            return []
        }
    }
}
