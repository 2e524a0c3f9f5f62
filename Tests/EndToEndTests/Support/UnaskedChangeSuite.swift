import Foundation
import Testing

/// What tests of changes by plain programs share: a machine with one document that is here, and what comes of it.
protocol UnaskedChangeSuite {}

extension UnaskedChangeSuite {
    func withDocument(_ body: (Machine, String) throws -> Void) throws {
        try Machine.with { machine in
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            // An editor that does nothing: the path is what it is for.
            try machine.succeed("cat", "d:/a.txt")
            try body(machine, machine.root + "/documents/d/a.txt")
        }
    }

    func shell(_ machine: Machine, _ command: String) throws {
        let done = try machine.run("/bin/sh", ["-c", command])
        try #require(done.status == 0, "\(done.errors)")
    }

    func arrives(_ text: String, _ machine: Machine, within seconds: Double = 5) -> Bool {
        Machine.eventually(within: seconds) { machine.read(machine.remote + "/a.txt") == text }
    }

    func state(_ machine: Machine) throws -> String? {
        (try machine.json("stat", "d:/a.txt") as? [String: Any])?["state"] as? String
    }
}
