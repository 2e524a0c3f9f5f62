import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import DocumentHost

/// What was moved in and stays in its old place, when that gives no answer.
@Suite(.timeLimit(.minutes(1)))
struct StayingSourcesTests {
    /// A place that answers nothing.
    private final class Gone: Sendable {
        private let isBack = Mutex(false)
        private let looks = Mutex(0)

        /// How often somebody has looked there.
        var count: Int { looks.withLock { $0 } }

        func comeBack() { isBack.withLock { $0 = true } }

        func look() {
            looks.withLock { $0 += 1 }
            while !isBack.withLock({ $0 }) { usleep(1000) }
        }
    }

    /// An item that says so.
    private func staying(_ id: String, at path: FilePath, in storage: StorageFixture) throws -> ItemStatus {
        let item = try storage.item(id, "\(id).txt", contents: "one")
        try storage.tell(item)
        let problem = StayingSource(at: path).problem
        try storage.index.write { try $0.setProblem(problem, of: item.id, in: storage.domain) }
        return ItemStatus(
            item: item, location: try storage.location("\(id).txt"), state: .placeholder, path: "", problem: problem)
    }

    @Test("CONT-7: an old place that gives no answer is asked once, and keeps nobody from looking at the others")
    func deadPlace() async throws {
        let storage = try StorageFixture()
        let threads = StorageThreads(store: storage.store, threads: 1)
        let (gone, work) = (Gone(), WorkGroup())
        defer { gone.comeBack() }
        let sources = StayingSources(storage: threads, outside: OutsidePaths(), work: work, logger: storage.logger) {
            if $0.path == "/net/gone/a.txt" { gone.look() }
            return true
        }
        let running = Task { await work.run() }
        let dead = try staying("a", at: "/net/gone/a.txt", in: storage)
        sources.lookLater(at: [dead])
        while gone.count < 1 { try await Task.sleep(for: .milliseconds(1)) }

        let neighbour = try staying("n", at: "/net/gone/n.txt", in: storage)
        let other = try staying("b", at: "/home/b.txt", in: storage)
        sources.lookLater(at: [dead, neighbour, other])
        while try storage.indexed("b").stayingSource != nil { try await Task.sleep(for: .milliseconds(1)) }
        for id in ["a", "n"] {
            let stays = try storage.indexed(id).stayingSource != nil
            #expect(stays)
        }
        #expect(gone.count == 1)

        gone.comeBack()
        while try storage.indexed("a").stayingSource != nil { try await Task.sleep(for: .milliseconds(1)) }
        // What is next to it is looked at again, too.
        while try storage.indexed("n").stayingSource != nil {
            sources.lookLater(at: [neighbour])
            try await Task.sleep(for: .milliseconds(1))
        }
        running.cancel()
        await running.value
        threads.shutdown()
    }
}
