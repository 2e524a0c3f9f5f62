import DocumentModel
import DocumentTestSupport
import Testing

@testable import WebDAVProvider

@Suite("Addresses, and the names in them")
struct AddressTests {
    @Test("every byte of a name survives its way into an address and back")
    func everyByte() {
        let bytes = Array(UInt8.min...UInt8.max)
        let encoded = PercentCoding.encode(bytes)
        #expect(PercentCoding.decode(encoded.utf8) == bytes)
        #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        #expect(PercentCoding.encode("a b/c%é?#&+;".utf8) == "a%20b%2Fc%25%C3%A9%3F%23%26%2B%3B")
        for broken in ["%", "%4", "%zz", "a%2"] { #expect(PercentCoding.decode(broken.utf8) == nil) }
    }

    @Test(
        arguments: [
            ("https://example.org/dav/", "https://example.org:443", "/dav/"),
            ("HTTP://Example.org", "http://example.org:80", "/"),
            ("http://127.0.0.1:8080/a%20b//c", "http://127.0.0.1:8080", "/a%20b/c/"),
            ("https://[2001:db8::1]:8443/x", "https://[2001:db8::1]:8443", "/x/"),
        ])
    func goodAddresses(_ text: String, _ origin: String, _ target: String) throws {
        let address = try ServerAddress(text)
        #expect(address.origin == origin)
        #expect(address.target(of: .root, asFolder: true) == target)
    }

    @Test(
        arguments: [
            "", "example.org", "ftp://example.org/", "https://", "https:///dav", "https://ann:secret@example.org/",
            "https://example.org:0/", "https://example.org:99999/", "https://example.org:1x/",
            "https://example.org/a?b",
            "https://example.org/a#b", "https://example.org/../a", "https://example.org/%zz", "https://exämple.org/",
            "https://example.org/a b", "https://example.org\\@evil.example/", "https://[::1/",
        ])
    func badAddressesAreRefusedWithoutBeingRepeated(_ text: String) {
        let error = #expect(throws: DocumentError.self) { try ServerAddress(text) }
        #expect(error?.code == .notConfigured)
        #expect(error?.message.contains("secret") == false, "a password may be in it")
    }

    @Test func namesAreEscapedInTargets() throws {
        let address = try ServerAddress("https://example.org/dav")
        let path = RemotePath(names: [try RemoteName("Ä #1"), try RemoteName("50%.txt")])
        #expect(address.url(of: path, asFolder: false) == "https://example.org:443/dav/%C3%84%20%231/50%25.txt")
        #expect(try RemotePath(path.identifier) == path)
        #expect(try ServerAddress("http://127.0.0.1/").isLoopback)
        for other in ["http://128.0.0.1/", "http://127.0.0.1.example.org/"] {
            #expect(try ServerAddress(other).isLoopback == false)
        }
    }

    @Test(arguments: ["a//b", "/a", "a/", "..", "a/../b", ".docent-placeholders", "a\u{1}"])
    func whatWasNeverAnIdentifierIsNone(_ id: String) throws {
        #expect(RemotePath(try ItemIdentifier(id)) == nil)
    }

    @Test("a name that is too long to be shown whole has an identifier, and an address, with all of it")
    func longNames() throws {
        let address = try ServerAddress("https://example.org/dav")
        let segment = String(repeating: "%C3%A4%2F", count: 150) + ".pdf"
        guard
            case .child(let name) = Href("/dav/A/" + segment, in: RemotePath(names: [try RemoteName("A")]), of: address)
        else {
            Issue.record("no child")
            return
        }
        let path = RemotePath(names: [try RemoteName("A"), name])
        #expect(name.shown.rawValue.utf8.count <= 255 && name.shown.rawValue.hasSuffix(".pdf"))
        let again = try #require(RemotePath(try path.identifier))
        #expect(again == path && again.name?.shown == name.shown)
        #expect(address.target(of: again, asFolder: false) == "/dav/A/" + segment)
        #expect(Href.place("/dav/A/" + segment, of: address) == path)
        // What the text of a name never is.
        #expect(RemotePath(try ItemIdentifier(String(repeating: "\u{1}", count: 300))) == nil)
        #expect(RemotePath(try ItemIdentifier(String(repeating: "‛FG", count: 100))) == nil)
    }

    @Test("an href is compared as a path, decoded, and never leads out of the folder")
    func hrefs() throws {
        let address = try ServerAddress("https://example.org/dav/my%20files")
        let path = RemotePath(names: [try RemoteName("A")])
        func href(_ text: String) -> Href { Href(text, in: path, of: address) }
        let child = Href.child(try RemoteName("b c"))
        #expect(href("/dav/my%20files/A/") == .itself && href("/dav/my%20files/A") == .itself)
        #expect(href("/dav/my%20files/A/b%20c") == child && href("/dav/my%20files/%41/b%20c/") == child)
        #expect(href("http://other.example:99/dav/my%20files/A/b%20c") == child, "proxies name other computers")
        for foreign in [
            "", "b", "A/b", "//dav", "/dav/my%20files", "/dav/my%20files/A/b/c", "/dav/my%20files/B/b", "/",
            "/dav/my%20files/A/%zz", "/dav/my%20files/A/b?x", "ftp://example.org/dav/my%20files/A/b",
        ] { #expect(href(foreign) == .foreign, "\(foreign)") }
        for (strange, shown) in [
            ("a%2Fb", "a∕b"), ("%00", "␀"), ("a%0Ab", "a␊b"), ("..%2F..", "..∕.."),
            ("%E2%88%95", "‛∕"),
        ] {
            let name = try RemoteName(shown)
            #expect(href("/dav/my%20files/A/" + strange) == .child(name))
            // Asked for as the server has it, in one segment.
            let asked = address.target(of: path.appending(name), asFolder: false)
            #expect(asked == "/dav/my%20files/A/" + strange, "\(asked)")
        }
        for bad in ["%2e%2e", "..", "%ff", "a%E4", ".docent-placeholders"] {
            guard case .unusable = href("/dav/my%20files/A/" + bad) else {
                Issue.record("\(bad) was \(href("/dav/my%20files/A/" + bad))")
                continue
            }
        }
    }

    @Test("RS-9: a redirect is followed within the origin only")
    func redirects() throws {
        let address = try ServerAddress("https://example.org/dav")
        #expect(Redirect.target(of: "/dav/", from: address) == "https://example.org:443/dav/")
        #expect(Redirect.target(of: "https://EXAMPLE.org/x%20y/", from: address) == "https://example.org:443/x%20y/")
        #expect(Redirect.target(of: "https://example.org:443", from: address) == "https://example.org:443/")
        for elsewhere in [
            "", "dav/", "//evil.example/dav/", "http://example.org/dav/", "https://example.org:8443/dav/",
            "https://example.org.evil.example/", "https://evil.example/dav/", "https://ann@example.org/", "/a\r\nX: y",
            "https:/example.org/", "javascript:1",
        ] { #expect(Redirect.target(of: elsewhere, from: address) == nil, "\(elsewhere)") }
    }
}
