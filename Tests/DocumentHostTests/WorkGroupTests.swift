import DocumentModel
import Testing

@testable import DocumentHost

@Suite("The host's own work")
struct WorkGroupTests {
    @Test("What is asked for after the host has ended is refused at once, and says why")
    func refused() async throws {
        let work = WorkGroup()
        let running = Task { await work.run() }
        running.cancel()
        await running.value
        #expect(!work.add {})
        let transfers = SharedTransfers<Int, Int>(work: work)
        let error = await #expect(throws: DocumentError.self) {
            try await transfers.join(1, onProgress: nil) { _ in 1 }
        }
        #expect(error?.message == WorkGroup.hasEnded.message)
        #expect(transfers.keys.isEmpty)
    }

    @Test("What was asked for before the end is run, cancelled, so that nobody waits for it in vain")
    func drained() async throws {
        let work = WorkGroup()
        let transfers = SharedTransfers<Int, Int>(work: work)
        async let outcome = transfers.join(1, onProgress: nil) { _ throws(DocumentError) in
            guard Task.isCancelled else { return 1 }
            throw DocumentError(.cancelled, "The host ends.")
        }
        while transfers.keys.isEmpty { await Task.yield() }
        let running = Task { await work.run() }
        running.cancel()
        await running.value
        _ = try? await outcome
        #expect(transfers.keys.isEmpty)
    }
}
