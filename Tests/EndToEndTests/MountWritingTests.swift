import Foundation
import Glibc
import Testing

/// Documents that programs write in a mounted tree.
@Suite(.serialized, .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us.")) struct MountWritingTests {
    private func withTree(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("domain", "set", "work", "--ask-from", "never")
            try machine.succeed("mount")
            defer { machine.takeMountAway() }
            try body(machine)
        }
    }

    private func isSent(_ machine: Machine, _ name: String, _ text: String) -> Bool {
        Machine.eventually(within: 30) { machine.read(machine.remote + "/" + name) == text }
    }

    @Test("What is written anew, in place, with O_TRUNC and at the end is seen at once, and sent after the close")
    func writing() throws {
        try withTree { (machine) throws in
            #expect(try machine.sh("echo new > work/n.txt; cat work/n.txt") == "new\n")
            #expect(isSent(machine, "n.txt", "new\n"))
            #expect(try machine.sh("echo more >> work/a.txt; cat work/a.txt") == "first\nmore\n")
            #expect(isSent(machine, "a.txt", "first\nmore\n"))
            try machine.sh("echo short > work/a.txt; truncate -s 3 work/n.txt; sync work/n.txt")
            #expect(isSent(machine, "a.txt", "short\n"))
            #expect(isSent(machine, "n.txt", "new"))
        }
    }

    @Test("What is emptied before it is written is not brought for that, also when its provider hangs")
    func emptied() throws {
        try withTree { (machine) throws in
            try machine.write("second\n", to: machine.remote + "/b.txt")
            #expect(Machine.eventually(within: 30) { (try? machine.sh("ls work").contains("b.txt")) == true })
            let provider = try #require(machine.providers.first)
            kill(provider, SIGSTOP)
            defer { kill(provider, SIGCONT) }
            try machine.sh("echo new > work/a.txt; : > work/b.txt; cat work/a.txt", timeout: 10)
            #expect(try machine.sh("cat work/a.txt work/b.txt") == "new\n")
            kill(provider, SIGCONT)
            #expect(isSent(machine, "a.txt", "new\n") && isSent(machine, "b.txt", ""))
            #expect(try machine.succeed("status").contains("in sync"))
        }
    }

    @Test("A save by a temporary file ends in the new contents of the document, and nothing else is sent")
    func savingByRename() throws {
        try withTree { (machine) throws in
            try machine.sh("echo next > work/.a.tmp; mv work/.a.tmp work/a.txt")
            #expect(try machine.sh("cat work/a.txt; ls -A work") == "next\na.txt\n")
            #expect(isSent(machine, "a.txt", "next\n"))
            // The provider puts what it replaces aside for a moment.
            let names = { try? FileManager.default.contentsOfDirectory(atPath: machine.remote) }
            #expect(Machine.eventually(within: 10) { names() == ["a.txt"] }, "\(names() ?? [])")
        }
    }

    @Test("COORD-21: a program has several files of a package open for writing at once, and none waits for the other")
    func package() throws {
        try withTree { (machine) throws in
            try machine.sh("mkdir work/p.rtfd; echo one > work/p.rtfd/a; echo two > work/p.rtfd/b")
            #expect(isSent(machine, "p.rtfd/a", "one\n") && isSent(machine, "p.rtfd/b", "two\n"))
            // Its provider says what it is, when it has answered.
            let isPackage = try Machine.eventually {
                try machine.succeed("stat", "work:/p.rtfd").contains("package, com.apple.rtfd")
            }
            #expect(isPackage)
            try machine.sh(
                "cd work/p.rtfd; exec 3>>a 4>>b 5<a; echo 1 >&3; echo 2 >&4; echo new > c; mv c d; mkdir e; mv d e/d; mv e/d d; rmdir e; cat <&5; ls",
                timeout: 20)
            #expect(isSent(machine, "p.rtfd/a", "one\n1\n") && isSent(machine, "p.rtfd/b", "two\n2\n"))
            #expect(isSent(machine, "p.rtfd/d", "new\n"))
            try machine.sh("rm -r work/p.rtfd; test -z \"$(ls work | grep p.rtfd)\"")
        }
    }

    @Test(
        "COORD-21: a folder is a package when its provider says so, also when that has answered after the first files in it"
    )
    func latePackage() throws {
        try withTree { (machine) throws in
            // What is in a folder that was never listed is made when its provider has answered.
            try machine.sh("ls work")
            let provider = try #require(machine.providers.first)
            kill(provider, SIGSTOP)
            defer { kill(provider, SIGCONT) }
            try machine.sh("mkdir work/p.rtfd; echo one > work/p.rtfd/a; echo two > work/p.rtfd/b", timeout: 20)
            kill(provider, SIGCONT)
            #expect(isSent(machine, "p.rtfd/a", "one\n") && isSent(machine, "p.rtfd/b", "two\n"))
            let isPackage = try Machine.eventually(within: 30) {
                try machine.succeed("stat", "work:/p.rtfd").contains("package, com.apple.rtfd")
            }
            #expect(isPackage)
        }
    }

    @Test("A name is free as soon as what had it was removed: for a rename, a folder, and the folder around it")
    func namesOfTheRemoved() throws {
        try withTree { (machine) throws in
            try machine.sh("mkdir work/d; for n in 1 2 3 4; do echo $n > work/d/$n; done; echo x > work/x")
            #expect(isSent(machine, "d/4", "4\n") && isSent(machine, "x", "x\n"))
            try machine.sh(
                "for n in 1 2 3; do rm work/d/$n && mv work/x work/d/$n && mv work/d/$n work/x || exit 1; done")
            try machine.sh(
                "rm work/d/4 && mkdir work/d/4 && mv work/x work/d/4/x && rm work/d/4/x && rmdir work/d/4 work/d")
            #expect(
                Machine.eventually(within: 30) {
                    (try? FileManager.default.contentsOfDirectory(atPath: machine.remote)) == ["a.txt"]
                }, "\(machine.logTail)")
            #expect(try machine.sh("ls work") == "a.txt\n")
        }
    }

    @Test("Folders and documents are made, renamed and removed, also while they are open")
    func names() throws {
        try withTree { (machine) throws in
            try machine.sh("mkdir work/d; mv work/a.txt work/d/b.txt; mv work/d work/e")
            #expect(try machine.sh("cat work/e/b.txt") == "first\n")
            #expect(isSent(machine, "e/b.txt", "first\n"))
            let unlinked = try python(
                machine,
                """
                import errno, os
                file = os.open("work/e/c", os.O_RDWR | os.O_CREAT)
                os.unlink("work/e/c")
                os.write(file, b"kept\\n")
                print(os.pread(file, 100, 0), os.fstat(file).st_size)
                try: os.rmdir("work/e")
                except OSError as error: print(errno.errorcode[error.errno])
                """)
            #expect(unlinked.output == "b'kept\\n' 5\nENOTEMPTY\n", "\(unlinked.errors)")
            try machine.sh("rm work/e/b.txt; rmdir work/e; test -z \"$(ls -A work)\"")
        }
    }

    @Test("Links, device files and owners are refused with the number that says so")
    func refusals() throws {
        try withTree { (machine) throws in
            for command in [
                "ln -s a.txt work/link", "ln work/a.txt work/link", "mkfifo work/pipe", "chown 12345 work/a.txt",
                "mkdir new", "mv work play",
            ] {
                let result = try machine.shell(command)
                #expect(result.status != 0 && result.errors.contains("Operation not permitted"), "\(result.errors)")
            }
        }
    }

    @Test(
        "CONT-11: a name that is not UTF-8 cannot be made, with the number that says so, and nothing like it is there")
    func bytesThatAreNoText() throws {
        try withTree { (machine) throws in
            try machine.sh("mkdir work/d")
            let program = """
                import errno, os
                def number(body, *words):
                    try:
                        body(*words)
                        return "done"
                    except OSError as error:
                        return errno.errorcode[error.errno]
                def make(name): os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
                for name in [b"work/\\xff", b"work/a\\xc3", b"work/d/\\xed\\xa0\\x80.txt"]:
                    print(number(make, name), number(os.mkdir, name), number(os.rename, b"work/a.txt", name),
                          number(os.stat, name), number(os.unlink, name), number(os.rename, name, b"work/b"),
                          number(os.symlink, b"a.txt", name))
                for name in [b"work/a\\nb", b"work/\\x7f"]:
                    print(number(make, name), number(os.mkdir, name), number(os.rename, b"work/a.txt", name), number(os.stat, name))
                print(number(make, b"work/" + b"n" * 256), sorted(os.listdir(b"work")), os.listdir(b"work/d"))
                """
            let result = try python(machine, program)
            let refused = "EILSEQ EILSEQ EILSEQ ENOENT ENOENT ENOENT EPERM\n"
            #expect(
                result.output
                    == String(repeating: refused, count: 3)
                    + String(repeating: "EINVAL EINVAL EINVAL ENOENT\n", count: 2)
                    + "ENAMETOOLONG [b'a.txt', b'd'] []\n", "\(result.output)\(result.errors)")
            #expect(try machine.succeed("status").contains("in sync"))
            #expect(Set(try FileManager.default.contentsOfDirectory(atPath: machine.remote)) == ["a.txt", "d"])
        }
    }

    /// Runs a program in Python in the mounted tree.
    private func python(_ machine: Machine, _ program: String, timeout: Double = 120) throws -> Machine.Result {
        try machine.write(program, to: machine.folder + "/program.py")
        return try machine.shell("python3 '\(machine.folder)/program.py'", timeout: timeout)
    }

    @Test("Who removes what it reads misses nothing in a long folder, while others list it all the time")
    func removingWhatIsRead() throws {
        try withTree { (machine) throws in
            let result = try python(
                machine,
                """
                import ctypes, os, platform, struct, threading, time
                libc = ctypes.CDLL(None)
                os.mkdir("work/long")
                for number in range(60): os.mkdir(f"work/long/folder {number:06}")
                for _ in range(3): os.listdir("work/long")
                seen, done = set(), threading.Event()
                def names(folder):
                    # A few at once, as of a folder with thousands.
                    buffer = ctypes.create_string_buffer(256)
                    number = 217 if platform.machine() == "x86_64" else 61
                    count = libc.syscall(number, folder, buffer, len(buffer))
                    assert count >= 0
                    at = 0
                    while at < count:
                        length = struct.unpack_from("=H", buffer, at + 16)[0]
                        yield buffer.raw[at + 19:at + length].split(b"\\0")[0].decode()
                        at += length
                def list():
                    while not done.is_set():
                        os.listdir("work/long")
                        time.sleep(0.01)
                other = threading.Thread(target=list, daemon=True)
                other.start()
                folder = os.open("work/long", os.O_RDONLY)
                while found := [*names(folder)]:
                    for name in found:
                        if name in [".", ".."]: continue
                        assert name not in seen
                        seen.add(name)
                        os.rmdir(f"work/long/{name}")
                done.set()
                other.join()
                print(len(seen), os.listdir("work/long"))
                """)
            #expect(result.output == "60 []\n", "\(result.errors)")
        }
    }

    @Test("A document is removed also in the moment in which the write of the one who closed it last is recorded")
    func removingWhatIsClosed() throws {
        try withTree { (machine) throws in
            let result = try python(
                machine,
                """
                import os, threading, time
                errors = []
                def work(folder):
                    os.mkdir(folder)
                    for number in range(6):
                        name = f"{folder}/{number}"
                        with open(name, "w") as file: file.write("text")
                        # The write is recorded a second after the close.
                        time.sleep(0.98 + 0.004 * (folder_number(folder) + 10 * number) / 6)
                        try: os.unlink(name)
                        except OSError as error: errors.append(f"{name}: {error}")
                def folder_number(folder): return int(folder.rsplit("-", 1)[1])
                threads = [threading.Thread(target=work, args=(f"work/folder-{number}",)) for number in range(10)]
                for thread in threads: thread.start()
                for thread in threads: thread.join()
                assert not errors, errors
                """)
            #expect(result.status == 0, "\(result.output)\(result.errors)")
        }
    }

    @Test("A document that the kernel has forgotten since it was written has what was written, and can be removed")
    func forgotten() throws {
        try withTree { (machine) throws in
            let forget = "sleep 0.1; echo 2 > /proc/sys/vm/drop_caches"
            for number in 0..<5 {
                let result = try machine.shell(
                    """
                    cd work; echo text > f; \(forget); rm f; cd ..
                    echo text > work/e && \(forget) && cat work/e && stat -c %s work/e && rm work/e
                    echo one > work/g && echo two > work/h && \(forget) && mv work/h work/g
                    \(forget) && cat work/g
                    """)
                #expect(result.output == "text\n5\ntwo\n", "\(number): \(result.output)\(result.errors)")
                #expect(result.errors == "", "\(number)")
            }
        }
    }

    @Test("What is appended comes after what has come from the remote meanwhile, whatever size was shown before")
    func appendingToNewerContents() throws {
        try withTree { (machine) throws in
            #expect(try machine.sh("cat work/a.txt") == "first\n")
            let longer = "what somebody else wrote meanwhile\n"
            for number in 1...5 {
                let before = String(repeating: longer, count: number)
                try machine.write(before, to: machine.remote + "/a.txt")
                let appended = try python(
                    machine,
                    """
                    import os, time
                    path = "work/a.txt"
                    for _ in range(500):
                        if os.getxattr(path, "user.docent.state") == b"outdated": break
                        time.sleep(0.02)
                    # Without a look at its size in between.
                    file = os.open(path, os.O_WRONLY | os.O_APPEND)
                    os.write(file, b"appended\\n")
                    os.close(file)
                    """)
                #expect(appended.status == 0, "\(appended.errors)")
                #expect(
                    isSent(machine, "a.txt", before + "appended\n"), "\(machine.read(machine.remote + "/a.txt") ?? "")")
                #expect(try machine.sh("cat work/a.txt") == before + "appended\n")
            }
        }
    }

    @Test("fsync of a document that takes another one's place at that moment succeeds, also through who only reads it")
    func flushingWhileReplacing() throws {
        try withTree { (machine) throws in
            let result = try python(
                machine,
                """
                import os, threading
                errors = []
                for number in range(40):
                    temporary = f"work/.temporary-{number}"
                    file = os.open(temporary, os.O_CREAT | os.O_RDWR, 0o600)
                    reader = os.open(temporary, os.O_RDONLY)
                    os.write(file, b"contents %d" % number)
                    def flush(file):
                        try: os.fsync(file)
                        except OSError as error: errors.append(f"{number}: {error}")
                    threads = [threading.Thread(target=flush, args=(each,)) for each in (file, reader, file)]
                    for thread in threads: thread.start()
                    os.rename(temporary, "work/a.txt")
                    for thread in threads: thread.join()
                    flush(file)
                    os.close(file)
                    os.close(reader)
                assert not errors, errors
                """)
            #expect(result.status == 0, "\(result.output)\(result.errors)")
            #expect(try machine.sh("cat work/a.txt") == "contents 39")
        }
    }

    @Test("fsync of a folder returns when the host has brought its names to the disk, and not before")
    func flushingFolders() throws {
        try withTree { (machine) throws in
            try machine.sh("mkdir work/f; echo new > work/f/.t; sync work/f/.t; mv work/f/.t work/f/t")
            try machine.sh("sync work/f work .")
            let host = try #require(machine.processes(named: "docentd").first)
            kill(host, SIGSTOP)
            let waiting = try machine.shell("timeout 2 sync work/f")
            kill(host, SIGCONT)
            #expect(waiting.status == 124, "\(waiting.errors)")
            #expect(Machine.eventually(within: 30) { (try? machine.shell("sync work/f"))?.status == 0 })
        }
    }

    private func script(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path + "/scripts/lib/" + name
    }

    @Test("A database on the mount loses no row whose commit was reported, whether the host or the mount is killed")
    func databaseAndKills() throws {
        try withTree { (machine) throws in
            let (script, rows) = (script("kill-while-committing.py"), machine.tree + "/work/rows")
            let killed = try machine.run("/usr/bin/env", ["python3", script, rows, machine.folder, "4"], timeout: 300)
            #expect(killed.status == 0, "\(killed.output)\(killed.errors)")
        }
    }

    @Test("Random operations give the same results as in a plain folder", arguments: 1...2)
    func comparison(_ seed: Int) throws {
        try withTree { (machine) throws in
            let script = script("compare-folders.py")
            let plain = machine.folder + "/plain"
            try machine.sh("rm work/a.txt; mkdir '\(plain)'")
            let compared = try machine.shell("python3 '\(script)' work '\(plain)' \(seed) 1000", timeout: 600)
            #expect(compared.status == 0, "\(compared.output)\(compared.errors)")
        }
    }
}
