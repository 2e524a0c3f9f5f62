import DocumentModel
import FileCoordination
import Testing

@testable import DocumentHost

/// What waits before it can ask for a claim says so.
@Suite struct PendingAccessesTests {
    private let pending = PendingAccesses()
    private let owner = ClaimOwner(id: 1, name: "cat (process 7)")

    @Test("COORD-39: an access that cannot ask for its claim yet says what it waits for, and only while it does")
    func phases() async throws {
        let place = try Location("d:/a.txt")
        let rows: [(PendingAccesses.Phase, AccessIntent, String)] = [
            (.news, .reading, "cat (process 7) waits to read d:/a.txt until the provider of d has said what is new."),
            (.place, .writing, "cat (process 7) waits to write d:/a.txt until it is found."),
            (
                .newerContents, .reading,
                "cat (process 7) waits to read d:/a.txt until the provider has brought its newer contents."
            ),
        ]
        for (phase, intent, sentence) in rows {
            let intention = AccessRequest.Intention(location: place, intent: intent)
            let told = try await pending.during(phase, intention, by: owner) { pending.explanations }
            #expect(told == [sentence])
            await #expect(throws: DocumentError.self) {
                try await pending.during(phase, intention, by: owner) { () async throws(DocumentError) in
                    throw DocumentError(.busy, "Not now.")
                }
            }
            #expect(pending.explanations.isEmpty)
        }
    }
}
