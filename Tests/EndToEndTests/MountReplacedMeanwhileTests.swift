import DocumentStorage
import Foundation
import Glibc
import Testing

/// A document is moved onto another one in a mount while its host dies, or while it has another side.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MountReplacedMeanwhileTests {
    private func withTwo(killing step: JournalStep?, _ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            for name in ["a", "b"] { try machine.write("\(name)\n", to: machine.remote + "/\(name).txt") }
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("host", "stop")
            #expect(Machine.eventually { machine.daemon == nil })
            let environment = step.map { ["DOCENT_TEST_KILL_AT_STEP": $0.rawValue] } ?? [:]
            let first = try machine.run(machine.folder + "/bin/docent", ["ls", "work:/"], environment: environment)
            #expect(first.status == 0, "\(first)")
            try machine.mounted { try body(machine) }
        }
    }

    @Test(
        "A document that is moved onto another one while the host dies is there in the end, with what was flushed into it",
        arguments: [JournalStep.itemDropped, .removeCleared, .removeFinished], [true, false])
    func hostDies(at step: JournalStep, isSent: Bool) throws {
        try withTwo(killing: step) { (machine) throws in
            let host = try #require(machine.daemon)
            try machine.sh("cat work/a.txt work/b.txt")
            if !isSent { try machine.succeed("pause", "work:/a.txt") }
            try machine.sh("echo token >> work/a.txt; sync work/a.txt")
            if isSent {
                #expect(Machine.eventually(within: 30) { machine.read(machine.remote + "/a.txt") == "a\ntoken\n" })
                #expect(
                    try Machine.eventually(within: 30) {
                        try machine.succeed("status").contains("Everything is in sync")
                    })
                // The mount is through with it, too.
                usleep(2_000_000)
            }
            let moved = try machine.shell("mv -f work/a.txt work/b.txt")
            #expect(Machine.eventually { machine.daemon != host }, "it was not killed at \(step): \(moved)")
            #expect(moved.status == 0, "\(moved.errors) \(machine.logTail)")
            // What a start finds is done by the next one at the latest.
            for _ in 0..<2 {
                try machine.succeed("resume", "work:/")
                #expect(try machine.sh("ls work; cat work/b.txt") == "b.txt\na\ntoken\n", "\(machine.logTail)")
                #expect(
                    Machine.eventually(within: 30) { machine.read(machine.remote + "/b.txt") == "a\ntoken\n" },
                    "\(machine.logTail)")
                try machine.succeed("host", "stop")
                #expect(Machine.eventually { machine.daemon == nil })
                usleep(1_500_000)
            }
            #expect(
                Machine.eventually(within: 30) {
                    (try? FileManager.default.contentsOfDirectory(atPath: machine.remote)) == ["b.txt"]
                })
        }
    }

    @Test(
        "PH-8: who opens a document that was replaced after the host's death gets what is there, also while a program has the other one open to write"
    )
    func replacedWhileWritten() throws {
        try withTwo(killing: nil) { (machine) throws in
            let late = machine.folder + "/late"
            let holder = try machine.background(
                """
                exec 3<> work/a.txt; : > '\(machine.folder)/held'
                while ! test -e '\(machine.folder)/on'; do sleep 0.1; done
                echo lost | LC_ALL=C cat >&3 2> '\(late)'; echo $? >> '\(late)'
                """)
            defer {
                kill(holder.processIdentifier, SIGKILL)
                holder.waitUntilExit()
            }
            try #require(Machine.eventually(within: 30) { machine.read(machine.folder + "/held") != nil })
            kill(try #require(machine.daemon), SIGKILL)
            #expect(Machine.eventually { machine.daemon == nil })
            let newer = machine.folder + "/newer"
            try machine.write("newer\n", to: newer)
            try #require(rename(newer, machine.root + "/documents/work/a.txt") == 0)
            #expect(
                try Machine.eventually(within: 30) { try machine.shell("cat work/a.txt").output == "newer\n" },
                "\(machine.logTail)")
            let seen = try machine.sh("stat -c %s work/a.txt; echo more >> work/a.txt; cat work/a.txt")
            #expect(seen == "6\nnewer\nmore\n")
            try machine.write("", to: machine.folder + "/on")
            #expect(Machine.eventually(within: 30) { machine.read(late)?.hasSuffix("1\n") == true })
            #expect(machine.read(late)?.contains("Stale") == true, "\(machine.read(late) ?? "")")
            #expect(
                Machine.eventually(within: 30) { machine.read(machine.remote + "/a.txt") == "newer\nmore\n" },
                "\(machine.standing(of: "a.txt"))\n\(machine.logTail)")
            #expect(try machine.sh("cat work/a.txt") == "newer\nmore\n")
        }
    }

    @Test("COORD-3: what the remote has removed gives up its name at once; a program that has it open reads on")
    func removedWhileRead() throws {
        try withTwo(killing: nil) { (machine) throws in
            let reader = try machine.background(
                """
                exec 3< work/a.txt; head -c 1 <&3 > '\(machine.folder)/first'
                while ! test -e '\(machine.folder)/on'; do sleep 0.1; done
                cat <&3 > '\(machine.folder)/rest'
                """)
            defer {
                kill(reader.processIdentifier, SIGKILL)
                reader.waitUntilExit()
            }
            try #require(Machine.eventually(within: 30) { machine.read(machine.folder + "/first") == "a" })
            try FileManager.default.removeItem(atPath: machine.remote + "/a.txt")
            try machine.succeed("refresh", "work:/")
            #expect(
                try Machine.eventually(within: 30) { try machine.shell("test -e work/a.txt").status != 0 },
                "\(machine.logTail)")
            #expect(try machine.sh("set -C; echo mine > work/a.txt; cat work/a.txt") == "mine\n")
            #expect(Machine.eventually(within: 30) { machine.read(machine.remote + "/a.txt") == "mine\n" })
            #expect(try machine.succeed("cat", "work:/a.txt") == "mine\n")
            #expect(try Machine.eventually(within: 30) { try machine.succeed("status").contains("in sync") })
            try machine.write("", to: machine.folder + "/on")
            #expect(Machine.eventually(within: 30) { machine.read(machine.folder + "/rest") == "\n" })
        }
    }

    @Test(
        "VER-15: what a program writes to a document that is not here, while the remote removes that, is there again")
    func removedOnTheRemote() throws {
        try withTwo(killing: nil) { (machine) throws in
            #expect(try machine.state("work:/a.txt") == "placeholder")
            let writer = try machine.background(
                """
                exec 3> work/a.txt; echo new >&3; touch '\(machine.folder)/written'
                while ! test -e '\(machine.folder)/on'; do sleep 0.1; done
                exec 3>&-
                """)
            defer {
                kill(writer.processIdentifier, SIGKILL)
                writer.waitUntilExit()
            }
            try #require(Machine.eventually(within: 30) { machine.read(machine.folder + "/written") != nil })
            try FileManager.default.removeItem(atPath: machine.remote + "/a.txt")
            try machine.succeed("refresh", "work:/")
            try machine.write("", to: machine.folder + "/on")
            #expect(
                Machine.eventually(within: 30) { machine.read(machine.remote + "/a.txt") == "new\n" },
                "\(machine.logTail)")
            #expect(
                try Machine.eventually { try machine.shell("cat work/a.txt").output == "new\n" }, "\(machine.logTail)")
        }
    }

    @Test(
        "VER-15: a document in conflict is neither removed nor moved onto another one by who sees one side of it only")
    func inConflict() throws {
        try withTwo(killing: nil) { (machine) throws in
            try machine.sh("cat work/a.txt work/b.txt")
            try machine.succeed("pause", "work:/a.txt")
            try machine.sh("echo ours > work/a.txt")
            try machine.write("theirs, longer\n", to: machine.remote + "/a.txt")
            try machine.succeed("resume", "work:/a.txt")
            #expect(try Machine.eventually(within: 30) { try machine.succeed("conflicts").contains("a.txt") })
            for command in ["mv -f work/a.txt work/b.txt", "rm work/a.txt"] {
                let refused = try machine.shell(command)
                #expect(refused.errors.contains("Device or resource busy"), "\(command): \(refused)")
            }
            #expect(try machine.sh("cat work/b.txt") == "b\n")
            #expect(try machine.succeed("conflicts").contains("a.txt"))
            try machine.succeed("resolve", "work:/a.txt", "--keep", "both")
            let all = try machine.sh("cat work/*")
            for contents in ["ours\n", "theirs, longer\n", "b\n"] { #expect(all.contains(contents), "\(all)") }
        }
    }
}

extension Machine {
    /// What the remote has of a document, and what the host is at with it: of what only waits, or is in conflict, its log says
    /// nothing.
    fileprivate func standing(of name: String) -> String {
        let asked = [["status"], ["status", "work:/\(name)"], ["conflicts"]]
        let answers = asked.map { words -> String in
            guard let result = try? run(folder + "/bin/docent", words, environment: [:], input: nil, timeout: 30) else {
                return "docent \(words) did not answer"
            }
            return result.output + result.errors
        }
        return (["the remote: \(read(remote + "/" + name) ?? "(none)")"] + answers).joined(separator: "\n")
    }
}
