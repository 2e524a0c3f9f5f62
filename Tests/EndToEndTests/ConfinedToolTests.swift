import DocumentModel
import DocumentWire
import Foundation
import SystemPackage
import Testing

@testable import DocumentClient

/// Tools that are kept from the documents' files get open files, and no paths.
extension EntitlementTests {
    private func text(_ file: FileDescriptor) throws -> String {
        var buffer = [UInt8](repeating: 0, count: 1_000)
        let count = try buffer.withUnsafeMutableBytes { try file.read(fromAbsoluteOffset: 0, into: $0) }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    @Test("PICK-21: a confined tool reads and writes through descriptors, and is told no path")
    func confined() async throws {
        try await withDomains { machine async throws in
            try register("confined = true\ndomains = [\"work\"]\nread-domains = [\"home\"]", on: machine)
            #expect(try machine.succeed("tool", "show", "org.example.notes").contains("no paths"))
            let (work, home) = (try Location("work:/a.txt"), try Location("home:/a.txt"))
            try await machine.client { client async throws in
                try await client.coordinate(readingItemAt: home) { path, item in
                    #expect(path.isEmpty && item.path.isEmpty)
                    let file = try await client.openAccessed()
                    defer { try? file.close() }
                    #expect(try text(file) == "from home")
                    #expect(throws: Errno.badFileDescriptor) { try file.writeAll([1]) }
                    #expect(fcntl(file.rawValue, F_GETFL) & O_NONBLOCK == 0)
                    #expect(fcntl(file.rawValue, F_GETFD) & FD_CLOEXEC != 0)
                }
                try await client.coordinate(writingItemAt: work) { path, _ in
                    #expect(path.isEmpty)
                    let file = try await client.openAccessed()
                    defer { try? file.close() }
                    try file.writeAll(toAbsoluteOffset: 0, Array("FROM".utf8))
                }
                try await client.waitUntilSent(work)
                #expect(machine.read(machine.remote + "/work/a.txt") == "FROM work")
                // Nor elsewhere.
                #expect(try await client.item(at: work).path.isEmpty)
                for try await item in client.items(in: try Location("work:/")) { #expect(item.path.isEmpty) }

                let made = try Location("work:/made.txt")
                let coordinator = FileCoordinator(client)
                try await coordinator.coordinate(creatingItemAt: made) { _, _ in
                    let file = try await client.openAccessed()
                    defer { try? file.close() }
                    try file.writeAll(Array("made".utf8))
                }
                try await client.waitUntilSent(made)
                #expect(machine.read(machine.remote + "/work/made.txt") == "made")

                // Also where nothing is yet (COORD-19).
                let new = try Location("work:/new.txt")
                try await coordinator.coordinate(writingItemAt: new) { _, _ in
                    let file = try await client.openAccessed()
                    defer { try? file.close() }
                    try file.writeAll(Array("new".utf8))
                }
                try await client.waitUntilSent(new)
                #expect(machine.read(machine.remote + "/work/new.txt") == "new")

                // Nothing is opened without an access, for another number, or of a folder.
                #expect(await code { try await client.openAccessed() } == .invalidArgument)
                try await client.coordinate(readingItemAt: home) { _, _ in
                    #expect(await code { try await client.openAccessed(1) } == .invalidArgument)
                    #expect(await code { try await client.openAccessed(part: [ItemName("x")]) } == .invalidArgument)
                }
                try await client.coordinate(readingItemAt: Location("home:/")) { _, _ in
                    #expect(await code { try await client.openAccessed() } == .invalidArgument)
                }
                // The host reads no file for it.
                let refusal = await failure {
                    try await client.exportDocument(FilePath(machine.folder + "/tool.toml"), to: made, replacing: true)
                }
                #expect(refusal?.code == .notPermitted)
                #expect(refusal?.message.contains("is confined") == true)
                // Nor looks whether there is one.
                let presenter = PresenterRegistration(
                    number: 1, place: .local(machine.folder + "/tool.toml"), capabilities: .all)
                #expect(await code { try await client.tell(.addPresenter(presenter)) } == .notPermitted)
            }
        }
    }

    @Test("BOOK-5: a confined tool opens what a bookmark was made of, as far as that allows")
    func confinedByBookmark() async throws {
        try await withDomains { machine async throws in
            try register("confined = true", on: machine)
            let made = try machine.succeed(
                "bookmark", "create", "store:/a.txt", "--read-only", "--for", "org.example.notes")
            let word = try #require(made.split(whereSeparator: \.isWhitespace).last)
            let bookmark = try Bookmark(text: String(word))
            try await machine.client { client async throws in
                try await client.coordinate(readingItemOf: bookmark) { path, _ in
                    #expect(path.isEmpty)
                    let file = try await client.openAccessed()
                    defer { try? file.close() }
                    #expect(try text(file) == "from store")
                }
                #expect(
                    await code { try await client.coordinate(writingItemOf: bookmark) { _, _ in } } == .notPermitted)
            }
        }
    }

    @Test(
        "PICK-21, COORD-7: while it is written, a document that the remote renames and moves is opened where its file is",
        arguments: [false, true])
    func movedMeanwhile(replacing: Bool) async throws {
        try await withDomains { machine async throws in
            let (f, g) = (machine.remote + "/work/f", machine.remote + "/work/g")
            mkdir(f, 0o700)
            try machine.write("from f", to: f + "/b.txt")
            for folder in ["work:/", "work:/f"] { try machine.succeed("ls", folder) }
            try register("confined = true\ndomains = [\"work\"]", on: machine)
            let written = replacing ? "put in its place" : "written meanwhile"
            try await machine.client { client async throws in
                let place = try Location("work:/f/b.txt")
                try await client.coordinate(writingItemAt: place, for: replacing ? .forReplacing : nil) { _, _ in
                    rename(f, g)
                    rename(g + "/b.txt", g + "/c.txt")
                    #expect(
                        Machine.eventually(within: 60) {
                            (try? machine.succeed("ls", "work:/g").contains("c.txt")) == true
                        }, "\(machine.logTail)")
                    let file = try await client.openAccessed()
                    defer { try? file.close() }
                    // What is to be replaced need not be here.
                    #expect(try text(file) == (replacing ? "" : "from f"))
                    try file.writeAll(toAbsoluteOffset: 0, Array(written.utf8))
                }
            }
            #expect(
                Machine.eventually(within: 60) { machine.read(g + "/c.txt") == written },
                "\(machine.read(g + "/c.txt") ?? "nothing") \(machine.logTail)")
            #expect(try Machine.eventually { try FileManager.default.contentsOfDirectory(atPath: g) == ["c.txt"] })
            #expect(!FileManager.default.fileExists(atPath: f))
        }
    }
}
