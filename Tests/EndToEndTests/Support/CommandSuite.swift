import Foundation

/// What tests of commands share.
protocol CommandSuite {}

extension CommandSuite {
    /// A machine with the domain `work`, whose remote has a few documents.
    func withWork(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            let manager = FileManager.default
            try manager.createDirectory(atPath: machine.remote + "/Letters", withIntermediateDirectories: false)
            try machine.write("one\n", to: machine.remote + "/one.txt")
            try machine.write("two two\n", to: machine.remote + "/Letters/two.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try body(machine)
        }
    }

    func state(_ location: String, _ machine: Machine) throws -> String? {
        try (machine.json("stat", location) as? [String: Any])?["state"] as? String
    }
}
