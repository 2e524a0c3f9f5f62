import DocumentClient
import DocumentModel
import Foundation
import Testing

/// Rights that go while a tool waits: what it was allowed to wait for, it does not get any more.
extension EntitlementTests {
    private func isSo(_ condition: () throws -> Bool) async throws -> Bool {
        for _ in 0..<1200 {
            if try condition() { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    /// What a read comes to that waits for another program: for `words` of ``Peer``, the last of which is its gate.
    private func reading(
        _ place: Location, by client: DocumentClient, behind words: [String], on machine: Machine,
        meanwhile lose: () throws -> Void = {}
    ) async throws -> DocumentError.Code? {
        let gate = machine.folder + "/gate-\(UInt32.random(in: 0 ... .max))"
        let other = try Peer(machine, words + [gate])
        let isHeld = try await isSo { other.lines.contains { $0.hasPrefix("granted") } }
        try #require(isHeld, "\(other.lines)")
        let reading = Task { await code { try await client.coordinate(readingItemAt: place) { _, _ in } } }
        let waits = try await isSo { try machine.succeed("status").contains("waits to read \(place)") }
        try #require(waits)
        try lose()
        try machine.write("", to: gate)
        return await reading.value
    }

    private func number(of place: String, on machine: Machine) throws -> String {
        let listed = try #require(try machine.json("bookmark", "list") as? [[String: Any]])
        return try #require(listed.first { $0["location"] as? String == place }?["number"] as? String)
    }

    @Test(
        "BOOK-5, CONT-2: a bookmark that is revoked while its tool waits, and a tool that is unregistered, give nothing"
    )
    func revokedWhileWaiting() async throws {
        try await withDomains { machine async throws in
            try register("domains = [\"work\"]", on: machine)
            let (work, store) = (try Location("work:/a.txt"), try Location("store:/a.txt"))
            let made = try machine.succeed("bookmark", "create", "store:/a.txt", "--for", "org.example.notes")
            let bookmark = try Bookmark(text: made.trimmingCharacters(in: .whitespacesAndNewlines))
            try await machine.client { client async throws in
                #expect(try await client.startAccessing(bookmark))
                let write = { (place: Location) in ["hold", "write", place.description] }
                #expect(try await reading(store, by: client, behind: write(store), on: machine) == nil)
                let revoked = try await reading(store, by: client, behind: write(store), on: machine) {
                    try machine.succeed("bookmark", "revoke", number(of: "store:/a.txt", on: machine))
                }
                #expect(revoked == .notPermitted)
                let unregistered = try await reading(work, by: client, behind: write(work), on: machine) {
                    try machine.succeed("tool", "unregister", "org.example.notes")
                }
                #expect(unregistered == .notPermitted)
            }
            #expect(try await isSo { try !machine.succeed("status").contains("In use:") }, "no claim is left")
        }
    }

    @Test(
        "CONT-2, COORD-7: a document that leaves a tool's container while the tool waits is followed, and not granted")
    func leftWhileWaiting() async throws {
        try await withDomains { machine async throws in
            let documents = machine.remote + "/store/Containers/\(Self.notes)/Documents"
            try FileManager.default.createDirectory(atPath: documents, withIntermediateDirectories: true)
            for name in ["out.txt", "kept.txt"] { try machine.write("x", to: documents + "/" + name) }
            try machine.succeed("refresh", "store:/")
            try machine.succeed("container", "place", "store:/Containers")
            try register("containers = [\"\(Self.notes)\"]", on: machine)
            try await machine.client { client async throws in
                let folder = try #require(try await client.location(forContainer: nil)).appending(ItemName("Documents"))
                let (out, kept) = (
                    folder.appending(try ItemName("out.txt")), folder.appending(try ItemName("kept.txt"))
                )
                let within = folder.appending(try ItemName("renamed.txt")).description
                let stays = try await reading(
                    kept, by: client, behind: ["move", kept.description, within], on: machine)
                #expect(stays == nil)
                let leaves = try await reading(
                    out, by: client, behind: ["move", out.description, "store:/out.txt"], on: machine)
                #expect(leaves == .notPermitted)
            }
            #expect(machine.read(machine.remote + "/store/out.txt") == "x")
            #expect(try await isSo { try !machine.succeed("status").contains("In use:") }, "no claim is left")
        }
    }
}
