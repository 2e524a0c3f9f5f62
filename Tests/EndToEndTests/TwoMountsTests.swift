import Foundation
import Testing

/// One machine's documents mounted twice: what programs have open in one place, others open in the other one.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct TwoMountsTests {
    /// A domain with a document that is here, mounted at the usual place and beside it.
    private func withTwoMounts(_ options: String..., body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.mounted {
                let second = machine.folder + "/home/Second"
                try FileManager.default.createDirectory(atPath: second, withIntermediateDirectories: true)
                let made = try machine.run(machine.folder + "/bin/docent", ["mount", second] + options)
                defer { _ = try? machine.docent("unmount", second, timeout: 40) }
                try #require(made.status == 0, "\(made.errors)\n\(machine.logTail)")
                try machine.sh("cat work/a.txt")
                try body(machine)
            }
        }
    }

    @Test("What a program has open to write in one mount is read in another one, as far as it is written")
    func reading() throws {
        try withTwoMounts("--read-only") { machine in
            let command = "exec 3<> work/a.txt; printf half >&3; timeout 30 cat ../Second/work/a.txt"
            let read = try machine.sh(command)
            #expect(read == "halft\n")
        }
    }

    @Test("What a program reads in one mount is written in another one meanwhile")
    func writing() throws {
        try withTwoMounts { machine in
            let command = "exec 3< work/a.txt; timeout 30 sh -c 'echo new > ../Second/work/a.txt' && echo done"
            let (said, read) = (try machine.sh(command), try machine.sh("cat work/a.txt"))
            #expect(said == "done\n" && read == "new\n")
        }
    }

    @Test("COORD-2: what is open to write in one mount is EBUSY to who would write it in another one")
    func writers() throws {
        try withTwoMounts { machine in
            let append = "LC_ALL=C timeout 30 sh -c 'echo more >> ../Second/work/a.txt'"
            let refused = try machine.shell("exec 3<> work/a.txt; \(append)")
            #expect(refused.status != 0 && refused.status != 124)
            #expect(refused.errors.contains("Device or resource busy"), "\(refused.errors)\n\(machine.logTail)")
            // That of the one that was closed ends a moment later, and is waited for.
            try machine.sh(append)
            #expect(try machine.sh("cat ../Second/work/a.txt") == "first\nmore\n")
        }
    }
}
