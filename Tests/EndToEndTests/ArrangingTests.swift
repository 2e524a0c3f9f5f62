import DocumentModel
import Foundation
import Testing

@testable import DocumentClient

/// Renames, moves and removals asked for here, while the remote has changed and nobody has told of it yet.
@Suite(.serialized) struct ArrangingTests {
    private static let tree = RemoteTree(items: [
        "f": ["/", "Folder", nil], "g": ["f", "Inner", nil], "o": ["/", "Other", nil],
        "a": ["f", "a.txt", "alpha\n"], "b": ["g", "b.txt", "beta\n"], "c": ["g", "c.txt", "gamma\n"],
    ])

    private func withTree(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try machine.addRemoteTree("d", isWritable: true)
            try machine.provide(Self.tree, in: "d")
            try machine.succeed("refresh", "d:/")
            for folder in ["d:/", "d:/Folder", "d:/Folder/Inner", "d:/Other"] { try machine.succeed("ls", folder) }
            for path in ["a.txt", "Inner/b.txt"] { try machine.succeed("cat", "d:/Folder/" + path) }
            try body(machine)
        }
    }

    private func change(_ machine: Machine, _ body: (inout RemoteTree) -> Void) throws {
        var tree = try machine.provided(in: "d")
        body(&tree)
        try machine.provide(tree, in: "d")
    }

    private func here(_ machine: Machine, _ path: String) -> String? {
        machine.read(machine.root + "/documents/d/" + path)
    }

    @Test("VER-15: a folder is removed from the inside out, and nothing is left of it on either side")
    func removed() throws {
        try withTree { machine in
            try machine.succeed("rm", "-r", "d:/Folder")
            #expect(try machine.provided(in: "d").items.keys.sorted() == ["o"])
            #expect(!FileManager.default.fileExists(atPath: machine.root + "/documents/d/Folder"))
            #expect(!machine.calls(of: "d").contains { $0.hasSuffix("recursively") })
            #expect(try machine.succeed("ls", "d:/").contains("Other"))
        }
    }

    @Test("VER-15: with a folder nothing goes that was changed on the remote meanwhile, nor the folders around it")
    func changedMeanwhile() throws {
        try withTree { machine in
            try change(machine) { $0.items["b"] = ["g", "b.txt", "beta, newer\n"] }
            let result = try machine.docent("rm", "-r", "d:/Folder")
            #expect(result.status != 0)
            #expect(result.errors.contains("changed on the remote"), "\(result.errors)")
            let left = try machine.provided(in: "d").items
            #expect(left.keys.sorted() == ["b", "f", "g", "o"])
            #expect(try machine.succeed("cat", "d:/Folder/Inner/b.txt") == "beta, newer\n")
            #expect(here(machine, "Folder/a.txt") == nil)
            #expect(try machine.docent("stat", "d:/Folder/a.txt").status != 0)
            // Asked again, with what is known now.
            try machine.succeed("rm", "-r", "d:/Folder")
            #expect(try machine.provided(in: "d").items.keys.sorted() == ["o"])
        }
    }

    @Test("VER-15: with a folder nothing goes that was put into it on the remote meanwhile")
    func newMeanwhile() throws {
        try withTree { machine in
            try change(machine) { $0.items["n"] = ["g", "n.txt", "new\n"] }
            #expect(try machine.docent("rm", "-r", "d:/Folder").status != 0)
            #expect(try machine.provided(in: "d").items.keys.sorted() == ["f", "g", "n", "o"])
            #expect(try machine.succeed("cat", "d:/Folder/Inner/n.txt") == "new\n")
        }
    }

    @Test("VER-15: a document that was changed on the remote meanwhile is not removed")
    func documentChangedMeanwhile() throws {
        try withTree { machine in
            try change(machine) { $0.items["a"] = ["f", "a.txt", "alpha, newer\n"] }
            #expect(try machine.docent("rm", "d:/Folder/a.txt").status != 0)
            #expect(try machine.provided(in: "d").items["a"] == ["f", "a.txt", "alpha, newer\n"])
        }
    }

    @Test("INV-2: what was moved on the remote meanwhile stays where it was moved to, and is found there")
    func movedMeanwhile() throws {
        try withTree { machine in
            try change(machine) { $0.items["a"] = ["o", "theirs.txt", "alpha\n"] }
            let result = try machine.docent("rename", "d:/Folder/a.txt", "mine.txt")
            #expect(result.status != 0)
            #expect(result.errors.contains("meanwhile"), "\(result.errors)")
            #expect(try machine.provided(in: "d").items["a"] == ["o", "theirs.txt", "alpha\n"])
            #expect(Machine.eventually { here(machine, "Other/theirs.txt") == "alpha\n" }, "\(machine.logTail)")
            #expect(try machine.succeed("cat", "d:/Other/theirs.txt") == "alpha\n")
        }
    }

    @Test("INV-2: a change of contents on the remote is nothing that keeps a document from being renamed")
    func renamedAlthoughChanged() throws {
        try withTree { machine in
            try change(machine) { $0.items["a"] = ["f", "a.txt", "alpha, newer\n"] }
            try machine.succeed("rename", "d:/Folder/a.txt", "d:/Other/mine.txt")
            #expect(try machine.provided(in: "d").items["a"] == ["o", "mine.txt", "alpha, newer\n"])
            #expect(try machine.succeed("cat", "d:/Other/mine.txt") == "alpha, newer\n")
        }
    }

    @Test("RS-5: whether a provider that died had renamed something is looked up, not guessed")
    func diedOverRename() throws {
        try withTree { machine in
            try change(machine) { $0.dying = ["modify"] }
            try machine.succeed("rename", "d:/Folder/a.txt", "mine.txt")
            #expect(try machine.provided(in: "d").items["a"] == ["f", "mine.txt", "alpha\n"])
            #expect(here(machine, "Folder/mine.txt") == "alpha\n")
        }
    }

    @Test("RS-5: whether a provider that died had removed something is looked up, not guessed")
    func diedOverRemoval() throws {
        try withTree { machine in
            try change(machine) { $0.dying = ["delete"] }
            try machine.succeed("rm", "d:/Folder/a.txt")
            #expect(try machine.provided(in: "d").items["a"] == nil)
            #expect(here(machine, "Folder/a.txt") == nil)
            #expect(try machine.docent("stat", "d:/Folder/a.txt").status != 0)
        }
    }

    @Test("CONT-8: what its provider knows moves into a folder that was made here a moment ago and is not sent yet")
    func intoNewFolder() async throws {
        try await Machine.with { machine async throws in
            try machine.addRemoteTree("d", isWritable: true)
            try machine.provide(Self.tree, in: "d")
            try machine.succeed("refresh", "d:/")
            for folder in ["d:/", "d:/Folder"] { try machine.succeed("ls", folder) }
            try await machine.client { client async throws in
                var place = try Location("d:/Folder/a.txt")
                for number in 0..<40 {
                    let folder = try Location("d:/New \(number)")
                    try await client.makeFolder(at: folder, atOnce: true)
                    let next = folder.appending(try ItemName("a.txt"))
                    try await client.rename(itemAt: place, to: next)
                    place = next
                }
                #expect(try await client.item(at: place).item.id.rawValue == "a")
            }
            let folder = try #require(try machine.provided(in: "d").items["a"]?.first ?? nil)
            #expect(try machine.provided(in: "d").items[folder]?[1] == "New 39")
        }
    }
}
