import DocumentClient
import DocumentModel
import DocumentTransport
import Glibc
import SystemPackage

/// A storage root and a socket of their own, below a temporary folder.
struct TemporaryHost {
    let path: FilePath
    let address: HostAddress

    init() throws {
        let around = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(around)/docent-bench.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
        let text = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        path = FilePath(text)
        // The daemon works its address out from the same environment.
        setenv("DOCENT_ROOT", text + "/root", 1)
        setenv("XDG_RUNTIME_DIR", text, 1)
        address = try HostAddress.ofThisProcess()
    }

    func remove() {
        StorageBench.remove(path)
    }

    /// Makes a domain whose provider has everything in memory, with so many documents; all of them are here.
    func makeDocuments(_ count: Int, of contents: [UInt8], _ client: DocumentClient) async throws -> [Location] {
        let domain = try DomainName("bench")
        try await client.addDomain(domain, provider: ProviderIdentifier("org.example.memory"))
        let source = path.appending("source")
        let file = try FileDescriptor.open(
            source, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
        _ = try file.closeAfter { try file.writeAll(contents) }
        var locations: [Location] = []
        for number in 0..<count {
            let location = Location(domain: domain, components: [try ItemName("document \(number)")])
            _ = try await client.exportDocument(source, to: location)
            try await client.coordinate(readingItemAt: location) { _, _ in }
            locations.append(location)
        }
        return locations
    }
}
