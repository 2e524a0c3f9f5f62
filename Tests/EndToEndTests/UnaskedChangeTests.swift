import Foundation
import Glibc
import Testing

/// Programs save documents without asking, and no command of Docent's follows: the host sees it by itself.
@Suite(.serialized) struct UnaskedChangeTests: UnaskedChangeSuite {
    @Test("DOWN-3: what a plain program saves is sent unasked, whichever way it saves")
    func saved() throws {
        try withDocument { machine, path in
            let began = Date()
            try shell(machine, "echo second >> '\(path)'")
            #expect(arrives("first\nsecond\n", machine), "\(machine.logTail)")
            #expect(Date().timeIntervalSince(began) < 3)
            try shell(machine, "echo third > '\(path).tmp' && mv '\(path).tmp' '\(path)'")
            #expect(arrives("third\n", machine))
            try shell(machine, "truncate -s 2 '\(path)'")
            #expect(arrives("th", machine))
            // As vim does it, with a backup.
            try shell(machine, "mv '\(path)' '\(path)~' && sleep 0.3 && echo fourth > '\(path)' && rm '\(path)~'")
            #expect(arrives("fourth\n", machine))
            // The size and the time are as they were.
            try shell(
                machine,
                "cp -p '\(path)' ref; printf F | dd conv=notrunc of='\(path)' 2>/dev/null; touch -r ref '\(path)'")
            #expect(arrives("Fourth\n", machine))
            #expect(try state(machine) == "materialised")
            // One version of each, and nothing made up.
            #expect(try FileManager.default.contentsOfDirectory(atPath: machine.remote) == ["a.txt"])
        }
    }

    @Test("VER-13: what is changed with size and time as they were is sent, and what it began from is an older version")
    func changedUnseen() throws {
        try withDocument { machine, path in
            try shell(
                machine,
                "cp -p '\(path)' ref; printf F | dd conv=notrunc of='\(path)' 2>/dev/null; touch -r ref '\(path)'")
            #expect(arrives("First\n", machine, within: 30), "\(machine.logTail)")
            #expect(try Machine.eventually { try state(machine) == "materialised" }, "\(machine.logTail)")
            let versions = try machine.json("versions", "d:/a.txt") as? [[String: Any]] ?? []
            let older = versions.filter { $0["kind"] as? String == "older" }.compactMap { $0["path"] as? String }
            #expect(older.map(machine.read) == ["first\n"], "\(versions)")
        }
    }

    @Test("COORD-28: to set a mode, a time or a tag, or to save what was there, sends nothing, and makes no version")
    func touched() throws {
        try withDocument { machine, path in
            let remote = machine.remote + "/a.txt"
            var before = stat()
            #expect(stat(remote, &before) == 0)
            let tagging = "python3 -c 'import os, sys; os.setxattr(sys.argv[1], \"user.xdg.tags\", b\"holiday\")'"
            for command in [
                "chmod 640 '\(path)'", "touch '\(path)'", "\(tagging) '\(path)'",
                "ln '\(path)' link && rm link", "cp '\(path)' '\(path).tmp' && mv '\(path).tmp' '\(path)'",
            ] {
                try shell(machine, command)
                // Twice as long as it takes until a file that was changed so is looked at.
                usleep(1_500_000)
                #expect(try state(machine) == "materialised", "\(command): \(machine.logTail)")
            }
            usleep(3_000_000)
            var after = stat()
            #expect(stat(remote, &after) == 0)
            #expect(before.st_ino == after.st_ino && before.st_ctim.tv_nsec == after.st_ctim.tv_nsec)
            #expect(before.st_ctim.tv_sec == after.st_ctim.tv_sec)
            #expect((try machine.json("versions", "d:/a.txt") as? [[String: Any]])?.count == 1)
            // It is what it was for whoever is to free the room.
            try machine.succeed("evict", "d:/a.txt")
            #expect(machine.read(path) == nil && machine.read(remote) == "first\n")
        }
    }

    @Test("DOWN-3: a file that is being written is sent when it is closed, not before")
    func whileWritten() throws {
        try withDocument { machine, path in
            let file = try #require(FileHandle(forWritingAtPath: path))
            for number in 0..<15 {
                try file.write(contentsOf: Data("\(number)\n".utf8))
                usleep(100_000)
                #expect(machine.read(machine.remote + "/a.txt") == "first\n")
            }
            try file.close()
            let whole = try #require(machine.read(path))
            #expect(arrives(whole, machine))
        }
    }

