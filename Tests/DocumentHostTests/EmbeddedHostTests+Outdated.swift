import DocumentModel
import DocumentStorage
import DocumentTestSupport
import FileCoordination
import Glibc
import SystemPackage
import Testing

@testable import DocumentHost

/// Contents that are here no longer than they are current (XFER-14).
extension EmbeddedHostTests {
    /// A host with documents here, “one” each, that are kept only while they are current.
    private func whileCurrent(
        _ names: [String] = ["a.txt"], patience: Duration = .seconds(30),
        _ body: (DocumentHost, FilePath, [Location]) async throws -> Void
    ) async throws {
        try await withHost(outdatedPatience: patience) { host, remote in
            for name in names { try TemporaryFile.write("one", to: remote.appending(name)) }
            let locations = try names.map { try Location("d:/\($0)") }
            for location in locations { try await host.download(location) }
            try await host.setKeeping(.whileCurrent, at: Location("d:/"))
            try await body(host, remote, locations)
        }
    }

    private func item(_ location: Location, _ host: DocumentHost) throws -> IndexedItem? {
        try host.storage.read { try $0.item(at: location) }
    }

    func becomes(_ state: ItemState, _ location: Location, _ host: DocumentHost) async throws -> Bool {
        let domain = try host.domains.domain(location.domain)
        for _ in 0..<1_000 {
            try? await host.follower.catchUp(domain)
            if try item(location, host)?.state == state { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    private func read(_ location: Location, _ host: DocumentHost) async throws -> String {
        let tool = host.connect(tool: "reader")
        defer { host.disconnect(tool) }
        let access = try await host.beginAccess(AccessRequest(location: location, intent: .reading), for: tool)
        let text = try TemporaryFile.read(FilePath(access.items[0].path))
        try await host.endAccess(access.number, of: tool)
        return text
    }

    private func path(_ location: Location, _ host: DocumentHost) -> FilePath {
        host.root.tree.path(of: location)
    }

    @Test("XFER-14: when the remote has newer contents, those here leave, and the newer ones come when opened")
    func outdatedLeave() async throws {
        try await whileCurrent(["a.txt", "b.txt"]) { host, remote, locations in
            try TemporaryFile.write("two, which is newer", to: remote.appending("a.txt"))
            #expect(try await becomes(.placeholder, locations[0], host))
            #expect(access(path(locations[0], host).string, F_OK) != 0)
            #expect(try item(locations[1], host)?.state == .materialised, "nothing is newer than it")
            #expect(try await read(locations[0], host) == "two, which is newer")
            #expect(try item(locations[0], host)?.state == .materialised, "and stays")
        }
    }

    @Test("To tell of a claim's end takes no longer, and no more of the stack, however many there were before")
    func manyClaims() async throws {
        try await withHost { host, _ in
            let key = ItemKey(domain: try DomainName("d"), id: try ItemIdentifier("none"))
            for _ in 0..<200_000 { host.providing.claimEnded(on: key) }
        }
    }

    @Test("XFER-14: nearer, what is pinned is renewed, and what is kept otherwise stays as it is")
    func outdatedKeptOtherwise() async throws {
        try await whileCurrent(["a.txt", "b.txt", "c.txt"]) { host, remote, locations in
            try await host.setKeeping(.pinned, at: locations[0])
            try await host.setKeeping(.automatic, at: locations[1])
            for name in ["a.txt", "b.txt", "c.txt"] {
                try TemporaryFile.write("two, which is newer", to: remote.appending(name))
            }
            #expect(try await becomes(.placeholder, locations[2], host))
            #expect(try await becomes(.outdated, locations[1], host))
            #expect(try await becomes(.materialised, locations[0], host))
            #expect(try TemporaryFile.read(path(locations[0], host)) == "two, which is newer")
            #expect(try TemporaryFile.read(path(locations[1], host)) == "one")
            // What was said later holds for what is outdated already.
            try await host.setKeeping(nil, at: locations[1])
            #expect(try await becomes(.placeholder, locations[1], host))
        }
    }

    @Test("XFER-11, XFER-12: while somebody reads it, it stays; as soon as they end, it leaves")
    func outdatedInUse() async throws {
        try await whileCurrent { host, remote, locations in
            let tool = host.connect(tool: "one")
            let held = try await host.beginAccess(AccessRequest(location: locations[0], intent: .reading), for: tool)
            try TemporaryFile.write("two, which is newer", to: remote.appending("a.txt"))
            #expect(try await becomes(.outdated, locations[0], host))
            try await Task.sleep(for: .milliseconds(300))
            #expect(try TemporaryFile.read(FilePath(held.items[0].path)) == "one")
            try await host.endAccess(held.number, of: tool)
            #expect(try await becomes(.placeholder, locations[0], host))
            host.disconnect(tool)
        }
    }

    @Test("XFER-12: while a program that coordinates nothing has it open, it stays, and leaves some time after")
    func outdatedAndOpen() async throws {
        try await whileCurrent(patience: .milliseconds(50)) { host, remote, locations in
            let file = try FileDescriptor.open(path(locations[0], host), .readOnly)
            try TemporaryFile.write("two, which is newer", to: remote.appending("a.txt"))
            #expect(try await becomes(.outdated, locations[0], host))
            try await Task.sleep(for: .milliseconds(300))
            #expect(try TemporaryFile.read(path(locations[0], host)) == "one")
            try file.close()
            #expect(try await becomes(.placeholder, locations[0], host))
        }
    }

    @Test("XFER-14: while it is paused, what is here stays, as the newer contents could not come")
    func outdatedAndPaused() async throws {
        try await whileCurrent { host, remote, locations in
            try await host.setPaused(true, at: Location("d:/"))
            try TemporaryFile.write("two, which is newer", to: remote.appending("a.txt"))
            #expect(try await becomes(.outdated, locations[0], host))
            try await Task.sleep(for: .milliseconds(300))
            #expect(try TemporaryFile.read(path(locations[0], host)) == "one")
            try await host.setPaused(false, at: Location("d:/"))
            #expect(try await becomes(.placeholder, locations[0], host))
        }
    }

    @Test("XFER-13: while the remote cannot be asked what it has, what is here stays; it leaves when it can")
    func outdatedAndUnreachable() async throws {
        try await whileCurrent { host, remote, locations in
            let tool = host.connect(tool: "one")
            let held = try await host.beginAccess(AccessRequest(location: locations[0], intent: .reading), for: tool)
            try TemporaryFile.write("two, which is newer", to: remote.appending("a.txt"))
            #expect(try await becomes(.outdated, locations[0], host))
            try #require(rename(remote.string, remote.string + "-away") == 0)
            try await host.endAccess(held.number, of: tool)
            host.disconnect(tool)
            try await Task.sleep(for: .milliseconds(500))
            #expect(try TemporaryFile.read(path(locations[0], host)) == "one")
            #expect(try item(locations[0], host)?.state == .outdated)
            try #require(rename(remote.string + "-away", remote.string) == 0)
            host.resolved(locations[0].domain)
            #expect(try await becomes(.placeholder, locations[0], host))
        }
    }

    @Test("XFER-10, VER-1: what was changed here, too, is no outdated document: nothing of it is lost")
    func outdatedAndChanged() async throws {
        try await whileCurrent { host, remote, locations in
            try await host.setPaused(true, at: locations[0])
            let tool = host.connect(tool: "one")
            let held = try await host.beginAccess(AccessRequest(location: locations[0], intent: .writing), for: tool)
            try TemporaryFile.write("mine", to: FilePath(held.items[0].path))
            try await host.endAccess(held.number, of: tool)
            host.disconnect(tool)
            try TemporaryFile.write("two, which is newer", to: remote.appending("a.txt"))
            try await host.follower.catchUp(host.domains.domain(locations[0].domain))
            try await Task.sleep(for: .milliseconds(300))
            #expect(try TemporaryFile.read(path(locations[0], host)) == "mine")
            #expect(try item(locations[0], host)?.isUnsent == true)
        }
    }
}
