import DocumentTestSupport
import ProviderConformance
import SystemPackage
import Testing

/// What leaks a lot, in a few seconds; ``AttackRoundsTests`` has what leaks a little at a time.
@Suite(.serialized, .timeLimit(.minutes(5))) struct FewAttackRoundsTests {
    /// As many of each family, spread over it.
    private static let some = Dictionary(grouping: AttackRoundsTests.quick, by: \.description.family)
        .sorted { $0.key < $1.key }.flatMap { family in
            let step = max(1, family.value.count / 5)
            return stride(from: 0, to: family.value.count, by: step).prefix(5).map { family.value[$0] }
        }

    @Test("WIRE-49: 60 rounds of attacks, of every family that waits for nothing, leave nothing behind")
    func rounds() async throws {
        let families = Set(Self.some.map(\.description.family))
        #expect(families.isSuperset(of: ["HA-START", "HA-CHANGE", "HA-LISTING", "HA-TOOL", "HA-CONTENT", "HA-VALUE"]))
        var runner = AttackRunner(host: [try BuiltProducts.executable("docentd").string, "--idle-time", "120"])
        runner.peer = try BuiltProducts.executable("misbehaving-peer").string
        runner.attacks = Array((Self.some + Self.some).prefix(60))
        // Beside the other tests: a start has four seconds.
        runner.width = 4
        runner.patience = 3
        let report = try await runner.run()
        #expect(report.results.count > 60)
        let bad = report.results.filter { [.failed, .error].contains($0.outcome.state) }
        #expect(bad.isEmpty, "\(bad.prefix(20).map { "\($0.check.id): \($0.outcome.message) \($0.outcome.detail)" })")
    }
}
