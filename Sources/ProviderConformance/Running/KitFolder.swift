import Foundation
package import SystemPackage

/// The temporary folder of a run: what a host would keep for a domain, and what hooks and settings call `{work}`.
package struct KitFolder: Sendable {
    package let path: FilePath
    /// The provider's own state; stays over its restarts within the run.
    package var state: FilePath { path.appending("state") }
    /// What a provider is told its staging folder is. It holds two others, as a host's does.
    package var staging: FilePath { path.appending("staging") }
    /// Where staging files lie, which a provider fills.
    package var fetch: FilePath { staging.appending("fetch") }
    /// Where the files lie whose contents a provider is handed.
    package var send: FilePath { staging.appending("send") }
    /// The provider's own, for what need not last.
    var temporary: FilePath { path.appending("temporary") }
    /// What the provider is told the document storage root is.
    package var root: FilePath { path.appending("root") }
    /// `{work}`.
    package var work: FilePath { path.appending("work") }

    /// - Throws: ``KitError``.
    init() throws {
        let parent = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
        let name = "provider-conformance-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        path = FilePath(parent).appending(name)
        do {
            for folder in [path, state, staging, fetch, send, temporary, root, work] {
                try FileManager.default.createDirectory(
                    atPath: folder.string, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            }
        } catch {
            throw KitError("No temporary folder can be made in “\(parent)”: \(error.localizedDescription)")
        }
    }

    /// Removes all of it.
    func remove() {
        // A provider may have made folders of it unwritable.
        if let all = FileManager.default.enumerator(atPath: path.string) {
            for case let name as String in all where all.fileAttributes?[.type] as? FileAttributeType == .typeDirectory
            {
                try? FileManager.default.setAttributes(
                    [.posixPermissions: 0o700], ofItemAtPath: path.string + "/" + name)
            }
        }
        try? FileManager.default.removeItem(atPath: path.string)
    }

    /// A new staging file in a folder of its own: empty, as a host makes it, unless told otherwise.
    package func newStagingFile(contents: [UInt8] = []) throws -> StagingFile {
        try StagingFile(in: fetch, contents: contents)
    }

    /// A file with contents for a provider to read.
    package func newFile(contents: [UInt8]) throws -> StagingFile { try StagingFile(in: send, contents: contents) }
}
