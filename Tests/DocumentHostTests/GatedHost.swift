import DocumentModel
import DocumentProvider
import DocumentStorage
import DocumentTestSupport
import DocumentTransport
import Glibc
import Logging
import SystemPackage
import Testing

@testable import DocumentHost

/// Hosts in this process, one after the other on the same storage root, with one domain, whose provider is a ``GatedProvider``.
struct GatedHost {
    private static let logger = Logger(label: "gated") { _ in SwiftLogNoOpLogHandler() }

    let domain: DomainName
    let remote: GatedRemote
    private let folder: FilePath

    /// - Parameters:
    ///   - count: how many documents the remote has.
    ///   - crowded: a folder that it has beside them.
    init(count: Int, crowded: CrowdedFolder? = nil) throws {
        domain = try DomainName("d")
        folder = try TemporaryFolder.make()
        remote = try GatedRemote(folder.string, count: count, folder: crowded)
        let bundle = folder.appending("bundle")
        try #require(mkdir(bundle.string, 0o700) == 0)
        try TemporaryFile.write(
            """
            identifier = "org.example.gated"
            name = "Gated"
            version = "1.0"
            executable = "none"
            protocol-versions = [1]
            modes = ["import", "open", "export", "move"]
            capabilities = ["modifying"]
            [[settings]]
            key = "remote"
            type = "string"
            """, to: bundle.appending("provider.toml"))
        try TemporaryFile.write("", to: bundle.appending("none"))
        try #require(chmod(bundle.appending("none").string, 0o700) == 0)
    }

    /// Removes all of it.
    func end() {
        remote.end()
        TemporaryFolder.remove(folder)
    }

    /// Nobody is kept waiting when a host ends.
    private func letGo() {
        remote.open()
        remote.folder?.end()
    }

    /// Runs a host until the body returns; the first one is given the domain.
    func run(_ body: (DocumentHost) async throws -> Void) async throws {
        let loop = EventLoop(name: "gated")
        var configuration = DocumentHost.Configuration(
            root: folder.appending("root"), providerFolders: [], providerBundles: [folder.appending("bundle")],
            trampoline: folder.appending("none"), software: "tests")
        configuration.link = { _ in
            let (ours, theirs) = MemoryEnd.pair(loop: loop)
            Task {
                _ = try? await DocumentProvider.ProviderSession.run(
                    GatedProvider.self, over: theirs, loop: loop, logger: Self.logger)
                theirs.close()
            }
            return ours
        }
        let host = try DocumentHost(configuration, loop: loop, logger: Self.logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await host.run() }
            do {
                if try host.storage.read({ try $0.domain(domain) }) == nil {
                    _ = try await host.addDomain(
                        domain, provider: ProviderIdentifier("org.example.gated"), settings: ["remote": folder.string])
                }
                try await body(host)
            } catch {
                letGo()
                group.cancelAll()
                try await group.waitForAll()
                throw error
            }
            letGo()
            group.cancelAll()
            try await group.waitForAll()
        }
    }
}
