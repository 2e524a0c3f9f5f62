import Foundation
import Testing

/// When providers are asked and told, seen from both sides: by processes that use a document, and by a provider that writes
/// down its calls.
@Suite(.serialized) struct ProvidingRulesTests {
    private func withTelling(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try machine.installPythonProvider("TellingProvider")
            try machine.succeed("domain", "add", "t", "--provider", "org.example.telling")
            try body(machine)
        }
    }

    private func calls(_ machine: Machine) -> [String] {
        machine.calls(of: "t")
    }

    @Test("PROV-15: itemChanged comes after the write, and not before or during; after the last one it comes once more")
    func changedAfterwards() throws {
        try withTelling { machine in
            let first = machine.folder + "/first"
            let writer = try Peer(machine, "hold", "write", "t:/Welcome.md", first)
            #expect(writer.says("granted"), "\(writer.lines) \(machine.logTail)")
            try machine.write("during\n", to: machine.root + "/documents/t/Welcome.md")
            // The provider answers in turn: were it told, it would be before this.
            _ = try machine.succeed("stat", "t:/First day")
            #expect(!calls(machine).contains("changed Welcome.md"), "\(calls(machine))")
            try machine.write("", to: first)
            #expect(writer.says("done"), "\(writer.lines)")
            #expect(Machine.eventually { calls(machine).contains("changed Welcome.md") }, "\(calls(machine))")
            let before = calls(machine).count
            for text in ["two", "three"] {
                let writer = try Peer(machine, "write", "t:/Welcome.md", text)
                #expect(writer.says("done"), "\(writer.lines) \(machine.logTail)")
            }
            #expect(
                Machine.eventually { calls(machine).dropFirst(before).contains("changed Welcome.md") },
                "no write is left without a later call: \(calls(machine))")
            #expect(try machine.succeed("cat", "t:/Welcome.md") == "three")
        }
    }

    @Test(
        "PROV-16, DOWN-9: the provider stops providing when no claim is left; the contents stay, and a new claim costs no call"
    )
    func stopsProviding() throws {
        try withTelling { machine in
            let (gate, never) = (machine.folder + "/gate", machine.folder + "/never")
            let reader = try Peer(machine, "hold", "read", "t:/Welcome.md", gate)
            #expect(reader.says("granted"), "\(reader.lines) \(machine.logTail)")
            #expect(!calls(machine).contains("stop Welcome.md"))
            try machine.write("", to: gate)
            #expect(Machine.eventually { calls(machine).contains("stop Welcome.md") }, "\(calls(machine))")
            // Not dropped after its first use.
            #expect(try machine.succeed("ls", "t:/").contains("Welcome.md"))
            #expect(machine.read(machine.root + "/documents/t/Welcome.md")?.hasPrefix("# Welcome") == true)
            let again = try Peer(machine, "hold", "read", "t:/Welcome.md", never)
            #expect(again.says("granted # Welcome"), "\(again.lines)")
            #expect(calls(machine).filter { $0 == "start Welcome.md" }.count == 1, "\(calls(machine))")
            again.kill()
            // And when it was evicted, a new claim starts at PROV-8 again.
            #expect(
                Machine.eventually { calls(machine).filter { $0 == "stop Welcome.md" }.count == 2 }, "\(calls(machine))"
            )
            try machine.succeed("evict", "t:/Welcome.md")
            let fresh = try Peer(machine, "hold", "read", "t:/Welcome.md", never)
            #expect(fresh.says("granted # Welcome"), "\(fresh.lines)")
            #expect(calls(machine).filter { $0 == "start Welcome.md" }.count == 2, "\(calls(machine))")
        }
    }

    @Test("DOWN-8, PROV-8: a bookmark opens a document without a picker: its provider downloads it then")
    func bookmark() throws {
        try withTelling { machine in
            let bookmark = try machine.succeed("bookmark", "create", "t:/Welcome.md").split(separator: "\n").last.map(
                String.init)
            #expect(!calls(machine).contains("start Welcome.md"), "\(calls(machine))")
            try machine.succeed("host", "stop")
            #expect(Machine.eventually { machine.daemon == nil })
            let place = try machine.succeed("bookmark", "resolve", bookmark ?? "none")
            #expect(try machine.succeed("cat", place.trimmingCharacters(in: .newlines)).hasPrefix("# Welcome"))
            #expect(calls(machine).contains("start Welcome.md"), "\(calls(machine))")
        }
    }

    @Test("ID-7, PROV-13: many processes use a document at once, and whoever writes it has it alone")
    func manyProcesses() throws {
        try withTelling { machine in
            let (gate, never) = (machine.folder + "/gate", machine.folder + "/never")
            let readers = try (0..<4).map { _ in try Peer(machine, "hold", "read", "t:/Welcome.md", gate) }
            for reader in readers { #expect(reader.says("granted # Welcome"), "\(reader.lines) \(machine.logTail)") }
            // One transfer for all of them, and none of them before it had ended.
            #expect(calls(machine).filter { $0 == "start Welcome.md" }.count == 1, "\(calls(machine))")
            let writer = try Peer(machine, "hold", "write", "t:/Welcome.md", never)
            #expect(try Machine.eventually { try machine.succeed("status").contains("waits to write t:/Welcome.md") })
            #expect(!writer.lines.contains("granted"))
            try machine.write("", to: gate)
            #expect(writer.says("granted"), "\(writer.lines)")
            let late = try Peer(machine, "hold", "read", "t:/Welcome.md", never)
            #expect(try Machine.eventually { try machine.succeed("status").contains("waits to read t:/Welcome.md") })
            writer.kill()
            #expect(late.says("granted # Welcome"), "\(late.lines)")
        }
    }
}
