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
}
