import DocumentModel
import Testing

/// Bookmarks as text.
struct BookmarkTests {
    @Test("BOOK-1: bookmarks of every length survive being written as text")
    func text() throws {
        for count in 1...300 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + count) }
            let bookmark = try Bookmark(bytes: bytes)
            #expect(try Bookmark(text: bookmark.text) == bookmark)
            #expect(bookmark.text.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        }
    }

    @Test("BOOK-5: a text that only looks like another writing of the same bookmark is refused")
    func oneForm() throws {
        let bookmark = try Bookmark(bytes: [0xFF, 0x01])
        #expect(bookmark.text == "docent-bookmark:_wE")
        for other in [
            "docent-bookmark:_wF", "docent-bookmark:_wE=", "docent-bookmark:_wE ", "docent-bookmark:/wE",
            "docent-bookmark:",
            "docent-bookmark:_", "docent-bookmark:_wEAA\n", "_wE", "", "docent-bookmark:_wÉ",
        ] {
            #expect(throws: DocumentError.self, "\(other)") { try Bookmark(text: other) }
        }
        #expect(throws: DocumentError.self) { try Bookmark(bytes: []) }
        #expect(throws: DocumentError.self) {
            try Bookmark(bytes: [UInt8](repeating: 0, count: Bookmark.maximumLength + 1))
        }
    }

    @Test("BOOK-5: what a log shows of a bookmark opens nothing")
    func description() throws {
        #expect("\(try Bookmark(bytes: [1, 2, 3]))" == "a bookmark of 3 bytes")
    }

    @Test("bookmarks' numbers have one form")
    func numbers() throws {
        for value in [0, 1, 0xFF, UInt64.max] {
            let id = BookmarkIdentifier(rawValue: value)
            #expect(try BookmarkIdentifier(id.description) == id)
            #expect(id.description.utf8.count == 16)
        }
        for text in ["", "1", "+000000000000001", "000000000000000g", "00000000000000001"] {
            #expect(throws: DocumentError.self) { try BookmarkIdentifier(text) }
        }
    }
}
