import Foundation
import Glibc
import Testing

/// Every command of the CLI for documents, on a folder as the remote: what it does, and what it prints.
@Suite(.serialized) struct CommandTests: CommandSuite {
    @Test func listingShowsPlaceholdersAndDownloadsNothing() throws {
        try withWork { machine in
            let listing = try machine.succeed("ls", "work:/")
            #expect(listing.hasPrefix("STATE"))
            #expect(listing.contains("Letters/") && listing.contains("one.txt"))
            let items = try machine.json("ls", "work:/") as? [[String: Any]]
            #expect(items?.compactMap { $0["name"] as? String }.sorted() == ["Letters", "one.txt"])
            #expect(try state("work:/one.txt", machine) == "placeholder")
            #expect(!FileManager.default.fileExists(atPath: machine.root + "/documents/work/one.txt"))
            #expect(try machine.json("ls", "work:/Letters/two.txt") as? [[String: Any]] != nil)
            try FileManager.default.createDirectory(
                atPath: machine.remote + "/Empty", withIntermediateDirectories: false)
            #expect(try (machine.json("ls", "work:/Empty", "--refresh") as? [Any])?.isEmpty == true)
        }
    }

    @Test func catOpenAndACommandAllReadTheContents() throws {
        try withWork { machine in
            #expect(try machine.succeed("cat", "work:/one.txt", "work:/Letters/two.txt") == "one\ntwo two\n")
            #expect(try state("work:/one.txt", machine) == "materialised")
            let path = try machine.succeed("open", "work:/one.txt").trimmingCharacters(in: .newlines)
            #expect(path == machine.root + "/documents/work/one.txt")
            #expect(machine.read(path) == "one\n")
            #expect(try machine.succeed("open", "work:/one.txt", "--with", "cat") == "one\n")
            #expect(try machine.succeed("open", "work:/one.txt", "--with", "sh", "-c", "wc -l < '{}'") == "1\n")
        }
    }

    @Test func theCommandsExitStatusIsHandedOn() throws {
        try withWork { machine in
            let failing = try machine.docent("open", "work:/one.txt", "--with", "sh", "-c", "exit 3")
            #expect(failing.status == 3)
            #expect(failing.errors == "docent: sh ended with status 3.\n")
            let killed = try machine.docent("open", "work:/one.txt", "--with", "sh", "-c", "kill -TERM $$")
            #expect(killed.status == 128 + SIGTERM)
            let missing = try machine.docent("open", "work:/one.txt", "--with", "no-such-command")
            #expect(missing.status == 1)
            #expect(missing.errors.hasPrefix("docent: The command “no-such-command” cannot be run"))
        }
    }

    @Test func anEditIsSentAndAnEditThatChangesNothingSaysSo() throws {
        try withWork { machine in
            let edit = try machine.docent("edit", "work:/one.txt", "--with", "sed", "-i", "s/one/1/")
            #expect(edit.status == 0, "\(edit.errors)")
            #expect(edit.errors == "Sent work:/one.txt.\n")
            #expect(machine.read(machine.remote + "/one.txt") == "1\n")
            let unchanged = try machine.docent("edit", "work:/one.txt", "--with", "true")
            #expect(unchanged.errors == "work:/one.txt was not changed.\n")
            let withEditor = try machine.docent(
                "edit", "work:/one.txt", environment: ["VISUAL": "sed -i s/1/I/", "EDITOR": "false"])
            #expect(withEditor.status == 0, "\(withEditor.errors)")
            #expect(machine.read(machine.remote + "/one.txt") == "I\n")
            let withoutEditor = try machine.docent("edit", "work:/one.txt")
            #expect(withoutEditor.status == 1)
            #expect(withoutEditor.errors.contains("set VISUAL or EDITOR"))
        }
    }

    @Test func aFailedEditorsChangesAreSentTooAndItsStatusIsHandedOn() throws {
        try withWork { machine in
            let edit = try machine.docent("edit", "work:/one.txt", "--with", "sh", "-c", "echo more >> '{}'; exit 7")
            #expect(edit.status == 7)
            #expect(machine.read(machine.remote + "/one.txt") == "one\nmore\n")
        }
    }

