import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentTestSupport
import SystemPackage
import Testing

@testable import DocumentHost

/// What somebody waits for comes first, however much is queued, and however slow its provider is.
@Suite(.serialized, .timeLimit(.minutes(2))) struct PriorityTests {
    private static let count = 300
    /// Which of them is opened, or waited for: it would be one of the last.
    private static let chosen = "290"

    private let place: Location

    init() throws {
        place = try Location("d:/\(Self.chosen).txt")
    }

    private func withHost(_ body: (DocumentHost, GatedRemote) async throws -> Void) async throws {
        let gated = try GatedHost(count: Self.count)
        defer { gated.end() }
        try await gated.run { host in
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: Self.count, refreshing: true)
            try await body(host, gated.remote)
        }
    }

    /// As soon as the provider has been asked for so many, and for no more within a moment.
    private func untilBusy(_ remote: GatedRemote, atLeast count: Int) async throws {
        var asked = -1
        while remote.asked.count < count || remote.asked.count > asked {
            asked = remote.asked.count
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    private func untilAsked(_ remote: GatedRemote) async throws {
        while !remote.asked.contains(Self.chosen) { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test(
        "Issue 5: a document that is opened overtakes hundreds that are to come, with no other one before it that had not begun",
        arguments: ["pinned", "asked for", "waited for"])
    func opened(_ why: String) async throws {
        try await withHost { host, remote in
            let folder = try Location("d:/")
            switch why {
            case "pinned": try await host.setKeeping(.pinned, at: folder)
            case "asked for": try await host.startDownload(folder)
            default: break
            }
            async let all: Void = why == "waited for" ? host.download(folder) : ()
            try await untilBusy(remote, atLeast: SyncPacing.Limits().documents)
            let begun = remote.asked.count
            #expect(begun < Self.count / 4 && !remote.asked.contains(Self.chosen), "\(begun) are under way")

            let tool = host.connect(tool: "editor")
            async let reading = host.beginAccess(AccessRequest(location: place, intent: .reading), for: tool)
            // Nobody is answered meanwhile: it is the next that the provider is asked for.
            try await untilAsked(remote)
            #expect(remote.asked.count == begun + 1 && remote.asked.last == Self.chosen)
            // A provider that does one thing after the other does it after those.
            for _ in 0...begun { remote.answerNext() }
            let access = try await reading
            #expect(try TemporaryFile.read(FilePath(access.items[0].path)) == GatedRemote.contents)
            #expect(remote.asked.count <= 2 * (begun + 1), "the others still wait for their turns")
            try await host.endAccess(access.number, of: tool)
            host.disconnect(tool)
            remote.open()
            try await all
            #expect(remote.asked.count { $0 == Self.chosen } == 1, "it came once")
        }
    }

    @Test(
        "Issue 5: a change that somebody waits for overtakes hundreds that are to be sent, with none before it that had not begun"
    )
    func sent() async throws {
        try await withHost { host, remote in
            remote.open()
            let folder = try Location("d:/")
            try await host.download(folder)
            try await host.setPaused(true, at: folder)
            let tool = host.connect(tool: "editor")
            for document in remote.documents {
                guard let name = document.name else { continue }
                let access = try await host.beginAccess(
                    AccessRequest(location: folder.appending(name), intent: .writing), for: tool)
                try TemporaryFile.write("changed here", to: FilePath(access.items[0].path))
                try await host.endAccess(access.number, of: tool)
            }
            host.disconnect(tool)
            remote.close()
            remote.forgetAsked()
            try await host.setPaused(false, at: folder)
            try await untilBusy(remote, atLeast: SyncPacing.Limits().documents)
            let begun = remote.asked.count
            #expect(begun <= SyncPacing.Limits().documentsWhileQuick && !remote.asked.contains(Self.chosen))

            async let waiting: Void = host.waitUntilSent(place)
            try await Task.sleep(for: .milliseconds(300))
            // The next that the provider has room for is this one; but what was made ready for it by then goes before.
            while !remote.asked.contains(Self.chosen) {
                remote.answerNext()
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(
                remote.asked.firstIndex(of: Self.chosen).map { $0 <= SyncPacing.Limits().documentsWhileQuick } == true)
            for _ in 0..<remote.asked.count { remote.answerNext() }
            try await waiting
            #expect(remote.asked.count < Self.count / 2, "the others still wait for their turns")
            #expect(remote.asked.count { $0 == Self.chosen } == 1, "it was sent once")
        }
    }
}
