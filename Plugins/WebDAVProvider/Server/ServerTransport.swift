internal import AsyncHTTPClient
internal import NIOCore

/// Brings one request to a server, and the answer back: nothing is tried twice here, and no redirect followed.
protocol ServerTransport: Sendable {
    func execute(_ request: HTTPClientRequest, deadline: NIODeadline) async throws -> HTTPClientResponse

    /// Called once; nothing is executed after it.
    func shutdown() async
}
