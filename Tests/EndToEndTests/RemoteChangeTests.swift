import Foundation
import Glibc
import Testing

/// What changes on the remote: feeds, anchors, listings, and what counts as gone.
@Suite(.serialized) struct RemoteChangeTests {
    /// Two folders, and a document with contents here in the first one.
    private static let tree = RemoteTree(items: [
        "f": ["/", "Folder", nil], "g": ["/", "Other", nil], "a": ["f", "a.txt", "alpha\n"],
        "b": ["f", "b.txt", "beta\n"], "c": ["f", "c.txt", "gamma\n"],
    ])

    private func withTree(hasFeed: Bool = true, _ body: (Machine, RemoteTree) throws -> Void) throws {
        try Machine.with { machine in
            try machine.addRemoteTree("d", hasFeed: hasFeed)
            try machine.provide(Self.tree, in: "d")
            if hasFeed { try machine.succeed("refresh", "d:/") }
            for folder in ["d:/", "d:/Folder", "d:/Other"] { try machine.succeed("ls", folder) }
            #expect(try machine.succeed("cat", "d:/Folder/a.txt") == "alpha\n")
            try body(machine, Self.tree)
        }
    }

    private func names(_ machine: Machine, in folder: String) throws -> [String] {
        let listing = try machine.json("ls", folder)
        let items = (listing as? [[String: Any]]) ?? ((listing as? [String: Any])?["items"] as? [[String: Any]]) ?? []
        return items.compactMap { $0["name"] as? String }.sorted()
    }

    private func forgetCalls(_ machine: Machine) {
        unlink(machine.root + "/.docent/providers/d/calls")
    }

    @Test("PROV-21: after an anchor has expired, what was listed is listed again, and nothing is missed")
    func expiredAnchor() throws {
        try withTree { machine, before in
            var tree = before
            tree.items["a"] = ["f", "a.txt", "alpha, newer\n"]
            tree.items["b"] = nil
            tree.items["n"] = ["g", "n.txt", "new\n"]
            tree.feed = [[["a"], []], [["n"], ["b"]], [[], []]]
            tree.oldest = 2
            try machine.provide(tree, in: "d")
            try machine.succeed("refresh", "d:/")
            #expect(try names(machine, in: "d:/Folder") == ["a.txt", "c.txt"])
            #expect(try names(machine, in: "d:/Other") == ["n.txt"])
            #expect(try machine.succeed("cat", "d:/Folder/a.txt") == "alpha, newer\n")
            // And the feed is read from there on.
            tree.items["c"] = nil
            tree.feed.append([[], ["c"]])
            try machine.provide(tree, in: "d")
            forgetCalls(machine)
            try machine.succeed("refresh", "d:/Other")
            #expect(machine.calls(of: "d").contains("changes_since 3"))
            #expect(!machine.calls(of: "d").contains("enumerate f"))
            #expect(try names(machine, in: "d:/Folder") == ["a.txt"])
        }
    }

    @Test("PROV-21: a new anchor counts only when all was listed again: interrupted, it begins anew")
    func interruptedListing() throws {
        try withTree { machine, before in
            var tree = before
            tree.items["b"] = nil
            tree.feed = [[[], ["b"]], [[], []]]
            tree.oldest = 2
            tree.failing = ["enumerate": 1]
            try machine.provide(tree, in: "d")
            _ = try machine.docent("refresh", "d:/")
            // A listing that failed is no evidence.
            #expect(try names(machine, in: "d:/Folder") == ["a.txt", "b.txt", "c.txt"])
            tree.failing = [:]
            try machine.provide(tree, in: "d")
            try machine.succeed("refresh", "d:/Other")
            #expect(try names(machine, in: "d:/Folder") == ["a.txt", "c.txt"])
        }
    }

    @Test("RS-8: what a folder's listing does not show any more has perhaps moved: contents that are here move with it")
    func movedWithoutFeed() throws {
        try withTree(hasFeed: false) { machine, before in
            var tree = before
            tree.items["a"] = ["g", "moved.txt", "alpha\n"]
            tree.items["b"] = nil
            try machine.provide(tree, in: "d")
            forgetCalls(machine)
            try machine.succeed("ls", "d:/Folder")
            #expect(try names(machine, in: "d:/Folder") == ["c.txt"])
            let moved = machine.root + "/documents/d/Other/moved.txt"
            #expect(Machine.eventually { machine.read(moved) == "alpha\n" }, "\(machine.logTail)")
            #expect(try machine.succeed("cat", "d:/Other/moved.txt") == "alpha\n")
            // It came from here, and what has no contents here is nobody asked for.
            #expect(!machine.calls(of: "d").contains("start_providing a"))
            #expect(!machine.calls(of: "d").contains("item b"))
        }
    }

    @Test("RS-8: a listing that does not come to its end removes nothing", arguments: [0, 2])
    func incompleteListing(told: Int) throws {
        try withTree(hasFeed: false) { machine, before in
            var tree = before
            tree.items["a"] = nil
            tree.failing = ["enumerate": told]
            try machine.provide(tree, in: "d")
            _ = try machine.docent("ls", "d:/Folder", "--refresh")
            #expect(machine.read(machine.root + "/documents/d/Folder/a.txt") == "alpha\n")
            tree.failing = [:]
            try machine.provide(tree, in: "d")
            try machine.succeed("ls", "d:/Folder")
            #expect(
                Machine.eventually { machine.read(machine.root + "/documents/d/Folder/a.txt") == nil })
        }
    }

    @Test("VER-15: what was removed on the remote and saved here is kept, and told")
    func removedAndSaved() throws {
        try withTree { machine, before in
            // This remote takes nothing: the edit stays here.
            let path = machine.root + "/documents/d/Folder/a.txt"
            try machine.write("mine\n", to: path)
            var tree = before
            tree.items["a"] = nil
            tree.feed = [[[], ["a"]]]
            try machine.provide(tree, in: "d")
            try machine.succeed("refresh", "d:/")
            #expect(machine.read(path) == "mine\n")
            #expect(
                try Machine.eventually { try machine.succeed("status").contains("d:/Folder/a.txt") },
                "\(machine.logTail)")
        }
    }

    @Test("INV-8: what somebody looked at is looked at again by itself, where no feed tells; switched off, it is not")
    func lookedAtAgain() throws {
        try withTree(hasFeed: false) { machine, before in
            try machine.succeed("domain", "set", "d", "--look-again", "10")
            try machine.succeed("ls", "d:/Other")
            var tree = before
            tree.items["n"] = ["g", "n.txt", "new\n"]
            try machine.provide(tree, in: "d")
            forgetCalls(machine)
            #expect(
                Machine.eventually(within: 60) { machine.calls(of: "d").contains("enumerate g") }, "\(machine.logTail)")
            // Only what was looked at since the rule holds.
            let listed = Set(machine.calls(of: "d").filter { $0.hasPrefix("enumerate") })
            #expect(listed == ["enumerate g"])
            let known = machine.root + "/documents/d/Other"
            #expect(
                Machine.eventually {
                    let names = FileManager.default.subpaths(atPath: known) ?? []
                    return names.contains { $0.contains("n.txt") }
                })
            try machine.succeed("domain", "set", "d", "--look-again", "never")
            #expect(try machine.succeed("domain", "show", "d").contains("never"))
        }
    }
}
