import DocumentModel
import Foundation
import Testing

/// A folder that the remote has removed while an edit in it waits here.
@Suite(.serialized) struct GoneFolderTests {
    private static let before = RemoteTree(items: [
        "e": ["/", "E", nil], "a": ["e", "a.txt", "alpha"], "b": ["e", "b.txt", "beta"],
    ])

    /// Paused, so that the edit of `a.txt` waits; the folder is gone on the remote.
    private func withGoneFolder(hasFeed: Bool, _ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try machine.addRemoteTree("d", hasFeed: hasFeed, isWritable: true)
            var tree = Self.before
            try machine.provide(tree, in: "d")
            try machine.succeed("refresh", "d:/")
            try machine.succeed("ls", "d:/E")
            try machine.succeed("cat", "d:/E/a.txt")
            try machine.succeed("pause", "d:/E")
            try machine.write("edited", to: machine.root + "/documents/d/E/a.txt")
            #expect(try Machine.eventually { try state(machine) == "changed" })
            tree.items = [:]
            tree.feed = [[[], ["e", "a", "b"]]]
            try machine.provide(tree, in: "d")
            try machine.succeed("refresh", "d:/")
            #expect(try names(machine).first == "a.txt", "\(machine.logTail)")
            try body(machine)
        }
    }

    private func state(_ machine: Machine) throws -> String? {
        (try machine.json("stat", "d:/E/a.txt") as? [String: Any])?["state"] as? String
    }

    private func names(_ machine: Machine) throws -> [String] {
        try machine.docent("ls", "d:/E").output.split(separator: "\n").compactMap { line in
            line.split(separator: " ").last { $0.hasSuffix(".txt") }.map(String.init)
        }
    }

    @Test(
        "VER-15, CONT-13: what is gone on the remote, and was kept for an edit, can be removed, also where the provider says that there is no such item",
        arguments: [true, false])
    func removedHere(hasFeed: Bool) throws {
        try withGoneFolder(hasFeed: hasFeed) { machine in
            var tree = try machine.provided(in: "d")
            tree.failing["delete"] = 1
            try machine.provide(tree, in: "d")
            try machine.succeed("rm", "--discard-unsent", "d:/E/a.txt")
            #expect(try machine.docent("stat", "d:/E/a.txt").status != 0)
            #expect(!FileManager.default.fileExists(atPath: machine.root + "/documents/d/E/a.txt"))
        }
    }

    @Test(
        "VER-15, CONT-13: a folder that is gone on the remote is removed with the edit in it, of which nobody has to be told what is in it",
        arguments: [true, false])
    func removedAsAWhole(hasFeed: Bool) throws {
        try withGoneFolder(hasFeed: hasFeed) { machine in
            try machine.succeed("rm", "-r", "--discard-unsent", "d:/E")
            #expect(try machine.docent("stat", "d:/E").status != 0)
            #expect(!FileManager.default.fileExists(atPath: machine.root + "/documents/d/E"))
            #expect(try machine.succeed("trash", "list").contains("a.txt"))
        }
    }

    @Test(
        "VER-15: programs save in a folder that is gone on the remote, also by way of a new document; all of that is sent when the folder is made anew",
        .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."), arguments: [true, false])
    func savedInIt(hasFeed: Bool) throws {
        try withGoneFolder(hasFeed: hasFeed) { machine in
            try machine.mounted {
                let folder = machine.root + "/documents/d/E"
                try machine.sh("cd d/E && printf saved > .a.tmp && sync .a.tmp && mv .a.tmp a.txt && cat a.txt")
                #expect(try machine.sh("ls -A d/E | grep -v b.txt; cat d/E/a.txt") == "a.txt\nsaved")
                try machine.sh("cd d/E && printf new > .new.tmp && mv .new.tmp new.txt")
                try machine.sh("cd d/E && printf brief > brief && rm brief")
                #expect(try machine.sh("ls -A d/E | grep -v b.txt; cat d/E/new.txt") == "a.txt\nnew.txt\nnew")
                #expect(machine.read(folder + "/a.txt") == "saved" && machine.read(folder + "/new.txt") == "new")
                // Its name is no other one's, and nothing else of it is there.
                let left = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("tmp") }
                #expect(left == [])
                try machine.sh("! mkdir d/E/sub")
            }
            try machine.succeed("resume", "d:/E")
            let contents = ["a.txt": "saved", "new.txt": "new"]
            let isSent =
                try Machine.eventually {
                    let items = try machine.provided(in: "d").items
                    guard let made = items.first(where: { $0.value[1] == "E" })?.key else { return false }
                    let inside = items.values.filter { $0[0] == made }
                    return Dictionary(inside.map { ($0[1] ?? "", $0[2] ?? "") }) { one, _ in one } == contents
                        && inside.count == 2 && items.count == 3
                }
            let items = try machine.provided(in: "d").items
            #expect(isSent, "\(items) \(machine.logTail)")
            for (name, text) in contents {
                #expect(try machine.succeed("cat", "d:/E/\(name)") == text)
                #expect(
                    try Machine.eventually {
                        (try machine.json("stat", "d:/E/\(name)") as? [String: Any])?["state"] as? String
                            == "materialised"
                    })
            }
        }
    }

    @Test("VER-15: what lies deeper in a folder that is gone on the remote is listed as it is known, too")
    func listedBelow() throws {
        try Machine.with { machine in
            try machine.addRemoteTree("d", hasFeed: false, isWritable: true)
            try machine.provide(
                RemoteTree(items: ["e": ["/", "E", nil], "s": ["e", "S", nil], "a": ["s", "a.txt", "alpha"]]), in: "d")
            try machine.succeed("refresh", "d:/")
            try machine.succeed("ls", "d:/E")
            try machine.succeed("cat", "d:/E/S/a.txt")
            try machine.succeed("pause", "d:/E")
            try machine.write("edited", to: machine.root + "/documents/d/E/S/a.txt")
            #expect(
                try Machine.eventually {
                    (try machine.json("stat", "d:/E/S/a.txt") as? [String: Any])?["state"] as? String == "changed"
                })
            try machine.provide(RemoteTree(), in: "d")
            try machine.succeed("refresh", "d:/")
            #expect(try machine.succeed("ls", "d:/E/S").contains("a.txt"))
            try machine.succeed("rm", "-r", "--discard-unsent", "d:/E/S")
            #expect(!FileManager.default.fileExists(atPath: machine.root + "/documents/d/E/S"))
        }
    }

    @Test("INV-8: without a feed, a folder that was gone and is there again is seen by whoever lists it")
    func thereAgain() throws {
        try withGoneFolder(hasFeed: false) { machine in
            var tree = Self.before
            tree.items["c"] = ["e", "c.txt", "gamma"]
            try machine.provide(tree, in: "d")
            #expect(try names(machine) == ["a.txt", "b.txt", "c.txt"])
            #expect(machine.read(machine.root + "/documents/d/E/a.txt") == "edited")
        }
    }
}
