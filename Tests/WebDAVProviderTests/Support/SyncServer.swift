import DocumentModel
import DocumentTestSupport
import Synchronization

@testable import WebDAVProvider

/// A server's side of RFC 6578, in memory: folders, documents, and a count of changes that is the token.
final class SyncServer: Sendable {
    enum Extent: Sendable {
        /// It knows nothing of changes.
        case none
        /// It says that it does, and answers 501.
        case liar
        /// It takes every question for one about one folder.
        case folderForAll
        /// It refuses questions about more than one folder.
        case folder
        case everything
    }

    struct State: Sendable {
        /// By path without slashes around it: the size, nil for a folder. The top folder is always there.
        var resources: [String: Int?] = [:]
        /// What has changed last when, and whether it is there.
        var changed: [String: Int] = [:]
        var now = 1
        /// Tokens before this are not known any more.
        var oldest = 0
        var extent: Extent
        /// The most changes of an answer.
        var limit = 1000
        /// Answers to questions about changes instead of its own.
        var answer: [UInt8]?
        /// Told as gone, though it is there.
        var lies: Set<String> = []
    }

    let state: Mutex<State>

    init(_ extent: Extent) {
        state = Mutex(State(extent: extent))
    }

    func put(_ path: String, size: Int? = 1) {
        state.withLock { state in
            state.now += 1
            state.resources[path] = .some(size)
            state.changed[path] = state.now
        }
    }

    func remove(_ path: String) {
        state.withLock { state in
            state.now += 1
            for inner in state.resources.keys where inner == path || inner.hasPrefix(path + "/") {
                state.resources[inner] = nil
                state.changed[inner] = state.now
            }
        }
    }

    var script: FaultServer.Script {
        { [self] request, _ in [.bytes(answer(request))] }
    }

    private func answer(_ request: FaultServer.Request) -> [UInt8] {
        let path = request.target.split(separator: "/").joined(separator: "/")
        switch request.method {
        case "MKCOL":
            put(path, size: nil)
            return FaultServer.answer("201 Created")
        case "DELETE":
            remove(path)
            return FaultServer.answer("204 No Content")
        case "PROPFIND": return properties(path, request)
        case "REPORT": return report(path, request)
        default: return FaultServer.answer("405 Method Not Allowed")
        }
    }

    private func properties(_ path: String, _ request: FaultServer.Request) -> [UInt8] {
        let state = state.withLock { $0 }
        guard path.isEmpty || state.resources[path] != nil else { return FaultServer.answer("404 Not Found") }
        let isQuestion = String(decoding: request.body, as: UTF8.self).contains("sync-token")
        if isQuestion, case .none = state.extent {
        } else if isQuestion {
            return FaultServer.multistatus(
                """
                <D:response><D:href>/\(path)/</D:href><D:propstat><D:prop>
                <D:resourcetype><D:collection/></D:resourcetype><D:sync-token>urn:t:\(state.now)</D:sync-token>
                <D:supported-report-set><D:supported-report><D:report><D:sync-collection/></D:report></D:supported-report>
                </D:supported-report-set></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
                """)
        }
        var responses = [Self.response(path, path.isEmpty ? .some(nil) : state.resources[path])]
        if request.headers["depth"] == "1" {
            responses += Self.children(of: path, state).map { Self.response($0, state.resources[$0]) }
        }
        return FaultServer.multistatus(responses.joined())
    }

    private func report(_ path: String, _ request: FaultServer.Request) -> [UInt8] {
        let state = state.withLock { $0 }
        let body = String(decoding: request.body, as: UTF8.self)
        let isDeep = body.contains("<D:sync-level>infinite<")
        if let answer = state.answer { return answer }
        switch state.extent {
        case .none: return FaultServer.answer("405 Method Not Allowed")
        case .liar: return FaultServer.answer("501 Not Implemented")
        case .folder where isDeep: return Self.refusal("403 Forbidden", "sync-traversal-supported")
        default: break
        }
        guard let since = Self.between("urn:t:", "<", body).flatMap({ Int($0) }), since >= state.oldest,
            since <= state.now
        else { return Self.refusal("403 Forbidden", "valid-sync-token") }
        let limit = min(Self.between("<D:nresults>", "<", body).flatMap { Int($0) } ?? .max, state.limit)
        let isEverything = if case .everything = state.extent { isDeep } else { false }
        let below = path.isEmpty ? "" : path + "/"
        let all = state.changed.filter { changed, when in
            when > since && changed.hasPrefix(below) && (isEverything || !changed.dropFirst(below.count).contains("/"))
        }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        // A token stands between changes, so those of one moment are told together.
        let last = all.prefix(limit).last?.value ?? since
        let told = all.filter { $0.value <= last }
        var responses = told.map { changed, _ in
            state.lies.contains(changed) ? Self.gone(changed) : Self.response(changed, state.resources[changed])
        }
        let isCut = told.count < all.count
        if isCut {
            responses.append(
                """
                <D:response><D:href>/\(path)</D:href><D:status>HTTP/1.1 507 Insufficient Storage</D:status>
                <D:error><D:number-of-matches-within-limits/></D:error></D:response>
                """)
        }
        return FaultServer.multistatus(
            responses.joined(), "<D:sync-token>urn:t:\(isCut ? last : state.now)</D:sync-token>")
    }

    static func refusal(_ status: String, _ condition: String) -> [UInt8] {
        FaultServer.answer(status, [], "<D:error xmlns:D=\"DAV:\"><D:\(condition)/></D:error>")
    }

    private static func children(of path: String, _ state: State) -> [String] {
        let below = path.isEmpty ? "" : path + "/"
        return state.resources.keys.filter {
            $0.hasPrefix(below) && $0 != path && !$0.dropFirst(below.count).contains("/")
        }.sorted()
    }

    private static func response(_ path: String, _ resource: Int??) -> String {
        guard let resource else { return gone(path) }
        return FaultServer.response("/\(path)", folder: resource == nil, length: resource)
    }

    private static func gone(_ path: String) -> String {
        "<D:response><D:href>/\(path)</D:href><D:status>HTTP/1.1 404 Not Found</D:status></D:response>"
    }

    private static func between(_ start: String, _ end: Character, _ text: String) -> String? {
        guard let range = text.firstRange(of: start) else { return nil }
        return String(text[range.upperBound...].prefix { $0 != end })
    }
}
