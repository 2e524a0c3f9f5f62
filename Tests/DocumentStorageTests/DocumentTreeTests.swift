import DocumentModel
import DocumentTestSupport
import SystemPackage
import Testing

@testable import DocumentStorage

struct DocumentTreeTests {
    private func staged(_ storage: StorageFixture, _ contents: String) throws -> StagedFile {
        let request = try storage.root.staging.makeRequest()
        var file = try request.makeFile()
        try storage.write(contents, to: file.path)
        let status = try storage.root.staging.request(named: request.name)?.existingFile()
        file.identity = try #require(status).identity
        return file
    }

    @Test(
        "ID-1: location and path map one to one", arguments: ["", "a.txt", "Reports/q3.pdf", "e\u{301}/é", "a b/c\\d"])
    func mapping(path: String) throws {
        let storage = try StorageFixture()
        let location = try storage.location(path)
        #expect(storage.tree.location(of: storage.tree.path(of: location)) == location)
    }

    @Test("ID-2: a path outside the tree has no location, never a guess")
    func outside() throws {
        let storage = try StorageFixture()
        let root = storage.rootPath.string
        for path in [
            "/", root, root + "/documents", root + "x/documents/work/a", root + "/.docent/index.sqlite",
            root + "/documents/work/../../../etc/passwd", root + "/documents/.hidden/a", "documents/work/a", "",
            root + "/documents/work/.docent-placeholders",
        ] {
            #expect(storage.tree.location(of: FilePath(path)) == nil, "\(path)")
        }
    }

    @Test("ID-2: an unknown identifier has no location")
    func unknownIdentifier() throws {
        let storage = try StorageFixture()
        #expect(try storage.index.read { try $0.location(of: ItemIdentifier("nobody"), in: storage.domain) } == nil)
    }

