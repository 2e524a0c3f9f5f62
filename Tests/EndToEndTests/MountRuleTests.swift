import Foundation
import Glibc
import Testing

/// Whom documents are not brought for, by user and by control group, and how much room there is, as programs see it.
@Suite(.serialized, .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MountRuleTests {
    /// A domain with two documents, of which the first is here.
    private func withTree(denying rule: String, _ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try machine.write("here\n", to: machine.remote + "/here.txt")
            try machine.write("there\n", to: machine.remote + "/there.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("cat", "work:/here.txt")
            try machine.succeed("mount", "--deny", rule)
            defer { machine.takeMountAway() }
            try body(machine)
        }
    }

    private func expectDenied(_ command: String, _ machine: Machine) throws {
        let refused = try machine.shell("\(command) work/there.txt")
        #expect(refused.status != 0 && refused.errors.contains("Operation not permitted"), "\(refused)")
        #expect(try machine.state("work:/there.txt") == "placeholder")
        #expect(try machine.sh("\(command) work/here.txt") == "here\n")
    }

    @Test("PH-8: for a user who may not have documents brought, none is, and what is here can be read")
    func deniedUser() throws {
        try withTree(denying: "user \(geteuid())") { (machine) throws in
            try expectDenied("cat", machine)
            // A tool of ours asks for itself.
            #expect(try machine.succeed("cat", "work:/there.txt") == "there\n")
            #expect(try machine.sh("cat work/there.txt") == "there\n")
        }
        try withTree(denying: "user \(geteuid() + 1)") { (machine) throws in
            #expect(try machine.sh("cat work/there.txt") == "there\n")
        }
    }

    @Test(
        "PH-8: for what runs in a control group, or below it, that may not have documents brought, none is",
        .enabled(if: ControlGroup.canBeMade, "Nobody lets us make a control group here."))
    func deniedGroup() throws {
        let group = try ControlGroup("docent-denied-\(getpid()).slice")
        defer { group.remove() }
        let inner = try ControlGroup("docent-denied-\(getpid()).slice/backup-1.service")
        defer { inner.remove() }
        try withTree(denying: "cgroup docent-denied-*.slice") { (machine) throws in
            for group in [group, inner] {
                let script = machine.folder + "/in-group"
                try machine.write("echo $$ > '\(group.path)/cgroup.procs' && exec cat \"$1\"", to: script)
                try expectDenied("sh '\(script)'", machine)
            }
            #expect(try machine.sh("cat work/there.txt") == "there\n")
        }
    }

    @Test("The room that programs see is that of the disk which contents come to, and a name has 255 bytes")
    func room() throws {
        try withTree(denying: "nobody-of-that-name") { (machine) throws in
            let format = "%S %b %l"
            let seen = try machine.sh("stat -f -c '\(format)' work")
            let disk = try machine.run("/usr/bin/stat", ["-f", "-c", format, machine.folder + "/root"])
            #expect(seen == disk.output)
            let free = try machine.sh("df --output=avail -B1 work | tail -n 1")
            let there = try machine.run("/bin/df", ["--output=avail", "-B1", machine.folder + "/root"])
            let (one, other) = (number(free), number(there.output))
            // Others write to it meanwhile.
            #expect(one > 0 && abs(one - other) < 1e9, "\(free) \(there.output)")
        }
    }

    private func number(_ text: String) -> Double {
        text.split(whereSeparator: \.isWhitespace).last.flatMap { Double($0) } ?? 0
    }
}

/// A control group of a test's own, in whichever hierarchy lets it make one.
private struct ControlGroup {
    private static let hierarchies = ["", "/unified", "/freezer", "/pids"].map { "/sys/fs/cgroup" + $0 }
    let path: String

    static let canBeMade: Bool = {
        guard let group = try? ControlGroup("docent-trial-\(getpid())") else { return false }
        group.remove()
        return true
    }()

    private struct Refused: Error {}

    init(_ name: String) throws {
        let made = Self.hierarchies.map { $0 + "/" + name }.first { path in
            guard mkdir(path, 0o755) == 0 else { return false }
            if access(path + "/cgroup.procs", W_OK) == 0 { return true }
            rmdir(path)
            return false
        }
        guard let made else { throw Refused() }
        path = made
    }

    /// What ran in it may be just ending.
    func remove() {
        for _ in 0..<100 where rmdir(path) != 0 && errno == EBUSY { usleep(20_000) }
    }
}
