import DocumentClient
import DocumentModel
import Foundation
import Testing

/// What leaves by itself, or is evicted by hand.
extension TransferControlTests {
    @Test("XFER-14, XFER-13: above the limit what was used longest ago leaves, down to the mark, and comes back whole")
    func limits() async throws {
        let names = (0..<6).map { "\($0).txt" }
        try await withWork(names) { machine, client in
            let locations = try names.map { try Location("work:/\($0)") }
            for location in locations { try await client.download(location) }
            // Each has 17 bytes.
            #expect(try await client.spaceStatus() == SpaceStatus(documents: 6, bytes: 102))
            try await client.keep(locations[0], as: .pinned)
            // In a later second than all others.
            try await Task.sleep(for: .milliseconds(1_100))
            try await client.coordinate(readingItemAt: locations[2]) { _, _ in }
            try await client.coordinate(readingItemAt: locations[1]) { _, _ in
                try await client.setSpaceLimits(SpaceLimits(high: 80, low: 55))
                #expect(
                    try await eventually { try await client.spaceStatus().bytes <= 55 }, "\(machine.logTail)")
                #expect(try await client.spaceStatus().documents == 3)
                for kept in locations[...2] { #expect(try await item(kept, client)?.isDownloaded == true) }
            }
            let path = machine.root + "/documents/work/"
            for (name, location) in zip(names, locations) {
                try await client.coordinate(readingItemAt: location) { _, _ in
                    #expect(machine.read(path + name) == "contents of \(name)")
                }
            }
        }
    }

    @Test("XFER-12: evicting a folder stops at the first document that cannot go, and says which")
    func evictingFolder() async throws {
        try await withWork(["in/a.txt", "in/b.txt", "in/c.txt"]) { machine, client in
            for name in ["a", "b", "c"] { try await client.download(Location("work:/in/\(name).txt")) }
            try machine.succeed("pause", "work:/in/b.txt")
            try await client.coordinate(writingItemAt: Location("work:/in/b.txt")) { path, _ in
                try machine.write("mine", to: path.string)
            }
            let refused = try machine.docent("evict", "work:/in")
            #expect(refused.status != 0 && refused.errors.contains("work:/in/b.txt has changes that were not sent yet"))
            #expect(machine.read(machine.root + "/documents/work/in/b.txt") == "mine")
            try machine.succeed("resume", "work:/in/b.txt")
            try await client.waitUntilSent(Location("work:/in/b.txt"))
            try machine.succeed("evict", "work:/in")
            for name in ["a", "b", "c"] {
                #expect(machine.read(machine.root + "/documents/work/in/\(name).txt") == nil)
            }
        }
    }

    @Test("XFER-13: what the remote cannot be seen to have stays here, and the refusal says so")
    func evictingUnverified() throws {
        try Machine.with { machine in
            try machine.write("theirs", to: machine.remote + "/a.txt")
            try WebDAVServer.with(machine, password: "s3cret-of-ann") { server in
                try server.addDomain()
                try machine.succeed("ls", "web:/")
                try machine.succeed("cat", "web:/a.txt")
                kill(server.process, SIGKILL)
                let refused = try machine.docent("evict", "web:/a.txt")
                #expect(refused.status != 0 && refused.errors.contains("could not be verified that the remote has it"))
                #expect(machine.read(machine.root + "/documents/web/a.txt") == "theirs")
                #expect(try machine.succeed("cat", "web:/a.txt") == "theirs")
            }
        }
    }
}
