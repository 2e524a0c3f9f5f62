import Foundation
import Testing

/// What people get to see of a provider's failures, and what they can do about them.
@Suite(.serialized) struct SupervisionTests {
    private func withFolder(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try Data("hello".utf8).write(to: URL(fileURLWithPath: machine.remote + "/a.txt"))
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try body(machine)
        }
    }

    private func crash(_ machine: Machine) throws {
        try machine.succeed("ls", "d:/", "--refresh")
        let provider = try #require(machine.processes(named: "FolderProvider").first)
        #expect(try machine.succeed("status").contains("running (process \(provider))"))
        kill(provider, SIGSEGV)
        #expect(Machine.eventually { machine.processes(named: "FolderProvider").isEmpty })
        let folder = machine.root + "/.docent/providers/.failures/d"
        #expect(Machine.eventually { (try? FileManager.default.contentsOfDirectory(atPath: folder))?.isEmpty == false })
    }

    @Test("Rule 58: the last failure is shown, facts first and the record as JSON, and is kept from other eyes")
    func lastFailure() throws {
        try withFolder { machine in
            #expect(
                try machine.succeed("provider", "show", "org.docent.folder", "--last-failure")
                    == "No failure of org.docent.folder is on record.\n")
            try crash(machine)
            let text = try machine.succeed("provider", "show", "org.docent.folder", "--last-failure")
            #expect(text.contains("signal 11 (SIGSEGV)"), "\(text)")
            #expect(text.contains("waiting for requests"), "\(text)")
            #expect(text.contains("request identity"), "\(text)")
            let facts = try #require(text.range(of: "Its end"))
            let frames = try #require(text.range(of: "The last frames"))
            #expect(facts.lowerBound < frames.lowerBound)
            let record = try #require(
                try machine.json("provider", "show", "org.docent.folder", "--last-failure") as? [String: Any])
            #expect(record["schema"] as? Int == 1)
            #expect((record["process"] as? [String: Any])?["signal"] as? Int == 11)
            #expect(record["domain"] as? String == "d")
            let folder = machine.root + "/.docent/providers/.failures/d"
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let mode = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.posixPermissions]
                #expect(mode as? Int == 0o600)
            }
            try machine.succeed("domain", "remove", "d")
            #expect(!FileManager.default.fileExists(atPath: folder))
        }
    }

    @Test("Rule 54: a provider is started anew when it is told to")
    func restart() throws {
        try withFolder { machine in
            let first = try #require(machine.processes(named: "FolderProvider").first)
            try machine.succeed("provider", "restart", "org.docent.folder")
            #expect(Machine.eventually { !machine.processes(named: "FolderProvider").contains(first) })
            #expect(try machine.succeed("cat", "d:/a.txt") == "hello")
            #expect(try machine.succeed("provider", "list").contains("\nd: running (process "))
            let none = try machine.docent("provider", "restart", "org.example.none")
            #expect(none.status == 1 && none.errors.contains("org.example.none"), "\(none)")
        }
    }

    @Test("A provider without a domain has no traffic to record: the command says so, and what comes first")
    func recordingOfNothing() throws {
        try withFolder { machine in
            try machine.succeed("domain", "remove", "d")
            let run = try machine.docent("provider", "record", "org.docent.folder", "on")
            #expect(run.status == 1 && run.output.isEmpty)
            #expect(run.errors.contains("has no domain") && run.errors.contains("docent domain add"), "\(run)")
            try machine.succeed("provider", "record", "org.docent.folder", "off")
        }
    }

    @Test("Rule 59: traffic is recorded where the command says, for as long as it is wanted")
    func recording() throws {
        try withFolder { machine in
            let folder = try machine.succeed("provider", "record", "org.docent.folder", "on").dropLast()
            #expect(folder.hasPrefix(machine.root + "/.docent/"))
            #expect(try machine.succeed("provider", "show", "org.docent.folder").contains(folder))
            try machine.succeed("ls", "d:/", "--refresh")
            try machine.succeed("provider", "record", "org.docent.folder", "off")
            #expect(Machine.eventually { machine.processes(named: "FolderProvider").isEmpty })
            func recordings() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: String(folder)).filter {
                    $0.hasSuffix(".docent-traffic")
                }
            }
            let names = try recordings()
            #expect(names.count == 1)
            // The last of it is written when the process is gone.
            var text = ""
            _ = try Machine.eventually {
                text = try String(contentsOfFile: folder + "/" + names[0], encoding: .utf8)
                return text.contains(" preface\n")
            }
            #expect(text.hasPrefix("docent-traffic 1\nprovider org.docent.folder\n"))
            #expect(text.contains("\n< ") && text.contains("\n> ") && text.contains(" preface\n"))
            try machine.succeed("ls", "d:/", "--refresh")
            #expect(try recordings() == names)
        }
    }

    @Test("Rules 43, 47: a killed shepherd takes its provider along, and the daemon keeps no zombies")
    func shepherd() throws {
        try withFolder { machine in
            let daemon = try #require(machine.daemon)
            try machine.succeed("ls", "d:/", "--refresh")
            for pid in machine.processes(named: "docent-trampoline") { kill(pid, SIGKILL) }
            #expect(Machine.eventually { machine.processes(named: "FolderProvider").isEmpty })
            #expect(
                Machine.eventually {
                    let children = try? String(
                        contentsOfFile: "/proc/\(daemon)/task/\(daemon)/children", encoding: .utf8)
                    return children?.isEmpty == true
                })
            #expect(try machine.succeed("cat", "d:/a.txt") == "hello")
        }
    }
}
