import AsyncHTTPClient
import DocumentModel
import Glibc
import NIOCore
import NIOHTTP1

@testable import WebDAVProvider

/// Requests as they come to the server, and its answers.
extension SimulatedServer {
    struct Request {
        var method: HTTPMethod
        var path: RemotePath
        var headers: HTTPHeaders
        var body: [UInt8]
        var destination: RemotePath?

        /// As a provider has made it.
        init(_ request: HTTPClientRequest, at address: ServerAddress) async throws {
            func path(_ url: String) throws -> RemotePath {
                guard let path = Href.place(url, of: address) else { throw HTTPClientError.invalidURL }
                return path
            }
            var body: [UInt8] = []
            if let parts = request.body { for try await part in parts { body += part.readableBytesView } }
            self.body = body
            (method, headers) = (request.method, request.headers)
            self.path = try path(request.url)
            destination = try request.headers.first(name: "Destination").map(path)
        }
    }

    /// All of a request at once.
    func answer(_ request: Request) -> HTTPClientResponse { arrive(request) ?? finish(request) }

    /// What begins when a request arrives.
    ///
    /// - Returns: the answer, when it is refused at once.
    func arrive(_ request: Request) -> HTTPClientResponse? {
        guard request.method == .PUT else { return nil }
        guard let parent = request.path.parent, isFolder(parent), !isFolder(request.path) else { return answer(409) }
        guard conditionsHold(for: request) else { return answer(412) }
        if manner.writesInPlace { put(Array(request.body.prefix(request.body.count / 2)), at: request.path) }
        return nil
    }

    /// What a request leaves whose connection ends in its middle, where contents are seen before they are whole: all of
    /// their length, and nothing in the rest of it.
    func breakOff(_ request: Request) {
        guard request.method == .PUT, manner.writesInPlace, arrive(request) == nil else { return }
        let rest = request.body.count - request.body.count / 2
        put(Array(request.body.dropLast(rest)) + Array(repeating: 0, count: rest), at: request.path)
    }

    /// What a request comes to in the end.
    func finish(_ request: Request) -> HTTPClientResponse {
        switch request.method {
        case .PUT:
            guard let parent = request.path.parent, isFolder(parent), !isFolder(request.path) else {
                return answer(409)
            }
            if manner.conditions == .atomic, !conditionsHold(for: request) { return answer(412) }
            let isNew = nodes[request.path] == nil
            put(request.body, at: request.path)
            return answer(isNew ? 201 : 204, of: request.path)
        case .MKCOL: return answer(makeFolder(request.path))
        case .MOVE:
            let mayReplace = request.headers.first(name: "Overwrite") != "F"
            return answer(request.destination.map { move(request.path, to: $0, mayReplace: mayReplace) } ?? 400)
        case .DELETE: return answer(remove(request.path))
        case .PROPFIND:
            guard nodes[request.path] != nil else { return answer(404) }
            let depth = request.headers.first(name: "Depth")
            let all = depth == "1" && isFolder(request.path) ? children(of: request.path) : []
            let below = all.filter { !manner.hidesDotNames || $0.name?.rawValue.hasPrefix(".") == false }
            return answer(207, body: listing([request.path] + below))
        case .GET:
            guard let node = nodes[request.path], let bytes = node.bytes else { return answer(404) }
            return answer(200, of: request.path, body: bytes)
        default: return answer(405)
        }
    }

    private func conditionsHold(for request: Request) -> Bool {
        holds(
            ifMatch: request.headers.first(name: "If-Match"), ifNoneMatch: request.headers.first(name: "If-None-Match"),
            at: request.path)
    }

    private func answer(_ status: Int, of path: RemotePath? = nil, body: [UInt8] = []) -> HTTPClientResponse {
        var headers = HTTPHeaders([("Date", Self.text(date)), ("Content-Length", "\(body.count)")])
        if let path, let node = nodes[path] {
            headers.add(name: "Last-Modified", value: Self.text(node.modified))
            if let tag = tag(of: node) { headers.add(name: "ETag", value: tag) }
        }
        return HTTPClientResponse(
            version: .http1_1, status: HTTPResponseStatus(statusCode: status), headers: headers,
            body: body.isEmpty ? .init() : .bytes(ByteBuffer(bytes: body)))
    }

    /// Of requests that came to nothing because the server was asked for too much.
    func busy() -> HTTPClientResponse { answer(503) }

    private func listing(_ paths: [RemotePath]) -> [UInt8] {
        var text = "<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\">"
        for path in paths {
            guard let node = nodes[path] else { continue }
            let names = path.names.map { PercentCoding.encode($0.rawValue.utf8) }
            let href = (["/dav"] + names).joined(separator: "/") + (node.bytes == nil ? "/" : "")
            text += "<D:response><D:href>\(href)</D:href><D:propstat><D:prop>"
            text += "<D:getlastmodified>\(Self.text(node.modified))</D:getlastmodified>"
            if let bytes = node.bytes {
                text += "<D:resourcetype/><D:getcontentlength>\(bytes.count)</D:getcontentlength>"
                // An entity tag has quotation marks, and nothing else that XML minds.
                text += "<D:getetag>\(tag(of: node) ?? "")</D:getetag>"
            } else {
                text += "<D:resourcetype><D:collection/></D:resourcetype>"
            }
            text += "</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
        }
        return Array((text + "</D:multistatus>").utf8)
    }

    private static func text(_ seconds: Int64) -> String {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
            + "\(parts.tm_year + 1900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}
