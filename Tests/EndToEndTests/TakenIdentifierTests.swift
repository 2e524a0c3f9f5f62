import Foundation
import Testing

/// Identifiers that follow names, as a WebDAV server has them, are another document's when its name is.
@Suite(.serialized) struct TakenIdentifierTests {
    @Test("ID-4: what comes to the name that a document had here is one of its own, and each has its contents")
    func renamedBefore() throws {
        try Machine.with { machine in
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try WebDAVServer.with(machine, password: "s3cret") { server in
                try server.addDomain()
                #expect(try machine.succeed("cat", "web:/a.txt") == "first\n")
                try machine.succeed("rename", "web:/a.txt", "web:/b.txt")
                #expect(Machine.eventually { machine.read(machine.remote + "/b.txt") == "first\n" })
                try machine.write("second\n", to: machine.remote + "/a.txt")
                try machine.succeed("refresh", "web:/")
                #expect(try machine.succeed("cat", "web:/a.txt") == "second\n")
                #expect(try machine.succeed("cat", "web:/b.txt") == "first\n")
                let path = try machine.succeed("open", "web:/a.txt").trimmingCharacters(in: .newlines)
                #expect(machine.read(path) == "second\n")
            }
        }
    }

    @Test("ID-4: so is one that was there before and is renamed to it, also when nobody uses anything just then")
    func renamedOnto() throws {
        try Machine.with { machine in
            for name in ["a", "c"] { try machine.write("\(name)\n", to: machine.remote + "/\(name).txt") }
            try WebDAVServer.with(machine, password: "s3cret") { server in
                try server.addDomain()
                // As long as somebody uses something, who asks by a former identifier is led on.
                let (reader, flag) = (Process(), machine.folder + "/read")
                reader.executableURL = URL(fileURLWithPath: machine.folder + "/bin/docent")
                let waiting = "touch '\(flag)'; : '{}'; while [ -e '\(flag)' ]; do sleep 0.05; done"
                reader.arguments = ["open", "web:/c.txt", "--with", "sh", "-c", waiting]
                reader.environment = machine.environment
                try reader.run()
                #expect(Machine.eventually { machine.read(flag) != nil })
                try machine.succeed("rename", "web:/a.txt", "web:/b.txt")
                #expect(Machine.eventually { machine.read(machine.remote + "/b.txt") == "a\n" })
                try FileManager.default.removeItem(atPath: flag)
                reader.waitUntilExit()
                #expect(reader.terminationStatus == 0)
                try machine.succeed("rename", "web:/c.txt", "web:/a.txt")
                #expect(Machine.eventually { machine.read(machine.remote + "/a.txt") == "c\n" })
                try machine.succeed("evict", "web:/a.txt")
                #expect(try machine.succeed("cat", "web:/a.txt") == "c\n")
                #expect(try machine.succeed("cat", "web:/b.txt") == "a\n")
            }
        }
    }
}
