import ProviderConformance
import Testing

/// A few of the damaged hosts, for every run of the tests; ``DamagedHostTests`` has all of them.
@Suite("Some attacks against damaged hosts", .serialized, .timeLimit(.minutes(5)))
struct DamageTests {
    @Test(
        "§10.12: a host that tells of something else, or keeps no record, is found out",
        arguments: [
            ("failure-as-missing", "HA-ANSWER-018"), ("failure-closes", "HA-CONTENT-001"),
            ("document-in-place", "HA-CONTENT-001"), ("failure-unrecorded", "HA-CONTENT-001"),
        ])
    func isFound(damage: String, attack: String) async throws {
        let results = try await DamagedHostTests.run(damage, attacks: [attack], conditions: [])
        #expect(results.map(\.check.id) == [attack])
        #expect(results.map(\.outcome.state) == [.failed], "\(results.map(\.outcome))")
    }
}
