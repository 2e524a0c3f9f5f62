import DocumentModel
import DocumentProvider
import Glibc

/// Carries contents from one file to another, at the pace of the way to the remote.
struct ContentsCopier: Sendable {
    private static let chunkSize = 65_536

    let mistake: Mistake?
    /// Milliseconds a MiB.
    let pace: Int

    /// - Returns: how many bytes there were.
    func copy(
        _ source: FileDescriptor, to target: FileDescriptor, expected: Int64? = nil, _ transfer: Transfer
    ) async throws -> Int64 {
        var done: Int64 = 0
        while true {
            if mistake != .cancelIgnored { try transfer.checkCancellation() }
            let chunk = try [UInt8](unsafeUninitializedCapacity: Self.chunkSize) { buffer, count in
                count = try source.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
            guard !chunk.isEmpty else { return done }
            try target.writeAll(chunk)
            done += Int64(chunk.count)
            transfer.report(UInt64(done), of: expected.map(UInt64.init))
            try await rest()
            if transfer.isCancelled, mistake == .cancelIgnored { sleep(12) }
        }
    }

    private func rest() async throws {
        guard pace > 0 else { return }
        let duration = Duration.microseconds(pace * 1000 * Self.chunkSize / 1_048_576)
        if mistake == .cancelIgnored {
            // A pause that a cancel does not end.
            usleep(UInt32(pace * 1000 * Self.chunkSize / 1_048_576))
        } else {
            try await Task.sleep(for: duration)
        }
    }
}
