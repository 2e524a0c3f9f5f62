package import DocumentModel
internal import Glibc
package import SystemPackage

/// A provider as it is installed: a folder with a manifest, and the program that the manifest names.
package struct ProviderBundle: Hashable, Sendable {
    /// A manifest of more bytes is refused unread.
    private static let manifestLimit = 256 * 1024

    package let manifest: Manifest
    /// Without symbolic links.
    package let folder: FilePath
    package let executable: FilePath

    /// For tests and embedders that have no bundle on disk.
    package init(manifest: Manifest, folder: FilePath, executable: FilePath) {
        self.manifest = manifest
        self.folder = folder
        self.executable = executable
    }

    /// Reads and checks a bundle. Blocks.
    ///
    /// - Throws: ``DocumentError`` with the code `notConfigured`: one sentence that names the file and what is wrong.
    package static func load(folder: FilePath) throws(DocumentError) -> ProviderBundle {
        try load(folder: folder, trust: .current)
    }

    static func load(folder: FilePath, trust: BundleTrust) throws(DocumentError) -> ProviderBundle {
        let folder = try BundleTrust.real(folder, "a provider's folder")
        let manifestPath = folder.appending(Manifest.fileName)
        let text = try read(manifestPath)
        let manifest = try Manifest(text: text, file: manifestPath.string)
        let executable = try find(manifest.executable, from: folder, manifest: manifestPath)
        let bundle = ProviderBundle(manifest: manifest, folder: folder, executable: executable)
        try bundle.checkOwners(trust)
        return bundle
    }

    /// Checks again, right before the program is started, that it is what was installed. Blocks.
    ///
    /// - Throws: ``DocumentError`` with the code `notConfigured`.
    package func verify() throws(DocumentError) {
        try checkOwners(.current)
        guard let expected = manifest.sha256 else { return }
        let actual = try FileDigest.sha256(of: executable)
        guard actual == expected else {
            throw DocumentError(
                .notConfigured,
                "“\(executable)” is not the program that the manifest of \(manifest.name) (\(manifest.identifier)) was made for: install the provider again.",
                detail: "SHA-256 is \(actual), the manifest says \(expected)."
            )
        }
    }

    private func checkOwners(_ trust: BundleTrust) throws(DocumentError) {
        try trust.check(folder, "the folder of a provider")
        try trust.check(folder.appending(Manifest.fileName), "the manifest of a provider")
        try trust.check(executable, "the program of a provider")
        try trust.check(executable.folderAround, "the folder of a provider's program")
    }

    private static func read(_ path: FilePath) throws(DocumentError) -> String {
        do {
            let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
            let bytes = try file.closeAfter {
                let stat = try file.stat()
                guard stat.type == .regular else { throw Errno.invalidArgument }
                guard stat.size <= manifestLimit else { throw Errno.fileTooLarge }
                return try [UInt8](unsafeUninitializedCapacity: manifestLimit) { buffer, count in
                    while count < manifestLimit {
                        let rest = UnsafeMutableRawBufferPointer(
                            rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                        let read = try file.read(into: rest)
                        guard read > 0 else { break }
                        count += read
                    }
                }
            }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw DocumentError(.notConfigured, "The manifest “\(path)” cannot be used: it is not UTF-8 text.")
            }
            return text
        } catch let error as DocumentError {
            throw error
        } catch Errno.noSuchFileOrDirectory {
            throw DocumentError(.notConfigured, "“\(path)” is missing: a provider's folder must hold a manifest.")
        } catch {
            throw DocumentError(.notConfigured, "The manifest “\(path)” cannot be read: \(error).")
        }
    }

    /// A relative program is looked for beside the manifest and then, for build products, in the two folders above.
    private static func find(
        _ executable: String, from folder: FilePath, manifest: FilePath
    ) throws(DocumentError) -> FilePath {
        let path = FilePath(executable)
        if path.isAbsolute {
            return try runnable(path, manifest: manifest)
        }
        let folders = [folder, folder.folderAround, folder.folderAround.folderAround]
        for place in folders {
            let candidate = FilePath("\(place.string)/\(executable)")
            guard (try? candidate.stat())?.type == .regular else { continue }
            return try runnable(candidate, manifest: manifest)
        }
        let places = folders.map { "“\($0)”" }.joined(separator: ", ")
        throw DocumentError(
            .notConfigured,
            "The program “\(executable)” that “\(manifest)” names is not there: build or install it in one of \(places)."
        )
    }

    private static func runnable(_ path: FilePath, manifest: FilePath) throws(DocumentError) -> FilePath {
        let real: FilePath
        do {
            real = try BundleTrust.real(path, "the program")
        } catch {
            throw DocumentError(
                .notConfigured, "The program “\(path)” that “\(manifest)” names is not there: build or install it.")
        }
        guard try BundleTrust.stat(real, "the program").type == .regular,
            real.withPlatformString({ access($0, X_OK) }) == 0
        else {
            throw DocumentError(
                .notConfigured,
                "“\(real)”, which “\(manifest)” names, is not a program that you may run: check what it is, or run “chmod +x \(real)”."
            )
        }
        return real
    }
}
