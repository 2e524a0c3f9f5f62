import DocumentModel
import Testing

struct LocationTests {
    @Test(
        "locations are read and written back",
        arguments: [
            ("work:/", "work:/"), ("work:", "work:/"), ("work:/a/b c.pdf", "work:/a/b c.pdf"),
            ("work://a///b/", "work:/a/b"), ("work:/a:b", "work:/a:b"), ("work:/\u{301}x", "work:/\u{301}x"),
        ]
    )
    func reading(_ text: String, _ written: String) throws {
        let location = try Location(text)
        #expect(location.description.hasSameBytes(as: written))
        #expect(try Location(location.description) == location)
    }

    @Test(
        "what is no location is refused with a sentence",
        arguments: ["", "work", "/work/x", "work:x", ":/x", "work:/.", "work:/a/../b", "work:/..", "wo rk:/x"]
    )
    func refused(_ text: String) {
        let error = #expect(throws: DocumentError.self) { try Location(text) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.hasSuffix(".") == true || error?.message.hasSuffix("…") == true)
    }

    @Test("ID-2: neither “..” nor a NUL gets a location out of its domain")
    func staysInside() {
        for path in ["../x", "a/../../x", "a/./b", "a\0/b"] {
            #expect(throws: DocumentError.self) { try Location("work:/" + path) }
        }
    }

    @Test("locations know their folder, their name and what lies in them")
    func relatives() throws {
        let location = try Location("work:/Reports/q3.pdf")
        #expect(location.relativePath == "Reports/q3.pdf")
        #expect(location.name?.rawValue == "q3.pdf")
        #expect(location.parent?.description == "work:/Reports")
        #expect(location.parent?.parent?.isRoot == true)
        #expect(location.parent?.parent?.parent == nil)
        #expect(location.parent?.appending(try ItemName("q3.pdf")) == location)
        #expect(Location(domain: try DomainName("work")).relativePath == "")
    }
}
