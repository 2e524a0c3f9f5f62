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

    @Test(
        "what happens below a place is told as it happens, and nothing else, until the host ends, where that was asked for"
    )
    func events() async throws {
        try await withWork(["in/a.txt", "out.txt"]) { machine, client in
            let (inside, outside) = (try Location("work:/in/a.txt"), try Location("work:/out.txt"))
            let changes = try await client.changes(below: Location("work:/in"), waitingForHost: .zero)
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
            let command = try watch(machine, into: file)
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

    /// Begins `docent events`; what it says is found in a file.
    func watch(_ machine: Machine, into file: String) throws -> Process {
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
        return command
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

    static func code(_ body: () async throws -> Void) async -> DocumentError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? DocumentError)?.code
        }
    }
}
