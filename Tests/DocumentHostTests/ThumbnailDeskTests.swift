import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Glibc
import Logging
import SystemPackage
import Testing

@testable import DocumentHost

/// Thumbnails inside of a host, with the folder's provider.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ThumbnailDeskTests {
    private func withHost(
        _ change: (inout DocumentHost.Configuration) -> Void = { _ in },
        _ body: (DocumentHost, FilePath) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let remote = folder.appending("remote")
        try #require(mkdir(remote.string, 0o700) == 0)
        let program = try BuiltProducts.executable("docent-trampoline")
        var configuration = DocumentHost.Configuration(
            root: folder.appending("root"),
            providerFolders: [program.removingLastComponent().appending("providers")], trampoline: program,
            software: "tests")
        change(&configuration)
        let host = try DocumentHost(
            configuration, logger: Logger(label: "thumbnails") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await host.run() }
            do {
                _ = try await host.addDomain(
                    DomainName("d"), provider: ProviderIdentifier("org.docent.folder"),
                    settings: ["folder": remote.string])
                try await body(host, remote)
            } catch {
                group.cancelAll()
                try await group.waitForAll()
                throw error
            }
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    private func write(_ picture: [UInt8], to file: FilePath) throws {
        let descriptor = try FileDescriptor.open(
            file, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
        _ = try descriptor.closeAfter { try descriptor.writeAll(picture) }
    }

    private func list(_ host: DocumentHost) async throws {
        _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 100, refreshing: true)
    }

    private func thumbnail(
        _ name: String, _ host: DocumentHost, size: Int = 128
    ) async throws -> ThumbnailOutcome? {
        let tool = host.connect(tool: "tests")
        defer { host.disconnect(tool) }
        return try await host.thumbnails(of: [Location("d:/\(name)")], size: size, for: tool).first
    }

    @Test("PICK-17: what is kept goes when the item goes, and when it has other contents")
    func swept() async throws {
        try await withHost {
            $0.thumbnails.sweep = .milliseconds(50)
        } _: { host, remote in
            for name in ["a", "b", "c"] { try write(TestPicture.png(9, 9), to: remote.appending(name)) }
            try await list(host)
            for name in ["a", "b", "c"] { #expect(try await thumbnail(name, host)?.get() != nil) }
            #expect(try host.root.thumbnails.usage().count == 3)
            try #require(unlink(remote.appending("a").string) == 0)
            try write(TestPicture.png(8, 9), to: remote.appending("b"))
            try await list(host)
            var left = 3
            for _ in 0..<1_000 where left != 1 {
                try await Task.sleep(for: .milliseconds(10))
                left = try host.root.thumbnails.usage().count
            }
            #expect(left == 1)
            #expect(try await thumbnail("b", host)?.get()?.header.width == 8)
            #expect(try await thumbnail("c", host)?.get()?.header.width == 9)
        }
    }

    @Test("PICK-17: sizes are rounded up to those that are kept, so that what one was given serves the next")
    func sizes() async throws {
        try await withHost { host, remote in
            try write(TestPicture.png(20, 9), to: remote.appending("a"))
            try await list(host)
            for size in [16, 100, 128, 129, 256] {
                #expect(try await thumbnail("a", host, size: size)?.get()?.header.width == 20)
            }
            #expect(try host.root.thumbnails.usage().count == 2)
        }
    }

    @Test("PICK-17: that there is none is asked again after a while, and not before")
    func missing() async throws {
        for pause in [Duration.seconds(300), .milliseconds(1)] {
            try await withHost {
                $0.thumbnails.missing = pause
            } _: { host, remote in
                try write(Array("a film".utf8), to: remote.appending("film"))
                try await list(host)
                #expect(try await thumbnail("film", host) == .missing)
                // A program makes one.
                var status = stat()
                try #require(stat(remote.appending("film").string, &status) == 0)
                let folder = remote.appending(".sh_thumbnails")
                for path in [folder, folder.appending("normal")] { try #require(mkdir(path.string, 0o700) == 0) }
                // MD5 of “./film”.
                try write(
                    TestPicture.png(
                        11, 7, words: ["Thumb::URI": "./film", "Thumb::MTime": "\(status.st_mtim.tv_sec)"]),
                    to: folder.appending("normal/e42cdb07be5aa3547f8db803a53666d2.png"))
                try await Task.sleep(for: .milliseconds(20))
                let again = try await thumbnail("film", host)?.get()
                #expect(again?.header.width == (pause < .seconds(1) ? 11 : nil))
            }
        }
    }

    @Test("PICK-17, PICK-3: of what was only exported nothing is to be seen, and nobody asks for too many or none")
    func refused() async throws {
        try await withHost { host, remote in
            try write(TestPicture.png(20, 9), to: remote.appending("a"))
            try await list(host)
            let tool = host.connect(tool: "tests")
            defer { host.disconnect(tool) }
            let location = try Location("d:/a")
            let key = try #require(try host.storage.read { try $0.item(at: location) }).key
            host.exported.add(key, by: tool.owner)
            guard case .failed(let error) = try await host.thumbnails(of: [location], size: 64, for: tool).first else {
                Issue.record("It is shown.")
                return
            }
            #expect(error.code == .notPermitted)
            await #expect(throws: DocumentError.self) { try await host.thumbnails(of: [], size: 64, for: tool) }
            await #expect(throws: DocumentError.self) {
                try await host.thumbnails(of: [Location](repeating: location, count: 33), size: 64, for: tool)
            }
        }
    }
}
