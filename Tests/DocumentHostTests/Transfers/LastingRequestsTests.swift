import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Logging
import Testing

@testable import DocumentHost

/// What somebody waits for is written down for the next host (XFER-8), and what comes at once is not.
@Suite(.timeLimit(.minutes(1))) final class LastingRequestsTests {
    private let fixture: StorageFixture
    private let storage: StorageThreads
    private let requests: LastingRequests
    private let work = WorkGroup()

    init() throws {
        fixture = try StorageFixture()
        storage = StorageThreads(store: fixture.store)
        requests = LastingRequests(
            storage: storage, requests: DownloadRequests(), work: work,
            logger: Logger(label: "requests") { _ in SwiftLogNoOpLogHandler() })
        for id in ["a", "b"] { try fixture.tell(try fixture.item(id, "\(id).txt", contents: "one")) }
    }

    deinit { storage.shutdown() }

    private var written: Set<String> {
        get throws {
            Set(try fixture.index.read { try $0.downloadRequests(in: fixture.domain) }.map(\.id.rawValue))
        }
    }

    private func isWritten(_ ids: Set<String>) async throws -> Bool {
        for _ in 0..<500 {
            if try written == ids { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    private func whileRunning(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { [work] group in
            group.addTask { await work.run() }
            try await body()
            group.cancelAll()
        }
    }

    @Test("XFER-8: what is waited for is written down before anything else, until it is not waited for any more")
    func waiting() async throws {
        try await whileRunning { () async throws -> Void in
            let a = try fixture.indexed("a")
            await requests.beginWaiting(for: a)
            #expect(try written == ["a"])
            await requests.beginWaiting(for: a, isComing: true)
            requests.endWaiting(for: a.key)
            try await requests.keep([try fixture.indexed("b")])
            #expect(try written == ["a", "b"])
            requests.endWaiting(for: a.key)
            #expect(try await isWritten(["b"]))
        }
    }

    @Test("XFER-8: what begins to come is written down when it takes its time, and nothing is written when it does not")
    func coming() async throws {
        try await whileRunning { () async throws -> Void in
            let (a, b) = (try fixture.indexed("a"), try fixture.indexed("b"))
            await requests.beginWaiting(for: b, isComing: true)
            let generation = fixture.index.generation
            for _ in 0..<3 {
                await requests.beginWaiting(for: a, isComing: true)
                requests.endWaiting(for: a.key)
            }
            #expect(fixture.index.generation == generation)
            #expect(try await isWritten(["b"]))
            requests.endWaiting(for: b.key)
            #expect(try await isWritten([]))
        }
    }

    @Test("XFER-8: what a tool waited for that is gone stays written down while it is asked for")
    func outliving() async throws {
        try await whileRunning { () async throws -> Void in
            let a = try fixture.indexed("a")
            await requests.beginWaiting(for: a, isComing: true)
            await requests.outlives(a)
            #expect(try written == ["a"])
            try await requests.keep([a])
            requests.endWaiting(for: a.key)
            try await Task.sleep(for: .milliseconds(50))
            #expect(try written == ["a"])
            requests.drop(a.key)
            #expect(try await isWritten([]))
        }
    }
}