    @Test("VER-10: what a program stores into its mapping of a file reaches the remote, whenever the file is looked at")
    func mapped() throws {
        try withDocument { machine, path in
            try machine.write(String(repeating: "0", count: 64), to: path)
            let program = """
                import mmap, sys, time
                path, number = sys.argv[1], int(sys.argv[2])
                file = open(path, "r+b")
                pages = mmap.mmap(file.fileno(), 0)
                open(path, "r+b").close()  # Somebody closes it: it is looked at, and sent.
                end = time.monotonic() + 0.2 + 0.05 * number
                count = 0
                while time.monotonic() < end:
                    count += 1
                    pages[:16] = b"%04d%012d" % (number, count)
                    time.sleep(0.0005)
                """
            try machine.write(program, to: machine.folder + "/map.py")
            for number in 0..<8 {
                try shell(machine, "python3 '\(machine.folder)/map.py' '\(path)' \(number)")
                let whole = try #require(machine.read(path))
                #expect(whole.hasPrefix("000\(number)"))
                #expect(
                    arrives(whole, machine, within: 10), "\(whole): \(machine.logTail)")
            }
        }
    }

    @Test("VER-10: what changes while it is being sent is sent again, and what is sent is of one moment")
    func whileSent() throws {
        try Machine.with { machine in
            try machine.addRemoteTree("d", isWritable: true)
            func provide(waitingFor gate: String) throws {
                var tree = try machine.provided(in: "d")
                tree.waiting = ["modify": gate]
                try machine.provide(tree, in: "d")
            }
            func remote() throws -> String? { try machine.provided(in: "d").items["a"]?.last ?? nil }
            try machine.provide(RemoteTree(items: ["a": ["/", "a.txt", "first\n"]]), in: "d")
            try machine.succeed("refresh", "d:/")
            try machine.succeed("cat", "d:/a.txt")
            let path = machine.root + "/documents/d/a.txt"
            let gates = ["first", "second"].map { machine.root + "/.docent/providers/d/" + $0 }
            try provide(waitingFor: gates[0])
            try machine.write("second\n", to: path)
            let calls = machine.root + "/.docent/providers/d/calls"
            #expect(Machine.eventually { machine.read(calls)?.contains("modify a") == true }, "\(machine.logTail)")
            // It is asked, and has not read anything yet; the next time it waits for something else.
            usleep(200_000)
            try provide(waitingFor: gates[1])
            try machine.write("third\n", to: path)
            try machine.write("", to: gates[0])
            #expect(try Machine.eventually { try remote() != "first\n" }, "\(machine.logTail)")
            #expect(try remote() == "second\n")
            try machine.write("", to: gates[1])
            #expect(try Machine.eventually { try remote() == "third\n" }, "\(machine.logTail)")
            #expect(try Machine.eventually { try state(machine) == "materialised" })
        }
    }

    @Test(
        "VER-10: a save that the host did not live to send, or to see, is sent after its restart",
        arguments: [0, 30, 1000])
    func killed(afterMilliseconds delay: Int) throws {
        try withDocument { machine, path in
            let provider = try #require(machine.providers.first)
            // Nothing reaches the remote before the host is gone.
            kill(provider, SIGSTOP)
            defer { kill(provider, SIGCONT) }
            if delay > 0 { try machine.write("second\n", to: path) }
            usleep(UInt32(delay) * 1000)
            let daemon = try #require(machine.daemon)
            kill(daemon, SIGKILL)
            kill(provider, SIGCONT)
            #expect(Machine.eventually { machine.daemon == nil && machine.providers.isEmpty })
            if delay == 0 { try machine.write("second\n", to: path) }
            #expect(machine.read(machine.remote + "/a.txt") == "first\n")
            try machine.succeed("host", "start")
            #expect(arrives("second\n", machine, within: 10), "\(machine.logTail)")
        }
    }

    @Test("DOWN-3: a save that takes its time between the removal of the old file and the new one is sent")
    func slowSave() throws {
        try withDocument { machine, path in
            unlink(path)
            #expect(try Machine.eventually { try state(machine) == "placeholder" })
            sleep(1)
            try machine.write("second\n", to: path)
            #expect(arrives("second\n", machine, within: 10), "\(machine.logTail)")
            #expect(try state(machine) == "materialised")
        }
    }

    @Test("INV-8: a host with documents here, at which nothing happens, does no I/O")
    func idle() throws {
        try withDocument { machine, path in
            try machine.write("second\n", to: path)
            #expect(arrives("second\n", machine))
            let daemon = try #require(machine.daemon)
            /// Bytes and calls, both ways, and bytes from and to disks.
            func io() -> [Int] {
                (machine.read("/proc/\(daemon)/io") ?? "").split(separator: "\n")
                    .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
            }
            // What the last change left to be done is done in a few seconds. After that, threads may wake each other, with
            // 8 bytes a time.
            func isIdle(forSeconds seconds: UInt32) -> Bool {
                let before = io()
                sleep(seconds)
                let done = zip(io(), before).map { $0 - $1 }
                return done.count == 7 && done[0] == 8 * done[2] && done[1] == 8 * done[3]
                    && done[4...] == [0, 0, 0]
            }
            #expect(Machine.eventually(within: 20) { isIdle(forSeconds: 1) }, "\(io())")
            // It is not that it sleeps for a moment between two looks. (Once, half a minute later, it looks whether it still has
            // thumbnails of what was written.)
            #expect((0..<3).contains { _ in isIdle(forSeconds: 20) }, "\(io())")
        }
    }

    @Test(
        "COORD-40: where the system watches nothing, saves are found by looking every so often, and the status says so")
    func limitReached() throws {
        try Machine.with { machine in
            try machine.write("first\n", to: machine.remote + "/a.txt")
            let path = machine.root + "/documents/d/a.txt"
            // The limit of a user namespace of its own.
            let script = """
                echo 0 > /proc/sys/user/max_inotify_watches || exit 99
                docent() { '\(machine.folder)/bin/docent' "$@"; }
                docent domain add d --provider org.docent.folder --set folder='\(machine.remote)' || exit 1
                docent cat d:/a.txt || exit 2
                echo second >> '\(path)'
                for i in $(seq 100); do grep -q second '\(machine.remote)/a.txt' && break; sleep 0.1; done
                cat '\(machine.remote)/a.txt'
                docent host status
                docent host stop
                """
            let done = try machine.run("/usr/bin/unshare", ["-Ur", "/bin/sh", "-c", script])
            try #require(done.status == 0, "\(done.errors)\(machine.logTail)")
            #expect(done.output.contains("first\nfirst\nsecond\n"), "\(done.output)")
            #expect(done.output.contains("max_user_watches"), "\(done.output)")
        }
    }
}
