import DocumentClient
import DocumentModel
import Foundation
import SystemPackage
import Testing

/// What is kept here, and what is not sent.
extension TransferControlTests {
    @Test(
        "XFER-14, XFER-12: what is pinned comes, stays, and is kept current; what appears in a pinned folder comes, too"
    )
    func pinning() async throws {
        try await withWork(["in/a.txt", "out.txt"]) { machine, client in
            let (folder, a) = (try Location("work:/in"), try Location("work:/in/a.txt"))
            try machine.succeed("pin", "work:/in")
            #expect(try await eventually { try await item(a, client)?.isDownloaded == true })
            #expect(try await item(a, client)?.marks == ItemMarks(keeping: .pinned))
            #expect(try machine.docent("evict", "work:/in/a.txt").errors.contains("pinned"))
            try machine.write("new", to: machine.remote + "/in/new.txt")
            try machine.write("newer than before", to: machine.remote + "/in/a.txt")
            let new = try Location("work:/in/new.txt")
            try await client.refresh(folder)
            #expect(
                try await eventually {
                    let path = machine.root + "/documents/work/in/"
                    return machine.read(path + "new.txt") == "new"
                        && machine.read(path + "a.txt") == "newer than before"
                })
            #expect(try await item(Location("work:/out.txt"), client)?.isDownloaded == false)
            try machine.succeed("unpin", "work:/in")
            try await client.evict(new)
            #expect(try await item(new, client)?.isDownloaded == false)
        }
    }

    @Test("XFER-14: what is pinned is kept current by the next host, too, when nobody uses its domain")
    func pinnedAcrossHosts() async throws {
        try await withWork(["in/a.txt"]) { machine, client in
            try machine.succeed("pin", "work:/in")
            #expect(try await eventually { try await item(Location("work:/in/a.txt"), client)?.isDownloaded == true })
            try machine.succeed("host", "stop")
            try machine.write("newer than before", to: machine.remote + "/in/a.txt")
            try machine.succeed("host", "start")
            #expect(
                Machine.eventually(within: 30) {
                    machine.read(machine.root + "/documents/work/in/a.txt") == "newer than before"
                }, "\(machine.logTail)")
        }
    }

    @Test("XFER-14: docent keep says each way of keeping, of a domain, a folder and a document, and it is shown")
    func keeping() async throws {
        try await withWork(["in/a.txt"]) { machine, client in
            let location = try Location("work:/in/a.txt")
            func told() throws -> [String?] {
                let json = try machine.json("stat", "work:/in/a.txt") as? [String: Any]
                return [json?["keeping"] as? String, json?["ownKeeping"] as? String]
            }
            try machine.succeed("keep", "work:/", "--as", "while-current")
            #expect(try told() == ["whileCurrent", nil])
            let line = "as long as there is room and the remote has nothing newer, as a folder around it"
            #expect(try machine.succeed("stat", "work:/in/a.txt").contains(line))
            #expect(try machine.succeed("status", "work:/in/a.txt").contains(line))
            try machine.succeed("keep", "work:/in", "--as", "pinned")
            #expect(try await eventually { try await item(location, client)?.isDownloaded == true })
            #expect(try await item(location, client)?.marks == ItemMarks(keeping: .pinned))
            try machine.succeed("keep", "work:/in/a.txt", "--as", "automatic")
            #expect(try told() == ["automatic", "automatic"])
            #expect(try machine.succeed("stat", "work:/in/a.txt").contains("as long as there is room"))
            // Also in a folder that is pinned, it may leave, and does not come back by itself.
            try machine.succeed("evict", "work:/in/a.txt")
            try await client.refresh(Location("work:/in"))
            try await Task.sleep(for: .milliseconds(300))
            #expect(try await item(location, client)?.isDownloaded == false)
            try machine.succeed("keep", "work:/in/a.txt", "--as", "online-only")
            #expect(try told() == ["onlineOnly", "onlineOnly"])
            try machine.succeed("keep", "work:/in/a.txt", "--as", "inherit")
            #expect(try await eventually { try await item(location, client)?.isDownloaded == true })
            #expect(try told() == ["pinned", nil])
            #expect(try machine.docent("keep", "work:/in/a.txt", "--as", "somehow").status == 64)
            #expect(try machine.docent("keep", "work:/in/a.txt").status == 64)
        }
    }

    @Test("XFER-14: online-only leaves first, automatic and while-current only when that was not enough")
    func leavingInOrder() async throws {
        let names = ["old.txt", "new1.txt", "new2.txt"]
        try await withWork(names) { machine, client in
            for name in names {
                try await client.download(Location("work:/\(name)"))
                // Used in a later second than the one before.
                try await Task.sleep(for: .milliseconds(1_100))
            }
            try machine.succeed("keep", "work:/", "--as", "while-current")
            try machine.succeed("keep", "work:/new2.txt", "--as", "online-only")
            let bytes = try await client.spaceStatus().bytes
            try await client.setSpaceLimits(SpaceLimits(high: bytes - 1, low: bytes - 1))
            #expect(try await eventually { try await client.spaceStatus().documents == 2 })
            #expect(try await item(Location("work:/new2.txt"), client)?.isDownloaded == false)
            let rest = try await client.spaceStatus().bytes
            try await client.setSpaceLimits(SpaceLimits(high: rest - 1, low: rest - 1))
            #expect(try await eventually { try await client.spaceStatus().documents == 1 })
            #expect(try await item(Location("work:/old.txt"), client)?.isDownloaded == false)
        }
    }

    @Test("XFER-14, COORD-41: outdated contents leave, also after a restart, but not while a presenter needs them")
    func whileCurrent() async throws {
        try await withWork(["in/a.txt", "in/b.txt"]) { machine, client in
            let (a, b) = (try Location("work:/in/a.txt"), try Location("work:/in/b.txt"))
            for location in [a, b] { try await client.download(location) }
            try await client.keep(Location("work:/in"), as: .whileCurrent)
            try machine.succeed("host", "stop")
            try machine.write("a, which is newer", to: machine.remote + "/in/a.txt")
            // Starts the next one.
            try machine.succeed("domain", "list")
            try await machine.client { client in
                let (reader, consenting) = (Reader(b), ConsentingReader(b))
                try await client.addPresenter(reader)
                try machine.write("b, which is newer", to: machine.remote + "/in/b.txt")
                try await client.refresh(Location("work:/in"))
                #expect(
                    try await eventually { try await item(a, client)?.downloadingStatus == .notDownloaded },
                    "\(machine.logTail)")
                #expect(try await eventually { try await item(b, client)?.downloadingStatus == .downloaded })
                try await Task.sleep(for: .milliseconds(300))
                #expect(machine.read(machine.root + "/documents/work/in/b.txt") == "contents of in/b.txt")
                try await client.addPresenter(consenting)
                try await client.removePresenter(reader)
                #expect(
                    try await eventually { try await item(b, client)?.downloadingStatus == .notDownloaded },
                    "\(machine.logTail)")
                try await client.removePresenter(consenting)
                #expect(try machine.succeed("cat", "work:/in/a.txt") == "a, which is newer")
            }
        }
    }

    @Test("XFER-8, XFER-12: what is excluded is not sent and says so, is not evicted, and is sent when it is included")
    func excluding() async throws {
        try await withWork(["a.txt"]) { machine, client in
            let location = try Location("work:/a.txt")
            try await client.download(location)
            try machine.succeed("exclude", "work:/a.txt")
            try await client.coordinate(writingItemAt: location) { path, _ in
                try machine.write("mine", to: path.string)
            }
            #expect(try await eventually { try await item(location, client)?.transfers.upload?.wait == .inclusion })
            let status = try #require(try await item(location, client))
            #expect(status.isExcludedFromSync && !status.isUploaded)
            #expect(await Self.code { try await client.waitUntilSent(location) } == .excludedFromSync)
            #expect(machine.read(machine.remote + "/a.txt") == "contents of a.txt")
            let refused = try machine.docent("evict", "work:/a.txt")
            #expect(refused.status != 0 && refused.errors.contains("were not sent yet"), "\(refused.errors)")
            #expect(machine.read(machine.root + "/documents/work/a.txt") == "mine")
            try machine.succeed("include", "work:/a.txt")
            #expect(Machine.eventually(within: 20) { machine.read(machine.remote + "/a.txt") == "mine" })
        }
    }

    @Test("XFER-14: docent include ends an exclusion and nothing else, and docent pin, unpin and keep end none")
    func includingWhatIsPinned() async throws {
        try await withWork(["in/a.txt"]) { machine, client in
            let folder = try Location("work:/in")
            try machine.succeed("pin", "work:/in")
            try machine.succeed("include", "work:/in")
            #expect(try await client.knownItem(at: folder).marks.own == .pinned)
            try machine.succeed("exclude", "work:/in")
            for words in [
                ["unpin", "work:/in"], ["unpin", "--online-only", "work:/in"], ["pin", "work:/in"],
                ["keep", "work:/in", "--as", "pinned"], ["keep", "work:/in", "--as", "inherit"],
            ] {
                let refused = try machine.run(machine.folder + "/bin/docent", words)
                #expect(refused.status == 1 && refused.errors.contains("docent include work:/in"), "\(refused)")
            }
            let pinned = try machine.docent("pin", "work:/in/a.txt")
            #expect(pinned.status == 1 && pinned.errors.contains("docent keep work:/in/a.txt --as pinned"), "\(pinned)")
            #expect(try await client.knownItem(at: Location("work:/in/a.txt")).marks.own == nil)
            let inside = try machine.docent("include", "work:/in/a.txt")
            #expect(inside.status == 1 && inside.errors.contains("itself is not excluded"), "\(inside)")
            #expect(try await client.knownItem(at: folder).marks.own == .excluded)
            try machine.succeed("include", "work:/in")
            #expect(try await client.knownItem(at: folder).marks == ItemMarks())
        }
    }

    /// A presenter, with or without a word for contents that are about to leave.
    private final class Reader: FilePresenter {
        let presentedItemLocation: Location?

        init(_ location: Location) { presentedItemLocation = location }
    }

    private final class ConsentingReader: EvictionAccommodatingFilePresenter {
        let presentedItemLocation: Location?

        init(_ location: Location) { presentedItemLocation = location }

        func accommodatePresentedItemEviction() async throws {}
    }
}
