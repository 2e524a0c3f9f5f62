import Foundation
import Glibc
import Testing

/// Names that programs make where something was, or where something like it is.
@Suite(.serialized, .timeLimit(.minutes(3)), .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MountMakingTests {
    private func withFolder(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try machine.succeed(
                "domain", "add", "w", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.mounted { try body(machine) }
        }
    }

    /// What runs `docent` in a shell.
    private func command(_ machine: Machine) -> String {
        machine.environment.map { "\($0)='\($1)'" }.joined(separator: " ") + " '\(machine.folder)/bin/docent'"
    }

    @Test(
        "COORD-26: a name that a command has removed, or given to nobody, is there to be made at once",
        arguments: ["rm w:/f", "rename w:/f other"])
    func madeAgain(_ command: String) throws {
        try withFolder { machine in
            let docent = self.command(machine)
            let ways = [
                "echo again > w/f", "echo again >> w/f", "echo again | tee w/f", "sh -c 'echo again > w/f'",
                "echo again > w/.tmp && mv w/.tmp w/f",
                "python3 -c 'import os; os.write(os.open(\"w/f\", os.O_CREAT | os.O_RDWR, 0o600), b\"again\\n\")'",
            ]
            for way in ways {
                try machine.sh("echo a > w/f")
                #expect(try Machine.eventually { try machine.state("w:/f") == "materialised" })
                // The kernel keeps the name, and what it is.
                try machine.sh("cat w/f; stat w/f; \(docent) \(command) && \(way)")
                #expect(try machine.sh("cat w/f") == "again\n", "\(way)")
                try machine.sh("rm -rf w/f w/other")
                #expect(try machine.sh("ls w").isEmpty)
            }
        }
    }

    @Test(
        "PH-8: what a command has removed is not there for who would open, read or shorten it",
        arguments: [
            "cat w/f", "truncate -s 1 w/f", "dd if=/dev/zero of=w/f bs=1 count=1 conv=nocreat,notrunc",
        ])
    func gone(_ way: String) throws {
        try withFolder { machine in
            let docent = command(machine)
            try machine.sh("echo a > w/f")
            #expect(try Machine.eventually { try machine.state("w:/f") == "materialised" })
            let way = way == "truncate -s 1 w/f" ? "python3 -c 'import os; os.truncate(\"w/f\", 1)'" : way
            let result = try machine.shell("cat w/f; stat w/f; \(docent) rm w:/f && LC_ALL=C \(way)")
            #expect(result.status != 0 && result.errors.contains("No such file or directory"), "\(result)")
            #expect(try machine.sh("ls w").isEmpty)
        }
    }

    @Test(
        "What differs from a sibling by case or Unicode form only cannot be made: EEXIST, however it is tried",
        arguments: [("New", "new"), ("\u{e9}t\u{e9}", "e\u{301}te\u{301}")])
    func likeASibling(_ one: String, _ other: String) throws {
        try withFolder { machine in
            try machine.sh("echo 1 > 'w/\(one)'")
            let open = "python3 -c 'import os, sys; os.open(sys.argv[1], int(sys.argv[2]), 0o600)' 'w/\(other)'"
            for way in [
                ": > 'w/\(other)'", ": >> 'w/\(other)'", "mkdir 'w/\(other)'", "touch 'w/\(other)'",
                "\(open) \(O_CREAT | O_WRONLY)", "\(open) \(O_CREAT | O_EXCL | O_WRONLY)", "cp 'w/\(one)' 'w/\(other)'",
            ] {
                let result = try machine.shell("LC_ALL=C; export LC_ALL; \(way)")
                #expect(result.status != 0 && result.errors.contains("exist"), "\(way): \(result)")
            }
            #expect(try machine.sh("ls w; cat w/*") == "\(one)\n1\n")
        }
    }
}
