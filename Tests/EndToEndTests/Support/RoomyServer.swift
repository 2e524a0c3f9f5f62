import DocumentTestSupport
import Synchronization

/// A WebDAV server that keeps all in memory, under names of any length: what no server on a disk can.
final class RoomyServer: Sendable {
    fileprivate struct State {
        /// By path without slashes around it, decoded; nil for a folder.
        var resources: [String: Resource] = ["": Resource()]
        var serial = 0
    }

    fileprivate struct Resource {
        var contents: [UInt8]?
        var serial = 0

        var tag: String { "\"\(serial)\"" }
    }

    fileprivate static let dates = ["Date: Mon, 07 Nov 1994 08:49:37 GMT", "Last-Modified: \(modified)"]
    fileprivate static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
    private let state = Mutex(State())

    /// The paths of all documents and folders.
    var paths: Set<String> { state.withLock { Set($0.resources.keys) } }

    func text(of path: String) -> String? {
        state.withLock { $0.resources[path]?.contents.map { String(decoding: $0, as: UTF8.self) } }
    }

    /// - Parameter text: nil for a folder.
    func put(_ text: String?, at path: String) {
        state.withLock { $0.put(text.map { Array($0.utf8) }, at: path) }
    }

    /// Serves it on the loopback, as the domain “web” of a machine on which it is mounted.
    func mounted(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try FaultServer.withServer(script) { front in
                try machine.believeUnnamed(of: front.url)
                try machine.succeed(
                    "domain", "add", "web", "--provider", "org.docent.webdav", "--set", "url=\(front.url)")
                try machine.mounted { try body(machine) }
            }
        }
    }

    private var script: FaultServer.Script {
        { [self] request, _ in [.bytes(state.withLock { $0.answer(request) })] }
    }
}

extension RoomyServer.State {
    mutating func put(_ contents: [UInt8]?, at path: String) {
        serial += 1
        resources[path] = .init(contents: contents, serial: serial)
    }

    mutating func answer(_ request: FaultServer.Request) -> [UInt8] {
        let path = Self.path(request.target)
        let there = resources[path]
        switch request.method {
        case "PROPFIND":
            guard there != nil else { return refusal("404 Not Found") }
            let below = request.headers["depth"] == "1" ? resources.keys.filter { Self.parent(of: $0) == path } : []
            return listing([path] + below.sorted())
        case "GET":
            guard let there, let contents = there.contents else { return refusal("404 Not Found") }
            return FaultServer.answer("200 OK", RoomyServer.dates + ["ETag: \(there.tag)"], contents)
        case "PUT":
            if request.headers["if-none-match"] != nil, there != nil { return refusal("412 Precondition Failed") }
            if let tag = request.headers["if-match"], tag != there?.tag { return refusal("412 Precondition Failed") }
            guard isFolder(Self.parent(of: path)) else { return refusal("409 Conflict") }
            put(request.body, at: path)
            return FaultServer.answer("201 Created", RoomyServer.dates + ["ETag: \"\(serial)\""])
        case "MKCOL":
            guard there == nil else { return refusal("405 Method Not Allowed") }
            guard isFolder(Self.parent(of: path)) else { return refusal("409 Conflict") }
            put(nil, at: path)
            return FaultServer.answer("201 Created", RoomyServer.dates)
        case "MOVE":
            guard there != nil else { return refusal("404 Not Found") }
            let address = request.headers["destination"] ?? ""
            let target = Self.path(address.split(separator: "/").dropFirst(2).joined(separator: "/"))
            guard resources[target] == nil else { return refusal("412 Precondition Failed") }
            guard isFolder(Self.parent(of: target)) else { return refusal("409 Conflict") }
            for (place, resource) in resources where place == path || place.hasPrefix(path + "/") {
                resources[place] = nil
                resources[target + place.dropFirst(path.count)] = resource
            }
            return FaultServer.answer("201 Created", RoomyServer.dates)
        case "DELETE":
            guard there != nil else { return refusal("404 Not Found") }
            resources = resources.filter { $0.key != path && !$0.key.hasPrefix(path + "/") }
            return FaultServer.answer("200 OK", RoomyServer.dates)
        default: return refusal("405 Method Not Allowed")
        }
    }

    private func isFolder(_ path: String?) -> Bool {
        path.flatMap { resources[$0] }.map { $0.contents == nil } ?? false
    }

    private func refusal(_ status: String) -> [UInt8] { FaultServer.answer(status, RoomyServer.dates) }

    private func listing(_ paths: [String]) -> [UInt8] {
        let responses = paths.map { path in
            let resource = resources[path]
            let kind = resource?.contents == nil ? "<D:resourcetype><D:collection/></D:resourcetype>" : ""
            let size = resource?.contents.map { "<D:getcontentlength>\($0.count)</D:getcontentlength>" } ?? ""
            let href = path.utf8.map { byte in
                let digits = String(byte, radix: 16)
                return byte == UInt8(ascii: "/") ? "/" : "%" + (digits.utf8.count == 1 ? "0" : "") + digits
            }
            return """
                <D:response><D:href>/\(href.joined())</D:href><D:propstat><D:prop>\(kind)\(size)\
                <D:getetag>\(resource?.tag ?? "")</D:getetag><D:getlastmodified>\(RoomyServer.modified)</D:getlastmodified>\
                </D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
                """
        }
        return FaultServer.answer(
            "207 Multi-Status", RoomyServer.dates,
            "<D:multistatus xmlns:D=\"DAV:\">\(responses.joined())</D:multistatus>")
    }

    /// Nil for the top folder.
    private static func parent(of path: String) -> String? {
        path.isEmpty ? nil : path.split(separator: "/").dropLast().joined(separator: "/")
    }

    private static func path(_ target: String) -> String {
        var bytes: [UInt8] = []
        var rest = target.split(separator: "/").joined(separator: "/").utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), let decoded = UInt8(Substring(rest.prefix(2)), radix: 16) else {
                bytes.append(byte)
                continue
            }
            bytes.append(decoded)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
