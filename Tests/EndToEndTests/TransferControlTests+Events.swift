import DocumentClient
import DocumentModel
import Foundation
import Glibc
import Testing

/// Whoever watches goes on with the next host.
extension TransferControlTests {
    private func lines(_ file: String, _ machine: Machine) -> [Substring] {
        machine.read(file)?.split(separator: "\n") ?? []
    }

    @Test(
        "docent events goes on when the host is started anew, after it has said that something may have been missed",
        arguments: ["the host is killed", "the host is stopped"])
    func eventsAfterRestart(_ end: String) async throws {
        try await withWork(["a.txt"]) { machine, _ in
            let file = machine.folder + "/events"
            let command = try watch(machine, into: file)
            defer { kill(command.processIdentifier, SIGKILL) }
            // It may begin to watch at any time.
            func tells() async throws -> Bool {
                let before = lines(file, machine).count
                return try await eventually {
                    try machine.succeed("keep", "work:/a.txt", "--as", "online-only")
                    try machine.succeed("keep", "work:/a.txt", "--as", "inherit")
                    return lines(file, machine).dropFirst(before).contains { $0.contains("work:/a.txt") }
                }
            }
            let hasBegun = try await tells()
            #expect(hasBegun)
            let daemon = try #require(machine.daemon)
            if end == "the host is stopped" { try machine.succeed("host", "stop") } else { kill(daemon, SIGKILL) }
            let hasEnded = try await eventually { kill(daemon, 0) != 0 }
            #expect(hasEnded)
            #expect(!lines(file, machine).contains { $0.contains("\"lost\"") }, "there is no next host")
            try machine.succeed("host", "start")
            let hasSaid = try await eventually { lines(file, machine).contains { $0.contains("\"lost\"") } }
            #expect(hasSaid, "\(lines(file, machine))\n\(machine.logTail)")
            let goesOn = try await tells()
            #expect(goesOn, "\(lines(file, machine))\n\(machine.logTail)")
            #expect(command.isRunning)
        }
    }

    @Test("who watches has a client of the next host to look at everything with; where none comes, that is the end")
    func clientAfterRestart() async throws {
        try await withWork(["a.txt"]) { machine, client in
            let location = try Location("work:/a.txt")
            let changes = try await client.changes(waitingForHost: .seconds(30))
            var events = changes.makeAsyncIterator()
            try machine.succeed("host", "stop")
            try machine.succeed("host", "start")
            var event = try await events.next()
            while event != .lost { event = try await events.next() }
            let failure = await Self.code { _ = try await client.item(at: location) }
            #expect(failure == .hostUnavailable)
            let item = try await changes.client.item(at: location)
            #expect(item.location == location)

            let brief = try await changes.client.changes(waitingForHost: .seconds(2))
            try machine.succeed("host", "stop")
            let end = await Self.code { for try await _ in brief {} }
            #expect(end == .hostUnavailable)
        }
    }
}
