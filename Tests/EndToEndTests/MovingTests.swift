import DocumentModel
import DocumentWire
import Foundation
import SystemPackage
import Testing

@testable import DocumentClient

/// Into a domain (CONT-7, CONT-8), with the real daemon and FolderProvider.
@Suite(.serialized) struct MovingTests: MovingSuite {
    @Test(
        "COORD-30: what is sent for the first time while it is claimed for moving moves under that claim all the same",
        .timeLimit(.minutes(3)))
    func renamedWhenSentMeanwhile() async throws {
        try await Machine.with { machine in
            try machine.write("new\n", to: machine.folder + "/work/new.txt")
            try machine.succeed(
                "domain", "add", "r", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("ls", "r:/")
            let provider = try #require(machine.providers.first)
            let location = try Location("r:/new.txt")
            func wait(for client: DocumentClient, _ states: ItemState...) async throws {
                for _ in 0..<6000 {
                    if states.contains(try await client.knownItem(at: location).state) { return }
                    try await Task.sleep(for: .milliseconds(10))
                }
                Issue.record("\(location) is \(try await client.knownItem(at: location).state)\n\(machine.logTail)")
            }
            // Asked to make it, and not answering before the claim is there.
            kill(provider, SIGSTOP)
            defer { kill(provider, SIGCONT) }
            try await machine.client { client in
                try await client.moveIn(FilePath(machine.folder + "/work/new.txt"), to: location)
                try await wait(for: client, .sending)
                try await FileCoordinator(client).coordinate(writingItemAt: location, for: .forMoving) { _, _ in
                    kill(provider, SIGCONT)
                    try await wait(for: client, .materialised)
                    try await client.rename(itemAt: location, to: Location("r:/moved.txt"))
                }
            }
            #expect(machine.read(machine.remote + "/moved.txt") == "new\n")
            #expect(machine.read(machine.remote + "/new.txt") == nil)
        }
    }

    @Test("CONT-7: a folder moves in with all that is in it, the folders around it are made, and it is sent")
    func folder() throws {
        try Machine.with { machine in
            try prepare(machine)
            let source = machine.folder + "/work/notes"
            try makeFolder(source + "/deep/er")
            try makeFolder(source + "/empty")
            try machine.write("a\n", to: source + "/a.txt")
            try machine.write("b\n", to: source + "/deep/er/b.txt")
            let output = try machine.succeed("move", "notes", "d:/Reports/2026/Notes")
            #expect(output == "d:/Reports/2026/Notes\n")
            #expect(!exists(source))
            let there = machine.remote + "/Reports/2026/Notes"
            #expect(machine.read(there + "/a.txt") == "a\n")
            #expect(machine.read(there + "/deep/er/b.txt") == "b\n")
            #expect(Machine.eventually(within: 30) { exists(there + "/empty") }, "\(machine.logTail)")
            #expect(try machine.succeed("cat", "d:/Reports/2026/Notes/deep/er/b.txt") == "b\n")
            #expect(try machine.succeed("ls", "d:/Reports/2026/Notes").contains("empty"))
        }
    }

    @Test("CONT-7: the command says what stays in its old place, and nothing where nothing does")
    func staying() throws {
        try Machine.with { machine in
            try prepare(machine)
            let folder = machine.folder + "/work/"
            try makeFolder(folder + "notes")
            for name in ["one.txt", "two.txt", "notes/three.txt", "plain.txt"] {
                try machine.write("first\n", to: folder + name)
            }
            let writers = try ["one.txt", "two.txt", "notes/three.txt"].map { name in
                try #require(FileHandle(forWritingAtPath: folder + name))
            }
            let moves = try [
                machine.docent("move", "one.txt", "d:/one.txt"),
                machine.docent("move", "--no-wait", "two.txt", "d:/two.txt"),
                machine.docent("move", "notes", "d:/made/notes"), machine.docent("move", "plain.txt", "d:/plain.txt"),
            ]
            for writer in writers { try writer.close() }
            #expect(moves.map(\.status) == [0, 0, 0, 0], "\(moves)")
            for (name, move) in zip(["one.txt", "two.txt", "notes/three.txt"], moves) {
                #expect(move.errors.contains("/work/\(name) was changed while it was moved, is open for writing"))
                #expect(machine.read(folder + name) == "first\n")
            }
            #expect(sent("first\n", "two.txt", machine) && sent("first\n", "made/notes/three.txt", machine))
            #expect(!moves[3].errors.contains("stays there") && !exists(folder + "plain.txt"), "\(moves[3].errors)")
            let status = try machine.succeed("status")
            #expect(status.contains("d:/made/notes  folder\n"), "\(status)")
            #expect(status.contains("/work/notes/three.txt was changed") && !status.contains("in sync"), "\(status)")
            for name in ["one.txt", "two.txt", "notes"] {
                try FileManager.default.removeItem(atPath: folder + name)
            }
            #expect(try Machine.eventually(within: 30) { try machine.succeed("status").contains("in sync") })
        }
    }

    @Test(
        "CONT-7, XFER-1, XFER-5: with the remote away it is moved all the same, read and edited, and sent over a restart"
    )
    func offline() throws {
        try Machine.with { machine in
            try prepare(machine)
            try machine.succeed("ls", "d:/")
            try FileManager.default.moveItem(atPath: machine.remote, toPath: machine.remote + "-away")
            try makeFolder(machine.folder + "/work/f")
            try machine.write("one\n", to: machine.folder + "/work/f/one.txt")
            try machine.write("two\n", to: machine.folder + "/work/two.txt")
            try machine.succeed("move", "--no-wait", "f", "d:/new/f")
            try machine.succeed("move", "--no-wait", "two.txt", "d:/two.txt")
            #expect(!exists(machine.folder + "/work/f") && !exists(machine.folder + "/work/two.txt"))
            // Full access meanwhile, over an end of the host, too.
            #expect(try machine.succeed("cat", "d:/new/f/one.txt") == "one\n")
            try machine.succeed("edit", "--no-wait", "d:/two.txt", "--with", "sh", "-c", "echo edited >> \"$0\"")
            if let daemon = machine.daemon { kill(daemon, SIGKILL) }
            #expect(Machine.eventually { machine.daemon == nil })
            #expect(try machine.succeed("cat", "d:/two.txt") == "two\nedited\n")
            // Renamed, and removed, without the provider.
            try machine.succeed("rename", "d:/new/f/one.txt", "uno.txt")
            try machine.succeed("rename", "d:/new/f", "d:/f")
            try machine.write("lost\n", to: machine.folder + "/work/lost.txt")
            try machine.succeed("move", "--no-wait", "lost.txt", "d:/lost/lost.txt")
            let kept = try machine.docent("rm", "-r", "d:/lost")
            #expect(kept.status == 1 && kept.errors.contains("was not sent yet"), "\(kept.errors)")
            try machine.succeed("rm", "-r", "--discard-unsent", "d:/lost")
            let refused = try machine.docent("move", "--no-wait", machine.log, "d:/two.txt")
            #expect(refused.status == 1 && refused.errors.contains("exists already"), "\(refused.errors)")

            try FileManager.default.moveItem(atPath: machine.remote + "-away", toPath: machine.remote)
            #expect(sent("two\nedited\n", "two.txt", machine), "\(machine.logTail)")
            #expect(sent("one\n", "f/uno.txt", machine), "\(machine.logTail)")
            #expect(!exists(machine.remote + "/lost") && !exists(machine.remote + "/new/f"))
            #expect(
                try Machine.eventually {
                    let items = try machine.json("ls", "d:/f") as? [[String: Any]]
                    return items?.first?["state"] as? String == "materialised"
                })
        }
    }

