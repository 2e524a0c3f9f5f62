import DocumentModel
import DocumentProvider
import DocumentTestSupport
import DocumentTransport
import Glibc
import Logging
import SystemPackage
import Testing

@testable import DocumentHost

/// The removal of a folder that its provider says is not empty, though nothing is known to be in it.
@Suite(.serialized, .timeLimit(.minutes(2))) struct FolderRemoverTests {
    private static let logger = Logger(label: "remover") { _ in SwiftLogNoOpLogHandler() }

    private let place: Location

    init() throws {
        place = try Location("d:/F")
    }

    private func withHost(_ body: (DocumentHost, CrowdedRemote) async throws -> Void) async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let bundle = folder.appending("bundle")
        try #require(mkdir(bundle.string, 0o700) == 0)
        try TemporaryFile.write(
            """
            identifier = "org.example.crowded"
            name = "Crowded"
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
        let remote = try CrowdedRemote(folder.string)
        defer { remote.end() }
        let loop = EventLoop(name: "crowded")
        var configuration = DocumentHost.Configuration(
            root: folder.appending("root"), providerFolders: [], providerBundles: [bundle],
            trampoline: folder.appending("none"), software: "tests")
        configuration.link = { _ in
            let (ours, theirs) = MemoryEnd.pair(loop: loop)
            Task {
                _ = try? await DocumentProvider.ProviderSession.run(
                    CrowdedProvider.self, over: theirs, loop: loop, logger: Self.logger)
                theirs.close()
            }
            return ours
        }
        let host = try DocumentHost(configuration, loop: loop, logger: Self.logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await host.run() }
            do {
                _ = try await host.addDomain(
                    place.domain, provider: ProviderIdentifier("org.example.crowded"),
                    settings: ["remote": folder.string])
                _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: true)
                try await body(host, remote)
            } catch {
                remote.end()
                group.cancelAll()
                try await group.waitForAll()
                throw error
            }
            remote.end()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test("VER-15: what its provider tells nobody of goes with a folder")
    func untold() async throws {
        try await withHost { host, remote in
            try await host.remove(place, recursive: true, discardingUnsent: false)
            #expect(!remote.isThere)
        }
    }

    @Test("VER-15: what its provider tells of in a folder keeps that there, also where it cannot be taken up here")
    func unusable() async throws {
        try await withHost { host, remote in
            remote.put(try CrowdedRemote.document("stray.txt", in: ItemIdentifier("elsewhere")))
            let error = await #expect(throws: DocumentError.self) {
                try await host.remove(place, recursive: true, discardingUnsent: false)
            }
            #expect(error?.code == .directoryNotEmpty)
            #expect(error?.description.contains("stray.txt") == true, "\(error as Any)")
            #expect(remote.inside.map(\.id.rawValue) == ["stray.txt"])
        }
    }

    @Test("VER-15: what came to a folder after a listing of it was answered, which is under way still, stays there")
    func joinedListing() async throws {
        try await withHost { host, remote in
            let domain = try host.domains.domain(place.domain)
            let folder = remote.folder.id
            let document = try CrowdedRemote.document("new.txt", in: folder)
            remote.onRefusal {
                // Somebody else lists it; then another device puts something there.
                remote.holdNextListing()
                Task { _ = try? await host.follower.listAgain(folder, of: domain) }
                await remote.untilListing()
                remote.put(document)
                Task {
                    // Time enough for the removal to join that listing.
                    try? await Task.sleep(for: .milliseconds(300))
                    remote.answerListing()
                }
            }
            let error = await #expect(throws: DocumentError.self) {
                try await host.remove(place, recursive: true, discardingUnsent: false)
            }
            #expect(error?.code == .directoryNotEmpty)
            #expect(remote.inside == [document])
        }
    }
}
