import DocumentClient
import Foundation
import Testing

/// The example that presents a document, beside other tools.
@Suite(.serialized) struct LiveCountTests {
    @Test(
        "COORD-10, COORD-26, COORD-30, COORD-32: LiveCount counts anew when others write, saves before they read, and follows"
    )
    func liveCount() async throws {
        try await Machine.with { machine in
            try machine.write("one two\n", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            let output = machine.folder + "/counts"
            _ = FileManager.default.createFile(atPath: output, contents: nil)
            let typed = Pipe()
            let counter = Process()
            counter.executableURL = URL(fileURLWithPath: Machine.programs + "/LiveCount")
            counter.arguments = ["d:/a.txt"]
            counter.environment = machine.environment
            counter.standardInput = typed
            counter.standardOutput = FileHandle(forWritingAtPath: output)
            try counter.run()
            defer { if counter.isRunning { counter.terminate() } }
            func says(_ line: String) -> Bool {
                Machine.eventually(within: 60) { machine.read(output)?.split(separator: "\n").last == line[...] }
            }
            #expect(says("2 d:/a.txt"), "\(machine.read(output) ?? "") \(machine.logTail)")

            let location = try Location("d:/a.txt")
            try await machine.client { client in
                try await client.coordinate(writingItemAt: location) { path, _ in
                    try machine.write("one two three\n", to: path.string)
                }
                #expect(says("3 d:/a.txt"), "\(machine.read(output) ?? "")")
                try typed.fileHandleForWriting.write(contentsOf: Data("four five\n".utf8))
                #expect(says("5 d:/a.txt"), "\(machine.read(output) ?? "")")
                let text = try await client.coordinate(readingItemAt: location) { path, _ in machine.read(path.string) }
                #expect(text == "one two three\nfour five\n", "what was typed is saved before somebody reads")
                try typed.fileHandleForWriting.write(contentsOf: Data("six\n".utf8))
                #expect(says("6 d:/a.txt"), "\(machine.read(output) ?? "")")
                let other = try Location("d:/b.txt")
                try await client.rename(itemAt: location, to: other)
                #expect(says("moved to d:/b.txt"), "\(machine.read(output) ?? "")")
                try typed.fileHandleForWriting.close()
                #expect(Machine.eventually(within: 60) { !counter.isRunning })
                #expect(counter.terminationStatus == 0)
                let last = try await client.coordinate(readingItemAt: other) { path, _ in machine.read(path.string) }
                #expect(last == "one two three\nfour five\nsix\n", "it saves at its end")
            }
        }
    }
}
