import DocumentModel
import Synchronization
import Testing

@testable import WebDAVProvider

@Suite("What servers say of a resource")
struct AnswerTests {
    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199), ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
        ] as [(String, Int64)])
    func datesOfHTTP(_ text: String, _ seconds: Int64) {
        #expect(DateText.http(text) == seconds)
    }

    @Test(
        arguments: [
            ("1997-12-01T17:42:21-08:00", 881_026_941), ("2024-02-29T00:00:00Z", 1_709_164_800),
            ("2024-02-29T00:00:00.25Z", 1_709_164_800), ("2024-02-29T01:30:00+01:30", 1_709_164_800),
        ] as [(String, Int64)])
    func datesOfRFC3339(_ text: String, _ seconds: Int64) {
        #expect(DateText.rfc3339(text) == seconds)
    }

    @Test(arguments: [
        "", "yesterday", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:00:00 GMT", "1994-13-01T00:00:00Z",
        "99999999999999999999",
    ])
    func whatIsNoDateIsNone(_ text: String) {
        #expect(DateText.http(text) == nil && DateText.rfc3339(text) == nil)
    }

    @Test("RS-2: only a strong tag is ever sent back")
    func tags() {
        #expect(EntityTag("\"a-1\"")?.condition == "\"a-1\"")
        #expect(EntityTag(" W/\"a-1\" ")?.condition == nil && EntityTag("W/\"a-1\"")?.opaque == "a-1")
        #expect(EntityTag("a-1")?.condition == nil, "without quotation marks nobody knows what it is")
        for bad in ["", "\"\"", "W/", "\"", "\"a\"b\"", "\"a\r\nX: y\""] { #expect(EntityTag(bad) == nil, "\(bad)") }
    }

    @Test func ranges() throws {
        let range = try #require(ContentRange("bytes 5-9/10"))
        #expect(range.first == 5 && range.last == 9 && range.total == 10)
        #expect(ContentRange("bytes 0-0/*")?.total == nil)
        for bad in ["", "bytes */10", "bytes 9-5/10", "bytes 5-10/10", "items 0-1/2", "bytes -1-2/3", "bytes 0-1"] {
            #expect(ContentRange(bad) == nil, "\(bad)")
        }
    }

    @Test("RS-2: a version is made of size, date and tag, and does not change when a tag turns strong")
    func versions() throws {
        let young = Properties(length: 3, modified: 10, tag: EntityTag("W/\"a\""))
        var old = young
        old.tag = EntityTag("\"a\"")
        #expect(young.contentVersion == old.contentVersion)
        let others = [
            Properties(length: 4, modified: 10, tag: EntityTag("\"a\"")),
            Properties(length: 3, modified: 11, tag: EntityTag("\"a\"")),
            Properties(length: 3, modified: 10, tag: EntityTag("\"b\"")), Properties(length: 3, modified: 10),
        ]
        for other in others { #expect(other.contentVersion != young.contentVersion) }
        #expect(Set(others.map(\.contentVersion)).count == others.count)
        let long = String(repeating: "x", count: 500)
        let one = Properties(length: .max, modified: .max, tag: EntityTag("\"\(long)1\""))
        let two = Properties(length: .max, modified: .max, tag: EntityTag("\"\(long)2\""))
        #expect(one.contentVersion.count <= ItemVersion.maximumLength && one.contentVersion != two.contentVersion)
        #expect(one.metadataVersion(at: .root.appending(try ItemName("a"))).count <= ItemVersion.maximumLength)
        #expect(Properties(isFolder: true, modified: 10).contentVersion.isEmpty)
    }

    @Test("RS-2: a document is settled when the server's clock would give a change another date")
    func settling() {
        func isSettled(_ modified: Int64?, _ date: Int64?) -> Bool? {
            ServerLink.Look(properties: Properties(modified: modified), date: date).isSettled(after: .seconds(2))
        }
        #expect(isSettled(100, 100) == false && isSettled(100, 101) == false && isSettled(101, 100) == false)
        #expect(isSettled(100, 102) == true && isSettled(500, 100) == true)
        #expect(isSettled(nil, 100) == nil && isSettled(100, nil) == nil)
    }

    @Test("settings: what would give a secret away, or cannot be meant, is refused")
    func settings() throws {
        func code(_ settings: [String: String]) -> DocumentError.Code? {
            do {
                _ = try WebDAVSettings(settings)
                return nil
            } catch {
                return error.code
            }
        }
        let url = ["url": "https://example.org/dav"]
        #expect(code(url) == nil && code([:]) == .notConfigured)
        #expect(code(["url": "http://example.org/", "user": "a", "password": "b"]) == .notConfigured)
        #expect(code(["url": "http://example.org/", "token": "b"]) == .notConfigured)
        #expect(code(["url": "http://127.0.0.1:8080/", "user": "a", "password": "b"]) == nil)
        let local = ["url": "http://127.0.0.1:8080/", "user": "a", "password": "b", "proxy": "http://p.example:3128"]
        #expect(code(local) == .notConfigured, "to a proxy a password goes encrypted only")
        #expect(code(url.merging(["password": "b"]) { $1 }) == .notConfigured)
        #expect(code(url.merging(["user": "a:b", "password": "c"]) { $1 }) == .notConfigured)
        #expect(code(url.merging(["user": "a", "token": "c"]) { $1 }) == .notConfigured)
        #expect(code(url.merging(["token": "c\r\nX: y"]) { $1 }) == .notConfigured)
        #expect(code(url.merging(["proxy": "http://p.example:3128/x"]) { $1 }) == .notConfigured)
        let full = url.merging(["user": "a", "password": "b", "proxy": "http://p.example:3128", "ca-file": "/c"]) { $1 }
        let settings = try WebDAVSettings(full)
        #expect(settings.credentials == .basic(user: "a", password: "b") && settings.proxy?.port == 3128)
    }

    @Test(
        "CONT-13: what a server says of its room is told in words, and never as more than it is",
        arguments: [
            (nil, nil, nil), (0, 5, "There is no room left on the server."),
            (999, nil, "There is room for 999 B on the server."),
            (1000, nil, "There is room for 1.0 KB on the server."),
            (9_999, nil, "There is room for 9.9 KB on the server."),
            (10_999, nil, "There is room for 10 KB on the server."),
            (999_999, 1_000_000, "There is room for 999 KB on the server, and 1.0 MB are used."),
            (Int64.max, nil, "There is room for 9.2 EB on the server."),
            (nil, 12_300, "On the server, 12 KB are used."),
        ] as [(Int64?, Int64?, String?)])
    func quota(_ available: Int64?, _ used: Int64?, _ sentence: String?) {
        #expect(Quota(available: available, used: used).sentence == sentence)
    }

    @Test("What people are told of a domain is told again only when it is something else")
    func board() {
        let told = Mutex<[String]>([])
        let board = DomainBoard { text, _ in told.withLock { $0.append(text) } }
        board.tell(writing: "Documents can only be read.")
        board.tell(Quota(available: 1_230_000))
        board.tell(Quota(available: 1_239_999))
        board.tell(Quota())
        #expect(
            told.withLock { $0 } == [
                "Documents can only be read.", "Documents can only be read. There is room for 1.2 MB on the server.",
                "Documents can only be read.",
            ])
        #expect(board.isQuotaDue())
        #expect(!board.isQuotaDue())
    }
}
