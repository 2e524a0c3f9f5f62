import Foundation
import Glibc
import Testing

/// For whom documents are brought through a mount, and for whom not.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MountBringingTests {
    private func withTree(_ options: [String] = [], _ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.write("second, longer\n", to: machine.remote + "/b.txt")
            try machine.write("third\n", to: machine.remote + "/c.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            let mounted = try machine.run(machine.folder + "/bin/docent", ["mount"] + options)
            try #require(mounted.status == 0, "\(mounted.errors)")
            defer { machine.takeMountAway() }
            try body(machine)
        }
    }

    @Test(
        "PH-8: a program that may not have documents brought causes none by writing, shortening or renaming them either"
    )
    func deniedChanges() throws {
        try withTree(["--deny", "dd", "--deny", "python3", "--deny", "mv"]) { (machine) throws in
            #expect(try machine.sh("cat work/a.txt") == "first\n")
            for command in [
                "printf x | dd of=work/b.txt conv=notrunc status=none",
                "python3 -c 'import os; os.truncate(\"work/b.txt\", 3)'",
                "mv work/b.txt work/a.txt", "mv work/a.txt work/b.txt",
            ] {
                let refused = try machine.shell(command)
                #expect(refused.status != 0, "\(command)")
                #expect(refused.errors.contains("Operation not permitted"), "\(command): \(refused.errors)")
                #expect(try machine.state("work:/b.txt") == "placeholder", "\(command)")
            }
            #expect(try machine.sh("cat work/a.txt; stat -c %s work/b.txt") == "first\n15\n")
            // What needs nothing brought it may.
            try machine.sh(
                """
                set -e; mv work/b.txt work/d.txt; python3 -c 'import os; os.truncate("work/c.txt", 0)'
                mv work/a.txt work/e.txt
                """)
            #expect(try machine.state("work:/d.txt") == "placeholder")
            #expect(Machine.eventually(within: 30) { machine.read(machine.remote + "/c.txt") == "" })
        }
    }

    @Test("docent status names the program also for what was brought to be shortened or replaced")
    func broughtForChanges() throws {
        try withTree { (machine) throws in
            try machine.sh("python3 -c 'import os; os.truncate(\"work/a.txt\", 3)'; mv work/b.txt work/c.txt")
            #expect(try machine.sh("cat work/a.txt; echo; cat work/c.txt") == "fir\nsecond, longer\n")
            let status = try machine.succeed("status")
            #expect(status.contains(#/\n +python3[.0-9]*, through docent mount \(/#), "\(status)")
            #expect(status.contains("  mv, through docent mount ("), "\(status)")
            #expect(!status.contains(#/\n +docent mount \(process [0-9]+\):/#), "\(status)")
        }
    }

    @Test(
        "COORD-6: of two programs that read and empty one placeholder at once, both succeed, and what was written stays"
    )
    func readingWhileEmptying() throws {
        try Machine.with { machine in
            let count = 150
            for number in 0..<count { try machine.write("old contents\n", to: machine.remote + "/\(number)") }
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            // Nothing is fetched ahead of them.
            try machine.succeed("domain", "set", "work", "--look-again", "never")
            try machine.mounted {
                try machine.write(
                    """
                    import os, random, sys, threading, time
                    errors = []
                    def attempt(what, name, body):
                        try: body(name)
                        except OSError as error: errors.append(f"{what} {name}: {error}")
                    def read(name):
                        with open(name) as file: text = file.read()
                        if text not in ["old contents\\n", "", "new\\n"]: errors.append(f"{name} holds {text}")
                    def write(name):
                        time.sleep(random.random() * 0.02)
                        with open(name, "w") as file: file.write("new\\n")
                    os.listdir("work")
                    for number in range(\(count)):
                        name = f"work/{number}"
                        threads = [threading.Thread(target=attempt, args=("read", name, read)),
                                   threading.Thread(target=attempt, args=("write", name, write))]
                        random.shuffle(threads)
                        for thread in threads: thread.start()
                        for thread in threads: thread.join()
                        with open(name) as file: text = file.read()
                        if text != "new\\n": errors.append(f"{name} holds {text} at the end")
                    print("\\n".join(errors))
                    """, to: machine.folder + "/both.py")
                let found = try machine.sh("python3 ../../both.py", timeout: 120)
                #expect(found == "\n", "\(found)\n\(machine.logTail)")
                let isSent = Machine.eventually(within: 60) {
                    (0..<count).allSatisfy { machine.read(machine.remote + "/\($0)") == "new\n" }
                }
                #expect(isSent, "\((try? machine.succeed("status")) ?? "")")
            }
        }
    }
}
