import Foundation
import Glibc
import Testing

/// Who waits for what is paused, without a terminal.
@Suite(.serialized) struct PausedWaitTests {
    private func isTold(
        _ machine: Machine, _ words: [String], _ expected: String, resuming place: String
    ) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: machine.folder + "/bin/docent")
        process.arguments = words
        process.environment = machine.environment
        process.standardOutput = FileHandle.nullDevice
        let errors = machine.folder + "/errors-" + (words.last ?? "").replacingOccurrences(of: "/", with: "-")
        _ = FileManager.default.createFile(atPath: errors, contents: nil)
        process.standardError = FileHandle(forWritingAtPath: errors)
        try process.run()
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        let isTold = Machine.eventually(within: 30) { machine.read(errors)?.contains(expected) == true }
        #expect(isTold, "\(words): \(machine.read(errors) ?? "")")
        try machine.succeed("resume", place)
        process.waitUntilExit()
        #expect(machine.read(errors)?.split(separator: "\n").count == 1, "\(machine.read(errors) ?? "")")
        return process.terminationStatus
    }

    @Test("XFER-14: who waits for a paused document hears what is paused and how to go on, also without a terminal")
    func told() throws {
        try Machine.with { machine in
            mkdir(machine.remote + "/sub", 0o700)
            for name in ["pq", "sub/x", "y"] { try machine.write("text\n", to: machine.remote + "/" + name) }
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("ls", "d:/")
            try machine.succeed("ls", "d:/sub")
            try machine.succeed("pause", "d:/pq")
            let status = try machine.succeed("status", "d:/pq")
            #expect(status.contains("Paused: docent resume d:/pq lets it go on.") && !status.contains("in sync"))
            #expect(
                try isTold(
                    machine, ["cat", "d:/pq"], "docent: d:/pq is paused: docent resume d:/pq", resuming: "d:/pq")
                    == 0)
            try machine.succeed("pause", "d:/sub")
            #expect(
                try isTold(
                    machine, ["download", "d:/sub/x"], "docent: d:/sub/x is paused with all of d:/sub: docent resume",
                    resuming: "d:/sub") == 0)
            try machine.succeed("pause", "d:/")
            #expect(
                try isTold(
                    machine, ["download", "d:/"], "docent: d:/y is paused with all of d:/: docent resume d:/",
                    resuming: "d:/") == 0)
        }
    }

    @Test("XFER-14, ID-4: what was asked for and is paused comes when it is resumed, also by another identifier")
    func renamed() throws {
        try Machine.with { machine in
            for name in ["a", "b"] { try machine.write("text\n", to: machine.remote + "/\(name).txt") }
            try WebDAVServer.with(machine, password: "s3cret") { server in
                // Identifiers follow names there.
                try server.addDomain()
                try machine.succeed("ls", "web:/")
                for name in ["a", "b"] {
                    try machine.succeed("pause", "web:/\(name).txt")
                    try machine.succeed("download", "web:/\(name).txt", "--background")
                }
                func waits(_ name: String) throws -> Bool {
                    try machine.succeed("status").contains("web:/\(name).txt")
                }
                #expect(try Machine.eventually { try waits("a") && waits("b") })
                let before = try machine.json("stat", "web:/a.txt") as? [String: Any]
                try machine.succeed("rename", "web:/a.txt", "web:/c.txt")
                let after = try machine.json("stat", "web:/c.txt") as? [String: Any]
                #expect(before?["identifier"] as? String != after?["identifier"] as? String)
                #expect(try waits("c"), "\(machine.logTail)")
                for name in ["b", "c"] { try machine.succeed("resume", "web:/\(name).txt") }
                for name in ["b", "c"] {
                    let isHere = Machine.eventually(within: 20) {
                        machine.read(machine.root + "/documents/web/\(name).txt") == "text\n"
                    }
                    #expect(isHere, "\(name): \(machine.logTail)")
                }
            }
        }
    }
}
