import DocumentClient
import DocumentModel
import Foundation
import Testing

extension EntitlementTests {
    @Test(
        "CONT-2, COORD-19, PICK-2: where nothing is yet, a tool writes only what its manifest or a bookmark lets it write; nothing is made elsewhere"
    )
    func freePlaces() async throws {
        try await withDomains { machine async throws in
            let folder = machine.remote + "/store/shared"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            try machine.succeed("refresh", "store:/")
            try register("domains = [\"work\"]\nread-domains = [\"home\"]", on: machine)
            try await machine.client { client async throws in
                let coordinator = FileCoordinator(client)
                func write(_ place: String) async -> DocumentError.Code? {
                    await code {
                        try await coordinator.coordinate(writingItemAt: Location(place)) { path, _ in
                            try machine.write("made", to: path.string)
                        }
                    }
                }
                func create(_ place: String) async -> DocumentError.Code? {
                    await code {
                        try await coordinator.coordinate(creatingItemAt: Location(place)) { path, _ in
                            try machine.write("made", to: path.string)
                        }
                    }
                }
                #expect(await write("work:/new.txt") == nil)
                #expect(await create("work:/newer.txt") == nil)
                for place in ["home:/new.txt", "store:/new.txt", "store:/shared/new.txt"] {
                    #expect(await write(place) == .notPermitted, "\(place)")
                    #expect(await create(place) == .notPermitted, "\(place)")
                }
                // As the destination of a move, too.
                #expect(
                    await code {
                        try await coordinator.coordinate(
                            writingItemAt: Location("work:/a.txt"), for: .forMoving,
                            writingItemAt: Location("home:/new.txt"), for: .forReplacing
                        ) { _, _ in }
                    } == .notPermitted)
                try await client.waitUntilSent(Location("work:/"))
            }
            for domain in ["home", "store", "store/shared"] {
                #expect(machine.read(machine.remote + "/\(domain)/new.txt") == nil)
                #expect(machine.read(machine.root + "/documents/\(domain)/new.txt") == nil)
            }
            #expect(machine.read(machine.remote + "/work/new.txt") == "made")
            #expect(machine.read(machine.remote + "/work/newer.txt") == "made")
        }
    }

    @Test("CONT-5: of a container's data nothing is removed while some of it is unsent, or in use; then all of it is")
    func dataAsAWhole() async throws {
        try await withDomains { machine async throws in
            let folder = machine.remote + "/store/Containers/\(Self.notes)"
            for inner in ["Documents", "deep"] {
                try FileManager.default.createDirectory(atPath: folder + "/" + inner, withIntermediateDirectories: true)
            }
            let data = ["a.db", "deep/z.db"]
            for name in data + ["Documents/letter.txt"] { try machine.write("x", to: folder + "/" + name) }
            try machine.succeed("refresh", "store:/")
            try machine.succeed("container", "place", "store:/Containers")
            let place = try Location("store:/Containers/\(Self.notes)")
            // Its contents are here before transfers stand still.
            try machine.succeed("cat", "\(place)/deep/z.db")
            let container = try ContainerIdentifier(Self.notes)
            try await machine.client { client async throws in
                try await client.pauseTransfers(at: place)
                try await client.coordinate(writingItemAt: Location("\(place)/deep/z.db")) { path, _ in
                    try machine.write("unsent", to: path.string)
                }
                #expect(await code { try await client.removeData(ofContainer: container) } == .unsyncedEdits)
                for name in data { #expect(machine.read(folder + "/" + name) == "x", "\(name)") }
                try await client.resumeTransfers(at: place)
                try await client.waitUntilSent(place)

                let removing = try await client.coordinate(readingItemAt: Location("\(place)/deep/z.db")) { _, _ in
                    let removing = Task {
                        try await machine.client { other async throws in
                            try await other.removeData(ofContainer: container)
                        }
                    }
                    var waits = false
                    for _ in 0..<200 where !waits {
                        waits = try machine.succeed("status").contains("waits to delete")
                        if !waits { try await Task.sleep(for: .milliseconds(50)) }
                    }
                    #expect(waits)
                    for name in data { #expect(machine.read(folder + "/" + name) != nil, "\(name)") }
                    return removing
                }
                try await removing.value
                #expect(Machine.eventually { data.allSatisfy { machine.read(folder + "/" + $0) == nil } })
                #expect(machine.read(folder + "/Documents/letter.txt") == "x")
            }
        }
    }

    @Test("CONT-3, QUERY-6: without an account there are no containers, no documents in them, and no error")
    func signedOut() async throws {
        try await withDomains { machine async throws in
            try machine.addRemoteTree("cloud", hasFeed: false, isWritable: true)
            var tree = RemoteTree(items: [
                "c": ["/", "Containers", nil], "n": ["c", Self.notes, nil], "d": ["n", "Documents", nil],
                "a": ["d", "a.txt", "alpha"],
            ])
            try machine.provide(tree, in: "cloud")
            try machine.succeed("refresh", "cloud:/")
            try machine.succeed("container", "place", "cloud:/Containers")
            try register("containers = [\"\(Self.notes)\"]", on: machine)
            try await machine.client { client async throws in
                #expect(try await client.containers().map(\.identifier.rawValue) == [Self.notes])
                #expect(try await names(client.containerDocuments()).count == 1)
                tree.failing["account"] = 1
                try machine.provide(tree, in: "cloud")
                #expect(try await client.containers() == [])
                #expect(try await names(client.containerDocuments()) == [])
                #expect(try await client.location(forContainer: nil) == nil)
            }
        }
    }

    @Test(
        "CONT-10, CONT-11: what is deleted in a container is deleted everywhere, what is evicted stays; and a document is found again by search and by bookmark, whatever it is called by then"
    )
    func deletingAndFinding() async throws {
        try await withDomains { machine async throws in
            let documents = machine.remote + "/store/Containers/\(Self.notes)/Documents"
            try FileManager.default.createDirectory(atPath: documents, withIntermediateDirectories: true)
            for name in ["gone.txt", "kept.txt"] { try machine.write("x", to: documents + "/" + name) }
            try machine.succeed("refresh", "store:/")
            try machine.succeed("container", "place", "store:/Containers")
            try register("containers = [\"\(Self.notes)\"]", on: machine)
            try await machine.client { client async throws in
                let folder = try #require(try await client.location(forContainer: nil))
                    .appending(ItemName("Documents"))
                let (gone, kept) = (
                    folder.appending(try ItemName("gone.txt")), folder.appending(try ItemName("kept.txt"))
                )
                try await client.coordinate(readingItemAt: kept) { _, _ in }
                let bookmark = try await client.bookmark(of: kept)
                try await client.remove(itemAt: gone)
                _ = try await client.evict(kept)
                #expect(machine.read(documents + "/gone.txt") == nil && machine.read(documents + "/kept.txt") == "x")
                #expect(try await client.item(at: kept).state == .placeholder)
                try FileManager.default.moveItem(atPath: documents + "/kept.txt", toPath: documents + "/called.txt")
                try await client.refresh(folder)
                let called = folder.appending(try ItemName("called.txt"))
                #expect(try await names(client.containerDocuments()) == [called.description])
                #expect(try await client.resolve(bookmark).item.location == called)
            }
        }
    }

    @Test(
        "CONT-6: of another tool's public container a tool sees and reads the documents; one that is not public it does not see"
    )
    func publicContainers() async throws {
        try await withDomains { machine async throws in
            let place = machine.remote + "/store/Containers"
            for file in [
                "0123456789.shown/Documents/a.txt", "0123456789.shown/Data/b.txt", "0123456789.kept/Documents/c.txt",
            ] {
                let path = place + "/" + file
                try FileManager.default.createDirectory(
                    atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
                try machine.write("x", to: path)
            }
            try machine.succeed("refresh", "store:/")
            try machine.succeed("container", "place", "store:/Containers")
            // Another tool: a program that never runs here.
            try FileManager.default.copyItem(atPath: "/bin/true", toPath: machine.folder + "/bin/other-tool")
            try machine.write(
                """
                identifier = "org.example.other"
                name = "Other"
                executable = "bin/other-tool"
                containers = ["0123456789.shown", "0123456789.kept"]

                [[public-containers]]
                container = "0123456789.shown"
                name = "Shown to all"
                """, to: machine.folder + "/other.toml")
            try machine.succeed("tool", "register", machine.folder + "/other.toml")
            try register("", on: machine)
            try await machine.client { client async throws in
                let seen = try await client.containers()
                #expect(seen.map(\.identifier.rawValue) == ["0123456789.shown"] && seen[0].name == "Shown to all")
                #expect(seen[0].isPublic && !seen[0].isEntitled)
                let document = try Location("store:/Containers/0123456789.shown/Documents/a.txt")
                try await client.coordinate(readingItemAt: document) { _, _ in }
                #expect(
                    await code { try await client.coordinate(writingItemAt: document) { _, _ in } } == .notPermitted)
                for hidden in ["0123456789.shown/Data/b.txt", "0123456789.kept/Documents/c.txt", "0123456789.kept"] {
                    #expect(
                        await code { try await client.item(at: Location("store:/Containers/" + hidden)) }
                            == .notPermitted)
                }
            }
        }
    }
}
