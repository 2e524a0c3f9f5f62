import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentHost

/// What is done at once, and is in use by somebody else.
extension EmbeddedHostTests {
    enum AtOnce: String, CaseIterable, Sendable {
        case remove, rename, renameToPlace, makeFolder
    }

    @Test(
        "COORD-39: what is done at once waits for those who use it for as long as the host is told to, and then changes nothing",
        arguments: AtOnce.allCases)
    func claimPatience(_ deed: AtOnce) async throws {
        try await withHost(claimPatience: .milliseconds(300)) { host, remote in
            try TemporaryFile.write("alpha", to: remote.appending("a.txt"))
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: false)
            let (document, place) = (try Location("d:/a.txt"), try Location("d:/b"))
            let holder = host.connect(tool: "holder")
            let held = [.remove, .rename].contains(deed) ? document : place
            let access = try await host.beginAccess(AccessRequest(location: held, intent: .writing), for: holder)
            func carryOut() async throws(DocumentError) {
                switch deed {
                case .remove: try await host.remove(document, recursive: false, discardingUnsent: true, atOnce: true)
                case .rename, .renameToPlace: _ = try await host.rename(document, to: place, atOnce: true)
                case .makeFolder: _ = try await host.makeFolder(at: place, atOnce: true)
                }
            }
            let began = ContinuousClock.now
            do throws(DocumentError) {
                try await carryOut()
                Issue.record("nobody was waited for")
            } catch {
                #expect(error.code == .busy)
                #expect(error.message.contains("holder writes \(held)"), "\(error.message)")
            }
            #expect(ContinuousClock.now - began >= .milliseconds(300))
            #expect(host.broker.explanations.isEmpty)
            #expect(host.claimCount == 1)
            #expect(try host.storage.read { try $0.item(at: document) }?.exists == true)
            #expect(try host.storage.read { try $0.item(at: place) } == nil)
            #expect(host.backlog.count(of: document.domain) == 0)
            try await host.endAccess(access.number, of: holder)
            try await carryOut()
            #expect(host.claimCount == 0)
            #expect(try (host.storage.read { try $0.item(at: document) }?.exists ?? false) == (deed == .makeFolder))
            host.disconnect(holder)
        }
    }

    @Test(
        "PH-8: who makes something in a folder that was never listed gives up waiting for its provider at once, and a folder is made without it"
    )
    func makingInUnlistedFolder() async throws {
        try await withHost(claimPatience: .milliseconds(300)) { host, remote in
            try #require(mkdir(remote.appending("f").string, 0o700) == 0)
            try TemporaryFile.write("there", to: remote.appending("f").appending("there"))
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: false)
            let provider = try #require(try await host.domainDescriptions().first?.providerProcessID)
            try #require(kill(provider, SIGSTOP) == 0)
            defer { kill(provider, SIGCONT) }
            let tool = host.connect(tool: "maker")
            defer { host.disconnect(tool) }
            var request = AccessRequest(location: try Location("d:/f/new"), intent: .writing)
            request.isCreating = true
            let making = Task { [request] in try await host.beginAccess(request, for: tool) }
            for _ in 0..<3_000 where host.granter.pending.explanations.isEmpty {
                try await Task.sleep(for: .milliseconds(10))
            }
            var began = ContinuousClock.now
            making.cancel()
            let error = await #expect(throws: DocumentError.self) { try await making.value }
            #expect(error?.code == .cancelled)
            // A provider that is told of it may take ten seconds to say that it has heard.
            #expect(ContinuousClock.now - began < .seconds(5))
            began = ContinuousClock.now
            _ = try await host.makeFolder(at: Location("d:/f/g"), atOnce: true)
            #expect(ContinuousClock.now - began < .seconds(5))
            kill(provider, SIGCONT)
            // Its provider may tell of what it has just been given before it answers.
            var names: [String] = []
            for _ in 0..<3_000 where names != ["g", "there"] {
                try await Task.sleep(for: .milliseconds(10))
                let page = try await host.items(
                    in: Location("d:/f"), page: nil, suggestedCount: 10, refreshing: false)
                names = page.items.compactMap(\.item.name?.rawValue).sorted()
            }
            #expect(names == ["g", "there"])
        }
    }

    @Test(
        "VER-15: what is removed at once is what was there when that was asked for: news that come while others are waited for stay"
    )
    func newsWhileRemovalWaits() async throws {
        try await withHost(claimPatience: .seconds(60)) { host, remote in
            let file = remote.appending("a.txt")
            try TemporaryFile.write("alpha", to: file)
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: false)
            let document = try Location("d:/a.txt")
            let holder = host.connect(tool: "holder")
            defer { host.disconnect(holder) }
            let access = try await host.beginAccess(AccessRequest(location: document, intent: .reading), for: holder)
            let known = { try host.storage.read { try $0.item(at: document) }?.item.version.content }
            let seen = try known()
            let removal = Task {
                try await host.remove(document, recursive: false, discardingUnsent: false, atOnce: true)
            }
            for _ in 0..<3_000 where host.broker.explanations.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            try TemporaryFile.write("beta, and longer", to: file)
            for _ in 0..<1_000 where try known() == seen {
                try await host.refresh(Location("d:/"))
                try await Task.sleep(for: .milliseconds(10))
            }
            try #require(try known() != seen)
            try await host.endAccess(access.number, of: holder)
            let error = await #expect(throws: DocumentError.self) { try await removal.value }
            #expect(error?.code == .versionNoLongerAvailable)
            #expect(host.backlog.count(of: document.domain) == 0)
            #expect(try TemporaryFile.read(file) == "beta, and longer")
        }
    }
}
