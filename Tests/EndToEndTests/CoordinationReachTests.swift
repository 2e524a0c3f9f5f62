import DocumentClient
import DocumentModel
import Foundation
import Glibc
import SystemPackage
import Testing

/// Coordination reaches providers, and what providers tell reaches presenters.
@Suite(.serialized) struct CoordinationReachTests {
    // MARK: A provider that tells what it is asked

    private func withTelling(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try setUpTelling(machine)
            try body(machine)
        }
    }

    private func setUpTelling(_ machine: Machine) throws {
        try machine.installPythonProvider("TellingProvider")
        try machine.succeed("domain", "add", "t", "--provider", "org.example.telling")
    }

    /// What the provider was asked so far.
    private func calls(_ machine: Machine) -> [String] {
        machine.calls(of: "t")
    }

    @Test(
        "COORD-9, DOWN-2, PROV-8, PROV-14: a reader of a placeholder gets the contents, or the provider's error; then it is tried again"
    )
    func contents() throws {
        try withTelling { machine in
            try machine.write("x", to: machine.folder + "/away")
            try machine.succeed("export", machine.folder + "/away", "t:/away")
            let refused = try Peer(machine, "hold", "read", "t:/Welcome.md", machine.folder + "/never")
            #expect(refused.says("error serverUnreachable"), "\(refused.lines) \(machine.logTail)")
            #expect(refused.lines.joined().contains("on holiday"), "\(refused.lines)")
            #expect(!refused.lines.contains { $0.hasPrefix("granted") }, "the closure does not run (COORD-8)")
            try machine.succeed("rm", "t:/away")
            let reader = try Peer(machine, "hold", "read", "t:/Welcome.md", machine.folder + "/never")
            #expect(reader.says("granted # Welcome"), "\(reader.lines) \(machine.logTail)")
            #expect(calls(machine).filter { $0 == "start Welcome.md" }.count == 2, "\(calls(machine))")
        }
    }

    @Test("PROV-14: the provider's error arrives with its code, its sentence and its causes")
    func error() async throws {
        try await Machine.with { machine in
            try setUpTelling(machine)
            try machine.write("x", to: machine.folder + "/away")
            try machine.succeed("export", machine.folder + "/away", "t:/away")
            try await machine.client { client in
                let error = await #expect(throws: DocumentError.self) {
                    try await client.coordinate(readingItemAt: try Location("t:/Welcome.md")) { _, _ in }
                }
                #expect(error?.code == .serverUnreachable)
                let sentence = "The handbook is on holiday. Try again next week."
                #expect(error?.message == "t:/Welcome.md cannot be provided: " + sentence)
                #expect(error?.causes == [sentence, "Its keeper is at the sea."])
            }
        }
    }

    @Test("COORD-8, PROV-9, PROV-10: a coordinated write ends in itemChanged, once for all of it, and in stopProviding")
    func changed() throws {
        try withTelling { machine in
            let writer = try Peer(machine, "write", "t:/Welcome.md", "new")
            #expect(writer.says("done"), "\(writer.lines) \(machine.logTail)")
            #expect(Machine.eventually { calls(machine).contains("changed Welcome.md") }, "\(calls(machine))")
            #expect(Machine.eventually(within: 60) { calls(machine).contains("stop Welcome.md") }, "\(calls(machine))")
            let asked = calls(machine).filter { $0.hasSuffix(" Welcome.md") && !$0.hasPrefix("start") }
            #expect(asked.filter { $0 == "changed Welcome.md" }.count == 1, "\(asked)")
            #expect(!calls(machine).contains("changed First day/Checklist.txt"))
            // A read changes nothing.
            _ = try machine.succeed("cat", "t:/First day/Checklist.txt")
            #expect(calls(machine).filter { $0.hasPrefix("changed") } == ["changed Welcome.md"])
        }
    }

    @Test(
        "COORD-8, PROV-10: when the last user is gone, and not before, the provider stops providing; also when it was killed"
    )
    func stopped() throws {
        try withTelling { machine in
            let (gate, never) = (machine.folder + "/gate", machine.folder + "/never")
            let one = try Peer(machine, "hold", "read", "t:/Welcome.md", gate)
            let other = try Peer(machine, "hold", "read", "t:/Welcome.md", never)
            #expect(one.says("granted") && other.says("granted"), "\(one.lines) \(other.lines) \(machine.logTail)")
            try machine.write("", to: gate)
            #expect(one.says("done"))
            // It is told a moment after the end, and some time more has passed then.
            usleep(600_000)
            #expect(!calls(machine).contains("stop Welcome.md"), "\(calls(machine))")
            other.kill()
            #expect(Machine.eventually { calls(machine).contains("stop Welcome.md") }, "\(calls(machine))")
            usleep(600_000)
            #expect(calls(machine).filter { $0 == "stop Welcome.md" }.count == 1, "\(calls(machine))")
        }
    }

    @Test("COORD-37: who cancels while the contents are being brought gets an answer at once, and the transfer ends")
    func cancelledTransfer() throws {
        try withTelling { machine in
            try machine.write("x", to: machine.folder + "/slow")
            try machine.succeed("export", machine.folder + "/slow", "t:/slow")
            let gate = machine.folder + "/gate"
            let reader = try Peer(machine, "cancelled", "t:/Welcome.md", gate)
            #expect(Machine.eventually(within: 60) { calls(machine).contains("start Welcome.md") }, "\(reader.lines)")
            #expect(!calls(machine).contains("ended Welcome.md"))
            #expect(
                try machine.succeed("status").contains(
                    "waits to read t:/Welcome.md until the provider has brought the contents of t:/Welcome.md."))
            try machine.write("", to: gate)
            // Else it would come to no end.
            #expect(reader.says("read cancelled"), "\(reader.lines) \(machine.logTail)")
            #expect(reader.says("done"), "\(reader.lines)")
            // And not only when it is taken for stalled.
            #expect(Machine.eventually(within: 20) { calls(machine).contains("ended Welcome.md") }, "\(calls(machine))")
            #expect(!reader.lines.contains("granted"))
            #expect(try !machine.succeed("status").contains("In use:"))
            try machine.succeed("rm", "t:/slow")
            #expect(try machine.succeed("cat", "t:/Welcome.md").hasPrefix("# Welcome"))
        }
    }

    // MARK: A folder

    private func withFolder(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            mkdir(machine.remote + "/f", 0o700)
            for name in ["a.txt", "f/b.txt"] { try machine.write("from \(name)", to: machine.remote + "/" + name) }
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try body(machine)
        }
    }

    @Test(
        "COORD-4, COORD-7, COORD-17, COORD-30: a tool moves inside of its access; who waits follows, presenters hear of it"
    )
    func move() throws {
        try withFolder { machine in
            let (gate, never) = (machine.folder + "/gate", machine.folder + "/never")
            let editor = try Peer(machine, "present", "d:/f/b.txt", "answer", "60000", never)
            let watcher = try Peer(machine, "watch", "d:/", never)
            #expect(editor.says("presents") && watcher.says("presents"), "\(machine.logTail)")
            let mover = try Peer(machine, "move", "d:/f", "d:/g", gate)
            #expect(mover.says("granted"), "\(mover.lines) \(machine.logTail)")
            let reader = try Peer(machine, "hold", "read", "d:/f/b.txt", never)
            #expect(
                try Machine.eventually { try machine.succeed("status").contains("waits to read d:/f/b.txt") },
                "the move of a folder keeps readers inside waiting")
            try machine.write("", to: gate)
            #expect(mover.says("done"), "\(mover.lines) \(machine.logTail)")
            #expect(reader.says("granted from f/b.txt"), "\(reader.lines) \(machine.logTail)")
            #expect(editor.says("moved to d:/g/b.txt"), "\(editor.lines)")
            #expect(watcher.says("moved d:/f to d:/g"), "\(watcher.lines)")
            #expect(machine.read(machine.remote + "/g/b.txt") == "from f/b.txt")
            #expect(
                try machine.succeed("status").contains("In use:\n  hold (process \(reader.processID)) reads d:/g/b.txt")
            )
        }
    }

    @Test(
        "COORD-7, COORD-19: who waits to replace a document that is renamed meanwhile writes to its place, and leaves it alone"
    )
    func replacingWhatMoves() throws {
        try withFolder { machine in
            let (gate, other) = (machine.folder + "/gate", machine.folder + "/other")
            let mover = try Peer(machine, "move", "d:/a.txt", "d:/b.txt", gate)
            #expect(mover.says("granted"), "\(mover.lines) \(machine.logTail)")
            let writer = try Peer(machine, "replace", "d:/a.txt", "a new one", other)
            #expect(
                try Machine.eventually(within: 60) {
                    try machine.succeed("status").contains("waits to replace d:/a.txt")
                })
            try machine.write("", to: gate)
            #expect(mover.says("done"), "\(mover.lines) \(machine.logTail)")
            try #require(writer.says("written"), "\(writer.lines) \(machine.logTail)")
            #expect(writer.says("item placeholder, no size"), "nothing is there: \(writer.lines)")
            let status = try machine.succeed("status")
            #expect(status.contains("replaces d:/a.txt"), "\(status)")
            try machine.write("", to: other)
            #expect(writer.says("done"), "\(writer.lines) \(machine.logTail)")
            #expect(
                Machine.eventually(within: 60) { machine.read(machine.remote + "/a.txt") == "a new one" },
                "\(machine.logTail)")
            #expect(machine.read(machine.remote + "/b.txt") == "from a.txt")
            #expect(try machine.succeed("cat", "d:/b.txt") == "from a.txt")
        }
    }

    @Test("COORD-14: a folder is read for uploading as one ZIP file, of all that is inside; it is free meanwhile")
    func uploading() throws {
        try withFolder { machine in
            try machine.write("ä", to: machine.remote + "/f/Größe ✓.txt")
            mkdir(machine.remote + "/f/empty", 0o700)
            let (copy, gate) = (machine.folder + "/copy.zip", machine.folder + "/gate")
            let reader = try Peer(machine, "upload", "d:/f", copy, gate)
            #expect(reader.says("granted"), "\(reader.lines) \(machine.logTail)")
            let writer = try Peer(machine, "write", "d:/f/b.txt", "meanwhile")
            #expect(writer.says("done"), "\(writer.lines) \(machine.logTail)")
            let snapshot = try #require(reader.lines.first { $0.hasPrefix("granted ") }).dropFirst(8)
            #expect(access(String(snapshot), F_OK) == 0)
            try machine.write("", to: gate)
            #expect(reader.says("done"), "\(reader.lines) \(machine.logTail)")
            #expect(access(String(snapshot), F_OK) != 0, "the snapshot goes when the accessor has returned")
            let listing = try machine.run(
                "/usr/bin/python3",
                [
                    "-c",
                    "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\n"
                        + "for n in sorted(z.namelist()): print(n, z.read(n).decode())",
                    copy,
                ])
            #expect(
                listing.output == "f/ \nf/Größe ✓.txt ä\nf/b.txt from f/b.txt\nf/empty/ \n",
                "\(listing.output) \(listing.errors)")
        }
    }

    @Test("COORD-16: a tool removes a document and a folder inside of its access for deleting them")
    func delete() throws {
        try withFolder { machine in
            for (place, path) in [("d:/a.txt", "/a.txt"), ("d:/f", "/f")] {
                let remover = try Peer(machine, "delete", place)
                #expect(remover.says("done"), "\(remover.lines) \(machine.logTail)")
                #expect(access(machine.remote + path, F_OK) != 0)
            }
            #expect(try machine.docent("stat", "d:/a.txt").status != 0)
            #expect(try !machine.succeed("status").contains("In use:"))
        }
    }

    @Test(
        "COORD-38: what would wait for the access that it is asked for in, is refused at once: CONT-8, XFER-11, waiting for “uploaded”"
    )
    func traps() throws {
        try withFolder { machine in
            let peer = try Peer(machine, "trapped", "d:/a.txt", "d:/c.txt")
            #expect(peer.says("done"), "\(peer.lines) \(machine.logTail)")
            #expect(
                Array(peer.lines.prefix(6)) == [
                    "rename deadlock", "remove deadlock", "sent deadlock", "download deadlock", "evict busy",
                    "resolve deadlock",
                ])
            #expect(peer.lines.contains("sent afterwards none"))
            #expect(machine.read(machine.remote + "/a.txt") == "changed")
        }
    }

    @Test("COORD-38: so it is inside of a read, also while a writer stands between: nobody waits for ever")
    func readersTraps() throws {
        try withFolder { machine in
            let gate = machine.folder + "/gate"
            let reader = try Peer(machine, "trappedReader", "d:/a.txt", gate)
            #expect(reader.says("granted"), "\(reader.lines) \(machine.logTail)")
            let writer = try Peer(machine, "write", "d:/a.txt", "later")
            #expect(
                try Machine.eventually(within: 60) {
                    try machine.succeed("status").contains("waits to write d:/a.txt")
                })
            // Outdated: to bring it would mean to write it.
            try machine.write("changed elsewhere", to: machine.remote + "/a.txt")
            #expect(
                try Machine.eventually(within: 60) { try machine.succeed("ls", "d:/").contains("outdated") })
            try machine.write("", to: gate)
            #expect(reader.says("done"), "\(reader.lines) \(machine.logTail)")
            #expect(Array(reader.lines.suffix(3)) == ["sent deadlock", "download deadlock", "done"])
            #expect(writer.says("done"), "\(writer.lines) \(machine.logTail)")
        }
    }

    @Test("COORD-26, COORD-28: presenters hear of what changes, appears and moves on the remote")
    func remoteChanges() throws {
        try withFolder { machine in
            let never = machine.folder + "/never"
            // What nobody has looked at is not followed.
            for folder in ["d:/", "d:/f"] { try machine.succeed("ls", folder) }
            let editor = try Peer(machine, "present", "d:/f/b.txt", "answer", "60000", never)
            let watcher = try Peer(machine, "watch", "d:/", never)
            #expect(editor.says("presents") && watcher.says("presents"), "\(machine.logTail)")
            try machine.write("changed elsewhere", to: machine.remote + "/f/b.txt")
            #expect(editor.says("changed"), "\(editor.lines) \(machine.logTail)")
            #expect(watcher.says("changed d:/f/b.txt"), "\(watcher.lines)")
            try machine.write("new", to: machine.remote + "/n.txt")
            #expect(watcher.says("appeared d:/n.txt"), "\(watcher.lines)")
            rename(machine.remote + "/f/b.txt", machine.remote + "/f/c.txt")
            #expect(editor.says("moved to d:/f/c.txt"), "\(editor.lines)")
            #expect(watcher.says("moved d:/f/b.txt to d:/f/c.txt"), "\(watcher.lines)")
        }
    }

    @Test(
        "COORD-3, COORD-4: what is written inside of a folder that the remote moves is safe from who removes its new folder"
    )
    func writtenWhatMoves() throws {
        try withFolder { machine in
            mkdir(machine.remote + "/g", 0o700)
            for folder in ["d:/", "d:/f", "d:/g"] { try machine.succeed("ls", folder) }
            let gate = machine.folder + "/gate"
            let writer = try Peer(machine, "hold", "write", "d:/f/b.txt", gate)
            #expect(writer.says("granted"), "\(writer.lines) \(machine.logTail)")
            rename(machine.remote + "/f", machine.remote + "/g/f")
            #expect(
                try Machine.eventually(within: 60) { try machine.succeed("ls", "d:/g").contains("f") },
                "\(machine.logTail)")
            let path = machine.root + "/documents/d/f/b.txt"
            #expect(machine.read(path) == "from f/b.txt", "it moves when it is not written any more")
            let remover = try Peer(machine, "delete", "d:/g")
            #expect(
                try Machine.eventually(within: 60) { try machine.succeed("status").contains("waits to delete d:/g") },
                "\(remover.lines) \(machine.logTail)")
            try machine.write("written meanwhile", to: path)
            try machine.write("", to: gate)
            #expect(writer.says("done"), "\(writer.lines) \(machine.logTail)")
            #expect(remover.ends(), "\(remover.lines) \(machine.logTail)")
            // It may be sent before the removal looks.
            #expect(remover.lines.contains { $0 == "done" || $0.hasPrefix("error unsyncedEdits") }, "\(remover.lines)")
            #expect(
                remover.lines.last == "done"
                    || Machine.eventually(within: 60) {
                        machine.read(machine.remote + "/g/f/b.txt") == "written meanwhile"
                    }, "\(remover.lines) \(machine.logTail)")
        }
    }

    @Test("COORD-24, COORD-27, VER-4: presenters hear of the version that a conflict brings, and of its end")
    func versions() throws {
        try withFolder { machine in
            let never = machine.folder + "/never"
            let holder = try Peer(machine, "hold", "write", "d:/a.txt", machine.folder + "/gate")
            #expect(holder.says("granted"), "\(holder.lines) \(machine.logTail)")
            let editor = try Peer(machine, "present", "d:/a.txt", "answer", "60000", never)
            #expect(editor.says("presents"), "\(editor.lines)")
            let path = machine.root + "/documents/d/a.txt"
            try machine.write("ours", to: path)
            try machine.write("theirs, and longer", to: machine.remote + "/a.txt")
            try machine.write("", to: machine.folder + "/gate")
            #expect(holder.says("done"), "\(holder.lines)")
            #expect(editor.says("gained"), "\(editor.lines) \(machine.logTail)")
            try machine.succeed("resolve", "d:/a.txt", "--keep", "remote")
            let told = { editor.lines.filter { ["resolved", "lost", "reacquire"].contains($0) } }
            // It goes on once what was asked of it before the versions were told of is over; readers may come after that.
            #expect(
                Machine.eventually(within: 60) {
                    told().lastIndex(of: "lost").map { told()[$0...].contains("reacquire") } == true
                }, "\(editor.lines)")
            #expect(told().filter { $0 != "reacquire" } == ["resolved", "lost"], "\(editor.lines)")
        }
    }

    @Test("COORD-14, PICK-2: in a folder whose move is waited for, documents are read for uploading and chosen by path")
    func besideWhatIsWritten() async throws {
        try await Machine.with { machine in
            for folder in ["f", "g"] { mkdir(machine.remote + "/" + folder, 0o700) }
            for name in ["b.txt", "c.txt"] { try machine.write("from \(name)", to: machine.remote + "/f/" + name) }
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            for folder in ["d:/", "d:/f", "d:/g"] { try machine.succeed("ls", folder) }
            try machine.succeed("download", "d:/f/c.txt")
            let (file, place) = (machine.root + "/documents/d/f/c.txt", try Location("d:/g/f/c.txt"))
            try await machine.client { client in
                let (coordinator, copy) = (FileCoordinator(client), try Location("d:/copy.txt"))
                let written = try Location("d:/f/b.txt")
                let exporting = try await coordinator.coordinate(writingItemAt: written) { _, _ in
                    rename(machine.remote + "/f", machine.remote + "/g/f")
                    #expect(
                        try Machine.eventually(within: 60) { try machine.succeed("ls", "d:/g").contains("f") },
                        "\(machine.logTail)")
                    #expect(machine.read(file) == "from c.txt", "it moves when this access ends")
                    // Not inside of the access, but beside it, by the same coordinator (COORD-6).
                    let read = try await Task.detached {
                        try await coordinator.coordinate(readingItemAt: place, options: .forUploading) { path, _ in
                            machine.read(path.string)
                        }
                    }.value
                    #expect(read == "from c.txt")
                    let request = try PickerRequest(.open, types: [.content])
                    let picked = try await client.withPickerSession(request) { try await $0.open(path: FilePath(file)) }
                    #expect(picked.location == place)
                    // As what it is, and not as somebody's file: it waits as every reader does.
                    let exporting = Task.detached { try await client.exportDocument(FilePath(file), to: copy) }
                    #expect(
                        try Machine.eventually(within: 60) {
                            try machine.succeed("status").contains("waits to read d:/g/f/c.txt")
                        }, "\(machine.logTail)")
                    return exporting
                }
                _ = try await exporting.value
                try await client.waitUntilSent(copy)
            }
            #expect(machine.read(machine.remote + "/copy.txt") == "from c.txt")
            #expect(Machine.eventually { machine.read(machine.root + "/documents/d/g/f/c.txt") == "from c.txt" })
        }
    }
}
