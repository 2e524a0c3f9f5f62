import DocumentModel
import DocumentStorage
import DocumentTestSupport
import DocumentTransport
import DocumentWire
import FileCoordination
import Foundation
import SystemPackage
import Testing

@testable import DocumentHost

/// When a provider is told that nobody needs a document any more.
extension EmbeddedHostTests {
    /// What a provider was told to provide no longer, by its recorded traffic.
    private func stops(in folder: String) throws -> [String] {
        var stopped: [String] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name != "on" {
            let text = try TemporaryFile.read(FilePath(folder).appending(name))
            guard let end = text.lastIndex(of: "\n") else { continue }
            for entry in try TrafficRecord(text: Array(text[...end].utf8)).entries where entry.direction == .toProvider
            {
                guard case .request(let body, _, _, _)? = entry.frame?.kind,
                    case .stopProviding(let id) = try? ProviderCall(serialized: body)
                else { continue }
                stopped.append(id.rawValue)
            }
        }
        return stopped
    }

    @Test(
        "PROV-10, PROV-16: a provider is told that nobody needs a document any more also when the host itself has it when the last access ends, or a little later",
        arguments: [false, true])
    func stoppedBehindTheHost(isLater: Bool) async throws {
        try await withHost { host, remote in
            for name in ["a.txt", "b.txt"] { try TemporaryFile.write(name, to: remote.appending(name)) }
            let folders = try await host.recordProvider(
                ProviderIdentifier("org.docent.folder"), domain: DomainName("d"), isOn: true)
            let folder = try #require(folders.first)
            func stopped(_ count: Int) async throws -> Bool {
                for _ in 0..<1_000 where try stops(in: folder).count < count {
                    try await Task.sleep(for: .milliseconds(10))
                }
                return try stops(in: folder).count == count
            }
            let tool = host.connect(tool: "one")
            defer { host.disconnect(tool) }
            let (a, b) = (try Location("d:/a.txt"), try Location("d:/b.txt"))
            let first = try await host.beginAccess(AccessRequest(location: a, intent: .reading), for: tool)
            let second = try await host.beginAccess(AccessRequest(location: b, intent: .reading), for: tool)
            let item = try host.storage.read { try $0.coordinated(try #require(try $0.item(at: a))) }
            func claim() throws -> ClaimID {
                try #require(host.broker.claimWithoutWaiting(item, for: .reading(.withoutChanges), by: host.owner))
            }
            var own = isLater ? nil : try claim()
            try await host.endAccess(first.number, of: tool)
            if isLater { own = try claim() }
            // What ends after it is looked at after it, too.
            try await host.endAccess(second.number, of: tool)
            #expect(try await stopped(1))
            host.broker.end(try #require(own))
            #expect(try await stopped(2))
            #expect(try Set(stops(in: folder)).count == 2)
        }
    }

    @Test(
        "PROV-10, PROV-16: nobody looks again and again whether a document is open that was sent since somebody opened it; with the end of the last access its provider is told",
        arguments: [false, true])
    func openWhileSent(isFirstOneLast: Bool) async throws {
        try await withHost { host, remote in
            let (folder, location) = (try Location("d:/f"), try Location("d:/f/new.txt"))
            try #require(mkdir(remote.appending("f").string, 0o700) == 0)
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: true)
            let folders = try await host.recordProvider(
                ProviderIdentifier("org.docent.folder"), domain: DomainName("d"), isOn: true)
            let traffic = try #require(folders.first)
            try await host.setPaused(true, at: folder)
            let source = remote.removingLastComponent().appending("new.txt")
            try TemporaryFile.write("new", to: source)
            _ = try await host.moveIn(source, to: location)
            let tool = host.connect(tool: "one")
            defer { host.disconnect(tool) }
            let request = AccessRequest(location: location, intent: .reading)
            let first = try await host.beginAccess(request, for: tool)
            #expect(first.items[0].item.item.id.isArriving)
            try await host.setPaused(false, at: folder)
            func eventually(_ isSo: () throws -> Bool) async throws -> Bool {
                for _ in 0..<1_000 {
                    if try isSo() { return true }
                    try await Task.sleep(for: .milliseconds(10))
                }
                return false
            }
            #expect(
                try await eventually {
                    try host.storage.read { try $0.item(at: location) }?.state == .materialised
                })
            let sent = try #require(try host.storage.read { try $0.item(at: location) })
            #expect(!sent.id.isArriving)
            let second = try await host.beginAccess(request, for: tool)
            #expect(second.items[0].item.item.id == sent.id)
            let (one, other) = isFirstOneLast ? (second, first) : (first, second)
            try await host.endAccess(one.number, of: tool)
            #expect(try await eventually { host.granter.providing.isIdle })
            #expect(try stops(in: traffic).isEmpty)
            try await host.endAccess(other.number, of: tool)
            #expect(try await eventually { try stops(in: traffic) == [sent.id.rawValue] })
            #expect(try await eventually { host.granter.providing.isIdle })
        }
    }
}
