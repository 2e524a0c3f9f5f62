import DocumentTestSupport
import Foundation
import Glibc
import Testing

/// SQLite databases on a mount: locks, memory that is shared between programs, and journals beside the database.
@Suite(.serialized, .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us.")) struct MountDatabaseTests {
    private static let rows = 200

    /// What the programs of a test do, each of them a process of its own.
    private static let script = """
        import os, sqlite3, subprocess, sys, time
        what, path, mode, rows = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])

        def database():
            found = sqlite3.connect(path, timeout=30, isolation_level=None)
            assert found.execute(f"pragma journal_mode={mode}").fetchone()[0] == mode
            return found

        def write(start, beyond):
            own = database()
            own.execute("pragma mmap_size=67108864")
            own.execute("create table if not exists t (number integer primary key, text)")
            for number in range(start, beyond):
                own.execute("begin immediate")
                own.execute("insert into t values (?, ?)", (number, f"row {number} " + "x" * (number % 1000)))
                own.execute("commit")
                if mode == "wal" and number % 40 == 0:
                    own.execute("pragma wal_checkpoint(passive)")
            return own

        if what == "write":
            write(int(sys.argv[5]) if len(sys.argv) > 5 else 0, rows).close()
        elif what == "read":
            own, seen, looks = sqlite3.connect(path, timeout=30, isolation_level=None), 0, 0
            end = time.monotonic() + 50
            while seen < rows and time.monotonic() < end:
                numbers = [row[0] for row in own.execute("select number from t order by number")]
                assert numbers == list(range(len(numbers))), "a row is missing"
                assert len(numbers) >= seen, "a row that was there is gone"
                seen, looks = len(numbers), looks + 1
            assert seen == rows, f"{seen} rows after {looks} looks"
            assert own.execute("pragma integrity_check").fetchone()[0] == "ok"
            own.close()
        elif what == "beside":
            own = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30, isolation_level=None)
            own.execute("pragma mmap_size=67108864")
            count = lambda: own.execute("select count(*) from t").fetchone()[0]
            assert count() == rows
            subprocess.run([sys.executable, sys.argv[0], "write", path, mode, str(rows + 10), str(rows)], check=True)
            assert count() == rows + 10, count()
            assert own.execute("pragma integrity_check").fetchone()[0] == "ok"
        elif what == "die":
            own = write(rows, rows + 10)
            own.execute("begin immediate")
            own.execute("insert into t values (?, ?)", (rows + 10, "never committed"))
            os.kill(os.getpid(), 9)
        elif what == "look":
            own = sqlite3.connect(path, timeout=30)
            assert own.execute("pragma integrity_check").fetchone()[0] == "ok"
            numbers = [row[0] for row in own.execute("select number from t order by number")]
            assert numbers == list(range(len(numbers))), "a row is missing"
            print(len(numbers), own.execute("pragma journal_mode").fetchone()[0])
        """

    private func withDatabase(mountOptions: [String], _ body: (Machine, String) throws -> Void) throws {
        try Machine.with { machine in
            let script = machine.folder + "/database.py"
            try machine.write(Self.script, to: script)
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            let mounted = try machine.run(machine.folder + "/bin/docent", ["mount"] + mountOptions)
            try #require(mounted.status == 0, "\(mounted.errors)")
            defer { machine.takeMountAway() }
            try body(machine, "python3 '\(script)'")
        }
    }

    @Test(
        "What one program commits the others see at once, a writer that is killed loses no commit, and the remote gets all of it",
        arguments: ["wal", "delete"], TestShare.of([[], ["--no-passthrough"]]))
    func together(_ mode: String, _ mountOptions: [String]) throws {
        try withDatabase(mountOptions: mountOptions) { (machine, program) throws in
            let (rows, path) = (Self.rows, "work/rows.sqlite")
            try machine.sh(
                """
                \(program) write \(path) \(mode) 0
                \(program) read \(path) \(mode) \(rows) & one=$!
                \(program) read \(path) \(mode) \(rows) & other=$!
                \(program) write \(path) \(mode) \(rows) && wait $one && wait $other
                """, timeout: 120)
            #expect(try machine.sh("\(program) look \(path) - 0") == "\(rows) \(mode)\n")
            #expect(try machine.sh("ls work") == "rows.sqlite\n", "the last program that closes it leaves no journal")

            #expect(try machine.shell("\(program) die \(path) \(mode) \(rows)").status != 0)
            #expect(try machine.sh("\(program) look \(path) - 0") == "\(rows + 10) \(mode)\n")

            // Who writes next removes what the killed one left.
            try machine.sh("\(program) write \(path) \(mode) \(rows + 20) \(rows + 10)")
            #expect(try machine.sh("ls work") == "rows.sqlite\n")

            let remote = machine.remote + "/rows.sqlite"
            let copy = machine.folder + "/copy.sqlite"
            #expect(
                Machine.eventually(within: 90) {
                    FileManager.default.contentsEqual(atPath: machine.tree + "/" + path, andPath: remote)
                }, "\(machine.logTail)")
            try machine.sh("cp '\(remote)' '\(copy)'")
            #expect(try machine.sh("\(program) look '\(copy)' - 0") == "\(rows + 20) \(mode)\n")
            let journals = ["-wal", "-shm", "-journal"].map { remote + $0 }
            #expect(
                Machine.eventually(within: 60) { !journals.contains { FileManager.default.fileExists(atPath: $0) } })
        }
    }

    @Test(
        "A database that was brought is read by one program and written by another, in both ways to keep a journal",
        arguments: ["wal", "delete"], TestShare.of([[], ["--no-passthrough"]]))
    func brought(_ mode: String, _ mountOptions: [String]) throws {
        try withDatabase(mountOptions: mountOptions) { (machine, program) throws in
            let rows = Self.rows
            try machine.sh("\(program) write '\(machine.remote)/there.sqlite' \(mode) \(rows)")
            try machine.succeed("refresh", "work:/")
            #expect(try machine.sh("\(program) look work/there.sqlite - 0") == "\(rows) \(mode)\n")
            try machine.sh("\(program) beside work/there.sqlite \(mode) \(rows)")
            #expect(try machine.shell("\(program) die work/there.sqlite \(mode) \(rows + 10)").status != 0)
            #expect(try machine.sh("\(program) look work/there.sqlite - 0") == "\(rows + 20) \(mode)\n")
        }
    }
}
