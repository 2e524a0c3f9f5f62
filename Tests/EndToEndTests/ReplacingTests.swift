import Foundation
import Glibc
import Testing

/// Coordinated writing that replaces what is there, by several processes, through the daemon.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ReplacingTests {
    private func withDomain(isHere: Bool, _ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            mkdir(machine.remote + "/f", 0o700)
            try machine.write("old", to: machine.remote + "/f/a.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            _ = try machine.succeed(isHere ? "cat" : "stat", "d:/f/a.txt")
            try body(machine)
        }
    }

    private func sends(_ text: String, to name: String, _ machine: Machine) -> Bool {
        Machine.eventually(within: 60) { machine.read(machine.remote + "/" + name) == text }
    }

    @Test(
        "COORD-19, COORD-21, VER-13: what replaces a document is sent, whether its contents are here or not; they are a version of it",
        arguments: [false, true])
    func replaced(isHere: Bool) throws {
        try withDomain(isHere: isHere) { machine in
            let gate = machine.folder + "/gate"
            let writer = try Peer(machine, "replace", "d:/f/a.txt", "all new", gate)
            try #require(writer.says("written"), "\(writer.lines) \(machine.logTail)")
            #expect(writer.says("item \(isHere ? "materialised" : "placeholder"), 3 bytes"), "\(writer.lines)")
            try machine.write("", to: gate)
            #expect(writer.says("done"), "\(writer.lines) \(machine.logTail)")
            #expect(sends("all new", to: "f/a.txt", machine), "\(machine.logTail)")
            #expect(try machine.succeed("cat", "d:/f/a.txt") == "all new")
            let versions = try machine.json("versions", "d:/f/a.txt") as? [[String: Any]] ?? []
            let older = versions.filter { $0["kind"] as? String == "older" }.compactMap { $0["path"] as? String }
            #expect(older.map(machine.read) == ["old"], "\(versions)")
            #expect(try !machine.succeed("status").contains("In use:"))
        }
    }

    @Test(
        "COORD-8, COORD-19: what a killed tool wrote in a document's place is its contents", arguments: [false, true])
    func killedTool(isHere: Bool) throws {
        try withDomain(isHere: isHere) { machine in
            let writer = try Peer(machine, "replace", "d:/f/a.txt", "what it had", machine.folder + "/never")
            try #require(writer.says("written"), "\(writer.lines) \(machine.logTail)")
            writer.kill()
            #expect(sends("what it had", to: "f/a.txt", machine), "\(machine.logTail)")
            #expect(try Machine.eventually(within: 60) { try !machine.succeed("status").contains("In use:") })
        }
    }

    @Test(
        "COORD-19: what was written in a document's place when the host was killed is its contents after its next start",
        arguments: [false, true])
    func killedHost(isHere: Bool) throws {
        try withDomain(isHere: isHere) { machine in
            let writer = try Peer(machine, "replace", "d:/f/a.txt", "before the end", machine.folder + "/never")
            try #require(writer.says("written"), "\(writer.lines) \(machine.logTail)")
            for host in machine.processes(named: "docentd") { Glibc.kill(host, SIGKILL) }
            #expect(Machine.eventually(within: 60) { machine.processes(named: "docentd").isEmpty })
            writer.kill()
            #expect(try machine.succeed("cat", "d:/f/a.txt") == "before the end", "\(machine.logTail)")
            #expect(sends("before the end", to: "f/a.txt", machine), "\(machine.logTail)")
        }
    }
}
