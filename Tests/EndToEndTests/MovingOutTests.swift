import DocumentModel
import DocumentWire
import Foundation
import SystemPackage
import Testing

@testable import DocumentClient

/// Out of a domain (CONT-9), with the real daemon and FolderProvider.
@Suite(.serialized) struct MovingOutTests: MovingSuite {
    @Test("CONT-9: a folder moves out with what was not here and what was not sent, and is gone at the provider")
    func out() throws {
        try Machine.with { machine in
            try prepare(machine)
            try makeFolder(machine.remote + "/f/deep")
            try machine.write("placeholder\n", to: machine.remote + "/f/deep/p.txt")
            try machine.write("before\n", to: machine.remote + "/f/e.txt")
            try machine.succeed("open", "d:/f/e.txt")
            let output = try machine.succeed("move", "d:/f", "out")
            #expect(output == "out\n")
            #expect(machine.read(machine.folder + "/work/out/deep/p.txt") == "placeholder\n")
            #expect(machine.read(machine.folder + "/work/out/e.txt") == "before\n")
            #expect(!exists(machine.remote + "/f"))
            #expect(try machine.docent("stat", "d:/f").status == 1)
            #expect(!exists(machine.root + "/documents/d/f"))
            #expect(!exists(machine.folder + "/work/out/.docent-placeholders"))
            // And in again.
            try machine.succeed("move", "out", "d:/f")
            #expect(machine.read(machine.remote + "/f/deep/p.txt") == "placeholder\n")
        }
    }

    @Test("CONT-9: what was never sent moves out without its provider")
    func outUnsent() throws {
        try Machine.with { machine in
            try prepare(machine)
            try machine.succeed("ls", "d:/")
            try FileManager.default.moveItem(atPath: machine.remote, toPath: machine.remote + "-away")
            try makeFolder(machine.folder + "/work/f")
            try machine.write("one\n", to: machine.folder + "/work/f/one.txt")
            try machine.succeed("move", "--no-wait", "f", "d:/f")
            try machine.succeed("move", "d:/f", "g")
            #expect(machine.read(machine.folder + "/work/g/one.txt") == "one\n")
            try FileManager.default.moveItem(atPath: machine.remote + "-away", toPath: machine.remote)
            #expect(try machine.docent("stat", "d:/f").status == 1)
            #expect(!exists(machine.remote + "/f"))
        }
    }

