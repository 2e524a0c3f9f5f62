import DocumentTestSupport

/// What the scripts of a test are made of: properties, listings, a document.
extension FaultServer {
    static let day = "Sun, 06 Nov 1994 08:49:37 GMT"
    static let now = "Date: Mon, 07 Nov 1994 08:49:37 GMT"

    static func response(
        _ href: String, folder: Bool = false, length: Int? = nil, modified: String? = day, tag: String? = nil
    ) -> String {
        var properties = folder ? "<D:resourcetype><D:collection/></D:resourcetype>" : ""
        if let length { properties += "<D:getcontentlength>\(length)</D:getcontentlength>" }
        if let modified { properties += "<D:getlastmodified>\(modified)</D:getlastmodified>" }
        if let tag { properties += "<D:getetag>\(tag)</D:getetag>" }
        return
            "<D:response><D:href>\(href)</D:href><D:propstat><D:prop>\(properties)</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
    }

    static func multistatus(_ responses: String..., headers: [String] = [now]) -> [UInt8] {
        answer(
            "207 Multi-Status", headers, "<D:multistatus xmlns:D=\"DAV:\">\(responses.joined())</D:multistatus>")
    }

    /// A server with one document, “/doc”, of these contents; what is asked for by GET is up to the test.
    static func document(
        _ contents: [UInt8], tag: String? = "\"v1\"", modified: String? = day,
        get: @escaping Script
    ) -> Script {
        { request, number in
            switch (request.method, request.target) {
            case ("PROPFIND", "/doc"):
                [.bytes(multistatus(response("/doc", length: contents.count, modified: modified, tag: tag)))]
            case ("PROPFIND", _): [.bytes(multistatus(response("/", folder: true)))]
            default: get(request, number)
            }
        }
    }

    static let contents = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
}
