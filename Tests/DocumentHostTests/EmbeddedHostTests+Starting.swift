import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentHost

/// What a host goes on with that another one has left.
extension EmbeddedHostTests {
    @Test("DOWN-1: what is still to be downloaded comes also while another domain's provider does not answer")
    func resumedBesideOneThatHangs() async throws {
        try await withHost { host, remote in
            let (hanging, other) = (try DomainName("a"), try DomainName("d"))
            let folder = remote.removingLastComponent().appending("other")
            try #require(mkdir(folder.string, 0o700) == 0)
            _ = try await host.addDomain(
                hanging, provider: ProviderIdentifier("org.docent.folder"), settings: ["folder": folder.string])
            try TemporaryFile.write("here", to: remote.appending("b.txt"))
            // As a host that was asked for all of both has left it.
            let tops = try host.storage.read { index in
                try [hanging, other].compactMap { name in
                    try index.domain(name).flatMap { try index.item($0.rootID, in: name) }
                }
            }
            try #require(tops.count == 2)
            try await host.storage.write { try $0.keepDownloadRequests(tops) }
            // Whoever lists the folder waits for this.
            let (isBegun, isOver) = (Flag(), Flag())
            let listing = Task {
                try await host.follower.listings.join(tops[0].key, onProgress: nil) { _ throws(DocumentError) in
                    isBegun.set()
                    while !isOver.isSet, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
                }
            }
            while !isBegun.isSet { try await Task.sleep(for: .milliseconds(5)) }
            let resuming = Task { await host.pinKeeper.resume() }
            let location = try Location("d:/b.txt")
            var isHere = false
            for _ in 0..<1_000 where !isHere {
                isHere = try host.storage.read { try $0.item(at: location) }?.state == .materialised
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(isHere)
            isOver.set()
            try await listing.value
            await resuming.value
        }
    }
}