    @Test("XFER-10: a folder that is empty on the remote is not removed alone with what was not sent of it")
    func emptyThere() async throws {
        try await Machine.with { machine in
            try prepare(machine)
            try makeFolder(machine.remote + "/f")
            try machine.succeed("ls", "d:/")
            try machine.succeed("pause", "d:/")
            try machine.write("only here\n", to: machine.folder + "/work/a.txt")
            try machine.succeed("move", "--no-wait", "a.txt", "d:/f/a.txt")
            try await machine.client { client in
                let folder = try Location("d:/f")
                let error = await #expect(throws: DocumentError.self) {
                    try await client.remove(itemAt: folder, discardUnsent: true)
                }
                #expect(error?.code == .directoryNotEmpty)
                #expect(error?.message.contains("docent rm -r d:/f") == true, "\(String(describing: error))")
            }
            #expect(try machine.succeed("cat", "d:/f/a.txt") == "only here\n")
            try machine.succeed("resume", "d:/")
            #expect(sent("only here\n", "f/a.txt", machine), "\(machine.logTail)")
        }
    }

    @Test("CONT-9: what has an edit that was not sent moves out with the edit")
    func outEdited() throws {
        try Machine.with { machine in
            try prepare(machine)
            try machine.write("sent\n", to: machine.remote + "/a.txt")
            try machine.succeed("open", "d:/a.txt")
            try machine.succeed("pause", "d:/")
            try machine.succeed("edit", "--no-wait", "d:/a.txt", "--with", "sh", "-c", "echo edited >> \"$0\"")
            #expect(machine.read(machine.remote + "/a.txt") == "sent\n", "the transfers are paused")
            try machine.succeed("move", "d:/a.txt", "a.txt")
            #expect(machine.read(machine.folder + "/work/a.txt") == "sent\nedited\n")
            #expect(machine.read(machine.remote + "/a.txt") == nil)
            #expect(try machine.docent("stat", "d:/a.txt").status == 1)
            try machine.succeed("resume", "d:/")
            #expect(try machine.succeed("ls", "d:/") == "")
        }
    }

    @Test("CONT-9: what the remote changes meanwhile stays there, and so does the copy, and the message says so")
    func outChanged() async throws {
        try await Machine.with { machine in
            try prepare(machine)
            try machine.write("before\n", to: machine.remote + "/b.txt")
            try machine.succeed("open", "d:/b.txt")
            let (location, copy) = (try Location("d:/b.txt"), FilePath(machine.folder + "/work/b.txt"))
            try await machine.client { client in
                // As the client does it, with somebody else in the middle.
                let error = try await client.coordinate(writingItemAt: location, for: .forDeleting) { path, _ in
                    let parts = try await LocalTree.copy(path, isFolder: false, to: copy)
                    try machine.write("theirs, and longer\n", to: machine.remote + "/b.txt")
                    let call = MoveOutCall(location: location, destinationPath: copy.string, parts: parts)
                    return await #expect(throws: DocumentError.self) { try await client.tell(.moveOut(call)) }
                }
                #expect(
                    error?.message.contains("It stays, and so does the copy at") == true, "\(String(describing: error))"
                )
            }
            #expect(machine.read(copy.string) == "before\n")
            #expect(machine.read(machine.remote + "/b.txt") == "theirs, and longer\n")
            #expect(Machine.eventually { (try? machine.succeed("cat", "d:/b.txt")) == "theirs, and longer\n" })
        }
    }

    @Test("CONT-9: with the remote away both are kept, and the message says so")
    func outRefused() throws {
        try Machine.with { machine in
            try prepare(machine)
            try machine.write("here\n", to: machine.remote + "/a.txt")
            try machine.succeed("open", "d:/a.txt")
            try FileManager.default.moveItem(atPath: machine.remote, toPath: machine.remote + "-away")
            let result = try machine.docent("move", "d:/a.txt", "a.txt")
            #expect(result.status == 1)
            #expect(result.errors.contains("It stays, and so does the copy at"), "\(result.errors)")
            #expect(machine.read(machine.folder + "/work/a.txt") == "here\n")
            try FileManager.default.moveItem(atPath: machine.remote + "-away", toPath: machine.remote)
            #expect(try machine.succeed("cat", "d:/a.txt") == "here\n")
            #expect(machine.read(machine.remote + "/a.txt") == "here\n")
        }
    }

    @Test("CONT-7, CONT-9, COORD-24: a presenter of the local document saves first, and follows it in and out")
    func presenter() async throws {
        try await Machine.with { machine in
            try prepare(machine)
            try machine.succeed("ls", "d:/")
            let path = FilePath(machine.folder + "/work/f/a.txt")
            try makeFolder(machine.folder + "/work/f")
            try machine.write("old\n", to: path.string)
            try await machine.client { client in
                let editor = LocalEditor(path.string, unsaved: "unsaved\n")
                try await client.addPresenter(editor)
                try await client.moveIn(FilePath(machine.folder + "/work/f"), to: Location("d:/g"))
                #expect(editor.messages == ["relinquish", "save", "moved to d:/g/a.txt", "reacquire"])
                try await client.waitUntilSent(Location("d:/g"))
                #expect(machine.read(machine.remote + "/g/a.txt") == "unsaved\n")
                // From here on it is one of the item.
                try await client.coordinate(writingItemAt: Location("d:/g/a.txt")) { file, _ in
                    try machine.write("by another\n", to: file.string)
                }
                #expect(await editor.hears("changed"))
                try await client.moveOut(Location("d:/g/a.txt"), to: FilePath(machine.folder + "/work/b.txt"))
                #expect(
                    editor.messages.last { $0.hasPrefix("moved") }
                        == "moved to \(editor.presentedLocalPath?.string ?? "nowhere")")
                #expect(machine.read(machine.folder + "/work/b.txt") == "by another\n")
                #expect(machine.read(machine.remote + "/g/a.txt") == nil)
                // The host knows where it went: another program's move is told, too.
                try machine.succeed("move", "--no-wait", "b.txt", "d:/c.txt")
                #expect(await editor.hears("moved to d:/c.txt"), "\(editor.messages)")
                // Of a folder around it, the presenter follows as well.
                try await client.waitUntilSent(Location("d:/c.txt"))
                try makeFolder(machine.folder + "/work/h")
                try await client.moveOut(Location("d:/c.txt"), to: FilePath(machine.folder + "/work/h/c.txt"))
                try await client.moveIn(FilePath(machine.folder + "/work/h"), to: Location("d:/h"))
                try await client.waitUntilSent(Location("d:/h"))
                try await client.moveOut(Location("d:/h"), to: FilePath(machine.folder + "/work/i"))
                #expect(editor.presentedLocalPath?.string.hasSuffix("/work/i/c.txt") == true, "\(editor.messages)")
            }
        }
    }
}