    @Test(
        "CONT-7, CONT-12: what got the name on the remote meanwhile is kept beside it; the same contents are one document"
    )
    func remoteWasFirst() throws {
        try Machine.with { machine in
            try prepare(machine)
            try machine.succeed("ls", "d:/")
            try FileManager.default.moveItem(atPath: machine.remote, toPath: machine.remote + "-away")
            for name in ["other", "same"] { try machine.write("mine\n", to: machine.folder + "/work/\(name).txt") }
            try machine.succeed("move", "--no-wait", "other.txt", "d:/other.txt")
            try machine.succeed("move", "--no-wait", "same.txt", "d:/same.txt")
            try machine.write("theirs\n", to: machine.remote + "-away/other.txt")
            try machine.write("mine\n", to: machine.remote + "-away/same.txt")
            try FileManager.default.moveItem(atPath: machine.remote + "-away", toPath: machine.remote)
            let isSettled = try Machine.eventually(within: 30) {
                let items = try machine.json("ls", "d:/") as? [[String: Any]] ?? []
                return items.count == 3
                    && items.allSatisfy { ["materialised", "placeholder"].contains($0["state"] as? String) }
            }
            #expect(isSettled, "\(machine.logTail)")
            let names = try FileManager.default.contentsOfDirectory(atPath: machine.remote).sorted()
            let copy = names.first { $0.hasPrefix("other (conflict") } ?? "none"
            #expect(names.filter { !$0.hasPrefix(".") } == [copy, "other.txt", "same.txt"].sorted())
            #expect(machine.read(machine.remote + "/" + copy) == "mine\n")
            #expect(machine.read(machine.remote + "/other.txt") == "theirs\n")
            #expect(try machine.succeed("cat", "d:/" + copy) == "mine\n")
            #expect(try machine.succeed("cat", "d:/other.txt") == "theirs\n")
        }
    }

