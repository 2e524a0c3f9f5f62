import DocumentClient
import DocumentModel
import Glibc
import SystemPackage

/// A folder behind a WebDAV server of this machine, some milliseconds away, as a domain.
struct RemoteFolder {
    let host: TemporaryHost
    let domain: DomainName
    let proxy: DelayingProxy
    private let server: pid_t

    /// - Parameters:
    ///   - delay: of each request, in milliseconds.
    ///   - fill: makes the documents in the folder.
    init(delay: Int, _ fill: (FilePath) throws -> Void) throws {
        host = try TemporaryHost()
        domain = try DomainName("bench")
        let folder = host.path.appending("served")
        guard mkdir(folder.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
        try fill(folder)
        let port = try LoopbackPort.free()
        server = try MountedFolder.spawn([
            "rclone", "serve", "webdav", folder.string, "--addr", "127.0.0.1:\(port)", "--config", "/dev/null",
        ])
        try LoopbackPort.wait(port)
        proxy = try DelayingProxy(to: port, delay: delay, folder: host.path)
    }

    var url: String { "http://127.0.0.1:\(proxy.port)/" }

    var location: Location { Location(domain: domain) }

    func add(_ client: DocumentClient) async throws {
        try await client.addDomain(
            domain, provider: ProviderIdentifier("org.docent.webdav"), settings: ["url": url, "read-only": "true"])
    }

    func remove() {
        proxy.stop()
        kill(server, SIGTERM)
        MountedFolder.wait(server)
        host.remove()
    }
}
