import DocumentModel
import DocumentProvider

extension MistakenProvider {
    func quota() async throws -> RemoteQuota {
        try await serve {
            if mistake == .quotaForgotten, count() % 2 == 0 { return .unknown }
            return try RemoteQuota(total: 1_000_000_000, used: 400_000_000, available: 600_000_000)
        }
    }
}
