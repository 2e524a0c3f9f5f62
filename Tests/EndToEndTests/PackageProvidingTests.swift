import DocumentModel
import Foundation
import Glibc
import SystemPackage
import Testing

@testable import DocumentClient

/// Of packages and their parts, what somebody uses is provided, and no more (PROV-10, PROV-16).
@Suite(.serialized) struct PackageProvidingTests {
    @Test(
        "PROV-10, PROV-16: of a package that nobody uses any more, it is the parts that need not be provided, once nobody has them"
    )
    func stopped() async throws {
        try await Machine.with { machine async throws in
            try machine.addRemoteTree("d")
            try machine.provide(
                RemoteTree(items: [
                    "p": ["/", "note.rtfd", nil], "a": ["p", "TXT.rtf", "text\n"], "b": ["p", "b.png", "picture\n"],
                ]), in: "d")
            try machine.succeed("refresh", "d:/")
            func stops() -> [String] {
                (machine.read(machine.root + "/.docent/providers/d/stops") ?? "").split(separator: "\n").map(
                    String.init)
            }
            try await machine.client { client async throws in
                let (package, text) = (try Location("d:/note.rtfd"), try Location("d:/note.rtfd/TXT.rtf"))
                let (part, whole) = (Hold(client, text), Hold(client, package))
                try await whole.begin()
                // Another one reads a part of it, and ends: the first has it still.
                #expect(try machine.succeed("cat", "d:/note.rtfd/TXT.rtf") == "text\n")
                try await Task.sleep(for: .milliseconds(600))
                #expect(stops() == [])
                try await part.begin()
                try await whole.end()
                try await Task.sleep(for: .milliseconds(600))
                #expect(!stops().contains("a"), "somebody reads it")
                try await part.end()
                #expect(Machine.eventually(within: 10) { Set(stops()) == ["a", "b"] }, "\(stops())")
            }
        }
    }

    @Test("PROV-10: a part that was brought by itself need not be provided when the package around it is read no more")
    func stoppedPart() async throws {
        try await Machine.with { machine async throws in
            try machine.addRemoteTree("d")
            try machine.provide(
                RemoteTree(items: ["p": ["/", "note.rtfd", nil], "a": ["p", "TXT.rtf", "text\n"]]), in: "d")
            try machine.succeed("refresh", "d:/")
            try await machine.client { client async throws in
                let part = Hold(client, try Location("d:/note.rtfd/TXT.rtf"))
                let whole = Hold(client, try Location("d:/note.rtfd"))
                try await part.begin()
                try await whole.begin()
                try await part.end()
                try await Task.sleep(for: .milliseconds(600))
                let stops = machine.root + "/.docent/providers/d/stops"
                #expect(machine.read(stops) == nil, "somebody has the whole package")
                try await whole.end()
                #expect(Machine.eventually(within: 10) { machine.read(stops) == "a\n" }, "\(machine.read(stops) ?? "")")
            }
        }
    }

    /// A read that goes on until it is told to end.
    private final class Hold: Sendable {
        private let reading: Task<Void, any Error>
        private let began = AsyncStream<Void>.makeStream()
        private let ends = AsyncStream<Void>.makeStream()

        init(_ client: DocumentClient, _ location: Location) {
            let (began, ends) = (began, ends)
            reading = Task {
                defer { began.continuation.finish() }
                // It is to begin when the test says so.
                for await _ in ends.stream { break }
                try await client.coordinate(readingItemAt: location) { _, _ in
                    began.continuation.finish()
                    for await _ in ends.stream { break }
                }
            }
        }

        func begin() async throws {
            ends.continuation.yield()
            for await _ in began.stream {}
        }

        func end() async throws {
            ends.continuation.yield()
            try await reading.value
        }
    }
}
