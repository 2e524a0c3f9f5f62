import Foundation
import Glibc
import Testing

/// What hangs keeps nobody waiting but who needs it, as programs see it that know nothing of Docent.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MountPatienceTests {
    @Test(
        "PH-8: a hundred opens that wait for a provider keep nobody from names, from what is here, from making documents, and from other domains"
    )
    func manyOpens() throws {
        try Machine.with { machine in
            for number in 0..<100 { try machine.write("\(number)\n", to: machine.remote + "/\(number)") }
            try machine.write("here\n", to: machine.remote + "/here")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.mounted {
                try machine.sh("ls -l work; cat work/here")
                let provider = try #require(machine.providers.first)
                let second = machine.folder + "/second"
                try FileManager.default.createDirectory(atPath: second, withIntermediateDirectories: false)
                for name in ["b", "c"] { try machine.write("\(name)\n", to: second + "/" + name) }
                try machine.succeed(
                    "domain", "add", "other", "--provider", "org.docent.folder", "--set", "folder=\(second)")
                try machine.sh("ls -l other")
                kill(provider, SIGSTOP)
                defer { kill(provider, SIGCONT) }
                let readers = try machine.background(
                    """
                    exec python3 -c 'import threading
                    for n in range(100): threading.Thread(target=lambda n: open(f"work/{n}").read(), args=[n]).start()'
                    """)
                defer {
                    kill(readers.processIdentifier, SIGKILL)
                    readers.waitUntilExit()
                }
                // The places of the connection are taken by then, or never.
                usleep(2_000_000)
                for command in [
                    "ls -l work > /dev/null", "mkdir work/made", "echo new > work/new", "mv work/new work/made",
                ] {
                    try machine.sh(command, timeout: 10)
                }
                #expect(try machine.sh("cat work/here other/b other/c", timeout: 10) == "here\nb\nc\n")
                #expect(try machine.sh("cat work/made/new", timeout: 10) == "new\n")
                kill(provider, SIGCONT)
                #expect(try machine.sh("cat work/99", timeout: 60) == "99\n")
            }
        }
    }

    @Test("COORD-13, PH-8: what is here waits for a provider that does not say what is new for a moment only, once")
    func unansweredNews() throws {
        try Machine.with { machine in
            try machine.addRemoteTree("d", isWritable: true)
            var tree = RemoteTree(items: ["a": ["/", "a.txt", "alpha\n"], "b": ["/", "b.txt", "beta\n"]])
            try machine.provide(tree, in: "d")
            try machine.succeed("refresh", "d:/")
            try machine.mounted {
                try machine.sh("cat d/a.txt d/b.txt")
                try machine.succeed("host", "stop")
                tree.waiting["changes_since"] = machine.folder + "/news"
                try machine.provide(tree, in: "d")
                let began = Date()
                #expect(try machine.sh("cat d/a.txt", timeout: 20) == "alpha\n")
                try machine.sh("echo more >> d/b.txt; mv d/b.txt d/c.txt", timeout: 20)
                #expect(try machine.sh("cat d/c.txt", timeout: 20) == "beta\nmore\n")
                // A provider may take half a minute for an answer.
                #expect(Date().timeIntervalSince(began) < 20)
                try machine.write("", to: machine.folder + "/news")
                #expect(try Machine.eventually(within: 30) { try machine.succeed("status").contains("in sync") })
            }
        }
    }

    @Test(
        "PH-8: who waits for folders that were never listed keeps nobody from others, from other folders' names, and from the documents beside them"
    )
    func unlistedFolders() throws {
        try Machine.with { machine in
            try machine.addRemoteTree("d", isWritable: true)
            var tree = RemoteTree(items: [
                "a": ["/", "a.txt", "alpha\n"], "b": ["/", "b.txt", "beta\n"], "f": ["/", "f", nil],
                "g": ["f", "g.txt", "gamma\n"],
            ])
            for number in 0..<80 {
                tree.items["far\(number)"] = ["/", "far\(number)", nil]
                tree.items["x\(number)"] = ["far\(number)", "x", "far away\n"]
            }
            try machine.provide(tree, in: "d")
            try machine.succeed("domain", "set", "d", "--look-again", "never")
            try machine.succeed("refresh", "d:/")
            try machine.succeed("ls", "d:/f")
            let second = machine.folder + "/second"
            try FileManager.default.createDirectory(atPath: second, withIntermediateDirectories: false)
            try machine.write("other\n", to: second + "/o")
            try machine.succeed(
                "domain", "add", "other", "--provider", "org.docent.folder", "--set", "folder=\(second)")
            try machine.mounted {
                try machine.sh("cat d/a.txt d/b.txt d/f/g.txt; ls -l other")
                tree.waiting["enumerate"] = machine.folder + "/listed"
                try machine.provide(tree, in: "d")
                // More than the connection to the host has places.
                let looking = try machine.background(
                    """
                    exec python3 -c 'import os, threading
                    def look(n):
                        try: os.stat(f"d/far{n % 79}/x{n}")
                        except OSError: pass
                    for n in range(200): threading.Thread(target=look, args=[n]).start()'
                    """)
                defer {
                    kill(looking.processIdentifier, SIGKILL)
                    looking.waitUntilExit()
                }
                usleep(1_500_000)
                for command in [
                    "ls -l d other > /dev/null", "cat other/o", "cat d/f/g.txt", "mkdir d/made", "echo new > d/new",
                    "mv d/new d/made/", "mv d/a.txt d/f/c.txt", "rm d/b.txt", "cat d/f/c.txt", "mv d/far3 d/moved",
                ] {
                    let began = Date()
                    try machine.sh(command, timeout: 10)
                    #expect(Date().timeIntervalSince(began) < 4, "\(command)")
                }
                // What needs the listing keeps the folder around it waiting for some seconds only.
                let began = Date()
                let refused = try machine.shell("LC_ALL=C rmdir d/far79", timeout: 20)
                #expect(refused.errors.contains("timed out"), "\(refused.errors)")
                #expect(Date().timeIntervalSince(began) < 9)
                try machine.write("", to: machine.folder + "/listed")
                #expect(try machine.sh("cat d/far2/x d/moved/x", timeout: 60) == "far away\nfar away\n")
                #expect(try machine.shell("LC_ALL=C rmdir d/far79", timeout: 60).errors.contains("not empty"))
            }
        }
    }

    @Test("PH-8: a save by rename onto what is not here does not wait for what was there")
    func savedOntoPlaceholder() throws {
        try Machine.with { machine in
            try machine.write("old\n", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.mounted {
                try machine.sh("ls -l work")
                let provider = try #require(machine.providers.first)
                kill(provider, SIGSTOP)
                defer { kill(provider, SIGCONT) }
                try machine.sh("echo new > work/.a.tmp && mv work/.a.tmp work/a.txt", timeout: 20)
                #expect(try machine.sh("cat work/a.txt; ls -A work", timeout: 10) == "new\na.txt\n")
                kill(provider, SIGCONT)
                #expect(Machine.eventually(within: 60) { machine.read(machine.remote + "/a.txt") == "new\n" })
                #expect(try Machine.eventually(within: 30) { try machine.succeed("status").contains("in sync") })
                #expect(try !machine.succeed("conflicts").contains("a.txt"))
            }
        }
    }
}
