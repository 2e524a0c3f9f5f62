import DocumentTestSupport
import Foundation
import Glibc
import Testing

/// Programs that remove, rename, replace and make what other tools use: the kernel keeps others from the folder meanwhile.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MountClaimTests {
    /// What a program does, and what of it is to be seen then.
    struct Deed: Sendable, CustomTestStringConvertible {
        let command: String
        /// What another tool holds.
        var held = "work:/a.txt"
        let after: String

        var testDescription: String { command }
    }

    private static let deeds = [
        Deed(command: "rm a.txt", after: "b.txt\nf\n"),
        Deed(command: "mv a.txt c.txt", after: "b.txt\nc.txt\nf\n"),
        Deed(command: "mv a.txt f/", after: "b.txt\nf\n"),
        Deed(command: "mv a.txt c.txt", held: "work:/c.txt", after: "b.txt\nc.txt\nf\n"),
        Deed(command: "mv b.txt a.txt", after: "a.txt\nf\n"),
        Deed(command: "mv -T f g", held: "work:/f/inner.txt", after: "a.txt\nb.txt\ng\n"),
        Deed(command: "mkdir g", held: "work:/g", after: "a.txt\nb.txt\nf\ng\n"),
        // By its name: who opens it first waits like any who opens it.
        Deed(command: "python3 -c 'import os; os.truncate(\"a.txt\", 3)'", after: "a.txt\nb.txt\nf\n"),
        Deed(command: "python3 -c 'import os; os.utime(\"a.txt\", (1, 1))'", after: "a.txt\nb.txt\nf\n"),
        Deed(command: "setfattr -n user.tag -v red a.txt", after: "a.txt\nb.txt\nf\n"),
    ]

    private func withDomain(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(
                atPath: machine.remote + "/f", withIntermediateDirectories: true)
            for name in ["a.txt", "b.txt", "f/inner.txt"] { try machine.write(name, to: machine.remote + "/" + name) }
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.mounted {
                try machine.sh("ls -lR work; cat work/*.txt work/f/*")
                try body(machine)
            }
        }
    }

    @Test(
        "COORD-39: who changes what another tool has in use gets EBUSY after some seconds, and nothing is changed; when it is free, it works",
        arguments: TestShare.of(deeds))
    func busy(_ deed: Deed) throws {
        try withDomain { machine in
            let before = try machine.sh("ls work; cat work/*.txt work/f/*; stat -c '%n %s %Y' work/*.txt")
            let gate = machine.folder + "/gate"
            // A tool that writes waits for the mount's own reads: those end a moment after the last program has closed.
            let words = deed.held == "work:/a.txt" || deed.held == "work:/f/inner.txt" ? ["hold", "write"] : ["put"]
            let holder = try Peer(
                machine, words + [deed.held] + (words == ["put"] ? ["-", gate] : [gate]))
            try #require(holder.says("granted", within: 40), "\(holder.lines) \(machine.logTail)")
            let began = Date()
            let refused = try machine.shell("cd work && LC_ALL=C \(deed.command)", timeout: 30)
            let took = Date().timeIntervalSince(began)
            #expect(refused.status != 0)
            #expect(refused.errors.contains("Device or resource busy"), "\(refused.errors)\n\(machine.logTail)")
            #expect(took > 3 && took < 15, "\(took) s")
            #expect(try !machine.succeed("status").contains("waits to"))
            #expect(holder.isRunning)
            try machine.write("", to: gate)
            #expect(holder.says("done"), "\(holder.lines) \(machine.logTail)")
            #expect(try machine.sh("ls work; cat work/*.txt work/f/*; stat -c '%n %s %Y' work/*.txt") == before)
            try machine.sh("cd work && \(deed.command)", timeout: 30)
            #expect(try machine.sh("ls work") == deed.after)
            #expect(try Machine.eventually(within: 30) { try machine.succeed("status").contains("in sync") })
        }
    }

    @Test("COORD-37: who waits for another tool can be interrupted before that, and nothing is changed")
    func interrupted() throws {
        try withDomain { machine in
            let gate = machine.folder + "/gate"
            let holder = try Peer(machine, "hold", "write", "work:/a.txt", gate)
            try #require(holder.says("granted", within: 40), "\(holder.lines) \(machine.logTail)")
            for command in [
                "rm work/a.txt", "mv work/a.txt work/c.txt", "mv work/b.txt work/a.txt", "touch work/a.txt",
            ] {
                let began = Date()
                // 124: it was ended by the time.
                #expect(try machine.shell("timeout 1 \(command)", timeout: 30).status == 124)
                #expect(Date().timeIntervalSince(began) < 4, "\(command)")
            }
            #expect(
                try Machine.eventually(within: 10) { try !machine.succeed("status").contains("waits to") },
                "\(machine.logTail)")
            try machine.write("", to: gate)
            #expect(holder.says("done"), "\(holder.lines) \(machine.logTail)")
            #expect(try machine.sh("ls work") == "a.txt\nb.txt\nf\n")
        }
    }

    @Test("A signal ends a mount soon also while a program waits in a folder of which the kernel is told something")
    func signalled() throws {
        try withDomain { machine in
            let gate = machine.folder + "/gate"
            let holder = try Peer(machine, ["put", "work:/new.txt", "-", gate])
            try #require(holder.says("granted", within: 40), "\(holder.lines) \(machine.logTail)")
            let process = try #require(machine.mounts.first)
            // The kernel keeps the folder from others until this is answered: for five seconds.
            let waiting = try machine.background("touch work/new.txt")
            #expect(try Machine.eventually(within: 4) { try machine.succeed("status").contains("waits to") })
            // It lets go of that name when it has the folder.
            try machine.succeed("rm", "work:/b.txt")
            usleep(300_000)
            kill(process, SIGTERM)
            #expect(Machine.eventually(within: 2) { machine.mounts.isEmpty }, "\(machine.logTail)")
            waiting.waitUntilExit()
            try machine.write("", to: gate)
            #expect(holder.says("done"), "\(holder.lines) \(machine.logTail)")
        }
    }
}
