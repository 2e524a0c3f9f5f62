import Foundation
import Glibc
import Testing

/// Coordination between processes, through the daemon.
@Suite(.serialized) struct CoordinationTests {
    private func withDocuments(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            for name in ["a.txt", "b.txt"] { try machine.write("from \(name)", to: machine.remote + "/" + name) }
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try body(machine)
        }
    }

    @Test("COORD-39: a killed holder's claim is free at once, and COORD-9: a reader of a placeholder gets the contents")
    func killedHolder() throws {
        try withDocuments { machine in
            let holder = try Peer(machine, "hold", "write", "d:/a.txt", machine.folder + "/never")
            #expect(holder.says("granted"), "\(holder.lines) \(machine.logTail)")
            let reader = try Peer(machine, "hold", "read", "d:/a.txt", machine.folder + "/never")
            #expect(
                try Machine.eventually {
                    try machine.succeed("status").contains(
                        "Waiting:\n  hold (process \(reader.processID)) waits to read d:/a.txt")
                })
            #expect(
                try machine.succeed("status").contains("In use:\n  hold (process \(holder.processID)) writes d:/a.txt.")
            )
            holder.kill()
            #expect(reader.says("granted from a.txt", within: 20), "\(reader.lines) \(machine.logTail)")
            reader.kill()
            #expect(try Machine.eventually { try !machine.succeed("status").contains("In use:") })
        }
    }

    @Test("COORD-8, COORD-39: a killed holder's claim is free at once, also while a provider is still busy for it")
    func killedWhileAsking() throws {
        try Machine.with { machine in
            try machine.addRemoteTree("d", isWritable: true)
            var tree = RemoteTree(items: ["a": ["/", "a.txt", "alpha"], "f": ["/", "f", nil]])
            try machine.provide(tree, in: "d")
            try machine.succeed("refresh", "d:/")
            _ = try machine.succeed("cat", "d:/a.txt")
            tree.waiting = ["enumerate": machine.folder + "/never"]
            try machine.provide(tree, in: "d")
            let holder = try Peer(machine, "holdAsking", "d:/a.txt", "d:/f")
            #expect(holder.says("granted"), "\(holder.lines) \(machine.logTail)")
            let calls = machine.root + "/.docent/providers/d/calls"
            #expect(
                Machine.eventually(within: 60) { machine.read(calls)?.contains("enumerate f") == true },
                "\(holder.lines) \(machine.logTail)")
            let reader = try Peer(machine, "hold", "read", "d:/a.txt", machine.folder + "/never")
            #expect(
                try Machine.eventually(within: 60) { try machine.succeed("status").contains("waits to read d:/a.txt") })
            holder.kill()
            // What it asked for is waited for until the provider has had its time to give up.
            #expect(reader.says("granted alpha", within: 8), "\(reader.lines) \(machine.logTail)")
        }
    }

    @Test("COORD-39: a deadlock of two processes is reported to both, and the other one goes on")
    func deadlock() throws {
        try withDocuments { machine in
            let gates = [machine.folder + "/one", machine.folder + "/other"]
            let one = try Peer(machine, "nest", "d:/a.txt", "d:/b.txt", gates[0])
            let other = try Peer(machine, "nest", "d:/b.txt", "d:/a.txt", gates[1])
            #expect(one.says("outer") && other.says("outer"), "\(one.lines) \(other.lines) \(machine.logTail)")
            try machine.write("", to: gates[0])
            #expect(try Machine.eventually { try machine.succeed("status").contains("waits to write d:/b.txt") })
            try machine.write("", to: gates[1])
            #expect(other.says("error deadlock: "), "\(other.lines)")
            #expect(one.says("deadlock: "), "\(one.lines)")
            for peer in [one, other] {
                let text = peer.lines.joined()
                #expect(text.contains("process \(one.processID)") && text.contains("process \(other.processID)"))
            }
            #expect(one.says("inner") && one.says("done"), "\(one.lines)")
        }
    }

    @Test("COORD-10, COORD-32: a presenter in another process saves before a reader reads, and what it saved is read")
    func savesFirst() throws {
        try withDocuments { machine in
            let (gate, editorGate) = (machine.folder + "/gate", machine.folder + "/editor")
            let editor = try Peer(machine, "present", "d:/a.txt", "save", "60000", editorGate)
            #expect(editor.says("presents"), "\(editor.lines) \(machine.logTail)")
            let reader = try Peer(machine, "hold", "read", "d:/a.txt", gate)
            #expect(reader.says("granted saved"), "\(reader.lines) \(editor.lines) \(machine.logTail)")
            #expect(Array(editor.lines.prefix(3)) == ["presents", "reader", "save"])
            try machine.write("", to: gate)
            #expect(reader.ends())
            #expect(editor.says("reacquire"), "\(editor.lines)")
            try machine.write("", to: editorGate)
            #expect(editor.ends())
            // PROV-9: what was saved reaches the remote.
            #expect(Machine.eventually { machine.read(machine.remote + "/a.txt") == "saved" })
        }
    }

    @Test("COORD-38: a presenter that writes without its coordinator while it saves gets an error, and the reader too")
    func trap() throws {
        try withDocuments { machine in
            let gate = machine.folder + "/gate"
            let editor = try Peer(machine, "present", "d:/a.txt", "trap", "60000", gate)
            #expect(editor.says("presents"), "\(editor.lines) \(machine.logTail)")
            let reader = try Peer(machine, "hold", "read", "d:/a.txt", gate)
            #expect(reader.says("error deadlock"), "\(reader.lines) \(editor.lines) \(machine.logTail)")
        }
    }

    @Test("COORD-39: a presenter that does not answer is dropped at its deadline, and the reader goes on")
    func dropped() throws {
        try withDocuments { machine in
            let gate = machine.folder + "/gate"
            let editor = try Peer(machine, "present", "d:/a.txt", "hang", "700", gate)
            #expect(editor.says("presents"), "\(editor.lines) \(machine.logTail)")
            let reader = try Peer(machine, "hold", "read", "d:/a.txt", gate)
            #expect(reader.says("granted from a.txt"), "\(reader.lines) \(machine.logTail)")
            #expect(editor.says("dropped: "), "\(editor.lines)")
            #expect(try machine.succeed("status").contains("Did not answer:\n  present (process \(editor.processID))"))
        }
    }

    @Test("COORD-39: a presenter whose process dies while it saves is not waited for, and the reader goes on")
    func diesInAnswer() throws {
        try withDocuments { machine in
            let gate = machine.folder + "/gate"
            let editor = try Peer(machine, "present", "d:/a.txt", "hang", "60000", gate)
            #expect(editor.says("presents"), "\(editor.lines) \(machine.logTail)")
            let reader = try Peer(machine, "hold", "read", "d:/a.txt", gate)
            #expect(editor.says("save"), "\(editor.lines) \(machine.logTail)")
            editor.kill()
            #expect(reader.says("granted from a.txt"), "\(reader.lines) \(machine.logTail)")
        }
    }

    @Test("COORD-38: a presenter in a stopped process is dropped at its deadline, and the writer goes on")
    func stopped() throws {
        try withDocuments { machine in
            let editor = try Peer(machine, "present", "d:/a.txt", "answer", "500", machine.folder + "/never")
            #expect(editor.says("presents"), "\(editor.lines) \(machine.logTail)")
            Glibc.kill(editor.processID, SIGSTOP)
            let writer = try Peer(machine, "write", "d:/a.txt", "new")
            #expect(writer.says("done"), "\(writer.lines) \(machine.logTail)")
            #expect(editor.lines == ["presents"], "it has heard nothing")
            #expect(try machine.succeed("status").contains("Did not answer:\n  present (process \(editor.processID))"))
            // And others need not wait for it again.
            let second = try Peer(machine, "write", "d:/a.txt", "newer")
            #expect(second.says("done"), "\(second.lines) \(machine.logTail)")
            Glibc.kill(editor.processID, SIGCONT)
            #expect(editor.says("dropped: "), "\(editor.lines)")
            #expect(Machine.eventually(within: 60) { machine.read(machine.remote + "/a.txt") == "newer" })
        }
    }

    @Test("COORD-26, COORD-30: a presenter hears of writes and moves by other processes")
    func hears() throws {
        try withDocuments { machine in
            let gate = machine.folder + "/gate"
            let editor = try Peer(machine, "present", "d:/a.txt", "answer", "60000", gate)
            #expect(editor.says("presents"), "\(editor.lines) \(machine.logTail)")
            let writer = try Peer(machine, "write", "d:/a.txt", "new")
            #expect(writer.says("done"), "\(writer.lines)")
            #expect(editor.says("changed"), "\(editor.lines)")
            try machine.succeed("rename", "d:/a.txt", "d:/c.txt")
            #expect(editor.says("moved to d:/c.txt"), "\(editor.lines)")
        }
    }

    @Test(
        "COORD-33: two processes that write the same two documents in one step, each its own way round, never deadlock")
    func oneStep() throws {
        try withDocuments { machine in
            let one = try Peer(machine, "swap", "d:/a.txt", "d:/b.txt", "20")
            let other = try Peer(machine, "swap", "d:/b.txt", "d:/a.txt", "20")
            #expect(one.says("done", within: 120) && other.says("done", within: 120), "\(one.lines) \(other.lines)")
            let texts = try ["a.txt", "b.txt"].map { try machine.succeed("cat", "d:/\($0)") }
            #expect(texts.sorted() == ["from a.txt", "from b.txt"])
        }
    }
}
