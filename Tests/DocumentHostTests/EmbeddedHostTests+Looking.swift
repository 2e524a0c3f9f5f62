import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Glibc
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

    @Test(
        "DOWN-3: a document whose file a program moves while somebody may write it follows it, also with the folder around it",
        arguments: ["g/a.txt", "f/b.txt"], [false, true])
    func movedWhileWritten(to place: String, isWritten: Bool) async throws {
        try await withHost { host, remote in
            try #require(mkdir(remote.appending("f").string, 0o700) == 0)
            try TemporaryFile.write("theirs", to: remote.appending("f").appending("a.txt"))
            for folder in ["d:/", "d:/f"] {
                _ = try await host.items(in: Location(folder), page: nil, suggestedCount: 10, refreshing: true)
            }
            let (from, to) = (try Location("d:/f/a.txt"), try Location("d:/" + place))
            try await host.download(from)
            let id = try await host.item(at: from).item.id
            let tool = host.connect(tool: "one")
            defer { host.disconnect(tool) }
            let access = try await host.beginAccess(AccessRequest(location: from, intent: .writing), for: tool)
            if isWritten { try TemporaryFile.write("ours", to: FilePath(access.items[0].path)) }
            let tree = host.root.tree
            let (old, new) =
                to.name == from.name ? (try Location("d:/f"), try Location("d:/g")) : (from, to)
            try #require(rename(tree.path(of: old).string, tree.path(of: new).string) == 0)
            try await host.endAccess(access.number, of: tool)
            let contents = isWritten ? "ours" : "theirs"
            let there = remote.appending(FilePath(place).components)
            for _ in 0..<500 where (try? TemporaryFile.read(there)) != contents {
                try await Task.sleep(for: .milliseconds(20))
            }
            try await host.waitUntilSent(Location("d:/"))
            #expect(try TemporaryFile.read(there) == contents)
            let item = try await host.item(at: to)
            #expect(item.state == .materialised && item.item.id == id)
            #expect(try TemporaryFile.read(tree.path(of: to)) == contents)
        }
    }
}
