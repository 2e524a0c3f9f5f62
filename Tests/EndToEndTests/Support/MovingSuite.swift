import Foundation

/// What tests of moves into a domain and out of it share.
protocol MovingSuite {}

extension MovingSuite {
    func prepare(_ machine: Machine) throws {
        try machine.succeed(
            "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
    }

    func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    func sent(_ text: String, _ path: String, _ machine: Machine) -> Bool {
        Machine.eventually(within: 30) { machine.read(machine.remote + "/" + path) == text }
    }
}
