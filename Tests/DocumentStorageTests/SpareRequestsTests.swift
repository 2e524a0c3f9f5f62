import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

/// Folders of documents that were sent, used again for the next while others are under way.
struct SpareRequestsTests {
    private let storage: StorageFixture
    /// It is under way all the time.
    private let other: Sending

    init() throws {
        storage = try StorageFixture()
        other = try Self.beginSending("other", "the other's", storage)
    }

    private static func beginSending(_ id: String, _ contents: String, _ storage: StorageFixture) throws -> Sending {
        let item = try storage.item(id, "\(id).txt", contents: "before")
        try storage.tell(item)
        try storage.provide(item, "before")
        try storage.edit(id, contents)
        return try storage.store.beginSending(item.id, in: storage.domain)
    }

    private func beginSending(_ id: String, _ contents: String) throws -> Sending {
        try Self.beginSending(id, contents, storage)
    }

    private func finish(_ sending: Sending, _ contents: String) throws {
        var answer = sending.item.item
        answer.version = try ItemVersion(content: Array("sent".utf8))
        answer.size = Int64(contents.utf8.count)
        let after = try storage.store.finish(sending, as: answer)
        #expect(after.state == .materialised)
    }

    private func inode(_ path: FilePath) throws -> UInt64? {
        var status = stat()
        return stat(path.string, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    @Test(
        "What is sent next is in the file of what was sent before, and is just what it is itself",
        arguments: ["longer than before it", "short", ""])
    func again(contents: String) throws {
        let first = try beginSending("a", "of a few words")
        let file = try #require(try inode(first.snapshot.path))
        try finish(first, "of a few words")

        let second = try beginSending("b", contents)
        #expect(try inode(second.snapshot.path) == file)
        #expect(try storage.read(second.snapshot.path) == contents)
        #expect(second.snapshot.path != first.snapshot.path, "nobody finds it under the name that it had")
        #expect(try storage.read(other.snapshot.path) == "the other's")
        try finish(second, contents)
        try finish(other, "the other's")
        #expect(try storage.root.staging.sweep() == 0, "nothing is left when nothing is sent any more")
    }

    @Test("A file that its provider still has open is not written to, and what is sent next has another")
    func stillOpen() throws {
        let first = try beginSending("a", "of a few words")
        let reader = try FileDescriptor.open(first.snapshot.path, .readOnly)
        defer { try? reader.close() }
        try finish(first, "of a few words")
        let second = try beginSending("b", "something else")
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = try buffer.withUnsafeMutableBytes { try reader.read(fromAbsoluteOffset: 0, into: $0) }
        #expect(String(decoding: buffer.prefix(count), as: UTF8.self) == "of a few words")
        #expect(try storage.read(second.snapshot.path) == "something else")
        try finish(second, "something else")
    }

    @Test("VER-13: contents that were kept as somebody's base are not written over by what is sent next")
    func keptAsBase() throws {
        let first = try beginSending("a", "of a few words")
        let change = try storage.store.expectChange(of: first.item.id, in: storage.domain)
        var answer = first.item.item
        answer.version = try ItemVersion(content: Array("sent".utf8))
        _ = try storage.store.finish(first, as: answer)
        let second = try beginSending("b", "something else")
        let base = try #require(
            try storage.index.read { try $0.keptVersions(of: first.item.id, in: storage.domain) }
                .first { $0.version.content == Array("sent".utf8) })
        #expect(try storage.read(storage.root.versions.path(of: base.kept)) == "of a few words")
        _ = try storage.store.recordChange(change)
        try finish(second, "something else")
    }

    @Test("What was refused leaves its folder to nobody, and the last one under way takes all with it")
    func refused() throws {
        let (first, second) = (try beginSending("a", "one"), try beginSending("b", "two"))
        try finish(first, "one")
        try storage.store.abandon(second, because: nil)
        #expect(try storage.read(second.snapshot.path) == nil)
        try storage.store.abandon(other, because: nil)
        #expect(try storage.root.staging.sweep() == 0)
    }

    @Test("A folder that somebody has removed is made anew")
    func removed() throws {
        let first = try beginSending("a", "one")
        try finish(first, "one")
        #expect(unlink(first.snapshot.path.string) == 0)
        #expect(rmdir(first.snapshot.path.removingLastComponent().string) == 0)
        let second = try beginSending("b", "two")
        #expect(try storage.read(second.snapshot.path) == "two")
        try finish(second, "two")
    }
}
