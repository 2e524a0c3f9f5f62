import DocumentClient
import DocumentModel
import Foundation
import Synchronization
import Testing

/// Events, pauses, pins, exclusions and limits, with the real programs.
@Suite(.serialized) struct TransferControlTests {
    /// Whoever hears of events.
    private final class Ear: Sendable {
        private let events = Mutex<[ItemEvent]>([])

        func hear(_ event: ItemEvent) { events.withLock { $0.append(event) } }

        func hasHeard(_ isIt: (ItemEvent) -> Bool) -> Bool { events.withLock { $0.contains(where: isIt) } }
    }

    /// A machine with the domain `work` and these documents in it, all of them known.
    func withWork(
        _ names: [String], _ body: (Machine, DocumentClient) async throws -> Void
    ) async throws {
        try await Machine.with { machine async throws in
            for name in names {
                let path = machine.remote + "/" + name
                try FileManager.default.createDirectory(
                    atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
                try machine.write("contents of \(name)", to: path)
            }
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("ls", "work:/")
            for folder in Set(names.compactMap { $0.split(separator: "/").dropLast().first }) {
                try machine.succeed("ls", "work:/\(folder)")
            }
            try await machine.client { try await body(machine, $0) }
        }
    }

    func eventually(_ isSo: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<1_000 {
            if try await isSo() { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    func item(_ location: Location, _ client: DocumentClient) async throws -> ItemStatus? {
        try await client.status(location).items.first { $0.location == location }
    }

    @Test("what happens below a place is told as it happens, and nothing else, until the host ends")
    func events() async throws {
        try await withWork(["in/a.txt", "out.txt"]) { machine, client in
            let (inside, outside) = (try Location("work:/in/a.txt"), try Location("work:/out.txt"))
            let changes = try await client.changes(below: Location("work:/in"))
            let ear = Ear()
            try await withThrowingTaskGroup(of: DocumentError.Code?.self) { group in
                group.addTask {
                    do throws(DocumentError) {
                        for try await event in changes { ear.hear(event) }
                        return nil
                    } catch {
                        return error.code
                    }
                }
                try await client.download(outside)
                try await client.download(inside)
                #expect(
                    try await eventually {
                        ear.hasHeard {
                            if case .changed(let status) = $0 { status.isDownloaded } else { false }
                        }
                    })
                let renamed = try Location("work:/in/b.txt")
                try await client.rename(itemAt: inside, to: renamed)
                #expect(
                    try await eventually {
                        ear.hasHeard {
                            guard case .moved(let status, let origin) = $0 else { return false }
                            return status.location == renamed && origin == inside
                        }
                    })
                try await client.remove(itemAt: renamed)
                #expect(try await eventually { ear.hasHeard { $0 == .removed(renamed) } })
                let strange = ear.hasHeard {
                    if case .changed(let status) = $0 { status.location == outside } else { false }
                }
                #expect(!strange)
                try machine.succeed("host", "stop")
                for try await code in group { #expect(code == .hostUnavailable) }
            }
        }
    }

    @Test("docent events prints a JSON object a line")
    func eventsCommand() async throws {
        try await withWork(["a.txt"]) { machine, client in
            let file = machine.folder + "/events"
            _ = FileManager.default.createFile(atPath: file, contents: nil)
            let output = try #require(FileHandle(forWritingAtPath: file))
            let command = Process()
            command.executableURL = URL(fileURLWithPath: machine.folder + "/bin/docent")
            command.arguments = ["events", "--json"]
            command.environment = machine.environment
            command.standardInput = FileHandle.nullDevice
            command.standardOutput = output
            command.standardError = output
            try command.run()
            try output.close()
            defer { kill(command.processIdentifier, SIGKILL) }
            let location = try Location("work:/a.txt")
            // It may begin to watch at any time.
            let hasTold = try await eventually {
                try await client.keep(location, as: .onlineOnly)
                try await client.keep(location, as: nil)
                return machine.read(file)?.contains("\n") == true
            }
            #expect(hasTold)
            let line = machine.read(file)?.split(separator: "\n").first ?? ""
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(object?["event"] as? String == "changed" && object?["location"] as? String == "work:/a.txt")
        }
    }

    @Test("INV-8: while nothing happens a host does nothing, also when somebody watches and something is pinned")
    func idle() async throws {
        try await withWork(["in/a.txt"]) { machine, client in
            try await client.keep(Location("work:/in"), as: .pinned)
            #expect(try await eventually { try await item(Location("work:/in/a.txt"), client)?.isDownloaded == true })
            let changes = try await client.changes()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for try await _ in changes {} }
                let daemon = try #require(machine.daemon)
                // How many bytes it has read and written. (The library that waits for providers' ends wakes it now and
                // then, by a few bytes between its threads; a page of the index has 4,096.)
                func work() -> Int? {
                    machine.read("/proc/\(daemon)/io").map { text in
                        text.split(separator: "\n").filter { $0.hasPrefix("rchar") || $0.hasPrefix("wchar") }
                            .reduce(0) { $0 + (Int($1.split(separator: " ").last ?? "") ?? 0) }
                    }
                }
                // What went on before comes to its end; then there are seconds in which it does nothing.
                var isIdle = false
                for _ in 0..<20 where !isIdle {
                    let before = try #require(work())
                    try await Task.sleep(for: .seconds(3))
                    isIdle = try #require(work()) - before < 512
                }
                #expect(isIdle)
                // It is not that it sleeps for a moment between two looks.
                let before = try #require(work())
                try await Task.sleep(for: .seconds(20))
                #expect(try #require(work()) - before < 2048)
                group.cancelAll()
            }
        }
    }

    @Test("XFER-14, XFER-8: what is paused is not sent, says why, also after a restart, and is sent when it is resumed")
    func pausedSending() async throws {
        try await withWork(["a.txt"]) { machine, client in
            let location = try Location("work:/a.txt")
            try await client.pauseTransfers(at: Location("work:/"))
            try await client.keep(location, as: nil)
            try await client.resumeTransfers(at: Location("work:/"))
            try await client.download(location)
            try await client.pauseTransfers(at: Location("work:/"))
            try await client.coordinate(writingItemAt: location) { path, _ in
                try machine.write("changed", to: path.string)
            }
            #expect(try await eventually { try await item(location, client)?.transfers.upload?.wait == .resume })
            let code = await Self.code { try await client.waitUntilSent(location) }
            #expect(code == .cannotSynchronize)
            try machine.succeed("host", "stop")
            let status = try machine.succeed("status", "work:/a.txt")
            #expect(status.contains("waits until it is resumed"), "\(status)")
            #expect(machine.read(machine.remote + "/a.txt") == "contents of a.txt")
            try machine.succeed("resume", "work:/")
            #expect(Machine.eventually(within: 20) { machine.read(machine.remote + "/a.txt") == "changed" })
        }
    }

    @Test("XFER-14: what is just being sent ends when it is paused, says why, and is sent when it is resumed")
    func pausedWhileSent() async throws {
        try await Machine.with { machine async throws in
            try machine.installRecordingProvider()
            try machine.succeed("domain", "add", "d", "--provider", "org.example.recording")
            let location = try Location("d:/Welcome.md")
            try machine.succeed("open", "d:/Welcome.md")
            let slow = machine.root + "/.docent/providers/d/slow"
            try machine.write("yes", to: slow)
            try await machine.client { client in
                try await client.coordinate(writingItemAt: location) { path, _ in
                    try machine.write("changed", to: path.string)
                }
                #expect(
                    try await eventually { try await item(location, client)?.transfers.upload?.done ?? 0 > 0 },
                    "\(machine.logTail)")
                try await client.pauseTransfers(at: location)
                #expect(
                    try await eventually { machine.calls(of: "d").contains { $0.hasPrefix("modify-ended") } },
                    "it goes on: \(machine.logTail)")
                #expect(try await eventually { try await item(location, client)?.transfers.upload?.wait == .resume })
                #expect(try await item(location, client)?.transfers.upload?.problem == nil)
                unlink(slow)
                try await client.resumeTransfers(at: location)
                try await client.waitUntilSent(location)
                #expect(!machine.calls(of: "d").contains { $0.hasPrefix("modified") })
                try machine.succeed("evict", "d:/Welcome.md")
                #expect(try machine.succeed("cat", "d:/Welcome.md") == "changed")
            }
        }
    }

    @Test("XFER-14, XFER-3: who opens what is paused waits, and is told what for; it comes when it is resumed")
    func pausedReading() async throws {
        try await withWork(["a.txt"]) { machine, client in
            let location = try Location("work:/a.txt")
            try await client.pauseTransfers(at: location)
            try await withThrowingTaskGroup(of: String?.self) { group in
                group.addTask {
                    try await client.coordinate(readingItemAt: location) { path, _ in machine.read(path.string) }
                }
                #expect(try await eventually { try await item(location, client)?.transfers.download?.wait == .resume })
                #expect(try await item(location, client)?.transfers.isDownloadRequested == true)
                try await client.resumeTransfers(at: location)
                for try await text in group { #expect(text == "contents of a.txt") }
            }
            #expect(try await item(location, client)?.marks.isPaused == false)
        }
    }

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

    @Test("CONT-13: docent domain show asks how much room there is, status tells it, also when the remote is away")
    func quota() async throws {
        try await withWork(["a.txt"]) { machine, client in
            func told(_ json: Any) -> [String: Any]? {
                let json = json as? [String: Any]
                let status = (json?["domains"] as? [[String: Any]])?.first?["domain"] as? [String: Any]
                return (status ?? json)?["quota"] as? [String: Any]
            }
            let shown = try #require(told(machine.json("domain", "show", "work")))
            #expect(shown["total"] as? Double ?? 0 > 0 && shown["available"] is Double && shown["asOf"] is String)
            #expect(try machine.succeed("domain", "show", "work").contains("Remote room"))
            let quota = try await client.quota(of: DomainName("work"))?.quota
            #expect(quota?.total != nil)
            try machine.succeed("host", "stop")
            try FileManager.default.moveItem(atPath: machine.remote, toPath: machine.remote + "-away")
            #expect(try told(machine.json("status"))?["asOf"] as? String == shown["asOf"] as? String)
            #expect(try machine.succeed("status").contains("Room on the remote:"))
            #expect(try told(machine.json("domain", "show", "work"))?["asOf"] as? String == shown["asOf"] as? String)
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

    @Test("XFER-14, XFER-13: above the limit what was used longest ago leaves, down to the mark, and comes back whole")
    func limits() async throws {
        let names = (0..<6).map { "\($0).txt" }
        try await withWork(names) { machine, client in
            let locations = try names.map { try Location("work:/\($0)") }
            for location in locations { try await client.download(location) }
            // Each has 17 bytes.
            #expect(try await client.spaceStatus() == SpaceStatus(documents: 6, bytes: 102))
            try await client.keep(locations[0], as: .pinned)
            // In a later second than all others.
            try await Task.sleep(for: .milliseconds(1_100))
            try await client.coordinate(readingItemAt: locations[2]) { _, _ in }
            try await client.coordinate(readingItemAt: locations[1]) { _, _ in
                try await client.setSpaceLimits(SpaceLimits(high: 80, low: 55))
                #expect(
                    try await eventually { try await client.spaceStatus().bytes <= 55 }, "\(machine.logTail)")
                #expect(try await client.spaceStatus().documents == 3)
                for kept in locations[...2] { #expect(try await item(kept, client)?.isDownloaded == true) }
            }
            let path = machine.root + "/documents/work/"
            for (name, location) in zip(names, locations) {
                try await client.coordinate(readingItemAt: location) { _, _ in
                    #expect(machine.read(path + name) == "contents of \(name)")
                }
            }
        }
    }

    @Test("XFER-12: evicting a folder stops at the first document that cannot go, and says which")
    func evictingFolder() async throws {
        try await withWork(["in/a.txt", "in/b.txt", "in/c.txt"]) { machine, client in
            for name in ["a", "b", "c"] { try await client.download(Location("work:/in/\(name).txt")) }
            try machine.succeed("pause", "work:/in/b.txt")
            try await client.coordinate(writingItemAt: Location("work:/in/b.txt")) { path, _ in
                try machine.write("mine", to: path.string)
            }
            let refused = try machine.docent("evict", "work:/in")
            #expect(refused.status != 0 && refused.errors.contains("work:/in/b.txt has changes that were not sent yet"))
            #expect(machine.read(machine.root + "/documents/work/in/b.txt") == "mine")
            try machine.succeed("resume", "work:/in/b.txt")
            try await client.waitUntilSent(Location("work:/in/b.txt"))
            try machine.succeed("evict", "work:/in")
            for name in ["a", "b", "c"] {
                #expect(machine.read(machine.root + "/documents/work/in/\(name).txt") == nil)
            }
        }
    }

    @Test("XFER-13: what the remote cannot be seen to have stays here, and the refusal says so")
    func evictingUnverified() throws {
        try Machine.with { machine in
            try machine.write("theirs", to: machine.remote + "/a.txt")
            try WebDAVServer.with(machine, password: "s3cret-of-ann") { server in
                try server.addDomain()
                try machine.succeed("ls", "web:/")
                try machine.succeed("cat", "web:/a.txt")
                kill(server.process, SIGKILL)
                let refused = try machine.docent("evict", "web:/a.txt")
                #expect(refused.status != 0 && refused.errors.contains("could not be verified that the remote has it"))
                #expect(machine.read(machine.root + "/documents/web/a.txt") == "theirs")
                #expect(try machine.succeed("cat", "web:/a.txt") == "theirs")
            }
        }
    }

    @Test(
        "DOWN-1: a download that was begun is answered at once, goes on without who asked, and may be asked for again")
    func background() async throws {
        try await withWork(["in/a.txt", "in/b.txt"]) { machine, client in
            try machine.succeed("download", "--background", "work:/in")
            try await client.startDownloading(Location("work:/in"))
            for name in ["a.txt", "b.txt"] {
                let location = try Location("work:/in/\(name)")
                #expect(try await eventually { try await item(location, client)?.isDownloaded == true })
                #expect(try await item(location, client)?.transfers.isDownloadRequested == false)
            }
            try await client.startDownloading(Location("work:/in/a.txt"))
        }
    }

    @Test(
        "XFER-8: what somebody waited for when the host ended comes after the next start, unasked; what they gave up does not",
        arguments: ["the host is killed", "the host is stopped", "they gave it up"])
    func waitedFor(_ end: String) async throws {
        try await withWork(["in/a.txt", "b.txt"]) { machine, client in
            func isAwaited(_ name: String) async throws -> Bool {
                let item = try await item(try Location("work:/\(name)"), client)
                return item?.transfers.isDownloadRequested == true || item?.isDownloading == true
            }
            try machine.succeed("pause", "work:/")
            let tools = try ["work:/in", "work:/b.txt"].map { try machine.begin(["download", $0]) }
            defer { for tool in tools where tool.isRunning { tool.terminate() } }
            for name in ["in/a.txt", "b.txt"] { #expect(try await eventually { try await isAwaited(name) }) }
            if end == "they gave it up" {
                for tool in tools { tool.interrupt() }
                for tool in tools { tool.waitUntilExit() }
                // The host hears of it when their connections have ended.
                for name in ["in/a.txt", "b.txt"] { #expect(try await eventually { try await !isAwaited(name) }) }
            }
            let daemon = try #require(machine.daemon)
            if end == "the host is stopped" { try machine.succeed("host", "stop") } else { kill(daemon, SIGKILL) }
            #expect(try await eventually { kill(daemon, 0) != 0 })
            for tool in tools {
                tool.waitUntilExit()
                #expect(tool.terminationStatus != 0)
            }
            try machine.succeed("resume", "work:/")
            func isHere(_ name: String) throws -> Bool {
                try (machine.json("stat", "work:/\(name)") as? [String: Any])?["state"] as? String == "materialised"
            }
            if end == "they gave it up" { usleep(1_500_000) }
            for name in ["in/a.txt", "b.txt"] {
                let isWanted = end != "they gave it up"
                #expect(try await eventually { try isHere(name) == isWanted }, "\(name): \(machine.logTail)")
            }
        }
    }

    @Test("XFER-8, DOWN-1: what was asked for and has not come when the host dies comes after the next start, unasked")
    func comesAfterRestart() async throws {
        try await withWork(["in/a.txt", "in/deep/b.txt"]) { machine, client in
            try machine.succeed("pause", "work:/")
            try machine.succeed("download", "--background", "work:/in")
            for name in ["a.txt", "deep/b.txt"] {
                let location = try Location("work:/in/\(name)")
                #expect(
                    try await eventually { try await item(location, client)?.transfers.isDownloadRequested == true })
            }
            let daemon = try #require(machine.daemon)
            kill(daemon, SIGKILL)
            #expect(try await eventually { kill(daemon, 0) != 0 })
            try machine.succeed("resume", "work:/")
            for name in ["a.txt", "deep/b.txt"] {
                #expect(
                    try await eventually {
                        try (machine.json("stat", "work:/in/\(name)") as? [String: Any])?["state"] as? String
                            == "materialised"
                    }, "\(machine.logTail)")
            }
            // What has come and was evicted since is not asked for any more.
            try machine.succeed("evict", "work:/in/a.txt")
            try machine.succeed("host", "stop")
            try machine.succeed("host", "start")
            usleep(1_500_000)
            let state = (try machine.json("stat", "work:/in/a.txt") as? [String: Any])?["state"] as? String
            #expect(state == "placeholder")
        }
    }

    private static func code(_ body: () async throws -> Void) async -> DocumentError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? DocumentError)?.code
        }
    }
}
