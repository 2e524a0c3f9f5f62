import Foundation
import Testing

/// Edits whose place was removed on the remote.
@Suite(.serialized) struct SurvivingEditTests {
    private func withDocument(_ body: (Machine, String) throws -> Void) throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(
                atPath: machine.remote + "/outer/inner", withIntermediateDirectories: true)
            try machine.write("first\n", to: machine.remote + "/outer/inner/a.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("cat", "d:/outer/inner/a.txt")
            try body(machine, machine.root + "/documents/d/outer/inner/a.txt")
        }
    }

    private func state(_ machine: Machine) throws -> String? {
        let item = try machine.docent("stat", "d:/outer/inner/a.txt", "--json").output
        return ((try? JSONSerialization.jsonObject(with: Data(item.utf8))) as? [String: Any])?["state"] as? String
    }

    @Test("VER-15: an edit survives that its folders were removed on the remote: they are made anew around it")
    func sentAnew() throws {
        try withDocument { machine, path in
            try machine.succeed("host", "stop")
            try machine.write("edited\n", to: path)
            try FileManager.default.removeItem(atPath: machine.remote + "/outer")
            // Whichever is known first, the edit or the removal.
            try machine.succeed("host", "start")
            let arrived = Machine.eventually {
                machine.read(machine.remote + "/outer/inner/a.txt") == "edited\n"
            }
            if !arrived {
                #expect(try state(machine) == "conflict", "\(machine.logTail)")
                try machine.succeed("resolve", "d:/outer/inner/a.txt", "--keep", "local")
            }
            #expect(
                Machine.eventually { machine.read(machine.remote + "/outer/inner/a.txt") == "edited\n" },
                "\(machine.logTail)")
            #expect(try Machine.eventually { try state(machine) == "materialised" }, "\(machine.logTail)")
            #expect(machine.read(path) == "edited\n")
            // And it goes on from there.
            try machine.write("again\n", to: path)
            #expect(Machine.eventually { machine.read(machine.remote + "/outer/inner/a.txt") == "again\n" })
        }
    }

    @Test("VER-15: an edit in conflict, whose folder was removed on the remote then, survives; the conflict is over")
    func keptAfterConflict() throws {
        try withDocument { machine, path in
            try machine.succeed("host", "stop")
            try machine.write("mine\n", to: path)
            try machine.write("theirs, longer\n", to: machine.remote + "/outer/inner/a.txt")
            try machine.succeed("host", "start")
            #expect(try Machine.eventually { try state(machine) == "conflict" }, "\(machine.logTail)")
            try FileManager.default.removeItem(atPath: machine.remote + "/outer")
            try machine.succeed("refresh", "d:/")
            #expect(
                Machine.eventually { machine.read(machine.remote + "/outer/inner/a.txt") == "mine\n" },
                "\(machine.logTail)")
            #expect(try Machine.eventually { try state(machine) == "materialised" })
            #expect(try machine.succeed("conflicts") == "Nothing is in conflict.\n")
            // Whoever chooses too late changes nothing; what the remote had is a version here.
            try machine.succeed("resolve", "d:/outer/inner/a.txt", "--keep", "local")
            let versions = try machine.json("versions", "d:/outer/inner/a.txt") as? [[String: Any]] ?? []
            #expect(versions.compactMap { ($0["path"] as? String).flatMap(machine.read) }.contains("theirs, longer\n"))
        }
    }
}
