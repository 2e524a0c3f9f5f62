import DocumentModel
import DocumentSync
import FileCoordination
import Synchronization
import SystemPackage
import Testing

@testable import DocumentHost

/// DOWN-10: who waits for which bytes of what comes part by part.
@Suite(.timeLimit(.minutes(1))) struct PartialTransfersTests {
    private let key: ItemKey
    private let file = ComingFile(path: "/staging/a/contents", inode: 1)

    init() throws {
        key = ItemKey(domain: try DomainName("d"), id: try ItemIdentifier("a"))
    }

    private func makeTransfer(present: [Int] = []) -> PartialTransfer {
        PartialTransfer(RangePlan(size: 100, partSize: 10, present: present)) { _ in }
    }

    /// What bringing a document comes to, once that is known.
    private final class Outcome: Sendable {
        private let known = Mutex<Result<Void, DocumentError>?>(nil)

        func set(_ result: Result<Void, DocumentError>) { known.withLock { $0 = result } }

        /// Whoever brings it, and however often.
        func bring() async throws(DocumentError) {
            while !Task.isCancelled {
                if let result = known.withLock({ $0 }) { return try result.get() }
                try? await Task.sleep(for: .milliseconds(1))
            }
            throw DocumentError(.cancelled, "It was cancelled.")
        }
    }

    private func withTransfers(
        _ body: @Sendable @escaping (PartialTransfers, Outcome, @escaping PartialTransfers.Bring) async throws -> Void
    ) async throws {
        let work = WorkGroup()
        let outcome = Outcome()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await work.run() }
            defer { group.cancelAll() }
            try await body(PartialTransfers(work: work), outcome) { () async throws(DocumentError) in
                try await outcome.bring()
            }
        }
    }

    @Test("What was here in the beginning is told as that, however much has come since")
    func before() {
        let told = Mutex<TransferProgress?>(nil)
        let transfer = PartialTransfer(RangePlan(size: 95, partSize: 10, present: [0, 9])) { progress in
            told.withLock { $0 = progress }
        }
        transfer.tell()
        #expect(told.withLock { $0?.done } == 15 && told.withLock { $0?.before } == 15)
        transfer.arrived(1..<3, in: .seconds(1))
        #expect(told.withLock { $0?.done } == 35 && told.withLock { $0?.before } == 15)
    }

    @Test("Who waits goes on when its bytes are here, and not before; what it waits for is what comes next")
    func bytes() async throws {
        try await withTransfers { transfers, _, bring async throws in
            let transfer = makeTransfer(present: [3])
            transfers.began(transfer, of: key, into: file)
            #expect(try await transfers.wait(for: 30..<40, of: key, in: file, bring: bring) == file)
            #expect(try await transfers.wait(for: nil, of: key, in: nil, bring: bring) == file)
            async let waited = transfers.wait(for: 75..<85, of: key, in: file, bring: bring)
            var asked: [Range<Int>] = []
            while asked.count < 2 {
                if let next = transfer.nextWanted() { asked.append(next.parts) } else { await Task.yield() }
            }
            #expect(asked == [7..<8, 8..<9])
            transfer.arrived(7..<8, in: .zero)
            transfers.arrived(key)
            transfer.arrived(8..<9, in: .zero)
            transfers.arrived(key)
            #expect(try await waited == file)
        }
    }

    @Test("Who waited before it began is served by whatever brings it; when that ends, nobody waits any more")
    func ends() async throws {
        try await withTransfers { transfers, outcome, bring async throws in
            async let first = transfers.wait(for: 0..<10, of: key, in: nil, bring: bring)
            async let second = transfers.wait(for: 90..<100, of: key, in: nil, bring: bring)
            let transfer = makeTransfer()
            transfers.began(transfer, of: key, into: file)
            transfer.arrived(0..<1, in: .zero)
            transfers.arrived(key)
            // It may have come to wait after that.
            #expect(try await first == file)
            transfers.ended(key)
            outcome.set(.success(()))
            #expect(try await second == nil)
            outcome.set(.failure(DocumentError(.serverUnreachable, "The server is away.")))
            async let third = transfers.wait(for: 0..<10, of: key, in: nil, bring: bring)
            do {
                _ = try await third
                Issue.record("it was not told")
            } catch let error as DocumentError {
                #expect(error.code == .serverUnreachable)
            }
        }
    }

    @Test("INV-9: who reads from a file that gets no more is told so")
    func otherFile() async throws {
        try await withTransfers { transfers, _, bring async throws in
            async let waiting = transfers.wait(for: 0..<10, of: key, in: file, bring: bring)
            transfers.began(makeTransfer(present: [0]), of: key, into: ComingFile(path: file.path, inode: 2))
            do {
                _ = try await waiting
                Issue.record("bytes of another file were given")
            } catch let error as DocumentError {
                #expect(error.code == .versionNoLongerAvailable)
            }
        }
    }

    @Test("Who is cancelled waits no longer, and what comes goes on")
    func cancelled() async throws {
        try await withTransfers { transfers, outcome, bring async throws in
            let waiting = Task { try await transfers.wait(for: 0..<10, of: key, in: nil, bring: bring) }
            waiting.cancel()
            let result = await waiting.result
            if case .success = result { Issue.record("nothing had come") }
            async let another = transfers.wait(for: 0..<10, of: key, in: nil, bring: bring)
            outcome.set(.success(()))
            #expect(try await another == nil)
        }
    }

    @Test("When the host has ended, nobody waits for it")
    func hostEnds() async throws {
        let work = WorkGroup()
        work.finish()
        let transfers = PartialTransfers(work: work)
        do {
            _ = try await transfers.wait(for: 0..<10, of: key, in: nil) { () async throws(DocumentError) in }
            Issue.record("nothing had come")
        } catch {
            #expect(error.code == .cancelled)
        }
    }
}
