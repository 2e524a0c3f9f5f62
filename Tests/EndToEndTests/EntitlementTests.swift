import DocumentModel
import DocumentWire
import Foundation
import SystemPackage
import Testing

@testable import DocumentClient

/// What registered tools may do, through the daemon. This test program is the tool: the daemon knows it by its executable.
@Suite(.serialized) struct EntitlementTests {
    static let notes = "ABCDE12345.org.example.notes"

    func withDomains(
        environment: [String: String] = [:], _ body: (Machine) async throws -> Void
    ) async throws {
        try await Machine.with(environment: environment) { machine async throws in
            for domain in ["work", "home", "store"] {
                let folder = machine.remote + "/" + domain
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
                try machine.write("from \(domain)", to: folder + "/a.txt")
                try machine.succeed(
                    "domain", "add", domain, "--provider", "org.docent.folder", "--set", "folder=\(folder)")
            }
            try await body(machine)
        }
    }

    /// Registers this test program.
    func register(_ entitlements: String, on machine: Machine) throws {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        try machine.write(
            """
            identifier = "org.example.notes"
            name = "Notes"
            executable = "\(program)"
            \(entitlements)
            """, to: machine.folder + "/tool.toml")
        try machine.succeed("tool", "register", machine.folder + "/tool.toml")
    }

