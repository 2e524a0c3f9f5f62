import Foundation
import Glibc
import Testing

/// A provider that hangs in the middle of something keeps nobody from removing, renaming and replacing what that is about.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MountHangingTests {
    /// A domain with four documents, a and b here, c and d not; and a folder.
    private func withDomain(_ body: (Machine, inout RemoteTree) throws -> Void) throws {
        try Machine.with { machine in
            try machine.addRemoteTree("d", isWritable: true)
            var tree = RemoteTree(items: ["f": ["/", "f", nil]])
            for name in ["a", "b", "c", "d"] { tree.items[name] = ["/", name + ".txt", name + "\n"] }
            try machine.provide(tree, in: "d")
            try machine.succeed("refresh", "d:/")
            try machine.mounted {
                try machine.sh("ls -lR d; cat d/a.txt d/b.txt")
                try body(machine, &tree)
            }
        }
    }

    private func hang(_ methods: String..., in machine: Machine, _ tree: inout RemoteTree) throws -> String {
        let gate = machine.folder + "/gate"
        for method in methods { tree.waiting[method] = gate }
        try machine.provide(tree, in: "d")
        return gate
    }

    private func quickly(_ command: String, _ machine: Machine) throws {
        let began = Date()
        try machine.sh("cd d && \(command)", timeout: 20)
        #expect(Date().timeIntervalSince(began) < 5, "\(command) took \(Date().timeIntervalSince(began)) s")
    }

    /// By name, with their contents; folders end in a slash.
    private func remote(_ machine: Machine) throws -> [String: String] {
        let tree = try machine.provided(in: "d")
        func path(_ id: String) -> String {
            guard let item = tree.items[id], let folder = item[0], let name = item[1] else { return "" }
            return folder == "/" ? name : path(folder) + "/" + name
        }
        return Dictionary(tree.items.map { (path($0.key), $0.value[2] ?? "/") }) { $0 + $1 }
    }

    private func expectAgreement(_ machine: Machine, _ expected: [String: String]) throws {
        #expect(
            try Machine.eventually(within: 90) { try remote(machine) == expected },
            "\((try? remote(machine)) ?? [:])\n\(machine.logTail)")
        #expect(try Machine.eventually(within: 60) { try machine.succeed("status").contains("in sync") })
        for (path, contents) in expected where contents != "/" {
            #expect(try machine.sh("cat 'd/\(path)'", timeout: 30) == contents)
        }
        let names = try machine.sh("cd d && find . -type f | sort").split(separator: "\n").map { $0.dropFirst(2) }
        #expect(names == expected.filter { $0.value != "/" }.keys.sorted().map { Substring($0) })
        #expect(try !machine.succeed("conflicts").contains("d:/"))
    }

    @Test(
        "VER-15, PH-8: a document that is just being sent is removed, renamed and replaced at once, and so is a new one"
    )
    func sent() throws {
        try withDomain { machine, tree in
            let gate = try hang("modify", "create", in: machine, &tree)
            try machine.sh(
                "cd d && for x in a b c d; do echo changed-$x > $x.txt; done; for x in 1 2 3; do echo $x > new$x; done")
            #expect(
                try Machine.eventually(within: 30) {
                    try ["a.txt", "b.txt", "c.txt", "new1", "new2", "new3"].allSatisfy {
                        try machine.state("d:/" + $0) == "sending"
                    }
                }, "\(machine.logTail)")
            try quickly("rm a.txt", machine)
            try quickly("mv b.txt f/moved.txt", machine)
            try quickly("echo other > .tmp && mv .tmp c.txt", machine)
            try quickly("rm new1", machine)
            try quickly("mv new2 f/new2b", machine)
            try quickly("mv new3 d.txt", machine)
            #expect(try machine.sh("cd d && find . -type f | sort") == "./c.txt\n./d.txt\n./f/moved.txt\n./f/new2b\n")
            #expect(try machine.sh("cd d && cat c.txt d.txt f/moved.txt f/new2b") == "other\n3\nchanged-b\n2\n")
            try machine.write("", to: gate)
            try expectAgreement(
                machine,
                ["f": "/", "c.txt": "other\n", "d.txt": "3\n", "f/moved.txt": "changed-b\n", "f/new2b": "2\n"])
        }
    }

    @Test(
        "VER-15: what was removed while it was sent is removed on the remote also when the host or the provider dies in between",
        arguments: ["host", "provider"])
    func died(_ who: String) throws {
        try withDomain { machine, tree in
            let gate = try hang("modify", "create", in: machine, &tree)
            try machine.sh("cd d && echo changed > a.txt; echo changed > b.txt; echo 1 > new1; echo 2 > new2")
            #expect(
                try Machine.eventually(within: 30) {
                    try ["a.txt", "b.txt", "new1", "new2"].allSatisfy { try machine.state("d:/" + $0) == "sending" }
                }, "\(machine.logTail)")
            try quickly("rm a.txt new1", machine)
            try quickly("mv b.txt f/", machine)
            // What was asked for has come there all the same, for one of each, and nobody was told.
            var now = try machine.provided(in: "d")
            now.items["a"] = ["/", "a.txt", "changed\n"]
            now.items["late"] = ["/", "new1", "1\n"]
            now.feed.append([["late"], []])
            now.refusing["create"] = ["new1"]
            now.waiting = [:]
            if who == "host" {
                kill(try #require(machine.daemon), SIGKILL)
                // They die with it, a moment later, and are not to do what they were asked for when the gate opens.
                try #require(Machine.eventually { machine.processes(named: "remote-tree").isEmpty })
                try machine.provide(now, in: "d")
            } else {
                try machine.provide(now, in: "d")
                for provider in machine.processes(named: "remote-tree") { kill(provider, SIGKILL) }
            }
            try machine.write("", to: gate)
            #expect(try machine.sh("ls d", timeout: 30) == "c.txt\nd.txt\nf\nnew2\n")
            try expectAgreement(
                machine,
                ["f": "/", "c.txt": "c\n", "d.txt": "d\n", "f/b.txt": "changed\n", "new2": "2\n"])
        }
    }

    @Test("PH-8: a document that somebody waits for is removed, renamed and replaced at once")
    func awaited() throws {
        try withDomain { machine, tree in
            tree.items["e"] = ["/", "e.txt", "e\n"]
            tree.feed.append([["e"], []])
            try machine.provide(tree, in: "d")
            try machine.succeed("refresh", "d:/")
            let gate = try hang("start_providing", in: machine, &tree)
            let readers = try machine.background(
                "cat d/c.txt > ../c 2>&1 & cat d/d.txt > ../d 2>&1 & cat d/e.txt > ../e 2>&1 & wait")
            defer {
                kill(readers.processIdentifier, SIGKILL)
                readers.waitUntilExit()
            }
            let calls = machine.root + "/.docent/providers/d/calls"
            #expect(
                Machine.eventually(within: 20) {
                    ["c", "d", "e"].allSatisfy { machine.read(calls)?.contains("start_providing \($0)\n") == true }
                }, "\(machine.logTail)")
            try quickly("rm c.txt", machine)
            try quickly("mv d.txt f/moved.txt", machine)
            try quickly("echo other > .tmp && mv .tmp e.txt", machine)
            #expect(try machine.sh("cd d && cat e.txt", timeout: 20) == "other\n")
            try machine.write("", to: gate)
            try expectAgreement(
                machine,
                ["f": "/", "a.txt": "a\n", "b.txt": "b\n", "e.txt": "other\n", "f/moved.txt": "d\n"])
        }
    }

    @Test(
        "PH-8: what is new here and was not sent is removed, renamed and replaced at once, also while folders that were moved wait for their provider"
    )
    func unsent() throws {
        try withDomain { machine, tree in
            let gate = try hang("modify", "create", in: machine, &tree)
            try quickly("mv f g", machine)
            try quickly("mkdir nd; mv a.txt nd/; mv nd nd2", machine)
            // Scratch files of editors are kept here, until they have the names of others.
            try quickly("echo s > .x.tmp; mv .x.tmp x.txt", machine)
            try quickly("echo o > .x.tmp; mv .x.tmp b.txt", machine)
            try quickly("echo p > .x.tmp; mv .x.tmp nd2/p.txt", machine)
            try quickly("echo t > .x.tmp; rm .x.tmp", machine)
            try quickly("echo u > new1; rm new1; echo again > new1; rm new1; echo last > new1", machine)
            try quickly("echo v > new2; mv new2 g/new2; mv g/new2 nd2/new2", machine)
            try quickly("mkdir e; mv e e2; mkdir e2/in; echo w > e2/in/w.txt; mv e2 g/e3", machine)
            let expected = [
                "g": "/", "g/e3": "/", "g/e3/in": "/", "g/e3/in/w.txt": "w\n", "nd2": "/", "nd2/a.txt": "a\n",
                "nd2/new2": "v\n", "nd2/p.txt": "p\n", "b.txt": "o\n", "c.txt": "c\n", "d.txt": "d\n",
                "new1": "last\n", "x.txt": "s\n",
            ]
            let names = expected.filter { $0.value != "/" }.keys.sorted().map { "./\($0)\n" }.joined()
            #expect(try machine.sh("cd d && find . -type f | LC_ALL=C sort", timeout: 20) == names)
            try machine.write("", to: gate)
            try expectAgreement(machine, expected)
        }
    }
}
