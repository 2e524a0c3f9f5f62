import DocumentModel
import DocumentTestSupport
import SystemPackage
import Testing

@testable import DocumentStorage

struct PlaceholderTests {
    private func sample(_ name: String = "q3.pdf", id: String = "id-1", size: Int64? = 12) throws -> Placeholder {
        Placeholder(
            id: try ItemIdentifier(id), name: try ItemName(name), kind: .document,
            contentType: try ContentType("com.adobe.pdf"), size: size,
            modified: Timestamp(seconds: 1_700_000_000, nanoseconds: 123_456_789), created: Timestamp(seconds: -5),
            contentVersion: [0, 255, 10])
    }

    @Test("PH-1: writing makes a placeholder with its metadata, and refreshes it")
    func writeAndRefresh() throws {
        let storage = try StorageFixture()
        let location = try storage.location("Reports/q3.pdf")
        var placeholder = try sample()
        try storage.root.placeholders.write(placeholder, at: location)
        #expect(try storage.root.placeholders.read(at: location) == placeholder)
        placeholder.size = nil
        placeholder.kind = .package
        placeholder.contentVersion = []
        try storage.root.placeholders.write(placeholder, at: location)
        #expect(try storage.root.placeholders.read(at: location) == placeholder)
        try storage.root.placeholders.remove(at: location)
        #expect(try storage.root.placeholders.read(at: location) == nil)
    }

    @Test(
        "PH-1: any identifier and name come back byte by byte",
        arguments: [
            "plain", "with\nnewline", "100%", "colon: space", "e\u{301}", "é", "\u{7F}", "日本語", " ", "check: 0",
        ])
    func anyBytes(id: String) throws {
        let bytes = PlaceholderFormat.encode(try sample(id: id))
        let back = try #require(PlaceholderFormat.decode(bytes))
        #expect(back.id.rawValue.utf8.elementsEqual(id.utf8))
        #expect(back == (try sample(id: id)))
    }

    @Test("A torn, cut or altered placeholder counts as none")
    func torn() throws {
        let bytes = PlaceholderFormat.encode(try sample())
        #expect(PlaceholderFormat.decode(bytes) != nil)
        for length in 0..<bytes.count { #expect(PlaceholderFormat.decode(Array(bytes[..<length])) == nil) }
        for index in bytes.indices {
            var altered = bytes
            altered[index] ^= 1
            #expect(PlaceholderFormat.decode(altered) == nil)
        }
        #expect(PlaceholderFormat.decode(bytes + [0]) == nil)
        #expect(PlaceholderFormat.decode([UInt8](repeating: 0, count: 4096)) == nil)
    }

    @Test("PH-2: placeholderPath is pure, injective, within the root, and no document's path")
    func paths() throws {
        let storage = try StorageFixture()
        let longest = String(repeating: "ä", count: 127) + "x"
        #expect(longest.utf8.count == 255)
        var seen: Set<String> = []
        for path in ["a", "a.txt", "b/a", "a/b", "a/b/c", longest, ".hidden", "a/.docent", "placeholder"] {
            let location = try storage.location(path)
            let placeholder = try #require(storage.tree.placeholderPath(of: location))
            let document = storage.tree.path(of: location)
            #expect(placeholder.starts(with: storage.rootPath))
            #expect(placeholder != document)
            #expect(seen.insert(placeholder.string).inserted)
            #expect(seen.insert(document.string).inserted)
            #expect(storage.tree.location(of: placeholder) == location)
        }
        #expect(storage.tree.placeholderPath(of: Location(domain: storage.domain)) == nil)
        #expect(throws: DocumentError.self) { try ItemName(ItemName.placeholderFolder) }
    }

    @Test("PH-2: names of 255 bytes have placeholders")
    func longestNames() throws {
        let storage = try StorageFixture()
        let name = String(repeating: "n", count: 255)
        let location = try storage.location("\(name)/\(name)")
        try storage.root.placeholders.write(try sample(name), at: location)
        #expect(try storage.root.placeholders.read(at: location)?.name.rawValue == name)
        #expect(try storage.read(#require(storage.tree.placeholderPath(of: location)))?.contains("id-1") == true)
    }

    @Test("PH-2: a person can read what a placeholder stands for")
    func readable() throws {
        let text = String(decoding: PlaceholderFormat.encode(try sample()), as: UTF8.self)
        #expect(
            text.split(separator: "\n").dropLast() == [
                "docent placeholder 1", "id: id-1", "name: q3.pdf", "kind: document", "package: no",
                "type: com.adobe.pdf", "size: 12", "modified: 1700000000.123456789", "created: -5.0",
                "content: 00ff0a",
            ])
    }

    @Test("PH-3: missing parent folders are made; nothing outside the root can be named")
    func parents() throws {
        let storage = try StorageFixture()
        let location = try storage.location("one/two/three.txt")
        try storage.root.placeholders.write(try sample("three.txt"), at: location)
        #expect(try FileSystemMoves.mode(of: storage.tree.path(of: location).removingLastComponent()) == 0o700)
        #expect(throws: DocumentError.self) { try storage.location("../outside.txt") }
        #expect(storage.tree.location(of: storage.folder.appending("x")) == nil)
    }

    @Test("PH-3: a link in the way is refused, and nothing is written behind it")
    func linkInTheWay() throws {
        let storage = try StorageFixture()
        let outside = storage.folder.appending("outside")
        try FileSystemMoves.makeFolder(outside)
        try storage.tree.makeFolder(at: Location(domain: storage.domain))
        try FileSystemMoves.link(outside.string, storage.rootPath.appending(FilePath("documents/work/link").components))
        let error = #expect(throws: DocumentError.self) {
            try storage.root.placeholders.write(try sample(), at: storage.location("link/q3.pdf"))
        }
        #expect(error?.code == .outsideStorageRoot)
        #expect(throws: Errno.self) { try FileSystemMoves.mode(of: outside.appending(".docent-placeholders")) }
    }

    @Test("PH-4: writing a placeholder leaves contents alone")
    func contentsStay() throws {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: "hello")
        try storage.tell(item)
        try storage.provide(item, "hello")
        try storage.root.placeholders.write(try sample("a.txt"), at: storage.location("a.txt"))
        #expect(try storage.document("a.txt") == "hello")
        #expect(try storage.indexed("a").state == .materialised)
    }

    @Test("PH-6: the document's own name does not exist until its contents do")
    func noInventedBytes() throws {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: "hello")
        try storage.tell(item)
        let path = try storage.tree.path(of: storage.location("a.txt"))
        #expect(try storage.read(path) == nil)
        let coming = try storage.store.beginMaterialising(item.id, in: storage.domain)
        try storage.write("hel", to: coming.file.path)
        #expect(try storage.read(path) == nil)
        try storage.store.abandon(coming, because: nil)
        #expect(try storage.read(path) == nil)
        #expect(try storage.placeholder("a.txt")?.id == item.id)
    }

    #if DEBUG
        @Test("A full disk leaves no half-written placeholder")
        func fullDisk() throws {
            let storage = try StorageFixture()
            let location = try storage.location("q3.pdf")
            let plan = FaultPlan()
            plan.fail(.write, with: 28)
            let error = try FaultPlan.$current.withValue(plan) {
                try #require(throws: DocumentError.self) {
                    try storage.root.placeholders.write(try sample(), at: location)
                }
            }
            #expect(error.code == .localStorage)
            #expect(error.message.contains("the disk is full"))
            #expect(try storage.read(#require(storage.tree.placeholderPath(of: location))) == nil)
        }
    #endif
}
