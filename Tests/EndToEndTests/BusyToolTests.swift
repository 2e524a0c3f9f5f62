import DocumentModel
import DocumentWire
import Foundation
import Synchronization
import Testing

@testable import DocumentClient

/// One connection with more to ask than it has places for.
@Suite(.serialized, .timeLimit(.minutes(3))) struct BusyToolTests {
    private func withDocuments(_ body: (Machine, DocumentClient) async throws -> Void) async throws {
        try await Machine.with { machine async throws in
            for name in ["a.txt", "b.txt"] { try machine.write("0", to: machine.remote + "/" + name) }
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            do {
                try await machine.client { client async throws in try await body(machine, client) }
            } catch {
                throw Machine.Failure(description: "\(error)\nlog:\n\(machine.logTail)")
            }
        }
    }

    @Test(
        "COORD-39: two hundred tasks that wait for a document keep the one that holds it neither from asking inside of its access, nor from ending it"
    )
    func endsOvertake() async throws {
        try await withDocuments { machine, client async throws in
            let (a, b) = (try Location("d:/a.txt"), try Location("d:/b.txt"))
            let tasks = 200
            try await withThrowingTaskGroup(of: Void.self) { group in
                let (held, hold) = AsyncStream.makeStream(of: Void.self)
                group.addTask {
                    try await client.coordinate(writingItemAt: a) { path, _ in
                        hold.finish()
                        // More of them wait than there are places for what is no end.
                        while try machine.succeed("status").components(separatedBy: "waits to write d:/a.txt").count
                            <= 64
                        {
                            try await Task.sleep(for: .milliseconds(20))
                        }
                        #expect(try await client.item(at: b).item.size == 1)
                        try machine.write("1", to: path.string)
                        try await client.flush(access: try #require(client.innermostAccess))
                    }
                }
                for await _ in held {}
                for _ in 0..<tasks {
                    group.addTask {
                        try await client.coordinate(writingItemAt: a) { path, _ in
                            let text = try #require(machine.read(path.string))
                            let number = try #require(Int(text))
                            try machine.write("\(number + 1)", to: path.string)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let sum = try await client.coordinate(readingItemAt: a) { path, _ in machine.read(path.string) }
            #expect(sum == "\(tasks + 1)")
        }
    }

    @Test("COORD-39: a process cannot have more documents in use than there is room for, and gets all of it back")
    func quota() async throws {
        try await withDocuments { machine, client async throws in
            let request = try Self.thousandReads(of: Location("d:/a.txt"))
            var held: [UInt64] = []
            for _ in 0..<20 {
                let reply = try await client.ask(.beginAccess(request))
                guard case .beginAccess(let access, _, _, let also) = reply else {
                    throw Machine.Failure(description: "\(reply)")
                }
                #expect(also.count == 999)
                held.append(access)
            }
            func refusal(_ client: DocumentClient) async throws -> DocumentError {
                try #require(
                    await #expect(throws: DocumentError.self) { try await client.withAccess(request, nil) { _ in } })
            }
            #expect(try await refusal(client).code == .busy)
            // A second connection of the same process shares it.
            try await machine.client { other async throws in
                let error = try await refusal(other)
                #expect(error.message.contains("would have more than 20000 documents in use"), "\(error.message)")
                try await client.tell(.endAccess(held.removeLast()))
                try await other.withAccess(request, nil) { _ in }
                // A read's end is told, and not waited for.
                while (try? await other.ask(.beginAccess(request))) == nil {
                    try await Task.sleep(for: .milliseconds(20))
                }
                #expect(try await refusal(client).code == .busy)
            }
            // What the other one had held ended with it.
            while (try? await client.ask(.beginAccess(request))) == nil { try await Task.sleep(for: .milliseconds(20)) }
        }
    }

    private static func thousandReads(of location: Location) -> AccessRequest {
        var request = AccessRequest(location: location, intent: .reading)
        request.also = Array(
            repeating: AccessRequest.Intention(location: location, intent: .reading), count: 999)
        return request
    }
}