    @Test("Publishing never overwrites a file that nobody told of")
    func publishOverStranger() throws {
        let storage = try StorageFixture()
        let location = try storage.location("a.txt")
        try storage.tree.makeFolder(at: Location(domain: storage.domain))
        try storage.write("stranger", to: storage.tree.path(of: location))
        let file = try staged(storage, "new")
        let error = #expect(throws: DocumentError.self) {
            try storage.tree.publish(file, at: location, replacing: nil)
        }
        #expect(error?.code == .destinationExists)
        #expect(try storage.document("a.txt") == "stranger")
        #expect(try storage.read(file.path) == "new")
    }

    @Test("Replacing takes the old file's place at once, and only if it is what was recorded")
    func replace() throws {
        let storage = try StorageFixture()
        let location = try storage.location("a.txt")
        let first = try storage.tree.publish(staged(storage, "one"), at: location, replacing: nil)
        let second = try storage.tree.publish(staged(storage, "two"), at: location, replacing: first)
        #expect(try storage.document("a.txt") == "two")
        let error = #expect(throws: DocumentError.self) {
            try storage.tree.publish(staged(storage, "three"), at: location, replacing: first)
        }
        #expect(error?.code == .unsyncedEdits)
        #expect(try storage.document("a.txt") == "two")
        #expect(try storage.tree.file(at: location)?.inode == second.inode)
    }

    @Test(
        "A file that is open for writing is not replaced; one that is being read is, and the reader keeps its contents")
    func replaceWhileOpen() throws {
        let storage = try StorageFixture()
        let location = try storage.location("a.txt")
        let path = storage.tree.path(of: location)
        let first = try storage.tree.publish(staged(storage, "one"), at: location, replacing: nil)
        let writer = try FileDescriptor.open(path, .readWrite)
        let error = #expect(throws: DocumentError.self) {
            try storage.tree.publish(staged(storage, "two"), at: location, replacing: first)
        }
        #expect(error?.code == .busy)
        try writer.close()

        let reader = try FileDescriptor.open(path, .readOnly)
        _ = try storage.tree.publish(staged(storage, "two"), at: location, replacing: first)
        var buffer = [UInt8](repeating: 0, count: 3)
        _ = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
        try reader.close()
        #expect(String(decoding: buffer, as: UTF8.self) == "one")
        #expect(try storage.document("a.txt") == "two")
    }

    @Test("A file that is gone when it is to be replaced is simply made")
    func replaceMissing() throws {
        let storage = try StorageFixture()
        let location = try storage.location("a.txt")
        let first = try storage.tree.publish(staged(storage, "one"), at: location, replacing: nil)
        TemporaryFolder.remove(storage.tree.path(of: location))
        _ = try storage.tree.publish(staged(storage, "two"), at: location, replacing: first)
        #expect(try storage.document("a.txt") == "two")
    }

    @Test("A document is removed only while it is what was recorded; what is gone is no error")
    func remove() throws {
        let storage = try StorageFixture()
        let location = try storage.location("a.txt")
        let file = try storage.tree.publish(staged(storage, "one"), at: location, replacing: nil)
        try storage.save("edited", to: storage.tree.path(of: location))
        let error = #expect(throws: DocumentError.self) {
            try storage.tree.removeFile(at: location, expecting: file)
        }
        #expect(error?.code == .unsyncedEdits)
        let now = try #require(try storage.tree.file(at: location))
        try storage.tree.removeFile(at: location, expecting: now)
        try storage.tree.removeFile(at: location, expecting: now)
        #expect(try storage.tree.file(at: location) == nil)
    }

    @Test("Moving takes documents and whole folders along, and overwrites nothing")
    func move() throws {
        let storage = try StorageFixture()
        _ = try storage.tree.publish(staged(storage, "one"), at: storage.location("A/one.txt"), replacing: nil)
        _ = try storage.tree.publish(staged(storage, "two"), at: storage.location("two.txt"), replacing: nil)
        _ = try storage.tree.move(from: storage.location("A"), to: storage.location("B/C"))
        #expect(try storage.document("B/C/one.txt") == "one")
        let error = #expect(throws: DocumentError.self) {
            try storage.tree.move(from: storage.location("two.txt"), to: storage.location("B/C/one.txt"))
        }
        #expect(error?.code == .destinationExists)
        #expect(try storage.document("two.txt") == "two")
        #expect(try storage.tree.move(from: storage.location("none"), to: storage.location("other")) == nil)
    }

    @Test("A folder goes with its placeholders, and not while a document is in it")
    func removeFolder() throws {
        let storage = try StorageFixture()
        let placeholder = try #require(Placeholder(storage.item("p", "p.txt", size: 3)))
        try storage.root.placeholders.write(placeholder, at: storage.location("A/B/p.txt"))
        let file = try storage.tree.publish(
            staged(storage, "one"), at: storage.location("A/B/one.txt"), replacing: nil)
        let error = #expect(throws: DocumentError.self) { try storage.tree.removeFolder(at: storage.location("A")) }
        #expect(error?.code == .directoryNotEmpty)
        #expect(try storage.placeholder("A/B/p.txt") != nil)
        try storage.tree.removeFile(at: storage.location("A/B/one.txt"), expecting: file)
        try storage.tree.removeFolder(at: storage.location("A"))
        #expect(throws: Errno.self) { try FileSystemMoves.mode(of: storage.tree.path(of: storage.location("A"))) }
    }

    @Test(
        "No component of a path leads out of the folder that it is opened in",
        arguments: ["..", ".", "", "a/b", "/etc"])
    func components(name: String) throws {
        let storage = try StorageFixture()
        let folder = storage.tree.documents
        let error = #expect(throws: DocumentError.self) { try folder.folderIfPresent(["work", name]) }
        #expect(error?.code == .outsideStorageRoot)
        #expect(throws: DocumentError.self) { try folder.file(name) }
        #expect(throws: DocumentError.self) { try folder.unlink(name) }
    }

    @Test("Folders deeper than one path can name are reached")
    func deep() throws {
        let storage = try StorageFixture()
        let names = (0..<30).map { "\($0)" + String(repeating: "d", count: 240) }
        let location = try Location(domain: storage.domain, components: names.map { try ItemName($0) })
        try storage.tree.makeFolder(at: location)
        let file = try location.appending(ItemName("deep.txt"))
        _ = try storage.tree.publish(staged(storage, "deep"), at: file, replacing: nil)
        #expect(try storage.tree.file(at: file)?.size == 4)
        try storage.tree.removeFile(at: file, expecting: #require(try storage.tree.file(at: file)))
        try storage.tree.removeFolder(at: storage.location(names[0]))
    }
}
