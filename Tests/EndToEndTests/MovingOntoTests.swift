import Foundation
import Glibc
import Testing

/// A document is moved onto another one, by a tool that has access to both for just that, through the daemon.
@Suite(.serialized, .timeLimit(.minutes(5))) struct MovingOntoTests {
    private func withFolder(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            mkdir(machine.remote + "/f", 0o700)
            try machine.write("from a", to: machine.remote + "/a.txt")
            try machine.write("old", to: machine.remote + "/f/b.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            for folder in ["d:/", "d:/f"] { _ = try machine.succeed("ls", folder) }
            try body(machine)
        }
    }

    private func remote(_ machine: Machine) -> [String] {
        let paths = FileManager.default.enumerator(atPath: machine.remote)?.compactMap { $0 as? String } ?? []
        return paths.filter { !$0.split(separator: "/").contains { $0.hasPrefix(".") } }.sorted()
    }

    @Test(
        "COORD-19, COORD-30: inside of an access for both, a document takes another one's place; who waits for either finds it there",
        arguments: [false, true])
    func moved(isHere: Bool) throws {
        try withFolder { machine in
            if isHere { _ = try machine.succeed("cat", "d:/f/b.txt") }
            let gate = machine.folder + "/gate"
            let editor = try Peer(machine, "present", "d:/a.txt", "answer", "60000", machine.folder + "/never")
            try #require(editor.says("presents", within: 40), "\(editor.lines) \(machine.logTail)")
            let mover = try Peer(machine, "place", "d:/a.txt", "d:/f/b.txt", gate)
            try #require(mover.says("granted", within: 40), "\(mover.lines) \(machine.logTail)")
            let readers = try ["d:/a.txt", "d:/f/b.txt"].map { try Peer(machine, "hold", "read", $0, gate) }
            #expect(
                try Machine.eventually(within: 60) {
                    let status = try machine.succeed("status")
                    return status.contains("waits to read d:/a.txt") && status.contains("waits to read d:/f/b.txt")
                })
            try machine.write("", to: gate)
            #expect(mover.says("moved") && mover.says("done"), "\(mover.lines) \(machine.logTail)")
            #expect(editor.says("moved to d:/f/b.txt"), "\(editor.lines)")
            for reader in readers {
                #expect(reader.says("granted from a") && reader.says("done"), "\(reader.lines) \(machine.logTail)")
            }
            #expect(remote(machine) == ["f", "f/b.txt"])
            #expect(machine.read(machine.remote + "/f/b.txt") == "from a")
            #expect(try machine.succeed("cat", "d:/f/b.txt") == "from a")
            // What was here of the other one is a version of it now.
            let versions = try machine.json("versions", "d:/f/b.txt") as? [[String: Any]] ?? []
            let older = versions.compactMap { $0["path"] as? String }.compactMap(machine.read)
            #expect(older.contains("old") == isHere, "\(versions)")
            #expect(try !machine.succeed("status").contains("In use:"))
        }
    }

    @Test("COORD-19, VER-10: what was changed there and not sent is not replaced, be it by the tool itself")
    func unsent() throws {
        try withFolder { machine in
            _ = try machine.succeed("cat", "d:/f/b.txt")
            let gate = machine.folder + "/gate"
            let mover = try Peer(machine, "place", "d:/a.txt", "d:/f/b.txt", gate)
            try #require(mover.says("granted", within: 40), "\(mover.lines) \(machine.logTail)")
            try machine.write("just written", to: machine.root + "/documents/d/f/b.txt")
            try machine.write("", to: gate)
            #expect(mover.says("error unsyncedEdits"), "\(mover.lines) \(machine.logTail)")
            #expect(Machine.eventually(within: 60) { machine.read(machine.remote + "/f/b.txt") == "just written" })
            #expect(machine.read(machine.remote + "/a.txt") == "from a")
            #expect(remote(machine) == ["a.txt", "f", "f/b.txt"])
        }
    }

    @Test("COORD-30: outside of an access for replacing it, what is there is not replaced")
    func notReplacing() throws {
        try withFolder { machine in
            let gate = machine.folder + "/gate"
            try machine.write("", to: gate)
            let mover = try Peer(machine, "move", "d:/a.txt", "d:/f/b.txt", gate)
            #expect(mover.says("error destinationExists"), "\(mover.lines) \(machine.logTail)")
            #expect(try machine.docent("rename", "d:/a.txt", "d:/f/b.txt").status != 0)
            #expect(remote(machine) == ["a.txt", "f", "f/b.txt"])
        }
    }

    @Test("COORD-19: an edit of the moved document that was not sent yet goes with it")
    func edited() throws {
        try withFolder { machine in
            let gate = machine.folder + "/gate"
            let writer = try Peer(machine, "write", "d:/a.txt", "edited")
            #expect(writer.says("done"), "\(writer.lines)")
            try machine.write("", to: gate)
            let mover = try Peer(machine, "place", "d:/a.txt", "d:/f/b.txt", gate)
            #expect(mover.says("done"), "\(mover.lines) \(machine.logTail)")
            #expect(Machine.eventually(within: 60) { machine.read(machine.remote + "/f/b.txt") == "edited" })
            #expect(remote(machine) == ["f", "f/b.txt"])
        }
    }

    // MARK: A provider that refuses

    /// - Parameter change: what becomes of the remote, unseen, before the document is moved.
    private func withTree(
        hasFeed: Bool = true, _ change: (inout RemoteTree) -> Void, _ body: (Machine) throws -> Void
    ) throws {
        try Machine.with { machine in
            try machine.addRemoteTree("d", hasFeed: hasFeed, isWritable: true)
            var tree = RemoteTree(items: ["a": ["/", "a.txt", "alpha"], "b": ["/", "b.txt", "beta"]])
            try machine.provide(tree, in: "d")
            try machine.succeed("refresh", "d:/")
            for name in ["a.txt", "b.txt"] { _ = try machine.succeed("cat", "d:/" + name) }
            change(&tree)
            try machine.provide(tree, in: "d")
            try body(machine)
            #expect(try Machine.eventually(within: 60) { try !machine.succeed("status").contains("In use:") })
        }
    }

    private func withMove(
        hasFeed: Bool = true, after change: (inout RemoteTree) -> Void = { _ in },
        _ body: (Machine, Peer) throws -> Void
    ) throws {
        try withTree(hasFeed: hasFeed, change) { machine in
            let gate = machine.folder + "/gate"
            try machine.write("", to: gate)
            let mover = try Peer(machine, "place", "d:/a.txt", "d:/b.txt", gate)
            #expect(mover.ends(), "\(mover.lines) \(machine.logTail)")
            try body(machine, mover)
        }
    }

    @Test("COORD-19, VER-10: a version there that nobody has seen is not replaced, and both are as they were")
    func unseenVersion() throws {
        try withMove(after: { $0.items["b"] = ["/", "b.txt", "unseen"] }) { machine, mover in
            #expect(mover.says("error versionNoLongerAvailable"), "\(mover.lines) \(machine.logTail)")
            let items = try machine.provided(in: "d").items
            #expect(items == ["a": ["/", "a.txt", "alpha"], "b": ["/", "b.txt", "unseen"]])
            #expect(try machine.succeed("cat", "d:/a.txt") == "alpha")
            #expect(try Machine.eventually(within: 60) { try machine.succeed("cat", "d:/b.txt") == "unseen" })
        }
    }

    @Test("COORD-19, PICK-6: a tool that dies in the middle leaves no hole: what was begun is done to its end")
    func diesInTheMiddle() throws {
        try Machine.with { machine in
            let until = machine.folder + "/until"
            try machine.addRemoteTree("d", isWritable: true)
            var tree = RemoteTree(items: ["a": ["/", "a.txt", "alpha"], "b": ["/", "b.txt", "beta"]])
            try machine.provide(tree, in: "d")
            try machine.succeed("refresh", "d:/")
            for name in ["a.txt", "b.txt"] { _ = try machine.succeed("cat", "d:/" + name) }
            tree.waiting = ["modify": until]
            try machine.provide(tree, in: "d")
            let gate = machine.folder + "/gate"
            try machine.write("", to: gate)
            let mover = try Peer(machine, "place", "d:/a.txt", "d:/b.txt", gate)
            let calls = machine.root + "/.docent/providers/d/calls"
            #expect(
                Machine.eventually(within: 60) { machine.read(calls)?.contains("modify b") == true },
                "\(mover.lines) \(machine.logTail)")
            mover.kill()
            let reader = try Peer(machine, "hold", "read", "d:/b.txt", gate)
            #expect(
                try Machine.eventually(within: 60) { try machine.succeed("status").contains("waits to read d:/b.txt") },
                "nobody sees it while it is done: \(reader.lines)")
            try machine.write("", to: until)
            #expect(reader.says("granted alpha"), "\(reader.lines) \(machine.logTail)")
            #expect(try Machine.eventually(within: 60) { try machine.provided(in: "d").items.count == 1 })
            #expect(try machine.provided(in: "d").items == ["a": ["/", "b.txt", "alpha"]])
            #expect(try Machine.eventually(within: 60) { try !machine.succeed("status").contains("In use:") })
        }
    }

    @Test("COORD-19: a document that was not sent yet replaces nothing: what is there would be gone before it came")
    func arriving() throws {
        try Machine.with { machine in
            let until = machine.folder + "/until"
            try machine.addRemoteTree("d", isWritable: true)
            let tree = RemoteTree(items: ["b": ["/", "b.txt", "beta"]], waiting: ["create": until])
            try machine.provide(tree, in: "d")
            try machine.succeed("refresh", "d:/")
            let gate = machine.folder + "/gate"
            try machine.write("", to: gate)
            let writer = try Peer(machine, "put", "d:/n.txt", "new", gate)
            #expect(writer.says("done"), "\(writer.lines) \(machine.logTail)")
            let mover = try Peer(machine, "place", "d:/n.txt", "d:/b.txt", gate)
            #expect(mover.says("error unsyncedEdits"), "\(mover.lines) \(machine.logTail)")
            #expect(try machine.provided(in: "d").items == ["b": ["/", "b.txt", "beta"]])
            try machine.write("", to: until)
            #expect(try Machine.eventually(within: 60) { try machine.provided(in: "d").items.count == 2 })
            #expect(try machine.succeed("cat", "d:/b.txt") == "beta")
            #expect(try machine.succeed("cat", "d:/n.txt") == "new")
        }
    }

    @Test("COORD-19, ID-4: nothing is replaced where identifiers may follow names")
    func withoutFeed() throws {
        try withMove(hasFeed: false) { machine, mover in
            #expect(mover.says("error destinationExists"), "\(mover.lines) \(machine.logTail)")
            let items = try machine.provided(in: "d").items
            #expect(items == ["a": ["/", "a.txt", "alpha"], "b": ["/", "b.txt", "beta"]])
        }
    }

    @Test("PICK-6: when the document cannot be moved, both are as they were")
    func refusedMove() throws {
        try withMove(after: { $0.refusing = ["modify": ["a"]] }) { machine, mover in
            #expect(mover.says("error notPermitted"), "\(mover.lines) \(machine.logTail)")
            let items = try machine.provided(in: "d").items
            #expect(items == ["a": ["/", "a.txt", "alpha"], "b": ["/", "b.txt", "beta"]])
            #expect(try machine.succeed("cat", "d:/b.txt") == "beta")
            #expect(try machine.succeed("cat", "d:/a.txt") == "alpha")
        }
    }

    @Test("COORD-19: when what was replaced cannot be removed, it stays beside, and the tool is told where")
    func refusedRemoval() throws {
        try withMove(after: { $0.refusing = ["delete": ["b"]] }) { machine, mover in
            #expect(mover.says("error notPermitted"), "\(mover.lines) \(machine.logTail)")
            #expect(mover.lines.joined().contains("b (conflict "), "\(mover.lines)")
            let items = try machine.provided(in: "d").items
            #expect(items["a"] == ["/", "b.txt", "alpha"])
            #expect(items["b"]?[2] == "beta")
            #expect(try machine.succeed("cat", "d:/b.txt") == "alpha")
        }
    }
}
