import Foundation

/// What tests of versions share: a machine with one document, and what is listed of it.
protocol VersionSuite {}

extension VersionSuite {
    func withDocument(_ contents: String, _ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try machine.write(contents, to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try body(machine)
        }
    }

    /// Runs a shell command on the document, which is `$1`.
    func edit(_ machine: Machine, _ command: String) throws -> Machine.Result {
        try machine.docent("edit", "d:/a.txt", "--with", "sh", "-c", command, "sh", "{}")
    }

    func versions(_ machine: Machine) throws -> [[String: Any]] {
        try machine.json("versions", "d:/a.txt") as? [[String: Any]] ?? []
    }

    func kinds(_ versions: [[String: Any]]) -> [String] { versions.compactMap { $0["kind"] as? String } }
}
