import Foundation
import Glibc
import Testing

/// What programs do in a folder that another program renames in the same moment: as on a disk, they have the folder, whatever it
/// is called by then.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MountMovingRaceTests {
    /// What is done with `folder`, which is open, in the round `n`, beside a rename of it; what is in it then.
    struct Deed: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Lines of Python.
        let deed: String
        let after: String
    }

    private static let deeds = [
        Deed(
            testDescription: "made", deed: "write('new', 'made', O_CREAT | O_EXCL)",
            after: "{'a': 'first', 'd': [], 'new': 'made'}"),
        Deed(
            testDescription: "appended to", deed: "write('a', ' more', O_APPEND)", after: "{'a': 'first more', 'd': []}"
        ),
        Deed(testDescription: "emptied", deed: "write('a', 'x', O_TRUNC)", after: "{'a': 'x', 'd': []}"),
        Deed(testDescription: "read", deed: "assert text('a') == 'first', text('a')", after: "{'a': 'first', 'd': []}"),
        Deed(testDescription: "removed", deed: "os.unlink('a', dir_fd=folder)", after: "{'d': []}"),
        Deed(
            testDescription: "renamed", deed: "os.rename('a', 'b', src_dir_fd=folder, dst_dir_fd=folder)",
            after: "{'b': 'first', 'd': []}"),
        Deed(
            testDescription: "replaced",
            deed: """
                write('new', 'second', O_CREAT | O_EXCL)
                os.rename('new', 'a', src_dir_fd=folder, dst_dir_fd=folder)
                """, after: "{'a': 'second', 'd': []}"),
        Deed(
            testDescription: "shortened", deed: "os.truncate(f'/proc/self/fd/{folder}/a', 2)",
            after: "{'a': 'fi', 'd': []}"),
        Deed(
            testDescription: "dated",
            deed: """
                os.utime('a', (1, 1), dir_fd=folder)
                assert os.stat('a', dir_fd=folder).st_mtime == 1
                """,
            after: "{'a': 'first', 'd': []}"),
        Deed(
            testDescription: "tagged",
            deed: """
                os.setxattr(f'/proc/self/fd/{folder}/a', 'user.tag', b'red')
                assert os.getxattr(f'/proc/self/fd/{folder}/a', 'user.tag') == b'red'
                """,
            after: "{'a': 'first', 'd': []}"),
        Deed(
            testDescription: "a folder made", deed: "os.mkdir('e', dir_fd=folder)",
            after: "{'a': 'first', 'd': [], 'e': []}"),
        Deed(testDescription: "a folder removed", deed: "os.rmdir('d', dir_fd=folder)", after: "{'a': 'first'}"),
        Deed(
            testDescription: "a folder replaced",
            deed: """
                os.mkdir('e', dir_fd=folder)
                os.rename('e', 'd', src_dir_fd=folder, dst_dir_fd=folder)
                """, after: "{'a': 'first', 'd': []}"),
        Deed(
            testDescription: "listed",
            deed: """
                for _ in range(3): assert sorted(os.listdir(folder)) == ['a', 'd'], os.listdir(folder)
                """, after: "{'a': 'first', 'd': []}"),
        Deed(
            testDescription: "looked at",
            deed: """
                for _ in range(5):
                    assert os.stat('a', dir_fd=folder).st_size == 5
                    try: os.stat(f'none{n}', dir_fd=folder); assert False
                    except FileNotFoundError: pass
                """, after: "{'a': 'first', 'd': []}"),
        Deed(
            testDescription: "written, flushed and closed",
            deed: """
                file = os.open('a', os.O_WRONLY, dir_fd=folder)
                for _ in range(3): os.write(file, b'0123456789'); os.fsync(file); time.sleep(0.01)
                os.fsync(folder)
                os.close(file)
                """, after: "{'a': '0123456789' * 3, 'd': []}"),
    ]

    @Test(
        "What is done in a folder while it is renamed is done in that folder, wherever it is by then", arguments: deeds)
    func beside(_ deed: Deed) throws { try run(deed, hasOther: false) }

    @Test(
        "Nor is it done in another folder that comes to the place that it had",
        arguments: ["appended to", "emptied", "read", "shortened", "tagged"])
    func besideAnother(_ name: String) throws {
        try run(#require(Self.deeds.first { $0.testDescription == name }), hasOther: true)
    }

    private func run(_ deed: Deed, hasOther: Bool) throws {
        try Machine.with { machine in
            try machine.succeed(
                "domain", "add", "w", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.mounted {
                let program = machine.folder + "/program.py"
                let lines = deed.deed.split(separator: "\n").map { "    \($0)\n" }.joined()
                try machine.write(Self.program + "def deed(folder, n):\n\(lines)\n" + Self.rounds, to: program)
                let environment = "OTHER=\(hasOther ? 1 : 0) REMOTE='\(machine.remote)'"
                let python = "\(environment) python3 '\(program)' \"\(deed.after)\""
                let result = try machine.shell(python, timeout: 120)
                #expect(result.status == 0, "\(result.output)\(result.errors)\n\(machine.logTail)")
                // A write counts a moment after the close.
                let there = { try machine.shell("\(python) '\(machine.remote)'") }
                #expect(
                    try Machine.eventually(within: 60) { try there().status == 0 },
                    "\((try? there())?.errors ?? "")\n\(machine.logTail)")
                #expect(try Machine.eventually(within: 60) { try machine.succeed("status").contains("in sync") })
            }
        }
    }

    private static let program = """
        import os, sys, threading, time
        from os import O_APPEND, O_CREAT, O_EXCL, O_TRUNC, O_WRONLY
        after = eval(sys.argv[1])
        rounds = 12
        has_other = os.environ["OTHER"] == "1"
        other = {"a": "other"}
        def write(name, text, flags):
            file = os.open(name, O_WRONLY | flags, 0o600, dir_fd=folder)
            os.write(file, text.encode())
            os.close(file)
        def text(name, folder=None):
            file = os.open(name, os.O_RDONLY, dir_fd=folder or globals()['folder'])
            try: return os.read(file, 1000).decode()
            finally: os.close(file)
        def seen(path):
            found = {}
            for name in os.listdir(path):
                there = os.path.join(path, name)
                found[name] = os.listdir(there) if os.path.isdir(there) else open(there).read()
            return found

        """

    private static let rounds = """
        wrong = []
        if len(sys.argv) > 2:
            names = sorted(os.listdir(sys.argv[2]))
            all_names = [f"to{n}" for n in range(rounds)] + [f"at{n}" for n in range(rounds) if has_other]
            if names != sorted(all_names): wrong.append(names)
            for name in names:
                found = seen(f"{sys.argv[2]}/{name}")
                if found != (other if name.startswith("at") else after): wrong.append((name, found))
            assert not wrong, wrong
            sys.exit()
        remote = os.environ["REMOTE"]
        os.chdir("w")
        for n in range(rounds):
            os.mkdir(f"at{n}"); os.mkdir(f"at{n}/d")
            with open(f"at{n}/a", "w") as file: file.write("first")
        for n in range(rounds):
            # The provider has half of them by then.
            while n == rounds // 2 and not all(os.path.exists(f"{remote}/at{k}/a") for k in range(n, rounds)): time.sleep(0.1)
            folder = os.open(f"at{n}", os.O_RDONLY)
            def move():
                for k in range(4):
                    os.rename(f"at{n}" if k == 0 else f"by{n}-{k - 1}", f"by{n}-{k}" if k < 3 else f"to{n}")
                    if k == 0 and has_other:
                        os.mkdir(f"at{n}")
                        with open(f"at{n}/a", "w") as file: file.write("other")
            moving = threading.Thread(target=move)
            moving.start()
            time.sleep(0.002 * n)
            try: deed(folder, n)
            except Exception as error: wrong.append((n, repr(error)))
            moving.join()
            os.close(folder)
            found = seen(f"to{n}")
            if found != after: wrong.append((n, found))
            if has_other and seen(f"at{n}") != other: wrong.append((n, "other", seen(f"at{n}")))
        assert not wrong, wrong
        """
}