    @Test("CONT-7: a writer that began before it was sent goes on, and what is written is sent, too")
    func usedWhileSent() async throws {
        try await Machine.with { machine in
            try prepare(machine)
            try machine.succeed("ls", "d:/")
            try FileManager.default.moveItem(atPath: machine.remote, toPath: machine.remote + "-away")
            let path = FilePath(machine.folder + "/work/a.txt")
            try machine.write("first\n", to: path.string)
            try await machine.client { client in
                let location = try Location("d:/a.txt")
                let item = try await client.moveIn(path, to: location)
                #expect(item.state == .changed && item.location == location)
                try await client.coordinate(readingItemAt: location) { file, _ in
                    try FileManager.default.moveItem(atPath: machine.remote + "-away", toPath: machine.remote)
                    #expect(sent("first\n", "a.txt", machine), "\(machine.logTail)")
                    #expect(machine.read(file.string) == "first\n")
                }
                try await client.coordinate(writingItemAt: location) { file, _ in
                    try machine.write("second\n", to: file.string)
                }
                try await client.waitUntilSent(location)
                #expect(machine.read(machine.remote + "/a.txt") == "second\n")
                #expect(try await client.item(at: location).state == .materialised)
            }
        }
    }

    private static func refusal(
        ofMovingIn path: FilePath, to location: Location, _ client: DocumentClient
    ) async throws -> DocumentError.Code? {
        do {
            try await client.moveIn(path, to: location)
            return nil
        } catch let error as DocumentError {
            return error.code
        }
    }

    private static func refusal(
        ofMovingOut location: Location, to path: FilePath, _ client: DocumentClient
    ) async throws -> DocumentError.Code? {
        do {
            try await client.moveOut(location, to: path)
            return nil
        } catch let error as DocumentError {
            return error.code
        }
    }

    @Test("CONT-8, COORD-38: what moves in inside of an access that it would wait for is refused, not hung")
    func refusedInside() async throws {
        try await Machine.with { machine in
            try prepare(machine)
            try makeFolder(machine.remote + "/f")
            try machine.write("mine\n", to: machine.folder + "/work/b.txt")
            try await machine.client { client in
                let (place, folder) = (try Location("d:/free.txt"), try Location("d:/f"))
                let mine = FilePath(machine.folder + "/work/b.txt")
                let atPlace = try await client.coordinate(writingItemAt: place, for: .forReplacing) { _, _ in
                    try await Self.refusal(ofMovingIn: mine, to: place, client)
                }
                #expect(atPlace == .deadlock)
                let inFolder = try await client.coordinate(writingItemAt: folder, for: .forDeleting) { _, _ in
                    try await Self.refusal(ofMovingIn: mine, to: Location("d:/f/b.txt"), client)
                }
                #expect(inFolder == .deadlock)
                #expect(machine.read(machine.folder + "/work/b.txt") == "mine\n")
                #expect(try await Self.refusal(ofMovingIn: mine, to: place, client) == nil)
            }
        }
    }

    @Test("CONT-8: inside of an access that it would wait for, and from the storage root, it is refused, not hung")
    func refused() async throws {
        try await Machine.with { machine in
            try prepare(machine)
            try machine.write("here\n", to: machine.remote + "/a.txt")
            try machine.write("mine\n", to: machine.folder + "/work/b.txt")
            try machine.succeed("open", "d:/a.txt")
            try await machine.client { client in
                let (location, mine) = (try Location("d:/a.txt"), FilePath(machine.folder + "/work/b.txt"))
                let new = FilePath(machine.folder + "/work/new.txt")
                let inside = try await client.coordinate(readingItemAt: location) { _, _ in
                    try await Self.refusal(ofMovingOut: location, to: new, client)
                }
                #expect(inside == .deadlock)
                let here = FilePath(machine.root + "/documents/d/a.txt")
                #expect(try await Self.refusal(ofMovingIn: here, to: Location("d:/c.txt"), client) == .invalidArgument)
                #expect(try await Self.refusal(ofMovingIn: mine, to: location, client) == .destinationExists)
                #expect(try await Self.refusal(ofMovingOut: location, to: mine, client) == .destinationExists)
                #expect(try await Self.refusal(ofMovingIn: mine, to: Location("none:/b"), client) == .notConfigured)
            }
            #expect(machine.read(machine.folder + "/work/b.txt") == "mine\n")
            #expect(machine.read(machine.remote + "/a.txt") == "here\n")
        }
    }
}
