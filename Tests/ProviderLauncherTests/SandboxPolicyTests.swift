import DocumentModel
import DocumentTestSupport
import SystemPackage
import Testing

@testable import ProviderLauncher

@Suite("What a provider is granted")
struct SandboxPolicyTests {
    private let folders = SandboxFolders(
        state: "/r/.docent/providers/work", temporary: "/r/.docent/temporary/work",
        fetch: "/r/.docent/staging/fetch/work", send: "/r/.docent/staging/send/work", storageRoot: "/r",
        home: "/home/ann", software: ["/opt/docent/bin", "/home/ann/.local/share/docent/providers"],
        programs: ["/p/Photos/PhotosProvider", "/home/ann/tools/photos"], socketFolder: "/run/user/7/docent")
    private let system = SystemFiles(
        readable: ["/usr"], loaders: ["/lib64/ld.so"], devices: ["/dev/null"], ofNetwork: ["/etc/resolv.conf"])

    private func bundle(_ tables: String = "", folder: FilePath = "/p/Photos") throws -> ProviderBundle {
        ProviderBundle(
            manifest: try Manifest(text: ManifestTests.text(tables: tables), file: "F"), folder: folder,
            executable: folder.appending("PhotosProvider"))
    }

    private func policy(
        _ tables: String = "", settings: [String: String] = [:], interpreters: [FilePath] = []
    ) throws -> SandboxPolicy {
        try SandboxPolicy(
            bundle(tables), settings: settings, folders: folders, interpreters: interpreters, system: system)
    }

    private func paths(_ policy: SandboxPolicy, _ access: SandboxPolicy.Access) -> [String] {
        policy.grants.filter { $0.access == access }.map(\.path.string)
    }

