internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

/// The beginning of an answer, and its body as it comes.
struct ServerAnswer: Sendable {
    private let response: HTTPClientResponse
    /// So much of the body of a failure is read before the connection is given up instead.
    private static let mostDiscarded = 1 << 16

    init(_ response: HTTPClientResponse) {
        self.response = response
    }

    var status: Int { Int(response.status.code) }

    var body: HTTPClientResponse.Body { response.body }

    /// Of several the first.
    func header(_ name: String) -> String? { response.headers.first(name: name) }

    /// In bytes; nil when it is not told.
    var length: Int64? { header("Content-Length").flatMap { Int64(String($0.trimmed)) } }

    var isChunked: Bool {
        response.headers[canonicalForm: "Transfer-Encoding"].last?.lowercased() == "chunked"
    }

    var isEncoded: Bool { header("Content-Encoding").map { $0.trimmed.lowercased() != "identity" } ?? false }

    /// The server's clock, in seconds since 1970.
    var date: Int64? { header("Date").flatMap(DateText.http) }

    var tag: EntityTag? { header("ETag").flatMap { EntityTag($0) } }

    /// When to ask again, at most a day from now; nil when it is not told.
    var retryAfter: Duration? {
        guard let text = header("Retry-After") else { return nil }
        let seconds = Int64(String(text.trimmed)) ?? DateText.http(text).flatMap { later in date.map { later - $0 } }
        return seconds.map { .seconds(min(max($0, 0), 86_400)) }
    }

    /// The kinds of sign-in that are offered, in lower case.
    var challenges: Set<String> {
        Set(response.headers["WWW-Authenticate"].compactMap { $0.split(separator: " ").first?.lowercased() })
    }

    /// Reads the rest when it is short and comes soon; else the connection is given up.
    ///
    /// - Parameter limit: for all of it. A body that drips is never silent for long enough to be cut off.
    func discard(within limit: Duration) async {
        // Nothing can drip there.
        if length == 0 { return await drain() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await drain() }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }

    private func drain() async {
        var count = 0
        do {
            for try await part in body {
                count += part.readableBytes
                if count > Self.mostDiscarded { return }
            }
        } catch {
            // What fails here fails the next request on this connection, too.
        }
    }
}
