import DocumentModel
import DocumentTestSupport
import Foundation
import Testing

/// Documents of a server that has names which no file here can have.
@Suite(.serialized, .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us.")) struct MountLongNameTests {
    private static let first = String(repeating: "minutes ä ", count: 40) + "first.txt"
    private static let second = String(repeating: "minutes ä ", count: 40) + "second.txt"
    private static let folder = String(repeating: "f", count: 300)

    private func shown(_ name: String) throws -> String { try ItemName(shortening: name.utf8).rawValue }

    private func withServer(_ body: (Machine, RoomyServer) throws -> Void) throws {
        let server = RoomyServer()
        server.put("one\n", at: Self.first)
        server.put("two\n", at: Self.second)
        server.put(nil, at: Self.folder)
        server.put("inner\n", at: Self.folder + "/inner.txt")
        server.put("exact\n", at: String(repeating: "e", count: 255))
        server.put("over\n", at: String(repeating: "e", count: 256))
        try server.mounted { try body($0, server) }
    }

    @Test("Names that are too long are shown by shorter ones, each by its own, and what is behind them is read")
    func reading() throws {
        try withServer { (machine, _) throws in
            let names = try [Self.first, Self.second, Self.folder].map(shown)
            let exact = String(repeating: "e", count: 255)
            let over = try shown(exact + "e")
            let listed = try machine.sh("ls web").split(separator: "\n").map(String.init)
            #expect(Set(listed) == Set(names + [exact, over]))
            #expect(listed.allSatisfy { $0.utf8.count <= 255 })
            #expect(names[0] != names[1] && names[0].hasSuffix(".txt"))
            for (name, text) in [
                (names[0], "one\n"), (names[1], "two\n"), (names[2] + "/inner.txt", "inner\n"), (exact, "exact\n"),
                (over, "over\n"),
            ] {
                #expect(try machine.sh("cat 'web/\(name)'") == text)
            }
        }
    }

    @Test(
        "What is changed, moved or removed under a shorter name is that on the server, under its own until it is renamed"
    )
    func changing() throws {
        try withServer { (machine, server) throws in
            let (first, second, folder) = try (shown(Self.first), shown(Self.second), shown(Self.folder))
            func arrives(_ condition: () -> Bool) -> Bool { Machine.eventually(within: 60, condition) }

            try machine.sh("cat 'web/\(first)'; echo changed > 'web/\(first)'")
            #expect(arrives { server.text(of: Self.first) == "changed\n" }, "\(machine.logTail)")
            try machine.sh("mkdir web/sub; mv 'web/\(second)' web/sub/")
            #expect(arrives { server.text(of: "sub/" + Self.second) == "two\n" }, "\(server.paths) \(machine.logTail)")
            #expect(try machine.sh("ls web/sub") == second + "\n")
            try machine.sh("mv 'web/\(first)' web/plain.txt; mv 'web/\(folder)' web/sub/")
            #expect(arrives { server.text(of: "plain.txt") == "changed\n" }, "\(server.paths) \(machine.logTail)")
            #expect(arrives { server.text(of: "sub/\(Self.folder)/inner.txt") == "inner\n" }, "\(server.paths)")
            try machine.sh("echo new > 'web/sub/\(folder)/new.txt'; rm 'web/sub/\(second)'")
            #expect(arrives { server.text(of: "sub/\(Self.folder)/new.txt") == "new\n" }, "\(machine.logTail)")
            #expect(arrives { !server.paths.contains("sub/" + Self.second) }, "\(machine.logTail)")
            #expect(
                !server.paths.contains { $0.contains("…") }, "no document has a shorter name there: \(server.paths)")
        }
    }

    @Test(
        "The shorter names are the same after another start; who is called by one of them on the server clashes with it"
    )
    func staying() throws {
        try withServer { (machine, server) throws in
            let names = try machine.sh("ls web")
            machine.takeMountAway()
            try machine.succeed("host", "stop")
            try machine.succeed("mount")
            #expect(try machine.sh("ls web") == names)

            let first = try shown(Self.first)
            server.put("another\n", at: first)
            try machine.succeed("refresh", "web:/")
            #expect(
                try Machine.eventually(within: 60) { try machine.succeed("status").contains("clash") },
                "\(machine.logTail)")
            #expect(try machine.sh("ls web") == names)
            #expect(try machine.sh("cat 'web/\(first)'") == "one\n")
            #expect(server.text(of: first) == "another\n" && server.text(of: Self.first) == "one\n")
        }
    }
}
