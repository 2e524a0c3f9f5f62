internal import AsyncHTTPClient
internal import NIOCore

/// Brings one request to a server, and the answer back: nothing is tried twice here, and no redirect followed.
protocol ServerTransport: Sendable {
    /// - Parameter sendsContents: whether the server may take long to answer when it has got all.
    func execute(
        _ request: HTTPClientRequest, sendsContents: Bool, deadline: NIODeadline
    ) async throws -> HTTPClientResponse

    /// Called once; nothing is executed after it.
    func shutdown() async
}
