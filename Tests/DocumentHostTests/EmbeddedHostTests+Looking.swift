import DocumentModel
import DocumentStorage
import DocumentTestSupport
import SystemPackage
import Testing

@testable import DocumentHost

/// What programs do to files without asking, looked at as soon as nobody works on them.
extension EmbeddedHostTests {
    @Test(
        "COORD-40: two who wait for a document to be free look at it, and do not wait for each other for good",
        .timeLimit(.minutes(1)))
    func lookedAtByTwo() async throws {
        try await withHost { host, remote in
            let location = try Location("d:/a.txt")
            try TemporaryFile.write("theirs", to: remote.appending("a.txt"))
            try await host.download(location)
            let key = try #require(try host.storage.read { try $0.item(at: location) }).key
            let worker = Task {
                try await host.locks.withLock(key) { () async throws(DocumentError) in
                    try? await Task.sleep(for: .milliseconds(300))
                }
            }
            while !host.locks.isHeld(key) { try await Task.sleep(for: .milliseconds(1)) }
            try TemporaryFile.write("ours", to: host.root.tree.path(of: location))
            async let first: Void = host.disk.lookWhenFree(key)
            async let second: Void = host.disk.lookWhenFree(key)
            _ = try await (first, second)
            try await worker.value
            try await host.waitUntilSent(location)
            #expect(try TemporaryFile.read(remote.appending("a.txt")) == "ours")
        }
    }
}
