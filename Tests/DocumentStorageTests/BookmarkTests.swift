import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

/// Bookmarks: what they say, their seal, the key of it, and what the index has of them.
@Suite struct BookmarkTests {
    private func token(
        _ item: String = "an item", tool: String? = "org.example.editor", isBound: Bool = false
    ) throws -> BookmarkToken {
        BookmarkToken(
            id: BookmarkIdentifier(rawValue: 0x0123_4567_89AB_CDEF), rights: isBound ? .readOnly : .readWrite,
            created: 1_700_000_000, expires: isBound ? 1_800_000_000 : nil, domain: try DomainName("work"),
            item: try ItemIdentifier(item), tool: try tool.map { try ToolIdentifier($0) },
            document: isBound
                ? BookmarkToken.Document(domain: try DomainName("home"), item: try ItemIdentifier("ein Brief")) : nil)
    }

    private var tokens: [BookmarkToken] {
        get throws {
            [
                try token(), try token(tool: nil), try token("é日\u{1F469}", isBound: true),
                try token("e\u{301}", tool: nil),
                try token(String(repeating: "x", count: ItemIdentifier.maximumLength), isBound: true),
            ]
        }
    }

    private let seal = BookmarkSeal(key: Array(1...32))

    @Test("BOOK-5: a bookmark says its domain, item, rights, time and tool, and is read as it was made")
    func roundTrip() throws {
        for token in try tokens {
            #expect(BookmarkToken(decoding: token.encoded) == token)
            #expect(try seal.token(of: seal.bookmark(of: token)) == token)
        }
    }

    @Test("BOOK-5: with any one bit of it changed, a bookmark is refused")
    func everyBit() throws {
        for token in try tokens.dropLast() {
            let bytes = try seal.bookmark(of: token).bytes
            for bit in 0..<(bytes.count * 8) {
                var changed = bytes
                changed[bit / 8] ^= 1 << (bit % 8)
                let error = #expect(throws: DocumentError.self) { try seal.token(of: Bookmark(bytes: changed)) }
                #expect(error?.code == .notPermitted)
            }
        }
    }

    @Test("BOOK-5: with any byte replaced, left out or put in, and cut off anywhere, a bookmark is refused")
    func everyByte() throws {
        let bytes = try seal.bookmark(of: token("a", isBound: true)).bytes
        for index in bytes.indices {
            for value in UInt8.min ... .max where value != bytes[index] {
                var changed = bytes
                changed[index] = value
                #expect(throws: DocumentError.self) { try seal.token(of: Bookmark(bytes: changed)) }
            }
            var shorter = bytes
            shorter.remove(at: index)
            #expect(throws: DocumentError.self) { try seal.token(of: Bookmark(bytes: shorter)) }
            var longer = bytes
            longer.insert(0, at: index)
            #expect(throws: DocumentError.self) { try seal.token(of: Bookmark(bytes: longer)) }
            if index > 0 {
                #expect(throws: DocumentError.self) { try seal.token(of: Bookmark(bytes: Array(bytes[..<index]))) }
            }
        }
        #expect(throws: DocumentError.self) { try seal.token(of: Bookmark(bytes: bytes + [0])) }
    }

    @Test("BOOK-5: a bookmark that another key sealed is refused")
    func otherKey() throws {
        let bookmark = try BookmarkSeal(key: [UInt8](repeating: 7, count: 32)).bookmark(of: token())
        #expect(throws: DocumentError.self) { try seal.token(of: bookmark) }
    }

    @Test("BOOK-5: rubbish is no token and ends nobody, and what is read is read in its one form only")
    func rubbish() throws {
        var generator = SplitMix(state: 42)
        let good = try tokens.dropLast().map(\.encoded)
        for round in 0..<40_000 {
            var bytes: [UInt8]
            if round % 2 == 0 {
                bytes = (0..<Int.random(in: 0...120, using: &generator)).map { _ in
                    .random(in: 0...255, using: &generator)
                }
                if !bytes.isEmpty { bytes[0] = 1 }
            } else {
                bytes = good[round / 2 % good.count]
                for _ in 0...Int.random(in: 0...3, using: &generator) {
                    bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
                }
                bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
            }
            if let token = BookmarkToken(decoding: bytes) { #expect(token.encoded == bytes) }
            // Rubbish that is sealed, as if the key were known: still a token or an error.
            _ = try? seal.token(of: Bookmark(bytes: bytes))
        }
    }

    // MARK: The key

    @Test("BOOK-5: the key is made once, for its owner alone, and is the same after a restart")
    func key() throws {
        let fixture = try StorageFixture()
        let bookmark = try fixture.root.bookmarkSeal().bookmark(of: token())
        let path = fixture.rootPath.appending(".docent/bookmark.key").string
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & 0o7777 == 0o600 && status.st_size == 32)
        try fixture.reopen()
        #expect(try fixture.root.bookmarkSeal().token(of: bookmark) == token())
        let other = try StorageFixture()
        #expect(throws: DocumentError.self) { try other.root.bookmarkSeal().token(of: bookmark) }
    }

