import DocumentClient
import DocumentModel
import Foundation
import Testing

/// What was asked for comes, whatever becomes of who asked and of the host.
extension TransferControlTests {
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
                // The deeper one is known when its folder was listed.
                #expect(
                    try await eventually {
                        (try? await item(location, client))?.transfers.isDownloadRequested == true
                    })
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
}