    @Test("PICK-1: import makes a copy of one's own")
    func imports() throws {
        try withWork { machine in
            let copy = machine.folder + "/work/one.txt"
            #expect(try machine.succeed("import", "work:/one.txt") == "one.txt\n")
            #expect(machine.read(copy) == "one\n")
            try machine.write("mine\n", to: copy)
            #expect(machine.read(machine.remote + "/one.txt") == "one\n")
            let again = try machine.docent("import", "work:/one.txt")
            #expect(again.status == 1)
            #expect(
                again.errors
                    == "docent: one.txt exists already: choose another name, or replace it with --force.\n")
            #expect(machine.read(copy) == "mine\n")
            try machine.succeed("import", "--force", "work:/one.txt")
            #expect(machine.read(copy) == "one\n")
            try machine.succeed("import", "work:/Letters/two.txt", machine.folder + "/home")
            #expect(machine.read(machine.folder + "/home/two.txt") == "two two\n")
            let folder = try machine.docent("import", "work:/Letters", "x")
            #expect(folder.status == 1)
        }
    }

    @Test("PICK-3, PICK-19: export copies, and replaces nothing unasked")
    func exports() throws {
        try withWork { machine in
            let local = machine.folder + "/work/new.txt"
            try machine.write("new\n", to: local)
            #expect(try machine.succeed("export", "new.txt", "work:/Letters") == "work:/Letters/new.txt\n")
            #expect(machine.read(machine.remote + "/Letters/new.txt") == "new\n")
            #expect(machine.read(local) == "new\n")
            try machine.write("newer\n", to: local)
            let again = try machine.docent("export", "new.txt", "work:/Letters/new.txt")
            #expect(again.status == 1)
            #expect(again.errors.contains("work:/Letters/new.txt exists already"))
            #expect(machine.read(machine.remote + "/Letters/new.txt") == "new\n")
            try machine.succeed("export", "--force", "new.txt", "work:/Letters/new.txt")
            #expect(machine.read(machine.remote + "/Letters/new.txt") == "newer\n")
            let missing = try machine.docent("export", "none.txt", "work:/")
            #expect(missing.status == 1)
            #expect(missing.errors.hasPrefix("docent: There is no file none.txt"))
            let folder = try machine.docent("export", ".", "work:/")
            #expect(folder.status == 1)
        }
    }

    @Test("PICK-4, PICK-6: move hands the document over; a refused one stays where it was")
    func moves() throws {
        try withWork { machine in
            let local = machine.folder + "/work/given.txt"
            try machine.write("given\n", to: local)
            let refused = try machine.docent("move", "given.txt", "work:/one.txt")
            #expect(refused.status == 1)
            #expect(machine.read(local) == "given\n")
            #expect(machine.read(machine.remote + "/one.txt") == "one\n")
            let forced = try machine.docent("move", "--force", "--no-wait", "given.txt", "work:/one.txt")
            #expect(forced.status == 1 && forced.errors.contains("leave out --force, or --no-wait."), "\(forced)")
            #expect(try machine.succeed("move", "given.txt", "work:/") == "work:/given.txt\n")
            #expect(machine.read(local) == nil)
            #expect(machine.read(machine.remote + "/given.txt") == "given\n")
            #expect(try machine.succeed("cat", "work:/given.txt") == "given\n")
        }
    }

    @Test("A folder cannot replace what is there, and only leaving out --force helps: it is always sent later")
    func forcedFolder() throws {
        try withWork { machine in
            let folder = machine.folder + "/work/Box"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            for words in [["--force"], ["--force", "--no-wait"]] {
                let refused = try machine.run(
                    machine.folder + "/bin/docent", ["move"] + words + ["Box", "work:/one.txt"])
                #expect(refused.status == 1 && refused.errors.hasSuffix("leave out --force.\n"), "\(refused)")
            }
            #expect(FileManager.default.fileExists(atPath: folder))
        }
    }

    @Test func foldersAreMadeItemsRenamedAndRemoved() throws {
        try withWork { machine in
            try machine.succeed("mkdir", "work:/New")
            let again = try machine.docent("mkdir", "work:/New")
            #expect(again.status == 1)
            #expect(again.errors.hasPrefix("docent: work:/New exists already: choose another name.\n"))
            try machine.succeed("rename", "work:/one.txt", "eins.txt")
            try machine.succeed("rename", "work:/eins.txt", "work:/New/eins.txt")
            #expect(machine.read(machine.remote + "/New/eins.txt") == "one\n")
            #expect(machine.read(machine.remote + "/one.txt") == nil)
            let taken = try machine.docent("rename", "work:/New/eins.txt", "work:/Letters/two.txt")
            #expect(taken.status == 1)
            #expect(machine.read(machine.remote + "/Letters/two.txt") == "two two\n")
            let full = try machine.docent("rm", "work:/New")
            #expect(full.status == 1)
            #expect(full.errors.contains("not empty"))
            try machine.succeed("rm", "work:/New/eins.txt", "work:/New")
            #expect(!FileManager.default.fileExists(atPath: machine.remote + "/New"))
            try machine.succeed("rm", "-r", "work:/Letters")
            #expect(!FileManager.default.fileExists(atPath: machine.remote + "/Letters"))
            let some = try machine.docent("rm", "work:/none-1", "work:/none-2")
            #expect(some.status == 1)
            #expect(some.errors.split(separator: "\n").filter { $0.hasPrefix("docent: ") }.count == 2)
        }
    }

    @Test("XFER-9: evict leaves placeholders, download brings everything below a folder")
    func placement() throws {
        try withWork { machine in
            try machine.succeed("download", "work:/")
            #expect(try state("work:/Letters/two.txt", machine) == "materialised")
            let evicted = try machine.docent("evict", "work:/")
            #expect(evicted.status == 0)
            #expect(evicted.errors == "work:/: 2 documents evicted, 12 B freed.\n")
            #expect(try state("work:/Letters/two.txt", machine) == "placeholder")
            #expect(machine.read(machine.root + "/documents/work/one.txt") == nil)
            #expect(machine.read(machine.remote + "/one.txt") == "one\n")
        }
    }

    @Test func aChangeOfTheRemoteArrivesByItself() throws {
        try withWork { machine in
            #expect(try machine.succeed("cat", "work:/one.txt") == "one\n")
            try machine.write("one, changed\n", to: machine.remote + "/one.txt")
            try machine.write("three\n", to: machine.remote + "/three.txt")
            #expect(
                try Machine.eventually { try machine.docent("cat", "work:/one.txt").output == "one, changed\n" })
            #expect(try Machine.eventually { try machine.succeed("ls", "work:/").contains("three.txt") })
        }
    }

    @Test("A change on both sides is a reported conflict, both contents are kept, and each way out of it works")
    func conflicts() throws {
        for (keep, here, beside) in [
            ("local", "one\nours\n", 0), ("remote", "one\ntheirs\n", 0), ("both", "one\ntheirs\n", 1),
        ] {
            try withWork { machine in
                let theirs = machine.remote + "/one.txt"
                let edit = try machine.docent(
                    "edit", "work:/one.txt", "--with", "sh", "-c", "echo ours >> '{}'; echo theirs >> '\(theirs)'")
                #expect(edit.status == 1)
                #expect(edit.errors.contains("conflict") || edit.errors.contains("both contents are kept"))
                #expect(try state("work:/one.txt", machine) == "conflict")
                let item = try machine.json("stat", "work:/one.txt") as? [String: Any]
                #expect((item?["path"] as? String).flatMap(machine.read) == "one\nours\n")
                #expect((item?["conflictPath"] as? String).flatMap(machine.read) == "one\ntheirs\n")
                let status = try machine.succeed("status")
                #expect(status.contains("docent resolve work:/one.txt --keep local|remote|both"))
                #expect(status.contains("1 waiting") && !status.contains("failed"), "\(status)")

                let resolved = try machine.docent("resolve", "work:/one.txt", "--keep", keep)
                #expect(
                    resolved.errors
                        == (keep == "remote"
                            ? "The conflict of work:/one.txt is over: it is what the remote has. What it was before is among its versions: docent versions work:/one.txt.\n"
                            : "Sent work:/one.txt.\n"),
                    "\(resolved)")
                #expect(resolved.status == 0)
                #expect(try machine.succeed("cat", "work:/one.txt") == here)
                #expect(Machine.eventually { machine.read(theirs) == here })
                let names = try (machine.json("ls", "work:/") as? [[String: Any]])?.compactMap { $0["name"] as? String }
                let copies = names?.filter { $0.hasPrefix("one") && $0 != "one.txt" } ?? []
                #expect(copies.count == beside)
                if let copy = copies.first { #expect(machine.read(machine.remote + "/" + copy) == "one\nours\n") }
                #expect(try state("work:/one.txt", machine) != "conflict")
            }
        }
    }

    @Test("VER-5: a conflict that ends in favour of the remote leaves a document that is read offline, too")
    func resolvedOffline() throws {
        try withWork { machine in
            let theirs = machine.remote + "/one.txt"
            let edit = try machine.docent(
                "edit", "work:/one.txt", "--with", "sh", "-c", "echo ours >> '{}'; echo theirs >> '\(theirs)'")
            #expect(edit.status == 1)
            #expect(try state("work:/one.txt", machine) == "conflict")
            try FileManager.default.moveItem(atPath: machine.remote, toPath: machine.remote + "-away")
            try machine.succeed("resolve", "work:/one.txt", "--keep", "remote")
            #expect(try state("work:/one.txt", machine) == "materialised")
            #expect(try machine.succeed("cat", "work:/one.txt") == "one\ntheirs\n")
            let versions = try machine.json("versions", "work:/one.txt") as? [[String: Any]] ?? []
            let older = versions.filter { $0["kind"] as? String == "older" }.compactMap { $0["path"] as? String }
            #expect(older.map(machine.read).contains("one\nours\n"))
        }
    }

    @Test func aReaderThatGoesAwayIsNoError() throws {
        try withWork { machine in
            try machine.write(String(repeating: "line\n", count: 1_000_000), to: machine.remote + "/long.txt")
            let script = "'\(machine.folder)/bin/docent' cat work:/long.txt | head -n 1; echo ${PIPESTATUS[0]}"
            let result = try machine.run("/bin/bash", ["-c", script])
            #expect(result.output == "line\n0\n")
            #expect(result.errors == "")
        }
    }
}
