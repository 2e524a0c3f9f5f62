import Foundation
import Glibc
import Testing

/// Folders that programs rename and move through a mount while their provider hangs, or is away.
@Suite(.serialized, .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MountFolderMoveTests {
    /// “Reports” with a document and a folder in it, and “other”, all listed, and read.
    private func withTree(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            for folder in ["/Reports/old", "/other"] {
                try FileManager.default.createDirectory(
                    atPath: machine.remote + folder, withIntermediateDirectories: true)
            }
            for (name, text) in [
                ("/a.txt", "first\n"), ("/Reports/b.txt", "second\n"), ("/Reports/old/c.txt", "deep\n"),
            ] {
                try machine.write(text, to: machine.remote + name)
            }
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.mounted {
                try machine.sh("ls -lR; cat work/a.txt work/Reports/b.txt work/Reports/old/c.txt")
                try body(machine)
            }
        }
    }

    private func away(_ machine: Machine) throws {
        try FileManager.default.moveItem(atPath: machine.remote, toPath: machine.remote + "-away")
    }

    private func back(_ machine: Machine) throws {
        try FileManager.default.moveItem(atPath: machine.remote + "-away", toPath: machine.remote)
    }

    private func tree(_ folder: String, _ machine: Machine) -> String {
        (try? machine.shell("cd '\(folder)' && find . -not -path '*/.*' | sort | tr '\\n' ' '"))?.output ?? ""
    }

    private func settles(_ machine: Machine, _ expected: String) -> Bool {
        Machine.eventually(within: 60) {
            tree(machine.remote, machine) == expected
                && (try? machine.succeed("status").contains("Everything is in sync")) == true
        }
    }

    @Test(
        "PH-8: folders are renamed and moved at once while their provider hangs, with what is in them, and are so there later"
    )
    func hanging() throws {
        try withTree { (machine) throws in
            let provider = try #require(machine.providers.first)
            kill(provider, SIGSTOP)
            defer { kill(provider, SIGCONT) }
            for command in [
                "echo more >> work/Reports/b.txt", "mv work/Reports work/R2", "echo new > work/R2/new.txt",
                "mv work/R2/old work/other/old2", "rm work/R2/b.txt; echo other > work/other/old2/d.txt",
                "mkdir work/Reports; mv work/R2 work/Reports/R3", "mv work/other/old2/c.txt work/Reports/R3/c.txt",
                "mv work/Reports work/Again",
            ] { try machine.sh(command, timeout: 10) }
            #expect(
                try machine.sh("ls work work/Again/R3", timeout: 10)
                    == "work:\nAgain\na.txt\nother\n\nwork/Again/R3:\nc.txt\nnew.txt\n")
            let expected =
                ". ./Again ./Again/R3 ./Again/R3/c.txt ./Again/R3/new.txt ./a.txt ./other ./other/old2 ./other/old2/d.txt "
            #expect(tree(machine.tree + "/work", machine) == expected)
            #expect(try machine.sh("cat work/Again/R3/c.txt work/Again/R3/new.txt", timeout: 10) == "deep\nnew\n")
            kill(provider, SIGCONT)
            #expect(settles(machine, expected), "\(tree(machine.remote, machine)) \(machine.logTail)")
            #expect(tree(machine.tree + "/work", machine) == expected)
            #expect(machine.read(machine.remote + "/other/old2/d.txt") == "other\n")
        }
    }

    @Test(
        "Folders that are exchanged on the remote, and here while a document in one is still being written, keep what is in them"
    )
    func exchangedThereAndHere() throws {
        try withTree { (machine) throws in
            try machine.sh("mkdir work/p work/q; echo 'of p' > work/p/f.txt; echo 'of q' > work/q/f.txt")
            #expect(settles(machine, tree(machine.tree + "/work", machine)))
            let exchange = "mv -T p t && mv -T q p && mv -T t q"
            try machine.sh(
                """
                echo more >> work/p/f.txt; sleep 0.2
                (cd '\(machine.remote)' && \(exchange)) && sleep 0.2 && cd work && \(exchange)
                """)
            let isInSync = Machine.eventually(within: 60) {
                machine.read(machine.remote + "/p/f.txt") == "of p\nmore\n"
                    && machine.read(machine.remote + "/q/f.txt") == "of q\n"
                    && (try? machine.succeed("status").contains("Everything is in sync")) == true
            }
            #expect(isInSync, "\(tree(machine.remote, machine)) \(machine.logTail)")
            for folder in [machine.remote, machine.tree + "/work"] {
                #expect(machine.read(folder + "/p/f.txt") == "of p\nmore\n")
                #expect(machine.read(folder + "/q/f.txt") == "of q\n")
            }
            #expect(try machine.sh("cat work/p/f.txt work/q/f.txt") == "of p\nmore\nof q\n")
        }
    }

    @Test(
        "What programs have open in a folder is read and written on while it moves, also offline, and is sent from there"
    )
    func openFiles() throws {
        try withTree { (machine) throws in
            try away(machine)
            let script = machine.folder + "/open.py"
            try machine.write(
                """
                import os
                reader = open("work/Reports/old/c.txt")
                writer = open("work/Reports/b.txt", "a")
                writer.write("begun\\n"); writer.flush()
                new = open("work/Reports/n.txt", "w")
                os.rename("work/Reports", "work/other/Moved")
                new.write("new\\n"); new.close()
                writer.write("ended\\n"); writer.close()
                assert reader.read() == "deep\\n"
                assert open("work/other/Moved/b.txt").read() == "second\\nbegun\\nended\\n"
                assert sorted(os.listdir("work/other/Moved")) == ["b.txt", "n.txt", "old"]
                for wrong, number in [("work/other/Moved/old/x", 22), ("work/a.txt", 20)]:
                    try: os.rename("work/other/Moved", wrong); assert False
                    except OSError as error: assert error.errno == number, error
                os.mkdir("work/empty"); os.mkdir("work/full"); open("work/full/x", "w").close()
                try: os.rename("work/other/Moved", "work/full"); assert False
                except OSError as error: assert error.errno in (39, 17), error
                os.rename("work/other/Moved", "work/empty")
                os.rename("work/empty", "work/Reports"); os.rename("work/Reports", "work/Last")
                print("done")
                """, to: script)
            #expect(try machine.sh("python3 '\(script)'", timeout: 60) == "done\n")
            // The host, too, may end meanwhile.
            if let daemon = machine.daemon { kill(daemon, SIGKILL) }
            #expect(try machine.sh("cat work/Last/b.txt work/Last/n.txt", timeout: 30) == "second\nbegun\nended\nnew\n")
            try back(machine)
            let expected =
                ". ./Last ./Last/b.txt ./Last/n.txt ./Last/old ./Last/old/c.txt ./a.txt ./full ./full/x ./other "
            #expect(settles(machine, expected), "\(tree(machine.remote, machine)) \(machine.logTail)")
            #expect(machine.read(machine.remote + "/Last/b.txt") == "second\nbegun\nended\n")
        }
    }

    @Test(
        "VER-15: a folder that was moved there, too, or removed, is where the remote has it, with all that was written here"
    )
    func bothSides() throws {
        try withTree { (machine) throws in
            try machine.sh("mkdir work/gone; echo x > work/gone/x.txt; echo y > work/gone/y.txt")
            #expect(Machine.eventually(within: 30) { machine.read(machine.remote + "/gone/y.txt") == "y\n" })
            #expect(try Machine.eventually { try machine.succeed("status").contains("Everything is in sync") })
            try away(machine)
            try machine.sh(
                "mv work/Reports work/here; echo more >> work/here/b.txt; mv work/gone work/kept; echo more >> work/kept/x.txt",
                timeout: 20)
            try FileManager.default.moveItem(
                atPath: machine.remote + "-away/Reports", toPath: machine.remote + "-away/other/there")
            try FileManager.default.removeItem(atPath: machine.remote + "-away/gone")
            try back(machine)
            let expected =
                ". ./a.txt ./kept ./kept/x.txt ./other ./other/there ./other/there/b.txt ./other/there/old ./other/there/old/c.txt "
            #expect(settles(machine, expected), "\(tree(machine.remote, machine)) \(machine.logTail)")
            #expect(Machine.eventually(within: 30) { tree(machine.tree + "/work", machine) == expected })
            #expect(machine.read(machine.remote + "/other/there/b.txt") == "second\nmore\n")
            #expect(machine.read(machine.remote + "/kept/x.txt") == "x\nmore\n")
        }
    }
}
