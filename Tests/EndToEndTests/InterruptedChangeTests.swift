import DocumentStorage
import Foundation
import Testing

/// What a provider was asked for and had not acknowledged when the host was killed is looked up at the next start, and not
/// asked for again. The provider here tells nobody by itself what was changed.
@Suite(.serialized) struct InterruptedChangeTests {
    private static let tree = RemoteTree(items: [
        "f": ["/", "Folder", nil], "g": ["f", "Inner", nil], "o": ["/", "Other", nil],
        "a": ["f", "a.txt", "alpha\n"], "b": ["g", "b.txt", "beta\n"],
    ])

    private func withTree(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try machine.addRemoteTree("d", isWritable: true)
            try machine.provide(Self.tree, in: "d")
            try machine.succeed("refresh", "d:/")
            for folder in ["d:/", "d:/Folder", "d:/Folder/Inner", "d:/Other"] { try machine.succeed("ls", folder) }
            try machine.succeed("cat", "d:/Folder/a.txt")
            try stop(machine)
            try body(machine)
        }
    }

    private func stop(_ machine: Machine) throws {
        try machine.succeed("host", "stop")
        #expect(Machine.eventually(within: 30) { machine.daemon == nil }, "the daemon did not stop")
    }

    private func kill(_ machine: Machine, at step: JournalStep, _ words: String...) throws {
        let result = try machine.run(
            machine.folder + "/bin/docent", words, environment: ["DOCENT_TEST_KILL_AT_STEP": step.rawValue])
        #expect(result.status != 0, "the host was not killed: \(result.output)")
        #expect(
            Machine.eventually(within: 30) { machine.daemon == nil && machine.processes(named: "remote-tree").isEmpty })
    }

    /// Starts the host, and waits until a document is shown at one place and not at the other.
    private func finds(_ place: String, not other: String, on machine: Machine) throws -> Bool {
        try Machine.eventually(within: 60) {
            try machine.docent("stat", place).status == 0 && machine.docent("stat", other).status != 0
        }
    }

    private func here(_ machine: Machine, _ path: String) -> String? {
        machine.read(machine.root + "/documents/d/" + path)
    }

    private func count(_ call: String, _ machine: Machine) -> Int {
        machine.calls(of: "d").count { $0 == call }
    }

    @Test("RS-5: a rename that the host's death interrupted is looked up, and not asked for again")
    func rename() throws {
        try withTree { machine in
            for step in [JournalStep.renameBegan, .renameAnswered] {
                let isDone = step == .renameAnswered
                let (looks, asked) = (count("item a", machine), count("modify a", machine))
                try kill(machine, at: step, "rename", "d:/Folder/a.txt", "mine.txt")
                let names = isDone ? ["mine.txt", "a.txt"] : ["a.txt", "mine.txt"]
                #expect(
                    try finds("d:/Folder/\(names[0])", not: "d:/Folder/\(names[1])", on: machine),
                    "\(machine.logTail)")
                #expect(Machine.eventually(within: 60) { here(machine, "Folder/\(names[0])") == "alpha\n" })
                #expect(here(machine, "Folder/\(names[1])") == nil)
                #expect(
                    Machine.eventually(within: 60) { count("item a", machine) > looks },
                    "nobody has looked: \(machine.logTail)")
                #expect(count("modify a", machine) == asked + (isDone ? 1 : 0))
                #expect(try machine.provided(in: "d").items["a"] == ["f", names[0], "alpha\n"])
                if !isDone { try stop(machine) }
            }
            // And what is asked for now is done.
            try machine.succeed("rename", "d:/Folder/mine.txt", "d:/Other/later.txt")
            #expect(try machine.provided(in: "d").items["a"] == ["o", "later.txt", "alpha\n"])
        }
    }

    @Test("RS-5: a move to another folder that the host's death interrupted is looked up, with what is in the folder")
    func move() throws {
        try withTree { machine in
            try kill(machine, at: .renameAnswered, "rename", "d:/Folder", "d:/Other/Moved")
            #expect(try finds("d:/Other/Moved/a.txt", not: "d:/Folder/a.txt", on: machine), "\(machine.logTail)")
            #expect(Machine.eventually(within: 60) { here(machine, "Other/Moved/a.txt") == "alpha\n" })
            #expect(count("modify f", machine) == 1)
        }
    }

    @Test("RS-5: a removal that the host's death interrupted is looked up, and not asked for again")
    func removal() throws {
        try withTree { machine in
            for step in [JournalStep.removeBegan, .removeAnswered] {
                let isDone = step == .removeAnswered
                let (looks, asked) = (count("item a", machine), count("delete a", machine))
                try kill(machine, at: step, "rm", "d:/Folder/a.txt")
                try machine.succeed("status")
                #expect(Machine.eventually(within: 60) { count("item a", machine) > looks }, "nobody has looked")
                #expect(
                    try Machine.eventually(within: 60) {
                        try (machine.docent("stat", "d:/Folder/a.txt").status != 0) == isDone
                    }, "\(machine.logTail)")
                #expect(Machine.eventually(within: 60) { (here(machine, "Folder/a.txt") == nil) == isDone })
                #expect(count("delete a", machine) == asked + (isDone ? 1 : 0))
                #expect(try (machine.provided(in: "d").items["a"] == nil) == isDone)
                try stop(machine)
            }
            try kill(machine, at: .removeAnswered, "rm", "-r", "d:/Folder")
            #expect(try machine.provided(in: "d").items.keys.sorted() == ["o"])
            #expect(try finds("d:/Other", not: "d:/Folder", on: machine), "\(machine.logTail)")
            #expect(
                Machine.eventually(within: 60) {
                    !FileManager.default.fileExists(atPath: machine.root + "/documents/d/Folder")
                }, "its files are left")
        }
    }

    @Test("RS-5: what cannot be looked up at the start is looked up before something else is asked for")
    func unreachableAtStart() throws {
        try withTree { machine in
            try kill(machine, at: .renameAnswered, "rename", "d:/Folder/a.txt", "mine.txt")
            var tree = try machine.provided(in: "d")
            tree.failing = ["item": 0]
            try machine.provide(tree, in: "d")
            try machine.succeed("status")
            #expect(Machine.eventually(within: 60) { count("item a", machine) > 0 }, "nobody has looked")
            #expect(try machine.docent("stat", "d:/Folder/a.txt").status == 0)
            tree.failing = [:]
            try machine.provide(tree, in: "d")
            try machine.succeed("rename", "d:/Folder/Inner/b.txt", "c.txt")
            #expect(try finds("d:/Folder/mine.txt", not: "d:/Folder/a.txt", on: machine), "\(machine.logTail)")
            #expect(count("modify a", machine) == 1)
        }
    }

    @Test(
        "PICK-6, RS-5: a document that was being moved in when the host died is moved as a whole, or not at all",
        arguments: [JournalStep.moveStaged, .moveAnswered])
    func movedIn(step: JournalStep) throws {
        try Machine.with { machine in
            try machine.installRecordingProvider()
            try machine.succeed("domain", "add", "d", "--provider", "org.example.recording")
            try machine.succeed("ls", "d:/")
            try stop(machine)
            let local = machine.folder + "/work/new.txt"
            try machine.write("new\n", to: local)
            let result = try machine.docent(
                "move", local, "d:/new.txt", environment: ["DOCENT_TEST_KILL_AT_STEP": step.rawValue])
            #expect(result.status != 0)
            #expect(Machine.eventually(within: 30) { machine.daemon == nil })
            try machine.succeed("status")
            if step == .moveAnswered {
                #expect(Machine.eventually(within: 60) { machine.read(local) == nil }, "it is on both sides")
                #expect(try machine.succeed("cat", "d:/new.txt") == "new\n")
                #expect(here(machine, "new.txt") == "new\n")
            } else {
                #expect(
                    Machine.eventually(within: 60) {
                        let staging = machine.root + "/.docent/staging"
                        let left = FileManager.default.enumerator(atPath: staging)?.allObjects as? [String] ?? []
                        return !left.contains { $0.hasSuffix("/contents") }
                    }, "the copy is left")
                #expect(machine.read(local) == "new\n")
                #expect(machine.calls(of: "d").count { $0.hasPrefix("create") } == 0)
                try machine.succeed("move", local, "d:/new.txt")
            }
            #expect(try machine.succeed("ls", "d:/").split(separator: "\n").count { $0.contains("new") } == 1)
        }
    }
}
