import Foundation
import Glibc
import Testing

/// Saves through a mount: how often they are sent, when they are on the disk, and other ways of making documents.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MountSavingTests {
    private func withTree(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.mounted { try body(machine) }
        }
    }

    private func python(_ machine: Machine, _ program: String) throws -> Machine.Result {
        try machine.write(program, to: machine.folder + "/program.py")
        return try machine.shell("python3 '\(machine.folder)/program.py'")
    }

    @Test(
        "COORD-23: a save in place, one by O_TRUNC and one by a temporary file are sent once each, and what is made is, too"
    )
    func sentOnce() throws {
        try Machine.with { machine in
            try machine.installRecordingProvider()
            try machine.succeed("domain", "add", "d", "--provider", "org.example.recording")
            try machine.mounted {
                try machine.sh("cat d/Welcome.md")
                var (made, changed) = (0, 0)
                func count(_ call: String) -> Int { machine.calls(of: "d").count { $0.hasPrefix(call + " ") } }
                for (command, makes) in [
                    ("for n in 1 2 3; do echo $n >> d/Welcome.md; sleep 0.2; done", false),
                    ("echo new > d/Welcome.md", false),
                    ("echo next > d/.w.tmp; sync d/.w.tmp; mv d/.w.tmp d/Welcome.md", false),
                    ("echo made > d/new.md; echo more >> d/new.md", true),
                    ("echo tmp > d/.o.tmp; mv d/.o.tmp d/other.md", true),
                ] {
                    try machine.sh(command)
                    if makes { made += 1 } else { changed += 1 }
                    let isSent = try Machine.eventually(within: 30) {
                        try count("create") + count("modify") >= made + changed
                            && machine.succeed("status").contains("Everything is in sync")
                    }
                    #expect(isSent, "\(command): \(machine.calls(of: "d")) \(machine.logTail)")
                    // What came behind it.
                    usleep(1_500_000)
                    #expect(
                        count("create") == made && count("modify") == changed, "\(command): \(machine.calls(of: "d"))")
                }
                for name in ["Welcome.md", "new.md", "other.md"] { try machine.succeed("evict", "d:/" + name) }
                #expect(try machine.sh("cat d/Welcome.md d/new.md d/other.md") == "next\nmade\nmore\ntmp\n")
            }
        }
    }

    @Test("fsync through who only reads a document waits for what the one who closed it last has written")
    func flushingWhatEnds() throws {
        try withTree { (machine) throws in
            let host = try #require(machine.daemon)
            let result = try python(
                machine,
                """
                import os, signal, threading, time
                reader = os.open("work/a.txt", os.O_RDONLY)
                os.fsync(reader)
                writer = os.open("work/a.txt", os.O_WRONLY | os.O_APPEND)
                os.write(writer, b"more\\n")
                os.close(writer)
                os.kill(\(host), signal.SIGSTOP)
                # The write ends a second after the close, which the host does not record as yet.
                time.sleep(2)
                done = []
                def flush():
                    os.fsync(reader)
                    done.append(True)
                thread = threading.Thread(target=flush)
                thread.start()
                time.sleep(1)
                early = bool(done)
                os.kill(\(host), signal.SIGCONT)
                thread.join(20)
                print(early, bool(done))
                """)
            #expect(result.output == "False True\n", "\(result.errors)")
        }
    }

    @Test("A regular file is made by mknod as by an open, and sent; what is no file is refused")
    func nodes() throws {
        try withTree { (machine) throws in
            let result = try python(
                machine,
                """
                import errno, os, stat
                os.mknod("work/made", 0o600 | stat.S_IFREG)
                found = os.stat("work/made")
                print(stat.S_ISREG(found.st_mode), found.st_size, sorted(os.listdir("work")))
                for name, kind in [("made", stat.S_IFREG), ("pipe", stat.S_IFIFO), ("socket", stat.S_IFSOCK)]:
                    try: os.mknod("work/" + name, 0o600 | kind)
                    except OSError as error: print(errno.errorcode[error.errno])
                os.mknod("work/written", 0o600)
                with open("work/written", "w") as file: file.write("text\\n")
                """)
            #expect(result.output == "True 0 ['a.txt', 'made']\nEEXIST\nEPERM\nEPERM\n", "\(result.errors)")
            #expect(
                Machine.eventually(within: 30) {
                    machine.read(machine.remote + "/made") == ""
                        && machine.read(machine.remote + "/written") == "text\n"
                }, "\(machine.logTail)")
        }
    }
}
