internal import CDocentShims
public import DocumentModel
internal import DocumentWire
internal import SystemPackage

extension DocumentClient {
    /// How the host is.
    public func hostStatus() async throws(DocumentError) -> HostStatus {
        guard case .hostStatus(let status) = try await ask(.hostStatus, deadline: Self.patience) else {
            throw Self.unexpectedAnswer
        }
        return status
    }

    /// Ends the host, and returns when its process is gone, and its providers with it. Edits that were not sent are
    /// sent when it runs again.
    public func stopHost() async throws(DocumentError) {
        let process = docent_open_process(hostProcess)
        defer { if process >= 0 { try? FileDescriptor(rawValue: process).close() } }
        try await tell(.stopHost, deadline: Self.patience)
        guard process >= 0 else { return }
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(30)
        while docent_process_has_ended(process) == 0 {
            guard clock.now < deadline else {
                throw DocumentError(
                    .deadlineExceeded,
                    "The host (process \(hostProcess)) still runs after 30 seconds: it waits for a provider to end. Its log is \(address.log)."
                )
            }
            do {
                try await Task.sleep(for: .milliseconds(5))
            } catch {
                throw DocumentError(.cancelled, "Waiting for the host's end was cancelled.")
            }
        }
    }
}
