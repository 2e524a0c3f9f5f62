import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

/// Folders that documents were fetched into, used again for the next while others are under way.
struct SpareFetchesTests {
    private let storage: StorageFixture
    /// It is under way all the time.
    private let other: (coming: Materialisation, item: Item)

    init() throws {
        storage = try StorageFixture()
        other = try Self.begin("other", "the other's", storage)
    }

    private static func begin(
        _ id: String, _ contents: String, _ storage: StorageFixture
    ) throws -> (Materialisation, Item) {
        let item = try storage.item(id, "\(id).txt", contents: contents)
        try storage.tell(item)
        return (try storage.store.beginMaterialising(item.id, in: storage.domain), item)
    }

    private func begin(_ id: String, _ contents: String) throws -> (coming: Materialisation, item: Item) {
        try Self.begin(id, contents, storage)
    }

    private func finish(_ begun: (coming: Materialisation, item: Item), _ contents: String) throws {
        try storage.write(contents, to: begun.coming.file.path)
        let after = try storage.store.finish(begun.coming, as: begun.item)
        #expect(after.state == .materialised)
        #expect(try storage.read(storage.root.tree.path(of: begun.coming.location)) == contents)
    }

    private func folder(of coming: Materialisation) -> FilePath { coming.file.path.removingLastComponent() }

    private func inode(_ path: FilePath) throws -> UInt64 {
        var status = stat()
        try #require(stat(path.string, &status) == 0)
        return UInt64(status.st_ino)
    }

    /// Where a folder is that was withdrawn from its provider.
    private func withdrawn(_ coming: Materialisation) throws -> FilePath {
        let leaf = try #require(folder(of: coming).lastComponent)
        // staging/fetch/DOMAIN/LEAF
        return folder(of: coming).removingLastComponent().removingLastComponent().removingLastComponent().appending(
            leaf)
    }

    @Test(
        "What is fetched next comes into the folder that another document came in, under another name, and into a file of its own"
    )
    func again() throws {
        let first = try begin("a", "one")
        let place = try inode(folder(of: first.coming))
        let file = try inode(first.coming.file.path)
        try finish(first, "one")
        let second = try begin("b", "two")
        #expect(try inode(folder(of: second.coming)) == place)
        #expect(try inode(second.coming.file.path) != file)
        #expect(second.coming.file.path != first.coming.file.path, "nobody finds it under the name that it had")
        #expect(try storage.read(second.coming.file.path) == "")
        try finish(second, "two")
        try finish(other, "the other's")
        #expect(try storage.root.staging.sweep() == 0, "nothing is left when nothing is fetched any more")
    }

    @Test(
        "What a provider has made in a folder that it knew is not taken for what it was asked for next, and goes with the folder",
        arguments: [true, false])
    func foreign(isFolder: Bool) throws {
        let first = try begin("a", "one")
        try finish(first, "one")
        let place = try withdrawn(first.coming)
        try storage.write("of nobody", to: place.appending("more"))
        if isFolder {
            try #require(mkdir(place.appending("contents").string, 0o700) == 0)
        } else {
            try storage.write("of nobody", to: place.appending("contents"))
        }
        let second = try begin("b", "two")
        #expect(try storage.read(second.coming.file.path) == "")
        try finish(second, "two")
        try finish(other, "the other's")
        #expect(try storage.root.staging.sweep() == 0)
    }

    @Test("What did not come leaves its folder to nobody, and the last one under way takes all with it")
    func abandoned() throws {
        let (first, second) = (try begin("a", "one"), try begin("b", "two"))
        try finish(first, "one")
        try storage.store.abandon(second.coming, because: nil)
        #expect(try storage.read(second.coming.file.path) == nil)
        try storage.store.abandon(other.coming, because: nil)
        #expect(try storage.root.staging.sweep() == 0)
    }

    @Test("Nothing of a domain's folders is left for another domain of its name")
    func removedDomain() throws {
        let first = try begin("a", "one")
        try finish(first, "one")
        let place = try withdrawn(first.coming)
        try storage.write("of nobody", to: place.appending("more"))
        try storage.root.staging.removeFolders(of: storage.domain)
        #expect(access(place.string, F_OK) != 0)
        let old = try inode(storage.root.staging.folder(for: .fetching(storage.domain)))
        let second = try begin("b", "two")
        #expect(try inode(folder(of: second.coming).removingLastComponent()) == old)
        #expect(access(folder(of: second.coming).appending("more").string, F_OK) != 0)
        try finish(second, "two")
    }

    @Test("A folder that somebody has removed is made anew")
    func removed() throws {
        let first = try begin("a", "one")
        try finish(first, "one")
        try #require(rmdir(try withdrawn(first.coming).string) == 0)
        let second = try begin("b", "two")
        try finish(second, "two")
    }
}
