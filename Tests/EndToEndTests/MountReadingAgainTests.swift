import Foundation
import Glibc
import Testing

/// Documents that stay open in the mount for the next program that reads them.
@Suite(.serialized, .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MountReadingAgainTests {
    private func withTree(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(atPath: machine.remote, withIntermediateDirectories: true)
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.write("second\n", to: machine.remote + "/b.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.mounted {
                try machine.sh("cat work/a.txt; cat work/a.txt; cat work/b.txt")
                // The access has ended, and the host knows that the mount is to be asked.
                #expect(try machine.isFree("work:/a.txt"))
                try body(machine)
            }
        }
    }

    @Test("What was read just now is opened without a question: the host may be busy, and answers nobody")
    func withoutTheHost() throws {
        try withTree { (machine) throws in
            // Until everything that has happened is told.
            try machine.sh("sleep 1; cat work/a.txt work/b.txt; stat work/a.txt work/b.txt")
            let daemon = try #require(machine.daemon)
            kill(daemon, SIGSTOP)
            defer { kill(daemon, SIGCONT) }
            #expect(try machine.sh("cat work/a.txt work/b.txt", timeout: 10) == "first\nsecond\n")
        }
    }

    @Test("COORD-23: what a tool of ours writes, and what comes from the remote, is read by the next program")
    func newContents() throws {
        try withTree { (machine) throws in
            try machine.succeed("edit", "work:/a.txt", "--no-wait", "--with", "sh", "-c", "echo written > '{}'")
            #expect(try machine.sh("cat work/a.txt") == "written\n")
            #expect(try machine.sh("cat work/a.txt") == "written\n")
            try machine.write("from the remote\n", to: machine.remote + "/b.txt")
            try machine.succeed("refresh", "work:/")
            #expect(try Machine.eventually(within: 10) { try machine.sh("cat work/b.txt") == "from the remote\n" })
            // By a program that coordinates nothing.
            let status = try machine.json("stat", "work:/a.txt") as? [String: Any]
            try machine.write("beside us\n", to: try #require(status?["path"] as? String))
            #expect(try Machine.eventually(within: 10) { try machine.sh("cat work/a.txt") == "beside us\n" })
        }
    }

    @Test("COORD-2: a writer waits for the program that reads on, and nobody who uses the mount does")
    func writerWaits() throws {
        try withTree { (machine) throws in
            let edit = """
                '\(machine.folder)/bin/docent' edit work:/a.txt --no-wait --with \
                sh -c 'echo edited >> ../log; printf edited > {}'
                """
            let script = """
                exec 3< work/a.txt
                \(edit) 3<&- & other=$!
                sleep 1.5
                echo read >> ../log; cat <&3
                exec 3<&-
                wait $other
                cat ../log work/a.txt
                """
            #expect(try machine.sh(script) == "first\nread\nedited\nedited")
            #expect(
                try machine.sh("exec 3< work/b.txt; echo more >> work/b.txt; cat work/b.txt; cat <&3", timeout: 20)
                    == "second\nmore\nsecond\nmore\n")
        }
    }

    @Test("COORD-41: what nobody reads any more is no reason to keep contents, a document or a domain")
    func nobodyReads() throws {
        try withTree { (machine) throws in
            try machine.succeed("evict", "work:/a.txt")
            #expect(try machine.state("work:/a.txt") == "placeholder")
            #expect(try machine.sh("cat work/a.txt") == "first\n")
            // While a program reads, the contents stay.
            let refused = try machine.shell(
                "exec 3< work/a.txt; '\(machine.folder)/bin/docent' evict work:/a.txt; status=$?; cat <&3; exit $status"
            )
            #expect(refused.status != 0)
            #expect(refused.output == "first\n")
            try machine.succeed("rm", "work:/a.txt")
            #expect(try machine.shell("cat work/a.txt").status != 0)
            try machine.succeed("domain", "remove", "work")
            #expect(try Machine.eventually(within: 10) { try machine.sh("ls") == "" })
        }
    }

    @Test("A document that is read again has its new name, and is gone when a program removes it")
    func renamed() throws {
        try withTree { (machine) throws in
            #expect(try machine.sh("mv work/a.txt work/c.txt; cat work/c.txt; cat work/c.txt") == "first\nfirst\n")
            #expect(try machine.sh("mv work/c.txt work/b.txt; cat work/b.txt; cat work/b.txt") == "first\nfirst\n")
            #expect(try machine.sh("rm work/b.txt; ls work; echo new > work/b.txt; cat work/b.txt") == "new\n")
        }
    }
}

extension Machine {
    /// Whether nothing holds a document, or soon does not.
    fileprivate func isFree(_ location: String) throws -> Bool {
        try Machine.eventually(within: 10) { try !succeed("status").contains("reads \(location)") }
    }
}
