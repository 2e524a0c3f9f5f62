import DocumentModel
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import DocumentHost

/// What people name outside of the storage root.
@Suite struct OutsidePathsTests {
    @Test("A document on a network that is gone is refused in time, and keeps nobody else waiting")
    func silent() async throws {
        let gone = Gone()
        defer { gone.comeBack() }
        let outside = OutsidePaths()
        for _ in 0..<3 {
            let error = await #expect(throws: DocumentError.self) {
                try await outside.look(at: "/net/gone/a.txt", within: .milliseconds(20)) { gone.look() }
            }
            #expect(error?.code == .deadlineExceeded)
            #expect(error?.message.contains("/net/gone/a.txt") == true)
        }
        let answer = try await outside.look(at: "/home/a.txt", within: .seconds(60)) { 7 }
        #expect(answer == 7)
    }

    @Test("Who waits for an answer can be interrupted")
    func interrupted() async throws {
        let gone = Gone()
        defer { gone.comeBack() }
        let outside = OutsidePaths()
        let waiting = Task { try await outside.look(at: "/net/gone/a.txt", within: .seconds(600)) { gone.look() } }
        waiting.cancel()
        let error = await #expect(throws: DocumentError.self) { try await waiting.value }
        #expect(error?.code == .cancelled)
    }

    /// A place that answers nothing.
    private final class Gone: Sendable {
        private let isBack = Mutex(false)

        func comeBack() { isBack.withLock { $0 = true } }

        func look() {
            while !isBack.withLock({ $0 }) { usleep(1000) }
        }
    }
}
