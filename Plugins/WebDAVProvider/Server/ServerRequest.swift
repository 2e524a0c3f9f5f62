internal import NIOCore
internal import NIOHTTP1

/// One request to the server.
struct ServerRequest: Sendable {
    var method: HTTPMethod
    var path: RemotePath
    /// Whether the address gets a slash at its end.
    var asFolder = false
    var headers: [(name: String, value: String)] = []
    var body = Body.none
    /// How long all of it may take, the answer included; nil when only standing still counts.
    var timeout: Duration? = .seconds(20)
}

extension ServerRequest {
    enum Body: Sendable {
        case none
        case bytes([UInt8])
        case file(FileParts)
        /// As they come. Such a request is made once.
        case parts(Parts)

        struct Parts: Sendable {
            var parts: AsyncThrowingStream<ByteBuffer, any Error>
            /// In bytes, in all.
            var length: Int
        }
    }

    private static let properties = Array(
        """
        <?xml version="1.0" encoding="utf-8"?>
        <D:propfind xmlns:D="DAV:"><D:prop><D:resourcetype/><D:getcontentlength/><D:getlastmodified/>\
        <D:creationdate/><D:getetag/></D:prop></D:propfind>
        """.utf8)

    private static let quota = Array(
        """
        <?xml version="1.0" encoding="utf-8"?>
        <D:propfind xmlns:D="DAV:"><D:prop><D:resourcetype/><D:quota-available-bytes/><D:quota-used-bytes/></D:prop>\
        </D:propfind>
        """.utf8)

    private static let changing = Array(
        """
        <?xml version="1.0" encoding="utf-8"?>
        <D:propfind xmlns:D="DAV:"><D:prop><D:resourcetype/><D:sync-token/></D:prop></D:propfind>
        """.utf8)

    /// Asks whether a folder may tell of changes, and with what they are asked for (RFC 6578).
    static func syncToken(of path: RemotePath) -> ServerRequest {
        ServerRequest(
            method: .PROPFIND, path: path, asFolder: true,
            headers: [("Depth", "0"), ("Content-Type", "application/xml; charset=utf-8")], body: .bytes(changing))
    }

    /// Asks what has changed in a folder (RFC 6578).
    ///
    /// - Parameters:
    ///   - token: what the folder had then.
    ///   - isDeep: also in all that is below it.
    ///   - count: the most changes of an answer; nil for no limit.
    static func changes(since token: String, in path: RemotePath, isDeep: Bool, count: Int?) -> ServerRequest {
        let limit = count.map { "<D:limit><D:nresults>\($0)</D:nresults></D:limit>" } ?? ""
        let body = """
            <?xml version="1.0" encoding="utf-8"?>
            <D:sync-collection xmlns:D="DAV:"><D:sync-token>\(escaped(token))</D:sync-token>\
            <D:sync-level>\(isDeep ? "infinite" : "1")</D:sync-level>\(limit)<D:prop><D:resourcetype/>\
            <D:getcontentlength/><D:getlastmodified/><D:creationdate/><D:getetag/></D:prop></D:sync-collection>
            """
        return ServerRequest(
            method: .REPORT, path: path, asFolder: true,
            headers: [("Depth", "0"), ("Content-Type", "application/xml; charset=utf-8")],
            body: .bytes(Array(body.utf8)))
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.append(character)
            }
        }
    }

    /// Asks how much may be put into a folder, and how much is there (RFC 4331).
    static func quota(of path: RemotePath) -> ServerRequest {
        ServerRequest(
            method: .PROPFIND, path: path, asFolder: true,
            headers: [("Depth", "0"), ("Content-Type", "application/xml; charset=utf-8")], body: .bytes(quota))
    }

    /// Asks what a resource is; with `depth` 1 also what is in it. Never deeper (RS-8).
    static func properties(of path: RemotePath, depth: Int, asFolder: Bool) -> ServerRequest {
        ServerRequest(
            method: .PROPFIND, path: path, asFolder: asFolder,
            headers: [("Depth", depth == 0 ? "0" : "1"), ("Content-Type", "application/xml; charset=utf-8")],
            body: .bytes(properties))
    }
}
