import DocumentModel
import DocumentTestSupport
import Foundation
import Synchronization
import Testing

@testable import DocumentStorage

/// Connections that read, when many want one at once.
struct ReadingConnectionTests {
    @Test("Of many who read at once some wait, and each comes to its turn")
    func many() throws {
        let storage = try StorageFixture()
        let (index, domain) = (storage.index, storage.domain)
        let most = Mutex(0)
        let failures = Mutex(0)
        let group = DispatchGroup()
        for _ in 0..<60 {
            group.enter()
            Thread {
                do {
                    try index.read { reader in
                        most.withLock { $0 = max($0, index.readingCount) }
                        _ = try reader.rootID(of: domain)
                        usleep(1_000)
                    }
                } catch {
                    failures.withLock { $0 += 1 }
                }
                group.leave()
            }.start()
        }
        #expect(group.wait(timeout: .now() + 30) == .success)
        #expect(failures.withLock { $0 } == 0)
        // A few more where threads are kept from going on.
        #expect(most.withLock { $0 } < 30)
        #expect(index.readingCount == 0)
    }

    @Test("Who reads in the middle of a read has its turn also when all others wait for the same")
    func nested() throws {
        let storage = try StorageFixture()
        let (index, domain) = (storage.index, storage.domain)
        let done = Mutex(0)
        let group = DispatchGroup()
        for _ in 0..<12 {
            let thread = Thread {
                try? index.read { outer in
                    _ = try outer.rootID(of: domain)
                    usleep(200_000)
                    _ = try index.read { try $0.rootID(of: domain) }
                    done.withLock { $0 += 1 }
                }
                group.leave()
            }
            group.enter()
            thread.start()
        }
        #expect(group.wait(timeout: .now() + 30) == .success)
        #expect(done.withLock { $0 } == 12)
        #expect(index.readingCount == 0)
    }
}
