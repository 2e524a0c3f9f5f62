package import DocumentModel
import DocumentWire

extension ConformanceSession {
    /// Asks how much room the remote has.
    package func quota() async throws -> RemoteQuota {
        guard case .quota(let quota) = try await ask(.quota) else { throw wrongKind }
        return quota
    }
}
