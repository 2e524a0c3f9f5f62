import DocumentTestSupport
import Foundation
import Testing

/// Programs move documents' files to where others' were, without asking.
@Suite(.serialized, .timeLimit(.minutes(10))) struct MovedOverTests {
    struct Move: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// What is there before, all of it here: the contents by path.
        var before: [String: String]
        /// In the domain's folder in the document storage root.
        var script: String
        /// While no host runs.
        var isUnseen = false
        /// What the remote and the domain's folder have of it in the end.
        var after: [String: String]
    }

    static let moves = [
        Move(
            testDescription: "a file is put aside, and another one takes its place", before: ["f": "1", "f-new": "2"],
            script: "mv f f-old; mv f-new f", after: ["f": "2", "f-old": "1"]),
        Move(
            testDescription: "the same while no host runs", before: ["f": "1", "f-new": "2"],
            script: "mv f f-old; mv f-new f", isUnseen: true, after: ["f": "2", "f-old": "1"]),
        Move(
            testDescription: "three files move on", before: ["a": "1", "b": "2", "c": "3"],
            script: "mv c d; mv b c; mv a b", after: ["b": "1", "c": "2", "d": "3"]),
        Move(
            testDescription: "a folder is replaced by its new version",
            before: ["pr/src/x": "1", "pr-new/src/x": "2", "pr/src/y": "1y", "pr-new/src/z": "2z"],
            script: "mv pr pr-old; mv pr-new pr; printf e >> pr/src/x",
            after: ["pr-old/src/x": "1", "pr-old/src/y": "1y", "pr/src/x": "2e", "pr/src/z": "2z"]),
        Move(
            testDescription: "two folders change places, and a file is edited",
            before: ["d1/in/x": "1", "d2/in/x": "2"],
            script: "mv d1 t; mv d2 d1; mv t d2; printf e >> d1/in/x", after: ["d1/in/x": "2e", "d2/in/x": "1"]),
        Move(
            testDescription: "two files change places", before: ["a": "1", "b": "2"],
            script: "mv a t; mv b a; mv t b", after: ["a": "2", "b": "1"]),
        Move(
            testDescription: "two files change places while no host runs", before: ["a": "1", "b": "2"],
            script: "mv a t; mv b a; mv t b", isUnseen: true, after: ["a": "2", "b": "1"]),
    ]

    @Test(
        "DOWN-3: documents whose files take others' places follow them, and nothing of either is lost",
        arguments: TestShare.of(moves)
    )
    func followed(move: Move) throws {
        try withDocuments(move.before) { machine, folder in
            if move.isUnseen { try machine.succeed("host", "stop") }
            let result = try machine.run("/bin/sh", ["-c", "cd '\(folder)'; \(move.script)"])
            #expect(result.status == 0, "\(result)")
            if move.isUnseen { try machine.succeed("host", "start") }
            let isThere = Machine.eventually(within: 90) { files(machine.remote) == move.after }
            #expect(isThere, "\(files(machine.remote)) \(machine.logTail)")
            #expect(files(folder) == move.after)
            #expect(try Machine.eventually(within: 30) { try machine.succeed("status").contains("in sync") })
            #expect(try !machine.succeed("host", "status").contains("belongs to"))
        }
    }

    @Test(
        "DOWN-3: a document that another one's file was put over has its contents; the other one has those of the remote",
        arguments: [false, true])
    func savedOver(isUnseen: Bool) throws {
        try withDocuments(["f": "1", "g": "2"]) { machine, folder in
            if isUnseen { try machine.succeed("host", "stop") }
            #expect(rename(folder + "/g", folder + "/f") == 0)
            if isUnseen { try machine.succeed("host", "start") }
            let isThere = Machine.eventually(within: 60) { files(machine.remote) == ["f": "2", "g": "2"] }
            #expect(isThere, "\(files(machine.remote)) \(machine.logTail)")
            #expect(try Machine.eventually(within: 30) { try machine.succeed("status").contains("in sync") })
            #expect(try machine.succeed("cat", "d:/g") == "2")
            #expect(try machine.succeed("cat", "d:/f") == "2")
        }
    }

    private func withDocuments(_ contents: [String: String], _ body: (Machine, String) throws -> Void) throws {
        try Machine.with { machine in
            for (path, text) in contents {
                let place = machine.remote + "/" + path
                try FileManager.default.createDirectory(
                    atPath: (place as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
                try machine.write(text, to: place)
            }
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("download", "d:/")
            let folder = machine.root + "/documents/d"
            #expect(Machine.eventually { files(folder) == contents })
            #expect(try Machine.eventually { try machine.succeed("status").contains("in sync") })
            try body(machine, folder)
        }
    }

    /// All that has contents, by its path.
    private func files(_ folder: String) -> [String: String] {
        var found: [String: String] = [:]
        for case let path as String in FileManager.default.enumerator(atPath: folder) ?? .init() {
            guard !path.split(separator: "/").contains(where: { $0.hasPrefix(".docent") }),
                let text = try? String(contentsOfFile: folder + "/" + path, encoding: .utf8), !text.isEmpty
            else { continue }
            found[path] = text
        }
        return found
    }
}
