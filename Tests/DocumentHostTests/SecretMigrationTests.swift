import DocumentModel
import DocumentStorage
import DocumentTestSupport
import DocumentWire
import Glibc
import Logging
import ProviderLauncher
import SystemPackage
import Testing

@testable import DocumentHost

struct SecretMigrationTests {
    private let secret = "s3cret-of-long-ago"
    private let manifest = """
        identifier = "org.example.server"
        name = "Server"
        executable = "Server"
        protocol-versions = [1]
        modes = ["open"]
        types = ["public.content"]

        [[settings]]
        key = "folder"
        type = "path"

        [[settings]]
        key = "user"
        sign-in = "password"

        [[settings]]
        key = "password"
        sign-in = "password"
        secret = true
        """

    private func isInIndex(_ root: FilePath) throws -> Bool {
        try ["index.sqlite", "index.sqlite-wal"].contains { name in
            guard let file = try? FileDescriptor.open(root.appending(".docent").appending(name), .readOnly) else {
                return false
            }
            return try file.closeAfter {
                var bytes = [UInt8](repeating: 0, count: 4 << 20)
                let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
                return String(decoding: bytes[..<count], as: UTF8.self).contains(secret)
            }
        }
    }

    @Test("AUTH-5: what an earlier host kept in the index to sign in with is moved, and nothing of it is left there")
    func moving() throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let (bundle, rootPath) = (folder.appending("Bundle"), folder.appending("root"))
        try #require(mkdir(bundle.string, 0o700) == 0)
        try TemporaryFile.write(manifest, to: bundle.appending("provider.toml"))
        try TemporaryFile.write("#!/bin/sh\n", to: bundle.appending("Server"))
        try #require(chmod(bundle.appending("Server").string, 0o700) == 0)
        let logger = Logger(label: "migration") { _ in SwiftLogNoOpLogHandler() }
        let (name, gone) = (try DomainName("web"), try DomainName("gone"))
        do {
            let root = try StorageRoot(at: rootPath, logger: logger)
            let provider = try ProviderIdentifier("org.example.server")
            let settings = ["folder": "/f", "user": "ann", "password": secret]
            try root.index.write { index in
                try index.addDomain(DomainRecord(name: name, provider: provider, settings: settings))
                try index.addDomain(DomainRecord(name: gone, provider: provider, settings: settings))
                // Of which traces stay.
                try index.removeDomain(gone)
            }
            try root.secrets.keep(["password": "of one that is gone"], of: gone)
            try root.close()
        }
        #expect(try isInIndex(rootPath), "the search finds what is there")
        let program = try BuiltProducts.executable("docent-trampoline")
        let host = try DocumentHost(
            DocumentHost.Configuration(
                root: rootPath, providerFolders: [], providerBundles: [bundle], trampoline: program,
                software: "tests"), logger: logger)
        #expect(host.domains.find(name)?.supervisor.settings.settings["password"] == secret)
        #expect(try host.secrets.secrets(of: name) == ["user": "ann", "password": secret])
        #expect(try host.secrets.secrets(of: gone) == nil, "what is kept of domains that are gone goes")
        #expect(try host.storage.read { try $0.domain(name)?.settings } == ["folder": "/f"])
        #expect(try !isInIndex(rootPath))
        host.storage.shutdown()
        try host.root.close()
    }
}
