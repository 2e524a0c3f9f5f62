import Foundation
import Glibc
import Testing

/// Coordinated writing where nothing is yet, by several processes, through the daemon.
@Suite(.serialized, .timeLimit(.minutes(5))) struct FreePlaceTests {
    private func withDomain(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            mkdir(machine.remote + "/f", 0o700)
            try machine.write("from a", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try body(machine)
        }
    }

    /// What the remote has in its top folder, but for what providers keep there.
    private func remote(_ machine: Machine) -> Set<String> {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: machine.remote)) ?? []
        return Set(names.filter { !$0.hasPrefix(".") })
    }

    private func sends(_ text: String, to name: String, _ machine: Machine) -> Bool {
        Machine.eventually(within: 60) { machine.read(machine.remote + "/" + name) == text }
    }

    @Test(
        "COORD-19, PICK-2: what is written where nothing is becomes a document when the access ends, and is sent; who wants the place waits"
    )
    func written() throws {
        try withDomain { machine in
            let (gate, other) = (machine.folder + "/gate", machine.folder + "/other")
            let writer = try Peer(machine, "put", "d:/f/new.txt", "whole", gate)
            try #require(writer.says("granted", within: 40), "\(writer.lines) \(machine.logTail)")
            #expect(writer.says("item placeholder, no size"), "\(writer.lines)")
            let second = try Peer(machine, "put", "d:/f/new.txt", "again", other)
            #expect(
                try Machine.eventually(within: 60) {
                    try machine.succeed("status").contains("waits to write d:/f/new.txt")
                })
            #expect(try !machine.succeed("ls", "d:/f").contains("new.txt"), "it is no document before the access ends")
            #expect(machine.read(machine.remote + "/f/new.txt") == nil)
            try machine.write("", to: gate)
            #expect(writer.says("done"), "\(writer.lines) \(machine.logTail)")
            try #require(second.says("granted"), "\(second.lines) \(machine.logTail)")
            // Sent already, perhaps, or just being sent.
            #expect(
                Machine.eventually { second.lines.contains { $0.hasPrefix("item ") && $0.hasSuffix(", 5 bytes") } },
                "it gets what came to the place: \(second.lines)")
            try machine.write("", to: other)
            #expect(second.says("done"), "\(second.lines) \(machine.logTail)")
            #expect(sends("again", to: "f/new.txt", machine), "\(machine.logTail)")
            #expect(try machine.succeed("cat", "d:/f/new.txt") == "again")
        }
    }

    @Test("COORD-30: a folder is moved to a free place in one step")
    func movedFolder() throws {
        try withDomain { machine in
            let gate = machine.folder + "/gate"
            try machine.write("", to: gate)
            try machine.write("inside", to: machine.remote + "/f/b.txt")
            #expect(try machine.succeed("cat", "d:/f/b.txt") == "inside")
            let mover = try Peer(machine, "place", "d:/f", "d:/g", gate)
            #expect(mover.says("done"), "\(mover.lines) \(machine.logTail)")
            #expect(remote(machine) == ["a.txt", "g"])
            #expect(try machine.succeed("cat", "d:/g/b.txt") == "inside")
        }
    }

    @Test("COORD-19: where nothing was written, nothing is; and no folder is made on the way")
    func nothing() throws {
        try withDomain { machine in
            let gate = machine.folder + "/gate"
            try machine.write("", to: gate)
            let writer = try Peer(machine, "put", "d:/new.txt", "-", gate)
            #expect(writer.says("done"), "\(writer.lines) \(machine.logTail)")
            #expect(try machine.docent("stat", "d:/new.txt").status != 0)
            #expect(remote(machine) == ["a.txt", "f"])
            let lost = try Peer(machine, "put", "d:/missing/new.txt", "text", gate)
            #expect(lost.says("error noSuchItem"), "\(lost.lines)")
            // To be read, moved or removed, there must be something.
            let mover = try Peer(machine, "move", "d:/new.txt", "d:/other.txt", gate)
            #expect(mover.says("error noSuchItem"), "\(mover.lines)")
            #expect(try !machine.succeed("status").contains("In use:"))
        }
    }

    @Test("COORD-8, COORD-19: what a killed tool wrote is a document, and is sent")
    func killedTool() throws {
        try withDomain { machine in
            let writer = try Peer(machine, "put", "d:/new.txt", "what it had", machine.folder + "/never")
            try #require(writer.says("written", within: 40), "\(writer.lines) \(machine.logTail)")
            writer.kill()
            #expect(sends("what it had", to: "new.txt", machine), "\(machine.logTail)")
            #expect(try Machine.eventually(within: 60) { try !machine.succeed("status").contains("In use:") })
        }
    }

    @Test("COORD-19: what was written when the host was killed is a document after its next start, and is sent")
    func killedHost() throws {
        try withDomain { machine in
            let writer = try Peer(machine, "put", "d:/new.txt", "before the end", machine.folder + "/never")
            try #require(writer.says("written", within: 40), "\(writer.lines) \(machine.logTail)")
            for host in machine.processes(named: "docentd") { Glibc.kill(host, SIGKILL) }
            #expect(Machine.eventually(within: 60) { machine.processes(named: "docentd").isEmpty })
            writer.kill()
            #expect(try machine.succeed("ls", "d:/").contains("new.txt"), "\(machine.logTail)")
            #expect(sends("before the end", to: "new.txt", machine), "\(machine.logTail)")
        }
    }

    @Test("COORD-19: where the remote has put something else meanwhile, both are kept, and the tool is told")
    func taken() throws {
        try withDomain { machine in
            let gate = machine.folder + "/gate"
            let writer = try Peer(machine, "put", "d:/new.txt", "ours", gate)
            try #require(writer.says("written", within: 40), "\(writer.lines) \(machine.logTail)")
            try machine.write("theirs", to: machine.remote + "/new.txt")
            #expect(try Machine.eventually(within: 60) { try machine.succeed("ls", "d:/").contains("new.txt") })
            try machine.write("", to: gate)
            #expect(writer.says("error destinationExists"), "\(writer.lines) \(machine.logTail)")
            #expect(writer.lines.joined().contains("new (conflict "), "\(writer.lines)")
            #expect(try machine.succeed("cat", "d:/new.txt") == "theirs")
            #expect(
                Machine.eventually(within: 60) {
                    let beside = remote(machine).filter { $0.hasPrefix("new (conflict ") }
                    return beside.count == 1 && machine.read(machine.remote + "/" + (beside.first ?? "")) == "ours"
                }, "\(remote(machine)) \(machine.logTail)")
            #expect(machine.read(machine.remote + "/new.txt") == "theirs")
        }
    }

    @Test(
        "COORD-30, COORD-33: a document is moved to a free place in one step; who waits for either finds it there, and is told"
    )
    func moved() throws {
        try withDomain { machine in
            let (gate, never) = (machine.folder + "/gate", machine.folder + "/never")
            let editor = try Peer(machine, "present", "d:/a.txt", "answer", "60000", never)
            try #require(editor.says("presents", within: 40), "\(editor.lines) \(machine.logTail)")
            let mover = try Peer(machine, "place", "d:/a.txt", "d:/f/b.txt", gate)
            try #require(mover.says("granted", within: 40), "\(mover.lines) \(machine.logTail)")
            let reader = try Peer(machine, "hold", "read", "d:/a.txt", gate)
            let writer = try Peer(machine, "put", "d:/f/b.txt", "later", gate)
            #expect(
                try Machine.eventually(within: 60) {
                    let status = try machine.succeed("status")
                    return status.contains("waits to read d:/a.txt") && status.contains("waits to write d:/f/b.txt")
                }, "\(reader.lines) \(writer.lines)")
            try machine.write("", to: gate)
            #expect(mover.says("moved") && mover.says("done"), "\(mover.lines) \(machine.logTail)")
            #expect(editor.says("moved to d:/f/b.txt"), "\(editor.lines)")
            #expect(reader.says("granted") && reader.says("done"), "\(reader.lines) \(machine.logTail)")
            #expect(writer.says("done"), "\(writer.lines) \(machine.logTail)")
            #expect(sends("later", to: "f/b.txt", machine), "\(machine.logTail)")
            #expect(remote(machine) == ["f"])
        }
    }

    @Test(
        "COORD-2, COORD-29: a document that is made and written is there at once, empty, and is sent when the access ends; only one makes it"
    )
    func created() throws {
        try withDomain { machine in
            let gate = machine.folder + "/gate"
            let maker = try Peer(machine, "create", "d:/new.txt", "made", gate)
            try #require(maker.says("written", within: 40), "\(maker.lines) \(machine.logTail)")
            #expect(maker.says("item changed, 0 bytes"), "\(maker.lines)")
            #expect(try machine.succeed("ls", "d:/").contains("new.txt"))
            let other = try Peer(machine, "create", "d:/new.txt", "mine", gate)
            #expect(other.says("error destinationExists"), "\(other.lines) \(machine.logTail)")
            #expect(machine.read(machine.remote + "/new.txt") == nil, "it is sent when it is written")
            try machine.write("", to: gate)
            #expect(maker.says("done"), "\(maker.lines) \(machine.logTail)")
            #expect(sends("made", to: "new.txt", machine), "\(machine.logTail)")
        }
    }

    @Test(
        "COORD-19: a folder that the closure makes is one when it has returned, with what is in it; and is sent",
        arguments: [false, true])
    func folder(isKilled: Bool) throws {
        try withDomain { machine in
            let gate = machine.folder + "/gate"
            let maker = try Peer(machine, "folder", "d:/f/made", gate)
            try #require(maker.says("written", within: 40), "\(maker.lines) \(machine.logTail)")
            let reader = try Peer(machine, "put", "d:/f/made", "-", gate)
            #expect(
                try Machine.eventually(within: 60) {
                    try machine.succeed("status").contains("waits to write d:/f/made")
                })
            if isKilled { maker.kill() }
            try machine.write("", to: gate)
            if !isKilled { #expect(maker.says("done"), "\(maker.lines) \(machine.logTail)") }
            #expect(reader.says("granted"), "who waits for the place gets the folder: \(reader.lines)")
            #expect(sends("one", to: "f/made/one.txt", machine), "\(machine.logTail)")
            #expect(sends("two", to: "f/made/inner/two.txt", machine), "\(machine.logTail)")
            #expect(try machine.succeed("cat", "d:/f/made/inner/two.txt") == "two")
        }
    }

    @Test("CONT-7: a folder is made at once, and documents in it, while the remote is away; all is sent afterwards")
    func offline() throws {
        try withDomain { machine in
            _ = try machine.succeed("ls", "d:/")
            try FileManager.default.moveItem(atPath: machine.remote, toPath: machine.remote + "-away")
            let maker = try Peer(machine, "mkdir", "d:/made")
            #expect(maker.says("done"), "\(maker.lines) \(machine.logTail)")
            let twice = try Peer(machine, "mkdir", "d:/made")
            #expect(twice.says("error destinationExists"), "\(twice.lines)")
            let gate = machine.folder + "/gate"
            try machine.write("", to: gate)
            let writer = try Peer(machine, "put", "d:/made/new.txt", "offline", gate)
            #expect(writer.says("done"), "\(writer.lines) \(machine.logTail)")
            try FileManager.default.moveItem(atPath: machine.remote + "-away", toPath: machine.remote)
            #expect(sends("offline", to: "made/new.txt", machine), "\(machine.logTail)")
        }
    }
}
