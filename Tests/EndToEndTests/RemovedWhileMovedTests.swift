import Foundation
import Testing

/// Programs move documents' files without asking, and before the documents have followed them the remote removes those.
@Suite(.serialized) struct RemovedWhileMovedTests {
    /// “d:/G/a.txt” and “d:/G/b.txt”, whose contents are here.
    private func withFolder(_ body: (Machine, String) throws -> Void) throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(atPath: machine.remote + "/G", withIntermediateDirectories: false)
            for name in ["a", "b"] { try machine.write(name + "\n", to: machine.remote + "/G/\(name).txt") }
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("ls", "d:/")
            for name in ["a", "b"] { try machine.succeed("cat", "d:/G/\(name).txt") }
            try body(machine, machine.root + "/documents/d")
        }
    }

    private func append(_ text: String, _ path: String) throws {
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    private func files(below folder: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return all.filter { !$0.contains(".docent") && $0.hasSuffix(".txt") }
    }

    /// What the remote has anywhere.
    private func remoteTexts(_ machine: Machine) -> Set<String> {
        Set(files(below: machine.remote).compactMap { machine.read(machine.remote + "/" + $0) })
    }

    private func expectQuiet(_ machine: Machine) throws {
        #expect(try Machine.eventually(within: 30) { try machine.succeed("status").contains("in sync") })
        // It may have been told of for a moment.
        let isNone = try Machine.eventually(within: 20) {
            try !machine.succeed("host", "status").contains("belongs to no")
        }
        let status = try machine.succeed("host", "status")
        #expect(isNone, "\(status)")
    }

    @Test(
        "VER-15: what was changed of a document outlives its removal, also while a program has just moved its file, or a folder around it",
        arguments: ["G", "G/a.txt"], [0, 500_000])
    func edited(moved: String, pause: UInt32) throws {
        try withFolder { machine, folder in
            let place = moved == "G" ? "E/a.txt" : "G/c.txt"
            try FileManager.default.moveItem(
                atPath: folder + "/" + moved, toPath: folder + (moved == "G" ? "/E" : "/G/c.txt"))
            try append("more\n", folder + "/" + place)
            usleep(pause)
            try FileManager.default.removeItem(atPath: machine.remote + "/" + moved)
            #expect(
                Machine.eventually(within: 40) { remoteTexts(machine).contains("a\nmore\n") },
                "\(remoteTexts(machine)) \(files(below: folder)) \(machine.logTail)")
            try expectQuiet(machine)
            #expect(files(below: folder).filter { machine.read(folder + "/" + $0) == "a\nmore\n" }.count == 1)
            // Nobody has changed that one, and it was removed.
            if moved == "G" { #expect(!remoteTexts(machine).contains("b\n")) }
        }
    }

    @Test("What nobody has changed goes with its document, into the trash, wherever a program has just moved its file")
    func unchanged() throws {
        try withFolder { machine, folder in
            try FileManager.default.moveItem(atPath: folder + "/G", toPath: folder + "/E")
            usleep(500_000)
            try FileManager.default.removeItem(atPath: machine.remote + "/G")
            #expect(
                Machine.eventually(within: 40) { files(below: folder).isEmpty },
                "\(files(below: folder)) \(machine.logTail)")
            try expectQuiet(machine)
            #expect(try machine.succeed("trash").contains("a.txt"))
            #expect(remoteTexts(machine).isEmpty)
        }
    }
}
