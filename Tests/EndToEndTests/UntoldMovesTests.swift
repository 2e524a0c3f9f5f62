import Foundation
import Testing

/// What was moved and removed here before its provider could be told, and what happens meanwhile.
@Suite(.serialized) struct UntoldMovesTests {
    /// With a folder “made” that is not sent, a document in it, and “F/x.txt” on the remote.
    private func with(offline: Bool, _ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(atPath: machine.remote + "/F", withIntermediateDirectories: false)
            try machine.write("x\n", to: machine.remote + "/F/x.txt")
            try machine.write("a\n", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            for place in ["d:/", "d:/F"] { try machine.succeed("ls", place) }
            try machine.succeed("cat", "d:/F/x.txt")
            if offline {
                try move(machine.remote, machine.remote + "-away")
            } else {
                try machine.succeed("pause", "d:/")
            }
            try FileManager.default.createDirectory(
                atPath: machine.folder + "/work/made", withIntermediateDirectories: false)
            try machine.write("one\n", to: machine.folder + "/work/made/one.txt")
            try machine.succeed("move", "--no-wait", "made", "d:/made")
            try body(machine)
        }
    }

    private func move(_ from: String, _ to: String) throws {
        try FileManager.default.moveItem(atPath: from, toPath: to)
    }

    private func arrives(_ text: String?, _ path: String, _ machine: Machine) -> Bool {
        Machine.eventually(within: 40) { machine.read(machine.remote + "/" + path) == text }
    }

    @Test("CONT-10: a folder is not removed with what was moved out of it, and its provider has there still")
    func removedFolder() throws {
        try with(offline: false) { machine in
            try machine.succeed("rename", "--no-wait", "d:/F/x.txt", "d:/made/x.txt")
            let refused = try machine.docent("rm", "-r", "d:/F")
            #expect(refused.status == 1 && refused.errors.contains("was moved out of it"), "\(refused.errors)")
            #expect(machine.read(machine.remote + "/F/x.txt") == "x\n")
            try machine.succeed("resume", "d:/")
            #expect(arrives("x\n", "made/x.txt", machine), "\(machine.logTail)")
            try machine.succeed("rm", "-r", "d:/F")
            #expect(!FileManager.default.fileExists(atPath: machine.remote + "/F"))
            #expect(machine.read(machine.remote + "/made/x.txt") == "x\n")
            #expect(try machine.succeed("cat", "d:/made/x.txt") == "x\n")
        }
    }

    @Test("What is moved twice, into a folder that is still to be sent and within it, is where it came to last")
    func twice() throws {
        try with(offline: false) { machine in
            try machine.succeed("rename", "--no-wait", "d:/F/x.txt", "d:/made/x.txt")
            try machine.succeed("rename", "--no-wait", "d:/made/x.txt", "d:/made/y.txt")
            try machine.succeed("resume", "d:/")
            #expect(arrives("x\n", "made/y.txt", machine), "\(machine.logTail)")
            #expect(arrives(nil, "F/x.txt", machine) && arrives(nil, "made/x.txt", machine))
            #expect(try machine.succeed("cat", "d:/made/y.txt") == "x\n")
            #expect(arrives("one\n", "made/one.txt", machine))
        }
    }

    @Test(
        "A new folder with something from an old one in it takes the old one's name when the provider has heard of it")
    func folderTakesPlace() throws {
        try with(offline: true) { machine in
            try machine.succeed("rename", "--no-wait", "d:/F/x.txt", "d:/made/x.txt")
            try machine.succeed("rm", "--no-wait", "d:/F")
            let refused = try machine.docent("rename", "d:/made", "d:/F")
            #expect(refused.status == 1)
            #expect(try machine.succeed("cat", "d:/made/x.txt") == "x\n")
            try move(machine.remote + "-away", machine.remote)
            #expect(arrives("x\n", "made/x.txt", machine), "\(machine.logTail)")
            #expect(Machine.eventually(within: 30) { !FileManager.default.fileExists(atPath: machine.remote + "/F") })
            try machine.succeed("rename", "d:/made", "d:/F")
            #expect(machine.read(machine.remote + "/F/x.txt") == "x\n")
            #expect(arrives("one\n", "F/one.txt", machine))
        }
    }

    @Test(
        "An editor's way of saving, done without the remote and over a restart: the new contents have the old one's name"
    )
    func saved() throws {
        try with(offline: true) { machine in
            try machine.succeed("rename", "--no-wait", "d:/a.txt", "d:/a.txt~")
            try machine.write("new\n", to: machine.folder + "/work/a.txt")
            try machine.succeed("move", "--no-wait", "a.txt", "d:/a.txt")
            try machine.succeed("rm", "--no-wait", "d:/a.txt~")
            if let daemon = machine.daemon { kill(daemon, SIGKILL) }
            #expect(Machine.eventually { machine.daemon == nil })
            try move(machine.remote + "-away", machine.remote)
            try machine.succeed("ls", "d:/")
            #expect(arrives("new\n", "a.txt", machine), "\(machine.logTail)")
            #expect(arrives("one\n", "made/one.txt", machine))
            let names = try FileManager.default.contentsOfDirectory(atPath: machine.remote).filter {
                !$0.hasPrefix(".")
            }
            #expect(names.sorted() == ["F", "a.txt", "made"])
        }
    }

    @Test(
        "A folder that is moved while something in it was being sent when its host died does not wait for that for ever"
    )
    func interruptedInside() throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(atPath: machine.remote + "/F", withIntermediateDirectories: false)
            try machine.write("x\n", to: machine.remote + "/F/x.txt")
            try machine.write("new\n", to: machine.folder + "/work/new.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            for place in ["d:/", "d:/F"] { try machine.succeed("ls", place) }
            // It is asked, and does not answer.
            let providers = machine.processes(named: "FolderProvider")
            for provider in providers { kill(provider, SIGSTOP) }
            // CONT-7: nobody waits for it.
            try machine.succeed("move", "--no-wait", "new.txt", "d:/F/new.txt", timeout: 15)
            let staging = machine.root + "/.docent/staging/send/d"
            #expect(
                Machine.eventually {
                    (try? FileManager.default.contentsOfDirectory(atPath: staging))?.isEmpty == false
                })
            usleep(500_000)
            try machine.succeed("rename", "--no-wait", "d:/F", "d:/G", timeout: 15)
            kill(try #require(machine.daemon), SIGKILL)
            #expect(Machine.eventually { machine.daemon == nil })
            for provider in providers { kill(provider, SIGKILL) }
            try machine.succeed("ls", "d:/")
            #expect(arrives("new\n", "G/new.txt", machine), "\(machine.logTail)")
            #expect(arrives("x\n", "G/x.txt", machine))
            #expect(!FileManager.default.fileExists(atPath: machine.remote + "/F"))
            #expect(try machine.succeed("cat", "d:/G/new.txt") == "new\n")
        }
    }
}