    func failure(_ body: () async throws -> some Any) async -> DocumentError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? DocumentError ?? DocumentError(.internal, "another error: \(error)")
        }
    }

    func code(_ body: () async throws -> some Any) async -> DocumentError.Code? { await failure(body)?.code }

    func names(_ items: ContainerDocuments) async throws -> [String] {
        var names: [String] = []
        for try await item in items { names.append(item.location.description) }
        return names
    }

    @Test("CONT-2: a registered tool may use what its manifest names, is refused the rest, and is told what is missing")
    func domains() async throws {
        try await withDomains { machine async throws in
            try register("domains = [\"work\"]\nread-domains = [\"home\"]", on: machine)
            let (work, home, store) = (
                try Location("work:/a.txt"), try Location("home:/a.txt"), try Location("store:/a.txt")
            )
            try await machine.client { client async throws in
                try await client.coordinate(writingItemAt: work) { path, _ in try machine.write("new", to: path.string)
                }
                #expect(try await client.item(at: home).location == home)
                try await client.coordinate(readingItemAt: home) { _, _ in }
                // Of the host it is told that it runs, and nothing of what others use.
                try await client.coordinate(readingItemAt: home) { _, _ in
                    let host = try await client.hostStatus()
                    #expect(host.processID > 0 && host.root.isEmpty && host.findings.isEmpty)
                    #expect(host.claims == 0 && host.connections == 0)
                }
                #expect(await code { try await client.coordinate(writingItemAt: home) { _, _ in } } == .notPermitted)
                #expect(
                    await code { try await client.rename(itemAt: work, to: Location("home:/b.txt")) } == .notPermitted)
                #expect(await code { try await client.makeFolder(at: Location("home:/f")) } == .notPermitted)
                #expect(
                    await code { try await client.makeFolder(at: Location("home:/f"), atOnce: true) } == .notPermitted)
                #expect(await code { try await client.remove(itemAt: home) } == .notPermitted)

                let refusals = [
                    await failure { try await client.item(at: store) },
                    await failure { try await client.coordinate(readingItemAt: store) { _, _ in } },
                    await failure { try await client.itemPage(in: Location("store:/")) },
                    await failure { try await client.download(store) }, await failure { try await client.evict(store) },
                    await failure { try await client.bookmark(of: store) },
                    await failure { try await client.status(Location("store:/")) },
                    await failure {
                        try await client.exportDocument(FilePath(machine.folder + "/tool.toml"), to: store)
                    },
                ]
                for refusal in refusals {
                    #expect(refusal?.code == .notPermitted)
                    #expect(
                        refusal?.message.contains("its manifest names neither the domain “store”") == true,
                        "\(String(describing: refusal))")
                }
                // Two documents in one step, of which it may have one.
                let both = AccessRequest(location: work, intent: .reading)
                var request = both
                request.also = [.init(location: store, intent: .reading)]
                #expect(await code { try await client.withAccess(request, nil) { _ in } } == .notPermitted)
                // One document twice, of which it may do one thing.
                for intents in [[AccessIntent.reading, .writing], [.writing, .reading]] {
                    var twice = AccessRequest(location: home, intent: intents[0])
                    twice.also = [.init(location: home, intent: intents[1])]
                    #expect(await code { try await client.withAccess(twice, nil) { _ in } } == .notPermitted)
                }
            }
            #expect(machine.read(machine.remote + "/home/a.txt") == "from home")
        }
    }

    @Test(
        "CONT-2, CONT-7, CONT-9: nothing moves into or out of a domain that a tool may not change; all stays where it is"
    )
    func moving() async throws {
        try await withDomains { machine async throws in
            try register("domains = [\"work\"]\nread-domains = [\"home\"]", on: machine)
            let mine = FilePath(machine.folder + "/work/mine.txt")
            let out = FilePath(machine.folder + "/work/out.txt")
            try machine.write("mine", to: mine.string)
            try await machine.client { client async throws in
                for domain in ["home", "store"] {
                    let new = try Location("\(domain):/new.txt")
                    #expect(await code { try await client.moveIn(mine, to: new) } == .notPermitted)
                    let there = try Location("\(domain):/a.txt")
                    #expect(await code { try await client.moveOut(there, to: out) } == .notPermitted)
                    // Nor by a tool that asks for no access first.
                    let call = MoveOutCall(location: there, destinationPath: out.string, parts: [])
                    #expect(await code { try await client.tell(.moveOut(call)) } == .notPermitted)
                    #expect(machine.read(machine.remote + "/\(domain)/a.txt") == "from \(domain)")
                    #expect(machine.read(machine.remote + "/\(domain)/new.txt") == nil)
                }
                #expect(machine.read(mine.string) == "mine" && machine.read(out.string) == nil)
                // Where it may, it does.
                try await client.moveIn(mine, to: Location("work:/new.txt"))
                try await client.moveOut(Location("work:/a.txt"), to: out)
                try await client.waitUntilSent(Location("work:/"))
            }
            #expect(machine.read(out.string) == "from work" && machine.read(machine.remote + "/work/a.txt") == nil)
            #expect(machine.read(mine.string) == nil && machine.read(machine.remote + "/work/new.txt") == "mine")
        }
    }

    @Test(
        "CONT-2: setting up is for the user's own programs, and a tool learns nothing of other domains and their settings"
    )
    func setup() async throws {
        try await withDomains { machine async throws in
            try register("domains = [\"work\"]", on: machine)
            try await machine.client { client async throws in
                let domains = try await client.domains()
                #expect(domains.map(\.name.rawValue) == ["work"] && domains[0].settings.isEmpty)
                #expect(try await client.tools().map(\.id.rawValue) == ["org.example.notes"])
                #expect(try await client.containerPlace() == nil)
                let refused = [
                    await code { try await client.status() }, await code { try await client.coordinationStatus() },
                    await code { try await client.removeDomain(DomainName("home")) },
                    await code {
                        try await client.addDomain(DomainName("new"), provider: ProviderIdentifier("org.docent.folder"))
                    },
                    await code { try await client.registerTool(manifest: FilePath(machine.folder + "/tool.toml")) },
                    await code { try await client.unregisterTool(ToolIdentifier("org.example.notes")) },
                    await code { try await client.placeContainers(in: Location("work:/")) },
                    await code { try await client.stopHost() }, await code { try await client.providers() },
                    await code {
                        try await client.bookmark(
                            of: Location("work:/a.txt"),
                            options: BookmarkOptions(tool: ToolIdentifier("org.example.other")))
                    },
                ]
                #expect(refused == Array(repeating: .notPermitted, count: refused.count))
            }
            #expect(try machine.succeed("domain", "list").contains("home"))
        }
    }

    @Test(
        "BOOK-2, BOOK-3, BOOK-4, BOOK-5: a bookmark that the user makes for a tool is its access to that item and no other"
    )
    func granted() async throws {
        try await withDomains { machine async throws in
            try machine.write("another", to: machine.remote + "/store/b.txt")
            try register("", on: machine)
            func bookmark(_ words: String...) throws -> Bookmark {
                let result = try machine.run(machine.folder + "/bin/docent", ["bookmark", "create"] + words)
                return try Bookmark(text: result.output.trimmingCharacters(in: .whitespacesAndNewlines))
            }
            let writable = try bookmark("store:/a.txt", "--for", "org.example.notes")
            let readable = try bookmark("store:/b.txt", "--for", "org.example.notes", "--read-only")
            let own = try bookmark("store:/a.txt")
            let (a, b) = (try Location("store:/a.txt"), try Location("store:/b.txt"))
            try await machine.client { client async throws in
                #expect(try await client.resolve(writable).item.location == a)
                #expect(await code { try await client.coordinate(readingItemAt: a) { _, _ in } } == .notPermitted)
                #expect(
                    await failure { try await client.resolve(own) }?.message.contains(
                        "bound to the user's own programs") == true)
                #expect(try await !client.startAccessing(own))

                try await client.coordinate(readingItemOf: writable) { _, item async throws in
                    #expect(try await client.item(at: item.location).location == a)
                }
                // Inside of an access by it, what the bookmark gives may be used otherwise, too; and not after that.
                try await client.coordinate(writingItemOf: writable) { _, item async throws in
                    #expect(try await client.item(at: item.location).location == a)
                    #expect(await code { try await client.item(at: b) } == .notPermitted)
                }
                #expect(await code { try await client.item(at: a) } == .notPermitted)

                #expect(try await client.startAccessing(writable))
                try await client.coordinate(writingItemAt: a) { path, _ in try machine.write("new", to: path.string) }
                #expect(try await client.item(at: a).location == a)
                #expect(await code { try await client.item(at: b) } == .notPermitted)

                #expect(try await client.startAccessing(readable))
                try await client.coordinate(readingItemAt: b) { _, _ in }
                #expect(await code { try await client.coordinate(writingItemAt: b) { _, _ in } } == .notPermitted)
                #expect(
                    await code { try await client.rename(itemAt: b, to: Location("store:/c.txt")) } == .notPermitted)
                let given = try #require(try await client.bookmarks().first { $0.madeAt == b }).id
                // It cannot make itself a better one of it.
                #expect(await code { try await client.bookmark(of: b) } == .notPermitted)
                let again = try await client.bookmark(of: b, options: BookmarkOptions(rights: .readOnly))
                #expect(
                    try await client.bookmarks().map(\.madeAt).sorted { $0.description < $1.description } == [a, b, b])
                #expect(try await client.resolve(again).rights == .readOnly)

                try await client.stopAccessing(writable)
                #expect(await code { try await client.coordinate(readingItemAt: a) { _, _ in } } == .notPermitted)
                let all = try #require(try machine.json("bookmark", "list") as? [[String: Any]])
                let others = try #require(all.first { $0["tool"] is NSNull }?["number"] as? String)
                #expect(await code { try await client.revokeBookmark(BookmarkIdentifier(others)) } == .notPermitted)
                // It lasts no longer than the one that it was made by.
                #expect(try await client.startAccessing(again))
                try await client.stopAccessing(readable)
                try await client.coordinate(readingItemAt: b) { _, _ in }
                try machine.succeed("bookmark", "revoke", "\(given)")
                #expect(await code { try await client.coordinate(readingItemAt: b) { _, _ in } } == .notPermitted)
                #expect(try await !client.startAccessing(again))
                for found in try await client.bookmarks() { try await client.revokeBookmark(found.id) }
                #expect(await code { try await client.coordinate(readingItemAt: b) { _, _ in } } == .notPermitted)
            }
            #expect(try machine.succeed("bookmark", "list").split(separator: "\n").count == 2)
        }
    }

    @Test(
        "CONT-3: a container's folder is made when it is asked for, nil is the first one, and with the service off the answer is nil"
    )
    func opening() async throws {
        try await withDomains { machine async throws in
            try register("containers = [\"\(Self.notes)\", \"ABCDE12345.org.example.*\"]", on: machine)
            let other = try ContainerIdentifier("ABCDE12345.org.example.shared")
            try await machine.client { client async throws in
                #expect(try await client.location(forContainer: nil) == nil)
                #expect(try await names(client.containerDocuments()) == [])
                try machine.succeed("mkdir", "store:/Containers")
                try machine.succeed("container", "place", "store:/Containers")

                let folder = try Location("store:/Containers/\(Self.notes)")
                #expect(await code { try await client.item(at: folder) } == .notPermitted)
                for _ in 1...2 { #expect(try await client.location(forContainer: nil) == folder) }
                #expect(try await client.location(forContainer: ContainerIdentifier(Self.notes)) == folder)
                #expect(try await client.item(at: folder).item.kind == .folder)
                try await client.makeFolder(at: folder.appending(ItemName("Documents")))
                #expect(try await client.location(forContainer: other)?.name?.rawValue == other.rawValue)
                let refusal = await failure {
                    try await client.location(forContainer: ContainerIdentifier("0123456789.else"))
                }
                #expect(refusal?.code == .notPermitted)
                #expect(
                    refusal?.message
                        == "org.example.notes may not use the container 0123456789.else: its manifest does not name it under “containers”."
                )
            }
            // Needed once on each connection.
            try await machine.client { client async throws in
                let documents = try Location("store:/Containers/\(Self.notes)/Documents")
                #expect(
                    await failure { try await client.item(at: documents) }?.message.contains(
                        "has not opened its container") == true)
            }
            #expect(machine.read(machine.remote + "/store/a.txt") == "from store")
            #expect(
                FileManager.default.fileExists(atPath: machine.remote + "/store/Containers/\(Self.notes)/Documents"))
            try machine.succeed("host", "stop")
            #expect(try machine.succeed("container", "place") == "store:/Containers\n")
            #expect(try machine.succeed("tool", "list").contains("org.example.notes"))
            try machine.succeed("container", "place", "--none")
            try await machine.client { client async throws in
                #expect(try await client.location(forContainer: nil) == nil)
            }
        }
    }

    @Test("CONT-4, CONT-5: one merged list over all of a tool's containers, documents and data apart, nothing twice")
    func merged() async throws {
        try await withDomains { machine async throws in
            let place = machine.remote + "/store/Containers"
            let files = [
                "\(Self.notes)/Documents/a.txt", "\(Self.notes)/Documents/f/g/b.txt", "\(Self.notes)/Data/cache.bin",
                "\(Self.notes)/settings.plist", "ABCDE12345.org.example.shared/Documents/c.txt",
                "ABCDE12345.org.example.shared/Documents.txt", "ABCDE12345.other/Documents/hidden.txt",
                "0123456789.else/Documents/hidden.txt", "no container/Documents/hidden.txt",
            ]
            for file in files {
                let path = place + "/" + file
                try FileManager.default.createDirectory(
                    atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
                try machine.write("x", to: path)
            }
            try machine.succeed("refresh", "store:/")
            try machine.succeed("container", "place", "store:/Containers")
            try register(
                "containers = [\"\(Self.notes)\", \"ABCDE12345.org.example.*\", \"ABCDE12345.org.example.shared\"]",
                on: machine)
            try await machine.client { client async throws in
                func full(_ names: [String]) -> [String] { names.map { "store:/Containers/" + $0 }.sorted() }
                #expect(try await names(client.containerDocuments()).sorted() == full([files[0], files[1], files[4]]))
                #expect(
                    try await names(client.containerDocuments(.data)).sorted() == full([files[2], files[3], files[5]]))
                #expect(
                    try await client.containers().map(\.identifier.rawValue) == [
                        Self.notes, "ABCDE12345.org.example.shared",
                    ])
            }
            // The user sees all of them.
            #expect(try machine.succeed("container", "documents").split(separator: "\n").count == 5)
            try machine.succeed("container", "remove-data", Self.notes)
            #expect(Machine.eventually { !FileManager.default.fileExists(atPath: place + "/" + files[2]) })
            #expect(machine.read(place + "/" + files[3]) == nil && machine.read(place + "/" + files[1]) == "x")
        }
    }

    @Test(
        "CONT-2: an unregistered tool is one of the user's own programs; where only registered tools are served it may do nothing, and docent still works"
    )
    func unregistered() async throws {
        try await withDomains(environment: ["DOCENT_REGISTERED_TOOLS_ONLY": "1"]) { machine async throws in
            try await machine.client { client async throws in
                let refusal = await failure { try await client.item(at: Location("work:/a.txt")) }
                #expect(refusal?.code == .notPermitted)
                #expect(
                    refusal?.message.contains("is not registered, and this host serves registered tools only") == true)
                #expect(await code { try await client.hostStatus() } == .notPermitted)
            }
            #expect(try machine.succeed("cat", "work:/a.txt") == "from work")
            try register("read-domains = [\"work\"]", on: machine)
            try await machine.client { client async throws in
                #expect(try await client.item(at: Location("work:/a.txt")).location == (try Location("work:/a.txt")))
            }
        }
        try await withDomains { machine async throws in
            try await machine.client { client async throws in
                #expect(try await client.domains().count == 3)
            }
        }
    }

    @Test("CONT-2: a tool that is unregistered while it runs may do nothing more, and its bookmarks are revoked")
    func unregistering() async throws {
        try await withDomains { machine async throws in
            try register("domains = [\"work\"]", on: machine)
            try await machine.client { client async throws in
                let bookmark = try await client.bookmark(of: Location("work:/a.txt"))
                #expect(try await client.startAccessing(bookmark))
                try machine.succeed("tool", "unregister", "org.example.notes")
                let refusal = await failure { try await client.item(at: Location("work:/a.txt")) }
                #expect(refusal?.message == "org.example.notes was unregistered meanwhile: end it and start it anew.")
                #expect(
                    await code { try await client.coordinate(readingItemAt: Location("work:/a.txt")) { _, _ in } }
                        == .notPermitted)
            }
            #expect(try machine.succeed("bookmark", "list") == "There are no bookmarks.\n")
            #expect(try machine.succeed("tool", "list").hasPrefix("No tool is registered"))
        }
    }

    @Test("A script cannot be registered, and the error says why")
    func script() async throws {
        try await withDomains { machine async throws in
            try machine.write("#!/usr/bin/python3\nprint()\n", to: machine.folder + "/script")
            try machine.write(
                "identifier = \"org.example.script\"\nname = \"Script\"\nexecutable = \"script\"\n",
                to: machine.folder + "/tool.toml")
            let result = try machine.docent("tool", "register", machine.folder + "/tool.toml")
            #expect(result.status == 1)
            #expect(result.errors.contains("the kernel knows a script by its interpreter only"), "\(result.errors)")
        }
    }
}
