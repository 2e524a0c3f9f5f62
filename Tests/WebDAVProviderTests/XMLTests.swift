import Testing

@testable import WebDAVProvider

@Suite("The XML of servers")
struct XMLTests {
    private func read(
        _ text: String, chunk: Int = .max, _ limits: XMLStream.Limits = .init(), _ own: Multistatus.Limits = .init()
    ) throws -> [Resource] {
        let stream = try XMLStream(Multistatus(limits: own), limits: limits)
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: min(chunk, bytes.count)) {
            try bytes[start..<min(start + min(chunk, bytes.count), bytes.count)].withUnsafeBytes { bytes in
                try stream.feed(bytes)
            }
        }
        var end = try stream.finish()
        return end.take()
    }

    private func problem(
        _ text: String, _ limits: XMLStream.Limits = .init(), _ own: Multistatus.Limits = .init()
    ) -> String? {
        do {
            _ = try read(text, limits, own)
            return nil
        } catch {
            return (error as? XMLProblem)?.reason
        }
    }

    private static let good = """
        <?xml version="1.0" encoding="utf-8"?>
        <!-- a list -->
        <x:multistatus xmlns:x="DAV:" xmlns:o="urn:other">
          <x:response><x:href>/dav/a%20b/</x:href>
            <x:propstat><x:prop>
              <x:resourcetype><x:collection/></x:resourcetype><x:getlastmodified>Sun, 06 Nov 1994 08:49:37 GMT</x:getlastmodified>
            </x:prop><x:status>HTTP/1.1 200 OK</x:status></x:propstat>
            <x:propstat><x:prop><x:getetag>"wrong"</x:getetag><x:getcontentlength>1</x:getcontentlength></x:prop>
              <x:status>HTTP/1.1 404 Not Found</x:status></x:propstat>
          </x:response>
          <x:response><x:href> /dav/a%20b/c&amp;d<![CDATA[&e]]> </x:href>
            <x:propstat><x:prop>
              <x:getetag>W/"1-2"</x:getetag><x:getcontentlength>42</x:getcontentlength><o:getetag>"other"</o:getetag>
              <x:creationdate>1997-12-01T17:42:21-08:00</x:creationdate><o:getcontentlength>7</o:getcontentlength>
            </x:prop><x:status>HTTP/1.1 200 OK</x:status></x:propstat>
          </x:response>
          <x:response><x:href>/dav/a%20b/gone</x:href><x:status>HTTP/1.1 404 Not Found</x:status></x:response>
        </x:multistatus>
        """

    @Test("a 207 answer gives the same in whatever pieces it comes", arguments: [Int.max, 1, 2, 7, 64])
    func pieces(_ chunk: Int) throws {
        let resources = try read(Self.good, chunk: chunk)
        try #require(resources.count == 3)
        #expect(resources[0].href == "/dav/a%20b/")
        #expect(resources[0].properties == Properties(isFolder: true, modified: 784_111_777))
        #expect(resources[1].href == "/dav/a%20b/c&d&e")
        #expect(
            resources[1].properties
                == Properties(length: 42, created: 881_026_941, tag: EntityTag("W/\"1-2\"")))
        #expect(resources[2].status == 404)
    }

    @Test("entities and document types are refused before anything of them is read")
    func documentTypes() {
        let bomb = """
            <?xml version="1.0"?><!DOCTYPE m [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
            <D:multistatus xmlns:D="DAV:"><D:response><D:href>&b;</D:href></D:response></D:multistatus>
            """
        #expect(problem(bomb)?.contains("document type") == true)
        #expect(problem("<!DOCTYPE m SYSTEM \"file:///etc/passwd\"><m/>")?.contains("document type") == true)
        #expect(problem("<!DOCTYPE html><html><body>Sign in</body></html>")?.contains("document type") == true)
        #expect(problem("<D:multistatus xmlns:D=\"DAV:\">&unknown;</D:multistatus>")?.contains("XML") == true)
    }

    @Test func whatIsNoMultistatusIsRefused() {
        #expect(problem("<html><body/></html>")?.contains("no list") == true)
        #expect(problem("<multistatus/>")?.contains("no list") == true, "without the namespace it is something else")
        #expect(problem("not XML") != nil)
        #expect(problem("<D:multistatus xmlns:D=\"DAV:\"><D:response>") != nil, "it was cut off")
        #expect(problem("<D:multistatus xmlns:D=\"DAV:\"/><again/>") != nil)
        #expect(problem("<D:multistatus xmlns:D=\"DAV:\">\u{0}</D:multistatus>") != nil)
    }

    @Test("depth, size, texts, unfinished markup and the number of resources are limited")
    func limits() {
        let inside = "<D:multistatus xmlns:D=\"DAV:\">"
        let deep =
            inside + String(repeating: "<a>", count: 40) + String(repeating: "</a>", count: 40) + "</D:multistatus>"
        #expect(problem(deep)?.contains("nested") == true)
        var limits = XMLStream.Limits()
        limits.size = 100
        #expect(problem(Self.good, limits)?.contains("longer") == true)
        limits = XMLStream.Limits()
        (limits.markup, limits.chunk) = (1000, 100)
        #expect(problem(inside + "<a x=\"" + String(repeating: "y", count: 5000), limits)?.contains("markup") == true)
        #expect(problem(inside + "<!--" + String(repeating: "y", count: 5000), limits)?.contains("markup") == true)
        let long =
            inside + "<D:response><D:href>" + String(repeating: "y", count: 20_000)
            + "</D:href></D:response></D:multistatus>"
        #expect(problem(long)?.contains("16 KiB") == true)
        #expect(problem(Self.good, .init(), .init(resources: 2))?.contains("more than 2") == true)
        #expect(problem(Self.good, .init(), .init(kept: 3 * 256))?.contains("takes more") == true)
        #expect(problem(Self.good, .init(), .init(kept: 2000)) == nil)
    }

    @Test func statusLines() {
        #expect(Multistatus.code("HTTP/1.1 207 Multi-Status") == 207)
        for bad in ["", "200", "HTTP/1.1", "HTTP/1.1 abc", "HTTP/1.1 20", "ICY 200 OK"] {
            #expect(Multistatus.code(bad) == nil)
        }
    }
}
