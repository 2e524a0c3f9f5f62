import DocumentClient
import DocumentModel
import Foundation
import Testing

/// What commands say when their output cannot be written, and while they wait.
@Suite(.serialized) struct OutputTests {
    private func withDocuments(_ body: (Machine) async throws -> Void) async throws {
        try await Machine.with { machine async throws in
            // More than a pipe holds.
            try machine.write(String(repeating: "line\n", count: 100_000), to: machine.remote + "/long.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try await body(machine)
        }
    }

    private func shell(_ line: String, on machine: Machine) throws -> Machine.Result {
        try machine.run(
            "/bin/bash", ["-c", line.replacingOccurrences(of: "docent ", with: machine.folder + "/bin/docent ")])
    }

    @Test("A reader that has enough is no error; a full and a closed output are named, and the exit code says so")
    func outputs() async throws {
        try await withDocuments { machine async throws in
            let enough = try shell("set -o pipefail; docent cat work:/long.txt | head -n 1", on: machine)
            #expect(enough.status == 0 && enough.output == "line\n" && enough.errors == "", "\(enough)")
            for command in ["ls work:/", "cat work:/long.txt", "status", "ls --help"] {
                let full = try shell("docent \(command) > /dev/full", on: machine)
                #expect(full.status == 1, "\(command)")
                #expect(
                    full.errors
                        == "docent: Standard output could not be written to the end: there is no room where it goes (No space left on device). Free some, and run the command again.\n"
                )
                let closed = try shell("docent \(command) >&-", on: machine)
                #expect(closed.status == 1, "\(command): \(closed)")
                #expect(closed.errors.hasPrefix("docent: Standard output is closed"), "\(command): \(closed)")
            }
        }
    }

    @Test("docent status of something that is not there says so and fails")
    func statusOfNothing() async throws {
        try await withDocuments { machine async throws in
            let missing = try machine.docent("status", "work:/missing.txt")
            #expect(missing.status == 1 && missing.output == "")
            #expect(
                missing.errors
                    == "docent: Nothing is known here of work:/missing.txt; docent ls work:/ asks the provider.\n")
            // It is known once somebody has asked for it: the status never does.
            try machine.succeed("ls", "work:/")
            #expect(try machine.succeed("status", "work:/long.txt").contains("Everything is in sync."))
            #expect(try machine.docent("status", "none:/").status == 1)
        }
    }

    @Test("Whoever waits at a terminal is told for whom, after a second; the document comes when that one has ended")
    func waiting() async throws {
        try await withDocuments { machine async throws in
            try machine.write("a note\n", to: machine.remote + "/note.txt")
            try machine.succeed("refresh", "work:/")
            let location = try Location("work:/note.txt")
            try await machine.client { client async throws in
                try await client.coordinate(writingItemAt: location) { _, _ in
                    try TmuxTerminal.with(machine, columns: 200) { terminal in
                        try terminal.command("docent cat work:/note.txt > copy; cat copy; echo all")
                        let told = try terminal.wait(for: "waits to read work:/note.txt until")
                        #expect(told.contains("tests (process \(getpid())), which writes work:/note.txt"), "\(told)")
                        try terminal.press("C-c")
                    }
                }
            }
            #expect(try machine.succeed("cat", "work:/note.txt") == "a note\n")
        }
    }
}
