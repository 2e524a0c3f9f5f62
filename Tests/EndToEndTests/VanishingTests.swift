import Foundation
import Testing

/// What is made at a provider, and is removed there before the provider answers; of which its feed tells once only.
@Suite(.serialized, .timeLimit(.minutes(5))) struct VanishingTests {
    private func withTree(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try machine.addRemoteTree("d", isWritable: true)
            try machine.provide(
                RemoteTree(items: ["a": ["/", "a.txt", "alpha"]], vanishing: ["new", "new.txt"]), in: "d")
            try machine.succeed("refresh", "d:/")
            try machine.succeed("ls", "d:/")
            try body(machine)
        }
    }

    private func isGone(_ name: String, _ machine: Machine) throws -> Bool {
        try Machine.eventually(within: 60) {
            try !machine.succeed("ls", "d:/").contains(name)
                && !FileManager.default.fileExists(atPath: machine.root + "/documents/d/" + name)
        }
    }

    @Test("CONT-13: a folder whose deletion is told of before the answer to its creation does not stay here")
    func folder() throws {
        try withTree { machine in
            let result = try machine.docent("mkdir", "d:/new")
            #expect(machine.calls(of: "d").contains("changes_since 0"), "\(machine.calls(of: "d"))")
            #expect(result.errors.contains("removed on the remote"), "\(result.errors)")
            #expect(try isGone("new", machine), "\(machine.logTail)")
            try machine.succeed("mkdir", "d:/new")
            #expect(try machine.succeed("ls", "d:/").contains("new"))
        }
    }

    @Test("CONT-13: neither does a document that was written here, nor its contents")
    func document() throws {
        try withTree { machine in
            let gate = machine.folder + "/gate"
            try machine.write("", to: gate)
            let writer = try Peer(machine, "put", "d:/new.txt", "text", gate)
            #expect(writer.says("done"), "\(writer.lines) \(machine.logTail)")
            #expect(
                Machine.eventually(within: 60) { machine.calls(of: "d").contains("create new.txt") },
                "\(machine.logTail)")
            #expect(try isGone("new.txt", machine), "\(machine.logTail)")
            #expect(try machine.provided(in: "d").items.keys.sorted() == ["a"])
        }
    }
}