    @Test("DESIGN 9: without permissions it gets its own folders, and what every program needs")
    func least() throws {
        let policy = try policy()
        #expect(paths(policy, .read) == ["/usr", "/r/.docent/staging/send/work"])
        #expect(paths(policy, .execute) == ["/lib64/ld.so", "/p/Photos", "/p/Photos/PhotosProvider"])
        #expect(paths(policy, .fill) == ["/r/.docent/staging/fetch/work"])
        #expect(
            paths(policy, .write) == ["/dev/null", "/r/.docent/providers/work", "/r/.docent/temporary/work"])
        #expect(policy.ports.isEmpty && !policy.changesOthersFiles)
        #expect(policy.arguments.first == "--confine" && policy.arguments.last == "--")
        #expect(!policy.arguments.contains("--watch") && !policy.arguments.contains("--without-landlock"))
        #expect(
            policy.arguments.suffix(7) == [
                "--processes", "0", "--memory", "1073741824", "--open-files", "1024", "--",
            ])
    }

    @Test("Settings are put into permissions, and one without a value grants nothing")
    func permissions() throws {
        let tables = """
            [[settings]]
            key = "folder"
            type = "path"
            [[settings]]
            key = "port"
            type = "integer"
            [permissions]
            read = ["/srv/icons"]
            write = ["{folder}/out"]
            execute = ["/opt/photos"]
            connect = [443, "{port}"]
            watch = true
            [limits]
            memory = 64
            open-files = 100
            processes = 3
            """
        let policy = try policy(tables, settings: ["folder": "/home/ann/photos", "port": "8080"])
        #expect(paths(policy, .read).last == "/srv/icons" && paths(policy, .read).contains("/etc/resolv.conf"))
        #expect(paths(policy, .execute).last == "/opt/photos")
        #expect(paths(policy, .write).last == "/home/ann/photos/out")
        #expect(policy.ports == [53, 443, 8080], "with a port comes the one that names are looked up at")
        #expect(policy.changesOthersFiles)
        for option in ["--watch", "--change-attributes"] { #expect(policy.arguments.contains(option)) }
        #expect(
            policy.arguments.suffix(7) == [
                "--processes", "3", "--memory", "67108864", "--open-files", "100", "--",
            ])
        let bare = try self.policy(tables)
        #expect(bare.ports == [53, 443])
        #expect(!paths(bare, .write).contains { $0.hasSuffix("out") })
        let error = #expect(throws: DocumentError.self) { try self.policy(tables, settings: ["port": "70000"]) }
        #expect(error?.code == .notConfigured)
        #expect(error?.message.contains("“70000” is no port") == true)
    }

    @Test(
        "The shipped WebDAV provider reaches the port of its server, that of its proxy, and name servers, and nothing else",
        arguments: [
            (["url": "https://files.example/dav/"], [53, 443]), (["url": "http://files.example/dav/"], [53, 80]),
            (["url": "https://files.example:8443/"], [53, 8443]),
            (["url": "http://127.0.0.1:8080/", "proxy": "http://proxy.example:3128"], [53, 3128, 8080]),
            (["url": "https://files.example/", "proxy": "http://proxy.example:443", "ca-file": "/c.pem"], [53, 443]),
            ([:], []),
        ] as [([String: String], Set<UInt16>)])
    func webDAV(_ settings: [String: String], _ ports: Set<UInt16>) throws {
        let folder = try BuiltProducts.packageFolder().appending("Plugins/WebDAVProvider")
        let file = folder.appending("provider.toml")
        let text = String(decoding: try Self.bytes(of: file), as: UTF8.self)
        let bundle = ProviderBundle(
            manifest: try Manifest(text: text, file: file.string), folder: folder,
            executable: folder.appending("WebDAVProvider"))
        let policy = try SandboxPolicy(
            bundle, settings: settings, folders: folders, interpreters: [], system: system)
        #expect(Set(policy.ports) == ports)
        #expect(!policy.changesOthersFiles)
        #expect(paths(policy, .read).contains("/c.pem") == (settings["ca-file"] != nil))
    }

    private static func bytes(of path: FilePath) throws -> [UInt8] {
        let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec])
        return try file.closeAfter {
            try [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        }
    }

    @Test("A script's interpreter may be executed, and read its configuration")
    func interpreters() throws {
        let policy = try policy(interpreters: ["/usr/bin/python3.11"])
        #expect(paths(policy, .execute).contains("/usr/bin/python3.11"))
        #expect(paths(policy, .read).contains("/etc/python3.11"))
    }

    // MARK: On a machine

    private func resolved(
        _ tables: String, folder: String = "/srv/photos", bundle place: FilePath = "/p/Photos",
        links: [FilePath: FilePath] = [:], missing: Set<FilePath> = ["/srv/missing"], mounts: [FilePath] = [],
        looking: (FilePath) -> Void = { _ in }
    ) throws -> SandboxPolicy {
        let settings = "[[settings]]\nkey = \"folder\"\ntype = \"path\"\n"
        let bundle = try bundle(settings + tables, folder: place)
        let policy = try SandboxPolicy(bundle, settings: ["folder": folder], folders: folders, system: system)
        return try policy.resolved(for: bundle, folders: folders, mounts: mounts) { path in
            looking(path)
            return missing.contains(path) ? nil : links[path] ?? path
        }
    }

    @Test("What is not there is left out, and links are followed once")
    func resolving() throws {
        let write = "[permissions]\nwrite = [\"{folder}\"]\n"
        #expect(try !paths(resolved(write, folder: "/srv/missing"), .write).contains("/srv/missing"))
        #expect(try resolved(write, folder: "/srv/missing").missing == ["/srv/missing"])
        #expect(try resolved(write, folder: "/srv").missing.isEmpty, "only what the manifest asks for")
        let linked = try resolved(write, folder: "/srv/link", links: ["/srv/link": "/mnt/disk"])
        #expect(paths(linked, .write).last == "/mnt/disk" && !paths(linked, .write).contains("/srv/link"))
    }

    @Test(
        "Nobody is given Docent's storage, a home as a whole, or the programs that are run",
        arguments: [
            ("write", "/r", "Docent's own storage"), ("read", "/", "Docent's own storage"),
            ("read", "/r/documents", "Docent's own storage"), ("execute", "/r/.docent", "Docent's own storage"),
            ("read", "/srv/link", "Docent's own storage"), ("write", "/home/ann", "home folder"),
            ("write", "/home", "home folder"), ("write", "/opt/docent", "/opt/docent/bin"),
            ("write", "/home/ann/.local", ".local/share/docent/providers"),
            ("write", "/home/ann/.local/share/docent/providers/x", ".local/share/docent/providers"),
            ("write", "/home/ann/tools", "the program “/home/ann/tools/photos”"),
            ("write", "/run/user", "the host's own socket in “/run/user/7/docent”"),
            ("write", "/run/user/7/docent", "the host's own socket in “/run/user/7/docent”"),
        ])
    func refusals(list: String, folder: String, reason: String) throws {
        let error = #expect(throws: DocumentError.self) {
            try resolved(
                "[permissions]\n\(list) = [\"{folder}\"]\n", folder: folder, links: ["/srv/link": "/r/.docent"])
        }
        #expect(error?.code == .notConfigured)
        let message = error?.message ?? "none"
        #expect(message.hasPrefix("The provider Photos (org.example.photos) may not "), "\(message)")
        #expect(message.contains(reason) && message.contains("“\(folder)”"), "\(message)")
    }

    @Test(
        "Nobody is given a mount of documents, or what lies in one; it is not even looked at, unless a link leads there"
    )
    func mounts() throws {
        let tables = "[permissions]\nwrite = [\"{folder}\"]\n"
        let mounts: [FilePath] = ["/home/ann/Docent"]
        for folder in ["/home/ann/Docent", "/home/ann/Docent/work/F", "/home/ann/x/../Docent/", "/srv/link"] {
            let error = #expect(throws: DocumentError.self) {
                try resolved(tables, folder: folder, links: ["/srv/link": "/home/ann/Docent/work"], mounts: mounts) {
                    if folder != "/srv/link" { #expect(!$0.string.contains("Docent")) }
                }
            }
            #expect(error?.code == .serverUnreachable, "it is over when that is unmounted")
            #expect(
                error?.message.contains("Docent's own mount at “/home/ann/Docent”") == true, "\(error?.message ?? "")")
        }
        _ = try resolved(tables, folder: "/home/ann/Docent2", mounts: mounts)
    }

    @Test(
        "Nobody is given a folder that documents are mounted in: they would be granted with it",
        arguments: ["read", "write"])
    func mountsInside(access: String) throws {
        let tables = "[permissions]\n\(access) = [\"{folder}\"]\n"
        for folder in ["/home/ann/Documents", "/home/ann/x/../Documents/", "/srv/link"] {
            let error = #expect(throws: DocumentError.self) {
                try resolved(
                    tables, folder: folder, links: ["/srv/link": "/home/ann/Documents"],
                    mounts: ["/home/ann/Documents/all"])
            }
            #expect(error?.code == .serverUnreachable, "it is over when that is unmounted")
            #expect(error?.message.contains("Docent's own mount at “/home/ann/Documents/all”") == true)
        }
        _ = try resolved(tables, folder: "/home/ann/Documents", mounts: ["/home/ann/Documents2/all"])
    }

    @Test("Mounts of documents are told from others by the kernel's table, whatever they are called")
    func mountTable() {
        let table = """
            36 35 98:0 / /mnt/a\\040b rw,noatime master:1 - fuse.docent docent:7:8 rw
            37 35 98:1 / /mnt/c rw,noatime - ext4 /dev/fuse.docent rw
            38 35 98:2 / /home/x rw - fuse.docent docent:9:1 ro
            """
        #expect(DocentMounts.places(in: table) == ["/mnt/a b", "/home/x"])
        #expect(DocentMounts.first(within: "/mnt/./", of: ["/home/x", "/mnt/a b"]) == "/mnt/a b")
        #expect(DocentMounts.first(within: "/mnt/a", of: ["/home/x", "/mnt/a b"]) == nil)
    }

    @Test(
        "What is not there yet cannot be made by a provider, and what its place is called does not matter",
        arguments: [
            ("/home/ann/.local", ".local/share/docent/providers"),
            ("/home/ann/.local/share/docent", ".local/share/docent/providers"), ("/run/user/7", "/run/user/7/docent"),
        ])
    func notThereYet(folder: String, reason: String) throws {
        let missing: Set<FilePath> = [
            "/home/ann/.local/share/docent/providers", "/home/ann/.local/share/docent", "/run/user/7/docent",
        ]
        let tables = "[permissions]\nwrite = [\"{folder}\"]\n"
        let error = #expect(throws: DocumentError.self) {
            // The user has given its parent by a link.
            try resolved(
                tables, folder: "/srv/link", links: ["/srv/link": FilePath(folder)],
                missing: missing.subtracting([FilePath(folder)]))
        }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        _ = try resolved(tables, folder: "/home/ann/.local2", missing: missing)
    }

    @Test(
        "A path lies in a folder when the folder is one of its ancestors, or the path itself",
        arguments: [
            ("/a/b", "/a", true), ("/a/b", "/a/b", true), ("/a/b", "/", true), ("/", "/", true), ("/a/b/c", "/a", true),
            ("/ab", "/a", false), ("/a", "/a/b", false), ("/", "/a", false), ("/b/a", "/a", false),
            ("/A/b", "/a", false),
        ] as [(FilePath, FilePath, Bool)])
    func inside(path: FilePath, folder: FilePath, isInside: Bool) {
        #expect(path.isInside(folder) == isInside)
        #expect(path.starts(with: folder) == isInside, "as the library has it")
    }

    @Test("What lies in a home may be given, and a home may be read")
    func harmless() throws {
        _ = try resolved("[permissions]\nwrite = [\"{folder}\"]\n", folder: "/home/ann/Documents")
        _ = try resolved("[permissions]\nread = [\"{folder}\"]\n", folder: "/home/ann")
    }

    @Test("A bundle that is installed in the usual storage root, beside documents, is granted, and nothing else")
    func installedInTheRoot() throws {
        #expect(paths(try resolved("", bundle: "/r/providers/photos"), .execute).contains("/r/providers/photos"))
        for place: FilePath in ["/r/providers", "/r/documents/work", "/r/.docent/providers/other", "/r/providers2/x"] {
            #expect(throws: DocumentError.self, "\(place)") { try resolved("", bundle: place) }
        }
    }

    @Test(
        "A bundle that is a home, or lies around the storage root, is not run", arguments: ["/home", "/home/ann", "/"])
    func wideBundle(folder: String) throws {
        let error = #expect(throws: DocumentError.self) { try resolved("", bundle: FilePath(folder)) }
        #expect(error?.message.contains("cannot be confined") == true)
    }

    // MARK: Scripts

    @Test(
        "The kernel's way from a script to its interpreter",
        arguments: [
            ("#!/usr/bin/python3", ["/usr/bin/python3.11"]), ("#! /usr/bin/python3 -u", ["/usr/bin/python3.11"]),
            ("#!/usr/bin/env python3", ["/usr/bin/env", "/usr/bin/python3.11"]),
            ("#!/usr/bin/env -S python3 -u", ["/usr/bin/env", "/usr/bin/python3.11"]),
            ("#!/home/ann/bin/python3", []), ("#!/usr/bin/missing", []), ("#!", []), ("\u{7F}ELF", []),
        ])
    func scripts(line: String, found: [FilePath]) {
        let real: [FilePath: FilePath] = [
            "/usr/bin/python3": "/usr/bin/python3.11", "/usr/bin/env": "/usr/bin/env",
            "/home/ann/bin/python3": "/home/ann/bin/python3",
        ]
        #expect(ScriptInterpreters.of(line: line, searchPath: "/home/ann/none:/usr/bin:/bin") { real[$0] } == found)
    }

    // MARK: What the kernel can do

    @Test("Where the kernel has no Landlock, providers run only when the user has said so")
    func withoutLandlock() throws {
        let manifest = try bundle().manifest
        let refusal = Confinement(.required, landlock: 0, isRoot: false).refusal(of: manifest)
        #expect(refusal?.code == .notConfigured)
        #expect(refusal?.message.contains("no Landlock") == true)
        #expect(refusal?.message.contains("docentd --allow-unsandboxed") == true)
        #expect(Confinement(.asFarAsPossible, landlock: 0, isRoot: false).refusal(of: manifest) == nil)
        #expect(Confinement(.required, landlock: 1, isRoot: false).refusal(of: manifest) == nil)
        #expect(Confinement(.required, landlock: 0, isRoot: false).notice?.contains("not started") == true)
        #expect(Confinement(.asFarAsPossible, landlock: 0, isRoot: false).notice?.contains("all that you may") == true)
        #expect(Confinement(.required, landlock: 7, isRoot: false).notice == nil)
    }

    @Test(
        "Where the kernel's Landlock is too old for what a provider asks for, it runs only when the user has said so",
        arguments: [
            (3, "[permissions]\nconnect = [443]\n", ["version 3", "connect to every port", "6.7 or newer"]),
            (5, "[limits]\nprocesses = 1\n", ["version 5", "send signals to your other programs", "6.12 or newer"]),
            (
                1, "[permissions]\nconnect = [443]\n[limits]\nprocesses = 1\n",
                ["version 1", "every port and send signals", "6.12 or newer"]
            ),
            (4, "[permissions]\nconnect = [443]\n", []), (6, "[limits]\nprocesses = 1\n", []), (1, "", []),
        ])
    func oldLandlock(landlock: Int, tables: String, words: [String]) throws {
        let manifest = try bundle(tables).manifest
        let refusal = Confinement(.required, landlock: landlock, isRoot: false).refusal(of: manifest)
        #expect((refusal == nil) == words.isEmpty)
        if let refusal {
            #expect(refusal.code == .notConfigured)
            for word in words + [manifest.identifier.rawValue, "docentd --allow-unsandboxed"] {
                #expect(refusal.message.contains(word), "\(refusal.message)")
            }
        }
        let allowed = Confinement(.asFarAsPossible, landlock: landlock, isRoot: false)
        #expect(allowed.refusal(of: manifest) == nil)
        for gap in allowed.gaps(for: manifest) { #expect(gap.contains(" lets it "), "\(gap)") }
    }

    @Test(
        "63: what cannot be enforced is said, and only where it matters",
        arguments: [
            (7, false, "", []), (7, true, "", []), (1, false, "", []), (3, false, "", []),
            (3, false, "[permissions]\nconnect = [443]\n", ["every port, so it is not started"]),
            (4, false, "[permissions]\nconnect = [443]\n", []),
            (5, false, "[limits]\nprocesses = 2\n", ["signals to your other programs, so it is not started"]),
            (
                3, true, "[permissions]\nconnect = [443]\n[limits]\nprocesses = 2\n",
                ["every port", "signals", "does not limit processes"]
            ),
            (0, false, "[permissions]\nconnect = [443]\n", ["no Landlock, so it is not started"]),
            (6, false, "[limits]\nprocesses = 2\n", []),
            (7, true, "[limits]\nprocesses = 2\n", ["does not limit processes"]),
        ])
    func gaps(landlock: Int, isRoot: Bool, tables: String, words: [String]) throws {
        let gaps = Confinement(.required, landlock: landlock, isRoot: isRoot).gaps(for: try bundle(tables).manifest)
        #expect(gaps.count == words.count)
        for (gap, word) in zip(gaps, words) { #expect(gap.contains(word), "\(gap)") }
    }
}
