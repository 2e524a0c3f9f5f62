import DocumentModel
import DocumentWire
import Foundation
import SystemPackage
import Testing

@testable import DocumentClient

/// Calls for which the host takes claims of its own, as tools in other languages ask them: nothing but their requests says
/// inside of which accesses they are asked.
@Suite(.serialized, .timeLimit(.minutes(5))) struct OnBehalfTests {
    private func withDomain(_ body: (Machine, DocumentClient) async throws -> Void) async throws {
        try await Machine.with { machine async throws in
            for name in ["a.txt", "b.txt"] { try machine.write("from \(name)", to: machine.remote + "/" + name) }
            try machine.write("new", to: machine.folder + "/source.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try await machine.client { client async throws in try await body(machine, client) }
        }
    }

    /// As a tool asks that keeps no book of where its accesses are: only the request says so.
    private func reply(
        _ client: DocumentClient, _ call: ServiceCall, in nestedIn: [UInt64] = []
    ) async throws -> ServiceReply {
        let enclosing = nestedIn.map {
            EnclosingAccess(connection: ObjectIdentifier(client.connection), access: $0, intentions: [])
        }
        return try await EnclosingAccess.$current.withValue(enclosing) { try await client.ask(call) }
    }

    private func code(_ body: () async throws -> some Any) async -> DocumentError.Code? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? DocumentError)?.code
        }
    }

    @Test(
        "COORD-38, COORD-39: inside of an access, what would wait for it is refused at once, in whatever language it is asked"
    )
    func refused() async throws {
        try await withDomain { machine, client async throws in
            let (a, b, c) = (try Location("d:/a.txt"), try Location("d:/b.txt"), try Location("d:/c.txt"))
            let source = machine.folder + "/source.txt"
            for intent in [AccessIntent.reading, .writing] {
                let begun = try await reply(client, .beginAccess(AccessRequest(location: a, intent: intent)))
                guard case .beginAccess(let access, _, _, _) = begun else {
                    Issue.record("\(begun)")
                    return
                }
                let calls: [ServiceCall] = [
                    .renameItem(a, destination: try Location("d:/e.txt")),
                    .removeItem(a, recursive: false, discardUnsent: false),
                    .exportDocument(sourcePath: source, destination: a, replace: true),
                    .moveDocument(sourcePath: source, destination: a, replace: true),
                    .restoreVersion(a, "any"), .removeVersions(a, []), .transfers(.resume(a, .keepLocal)),
                ]
                for call in calls {
                    #expect(await code { try await reply(client, call, in: [access]) } == .deadlock, "\(call)")
                }
                // What concerns others goes on.
                let (from, to) = intent == .reading ? (b, c) : (c, b)
                #expect(await code { try await reply(client, .renameItem(from, destination: to), in: [access]) } == nil)
                _ = try await reply(client, .endAccess(access))
            }
            #expect(machine.read(machine.remote + "/a.txt") == "from a.txt")
            #expect(machine.read(source) == "new")
        }
    }

    @Test("COORD-38: so is waiting until something is sent that is sent when the access has ended")
    func sending() async throws {
        try await withDomain { machine, client async throws in
            let a = try Location("d:/a.txt")
            try await client.coordinate(readingItemAt: a) { _, _ in }
            // It cannot be sent for a while.
            try FileManager.default.moveItem(atPath: machine.remote, toPath: machine.remote + "-away")
            try await client.coordinate(writingItemAt: a) { path, _ in try machine.write("changed", to: path.string) }
            let begun = try await reply(client, .beginAccess(AccessRequest(location: a, intent: .reading)))
            guard case .beginAccess(let access, _, _, _) = begun else {
                Issue.record("\(begun)")
                return
            }
            #expect(await code { try await reply(client, .waitUntilSent(a), in: [access]) } == .deadlock)
            _ = try await reply(client, .endAccess(access))
            try FileManager.default.moveItem(atPath: machine.remote + "-away", toPath: machine.remote)
            let isSent = try await isSo { machine.read(machine.remote + "/a.txt") == "changed" }
            #expect(isSent)
        }
    }

    @Test(
        "COORD-7, COORD-38: a document that was renamed while it was waited for is known by its new name inside of the access"
    )
    func renamedMeanwhile() async throws {
        try await withDomain { machine, client async throws in
            let (a, c, e) = (try Location("d:/a.txt"), try Location("d:/c.txt"), try Location("d:/e.txt"))
            let gate = machine.folder + "/gate"
            let mover = try Peer(machine, "move", a.description, c.description, gate)
            let isHeld = try await isSo { mover.lines.contains("granted") }
            try #require(isHeld, "\(mover.lines)")
            let reading = Task {
                try await client.coordinate(readingItemAt: a) { _, item in
                    #expect(item.location == c)
                    return await code { try await client.rename(itemAt: c, to: e) }
                }
            }
            let waits = try await isSo { try machine.succeed("status").contains("waits to read d:/a.txt") }
            try #require(waits)
            try machine.write("", to: gate)
            let refusal = try await reading.value
            #expect(refusal == .deadlock)
        }
    }

    private func isSo(_ condition: () throws -> Bool) async throws -> Bool {
        for _ in 0..<1200 {
            if try condition() { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }
}
