import DocumentTestSupport
import Foundation
import Testing

/// What programs are told as the numbers of files (`st_ino`): they tell by them whether two names are one file.
@Suite(.serialized, .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us.")) struct MountNumberTests {
    private func withServer(_ body: (Machine, RoomyServer) throws -> Void) throws {
        let server = RoomyServer()
        server.put("first\n", at: "a.txt")
        try server.mounted { try body($0, server) }
    }

    private func number(_ name: String, _ machine: Machine) throws -> String {
        try machine.sh("stat -c %i web/\(name)").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test(
        "A document that comes to the place of one that was moved is another file, where a path is all that a server tells it by"
    )
    func moved() throws {
        try withServer { (machine, server) throws in
            try machine.sh("mv web/a.txt web/b.txt")
            #expect(Machine.eventually(within: 60) { server.text(of: "b.txt") == "first\n" }, "\(machine.logTail)")
            server.put("second\n", at: "a.txt")
            try machine.succeed("refresh", "web:/")
            #expect(
                try Machine.eventually(within: 60) { try machine.shell("test -f web/a.txt").status == 0 },
                "\(machine.logTail)")
            // Which of them has the number of before depends on whether the kernel has forgotten the other one meanwhile.
            #expect(try number("a.txt", machine) != number("b.txt", machine))
            #expect(try machine.sh("cd web; ls -i | awk '{print $1}' | sort -u | wc -l").contains("2"))
            #expect(try machine.shell("cmp -s web/a.txt web/b.txt").status == 1)
            try machine.sh("cp web/b.txt web/a.txt")
            #expect(Machine.eventually(within: 60) { server.text(of: "a.txt") == "first\n" }, "\(machine.logTail)")
        }
    }

    @Test("What is made here keeps its number when it was sent and has the identifier that the server tells it by")
    func sent() throws {
        try withServer { (machine, server) throws in
            try machine.sh("echo new > web/new.txt; mkdir web/made; echo inner > web/made/inner.txt")
            let names = ["new.txt", "made", "made/inner.txt"]
            let before = try names.map { try number($0, machine) }
            #expect(Machine.eventually(within: 60) { server.text(of: "made/inner.txt") == "inner\n" })
            #expect(Machine.eventually(within: 60) { server.text(of: "new.txt") == "new\n" })
            #expect(try Machine.eventually(within: 60) { try machine.state("web:/made/inner.txt") == "materialised" })
            #expect(try names.map { try number($0, machine) } == before)
            #expect(try machine.sh("ls -i web").contains(before[0] + " new.txt"))
        }
    }
}
