import DocumentClient
import DocumentModel
import Glibc
import SystemPackage

/// A host with one domain of ``LargeProvider``, for the rows that ask what a large remote costs.
struct LargeDomain {
    let host: TemporaryHost
    let name: DomainName

    static func with<Result>(
        documents: Int, delay: Int = 0, _ body: (LargeDomain, DocumentClient) async throws -> Result
    ) async throws -> Result {
        let domain = try LargeDomain(host: TemporaryHost(), name: DomainName("bench"))
        defer { domain.host.remove() }
        try domain.install()
        let result = try await domain.withClient { client in
            try await client.addDomain(
                domain.name, provider: ProviderIdentifier("org.example.large"),
                settings: ["documents": "\(documents)", "delay": "\(delay)"])
            return try await body(domain, client)
        }
        // The one that runs by now: the body may have ended another one.
        try await domain.withClient { try await $0.stopHost() }
        return result
    }

    /// With a client of its own; the host is started when none runs.
    func withClient<Result>(_ body: (DocumentClient) async throws -> Result) async throws -> Result {
        try await withDocumentClient(tool: "docent-benchmarks", address: host.address, body)
    }

    func folder(_ number: Int) throws -> Location {
        Location(domain: name, components: [try ItemName("Folder \(number)")])
    }

    func document(_ number: Int) throws -> Location {
        let (folder, number) = number.quotientAndRemainder(dividingBy: LargeProvider.folderSize)
        return try self.folder(folder).appending(ItemName("Document number \(number).txt"))
    }

    /// Where the provider keeps what it wants to know later.
    var stateFolder: FilePath { host.path.appending("root/.docent/providers/bench") }

    /// Has every folder listed, several at a time.
    func list(_ count: Int, _ client: DocumentClient) async throws {
        try await client.refresh(Location(domain: name))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                if number >= 8 { try await group.next() }
                let folder = try folder(number)
                group.addTask { try await client.refresh(folder) }
            }
            try await group.waitForAll()
        }
    }

    /// The bundle: this program, with a manifest.
    private func install() throws {
        let bundle = host.path.appending("large")
        guard mkdir(bundle.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        let manifest = """
            identifier = "org.example.large"
            name = "Large"
            version = "1.0"
            executable = "\(own)"
            arguments = ["--peer", "provider"]
            protocol-versions = [1]
            modes = ["import", "open", "export", "move"]
            types = ["public.content"]
            capabilities = ["modifying"]

            [[settings]]
            key = "documents"
            type = "string"
            description = "How many there are"

            [[settings]]
            key = "delay"
            type = "string"
            description = "How long a change takes, in milliseconds"
            """
        try MountedFolder.write(Array(manifest.utf8), to: bundle.appending("provider.toml"))
        setenv("DOCENT_PROVIDER_PATH", bundle.string, 1)
    }
}