    @Test("BOOK-5: a key that others could read, or that is damaged, is not used")
    func badKeys() throws {
        let fixture = try StorageFixture()
        _ = try fixture.root.bookmarkSeal()
        let path = fixture.rootPath.appending(".docent/bookmark.key")
        for mode: mode_t in [0o640, 0o604, 0o660] {
            #expect(chmod(path.string, mode) == 0)
            try fixture.reopen()
            let error = #expect(throws: DocumentError.self) { try fixture.root.bookmarkSeal() }
            #expect(error?.code == .notPermitted)
        }
        #expect(chmod(path.string, 0o600) == 0)
        for length: Int64 in [0, 31, 33] {
            #expect(truncate(path.string, Int(length)) == 0)
            try fixture.reopen()
            let error = #expect(throws: DocumentError.self) { try fixture.root.bookmarkSeal() }
            #expect(error?.code == .localStorage)
        }
    }

    // MARK: The index

    private func record(
        _ number: UInt64, _ item: String, tool: String? = nil, document: String? = nil, expires: Int64? = nil,
        in fixture: StorageFixture
    ) throws -> BookmarkRecord {
        BookmarkRecord(
            id: BookmarkIdentifier(rawValue: number), domain: fixture.domain, item: try ItemIdentifier(item),
            madeAt: try fixture.location(item), rights: .readOnly, tool: try tool.map { try ToolIdentifier($0) },
            document: try document.map { BookmarkToken.Document(domain: fixture.domain, item: try ItemIdentifier($0)) },
            documentAt: try document.map { try fixture.location($0) }, created: Int64(number & 0xFFFF), expires: expires
        )
    }

    @Test("BOOK-1: what the index has of bookmarks survives a restart, in the order in which they were made")
    func records() throws {
        let fixture = try StorageFixture()
        let records = [
            try record(7, "a", in: fixture), try record(8, "b", tool: "org.example.editor", document: "c", in: fixture),
            try record(UInt64.max, "a", expires: 50, in: fixture),
        ]
        try fixture.index.write { index throws in for record in records.reversed() { try index.addBookmark(record) } }
        try fixture.reopen()
        try fixture.index.read { index throws in
            #expect(try index.bookmarks() == records)
            #expect(try index.bookmark(records[2].id) == records[2])
            #expect(try index.bookmark(BookmarkIdentifier(rawValue: 9)) == nil)
            #expect(try index.bookmarkCount(of: nil) == 2)
            #expect(try index.bookmarkCount(of: ToolIdentifier("org.example.editor")) == 1)
        }
        try fixture.index.write { index throws in
            #expect(throws: DocumentError.self) { try index.addBookmark(records[0]) }
            try index.removeBookmarks(expiredBy: 50)
            #expect(try index.bookmarks() == Array(records[..<2]))
            #expect(try index.removeBookmark(records[0].id))
            #expect(try !index.removeBookmark(records[0].id))
        }
    }

    @Test("BOOK-5: those that were made because of another bookmark end with it, and are their maker's")
    func origins() throws {
        let fixture = try StorageFixture()
        let editor = try ToolIdentifier("org.example.editor")
        let given = try record(7, "a", tool: editor.rawValue, in: fixture)
        var made = try record(8, "a", document: "c", in: fixture)
        made.maker = editor
        made.origin = given.id
        let other = try record(UInt64.max, "a", in: fixture)
        let records = [given, made, other]
        try fixture.index.write { index throws in for record in records { try index.addBookmark(record) } }
        try fixture.reopen()
        try fixture.index.write { index throws in
            #expect(try index.bookmark(made.id) == made)
            #expect(try index.bookmarkCount(of: editor) == 2)
            #expect(try index.bookmarkCount(of: nil) == 1)
            #expect(try index.removeBookmarks(madeBy: given.id) == [made.id])
            #expect(try index.bookmarks() == [given, other])
        }
    }

    @Test("BOOK-5: bookmarks end with their domain, and do not come back with another one of its name")
    func removedDomain() throws {
        let fixture = try StorageFixture()
        let other = try DomainName("other")
        let provider = try ProviderIdentifier("org.example.test")
        var bound = try record(2, "x", document: "y", in: fixture)
        bound.domain = other
        bound.madeAt = try Location("other:/x")
        let records = [try record(1, "a", in: fixture), bound]
        try fixture.index.write { index throws in
            try index.addDomain(DomainRecord(name: other, provider: provider))
            for record in records { try index.addBookmark(record) }
        }
        try fixture.index.write { try $0.removeDomain(fixture.domain) }
        try fixture.index.write { try $0.addDomain(DomainRecord(name: fixture.domain, provider: provider)) }
        #expect(try fixture.index.read { try $0.bookmarks() } == [])
    }
}
