import DocumentClient
import DocumentModel
import Foundation
import Testing

/// Attributes that programs set on a document's file, here and on the remote (COORD-20).
@Suite(.serialized, .timeLimit(.minutes(3))) struct ForeignAttributeTests {
    private func withDocument(
        _ body: (Machine, DocumentClient, Location) async throws -> Void
    ) async throws {
        try await Machine.with { machine async throws in
            try machine.write("one\n", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            #expect(try machine.succeed("cat", "d:/a.txt") == "one\n")
            try await machine.client { client async throws in
                try await body(machine, client, try Location("d:/a.txt"))
            }
        }
    }

    private func tag(_ location: Location, _ client: DocumentClient, _ machine: Machine) async throws {
        try await client.coordinate(writingItemAt: location, for: .contentIndependentMetadataOnly) { path, _ in
            try machine.tag(path.string)
        }
    }

    private func contentsAndTag(
        _ location: Location, _ client: DocumentClient, _ machine: Machine
    ) async throws -> String {
        try await client.coordinate(readingItemAt: location) { path, _ in
            let result = try machine.python(
                "import os, sys; print(os.getxattr(sys.argv[1], 'user.xdg.tags').decode(), end='')", path.string)
            return (machine.read(path.string) ?? "") + result.output
        }
    }

    @Test("COORD-20: attributes that a program has set outlive the contents: a newer version has them, too")
    func outliving() async throws {
        try await withDocument { machine, client, a async throws in
            try await tag(a, client, machine)
            #expect(try await contentsAndTag(a, client, machine) == "one\nholiday")
            try machine.write("another one\n", to: machine.remote + "/a.txt")
            for _ in 0..<500 {
                if try await contentsAndTag(a, client, machine) == "another one\nholiday" { break }
                try await Task.sleep(for: .milliseconds(20))
            }
            let listed = try machine.succeed("ls", "d:/") + machine.succeed("status")
            let remote = machine.read(machine.remote + "/a.txt") ?? "nothing"
            #expect(
                try await contentsAndTag(a, client, machine) == "another one\nholiday",
                "\(listed) \(remote) \(machine.logTail)")
        }
    }

    @Test(
        "COORD-20: a write of attributes is no edit: nothing is sent, and what the remote gets meanwhile is no conflict"
    )
    func noEdit() async throws {
        try await withDocument { machine, client, a async throws in
            // Whatever were to be sent stays here until the remote has other contents.
            try await client.pauseTransfers(at: Location("d:/"))
            try await tag(a, client, machine)
            #expect(try machine.succeed("status").contains("Everything is in sync."))
            try machine.write("another one\n", to: machine.remote + "/a.txt")
            try await client.resumeTransfers(at: Location("d:/"))
            try machine.succeed("refresh", "d:/")
            #expect(try await contentsAndTag(a, client, machine) == "another one\nholiday")
            #expect(try machine.succeed("conflicts") == "Nothing is in conflict.\n")
            #expect(machine.read(machine.remote + "/a.txt") == "another one\n")
        }
    }

    @Test("VER-15: attributes that are set on the remote while an edit waits here are no conflict: the edit is sent")
    func remoteAttributes() async throws {
        try await withDocument { machine, client, a async throws in
            try await client.pauseTransfers(at: Location("d:/"))
            try await client.coordinate(writingItemAt: a) { path, _ in try machine.write("mine\n", to: path.string) }
            try machine.tag(machine.remote + "/a.txt")
            try machine.succeed("refresh", "d:/")
            try await client.resumeTransfers(at: Location("d:/"))
            try await client.waitUntilSent(a)
            #expect(machine.read(machine.remote + "/a.txt") == "mine\n")
            #expect(try machine.succeed("conflicts") == "Nothing is in conflict.\n")
        }
    }
}

extension Machine {
    fileprivate func python(_ program: String, _ path: String) throws -> Result {
        try run("/usr/bin/env", ["python3", "-c", program, path])
    }

    fileprivate func tag(_ path: String) throws {
        let result = try python("import os, sys; os.setxattr(sys.argv[1], 'user.xdg.tags', b'holiday')", path)
        #expect(result.status == 0, "\(result.errors)")
    }
}
