import DocumentModel
import DocumentTransport

/// The host's side of a provider that asks for nothing.
struct NoRequests: RequestHandler {
    func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] {
        throw DocumentError(.unimplemented, "Not in this test.")
    }
}
