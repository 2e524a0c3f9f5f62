import DocumentModel
import Glibc
import SystemPackage

@testable import ProviderLauncher

/// A small world for one attempt: a user's home, a storage root with two domains, a folder that is given to the
/// provider of one of them, servers, another process; and the program that tries things, as that provider.
final class SandboxFixture {
    let folder: TemporaryFolder
    private let tcp: Listener
    private let otherTCP: Listener
    private let unix: Listener
    private let abstract: Listener
    /// Where desktops have the session bus.
    private let bus: Listener
    private let other: SpawnedProcess

    /// For what another user has to reach, too.
    init() throws {
        folder = try TemporaryFolder()
        try TemporaryFolder.change(folder.path, mode: 0o755)
        for name in ["home/secret", "given/file", "given/sub/file", "readable/file", "bundle/file"] {
            try folder.file(name, "text")
        }
        let root = "root/.docent/"
        for name in [
            "root/documents/mine/file", "root/documents/other/file", root + "index.sqlite", root + "secrets/file",
            root + "providers/mine/file", root + "providers/other/file", root + "staging/fetch/mine/r/contents",
            root + "staging/send/mine/r/contents", root + "staging/fetch/other/r/contents",
            root + "index.sqlite-wal", root + "index.sqlite-shm", root + "versions/mine/v", root + "versions/other/v",
            root + "providers/.failures/mine/f", root + "providers/.failures/other/f",
            root + "providers/.recordings/mine/r", root + "providers/.recordings/other/r",
            root + "staging/leaving-1", root + "temporary/mine/file", root + "temporary/other/file",
        ] {
            try folder.file(name, "text")
        }
        tcp = try Listener(.tcp)
        otherTCP = try Listener(.tcp)
        unix = try Listener(.unix(folder.path.appending("host.sock").string))
        try folder.folder("runtime")
        bus = try Listener(.unix(folder.path.appending("runtime/bus").string))
        abstract = try Listener(.unix("@docent-test-\(folder.path.lastComponent?.string ?? "")"))
        other = try SpawnedProcess("/bin/sleep", ["1000"])
    }

    /// The words in braces of an attempt's arguments.
    func filled(_ arguments: [String]) -> [String] {
        let path = folder.path.string
        let docent = path + "/root/.docent"
        let places = [
            "home": path + "/home", "given": path + "/given", "readable": path + "/readable", "docent": docent,
            "state": docent + "/providers/mine", "documents": path + "/root/documents",
            "fetch": docent + "/staging/fetch/mine/r", "send": docent + "/staging/send/mine/r",
            "temporary": docent + "/temporary/mine", "bundle": path + "/bundle", "host": String(getpid()),
            "other": String(other.pid), "port": String(tcp.port), "other-port": String(otherTCP.port),
            "socket": path + "/host.sock", "bus": path + "/runtime/bus", "abstract": abstract.name,
            "program": escapingProvider.string,
        ]
        return arguments.map { argument in
            places.reduce(argument) { text, place in text.replacing("{\(place.key)}", with: place.value) }
        }
    }

    var folders: SandboxFolders {
        let docent = folder.path.appending("root/.docent")
        return SandboxFolders(
            state: docent.appending("providers/mine"), temporary: docent.appending("temporary/mine"),
            fetch: docent.appending("staging/fetch/mine"), send: docent.appending("staging/send/mine"),
            storageRoot: folder.path.appending("root"), home: folder.path.appending("home"),
            software: [folder.path.appending("programs")])
    }

    func bundle(_ tables: String) throws -> ProviderBundle {
        let text = ManifestTests.text(["executable": "\"\(escapingProvider)\""], tables: tables)
        try folder.file("bundle/provider.toml", text)
        return ProviderBundle(
            manifest: try Manifest(text: text, file: "F"), folder: folder.path.appending("bundle"),
            executable: escapingProvider)
    }

    /// What a provider with such a manifest, and the settings `folder` and `port`, is granted here.
    func policy(_ tables: String) throws -> SandboxPolicy {
        let bundle = try bundle(tables)
        let policy = try SandboxPolicy(
            bundle, settings: ["folder": folder.path.appending("given").string, "port": String(tcp.port)],
            folders: folders)
        return try policy.resolved(for: bundle, folders: folders)
    }

    /// What came of an attempt: `allowed`, or the name of an error.
    ///
    /// - Parameters:
    ///   - tables: the manifest's; nil for a process that is not confined.
    ///   - user: who tries it; nil for the user that the tests run as.
    ///   - landlock: the version of the kernel's Landlock, if it is to be older than it is.
    func attempt(
        _ words: [String], manifest tables: String?, user: Int? = nil, landlock: Int? = nil
    ) throws -> String {
        let arguments = try tables.map { try policy($0).arguments } ?? ["--"]
        let program = [trampoline.string, String(getpid())] + arguments + [escapingProvider.string] + filled(words)
        let become = user.map { ["/usr/bin/setpriv", "--reuid=\($0)", "--regid=\($0)", "--clear-groups"] } ?? []
        let older = landlock.map { [withoutLandlock.string, String($0), trampoline.string] } ?? []
        let command = become + older + program
        let process = try SpawnedProcess(FilePath(command[0]), Array(command.dropFirst()))
        return try process.allOutput().split(separator: "\n").last.map(String.init) ?? "nothing"
    }
}

private let withoutLandlock = buildProducts.appending("without-landlock")
let escapingProvider = buildProducts.appending("escaping-provider")

/// A socket that accepts connections, which nobody takes.
final class Listener {
    enum Kind {
        case tcp
        /// By path, or by an abstract name behind “@”.
        case unix(String)
    }

    let descriptor: Int32
    private(set) var port: UInt16 = 0
    private(set) var name = ""

    init(_ kind: Kind) throws {
        switch kind {
        case .tcp:
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
                }
            }
            guard isBound else { throw Errno(rawValue: errno) }
            port = UInt16(bigEndian: address.sin_port)
        case .unix(let name):
            self.name = name
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let isAbstract = name.hasPrefix("@")
            withUnsafeMutableBytes(of: &address.sun_path) { path in
                path.copyBytes(from: name.utf8.prefix(path.count - 1))
                if isAbstract { path[0] = 0 }
            }
            let length = socklen_t(2 + name.utf8.count + (isAbstract ? 0 : 1))
            let isBound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
            }
            guard isBound else { throw Errno(rawValue: errno) }
        }
        guard listen(descriptor, 8) == 0 else { throw Errno(rawValue: errno) }
    }

    deinit { close(descriptor) }
}
