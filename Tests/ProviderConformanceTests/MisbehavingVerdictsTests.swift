import DocumentModel
import DocumentTestSupport
import ProviderConformance
import SystemPackage
import Testing

@Suite("What the kit says of misbehaving providers", .timeLimit(.minutes(5)))
struct MisbehavingVerdictsTests {
    /// What none of them does wrong, so far as anything can be asked of it.
    private static let others = ["PC-IDENT-002", "PC-ITEM-001"]

    @Test("§10.12: each misbehaving provider fails its own checks, and leaves others alone")
    func verdicts() async throws {
        // They wait more than they work.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, (behaviour, verdict)) in MisbehavingVerdict.all.sorted(by: { $0.key < $1.key }).enumerated() {
                if number >= 4 { try await group.next() }
                group.addTask { try await Self.expectVerdict(verdict, on: behaviour) }
            }
            try await group.waitForAll()
        }
    }

    @Test("§10.12: a provider that does nothing wrong passes the checks that find the misbehaving ones")
    func wellBehaved() async throws {
        for verdict in MisbehavingVerdict.all.values {
            #expect(CheckRegistry.allChecks.count { verdict.failures.contains($0.id) } == verdict.failures.count)
        }
        let checks = Set(MisbehavingVerdict.all.values.filter { $0.capabilities.isEmpty }.flatMap(\.failures))
        // What it does it may do.
        let results = try await Self.run("frame-two-at-once", MisbehavingVerdict(failures: checks.sorted()))
        for result in results {
            #expect([.passed, .skipped].contains(result.outcome.state), "\(result.check.id): \(result.outcome)")
        }
    }

    private static func expectVerdict(_ verdict: MisbehavingVerdict, on behaviour: String) async throws {
        let results = try await run(behaviour, verdict)
        let failed = Set(results.filter { $0.outcome.state == .failed }.map(\.check.id))
        let missing = Set(verdict.failures).subtracting(failed).sorted()
        #expect(missing.isEmpty, "\(behaviour) is not found by \(missing)")
        let spoilt = failed.subtracting(verdict.failures).sorted()
        #expect(spoilt.isEmpty, "\(behaviour) fails \(spoilt), which are of something else")
        let errors = results.filter { $0.outcome.state == .error }
        #expect(errors.isEmpty, "\(behaviour): \(errors.map(\.outcome.message))")
    }

    /// Without a sandbox, which would keep a provider from some of what it does.
    private static func run(_ behaviour: String, _ verdict: MisbehavingVerdict) async throws -> [CheckResult] {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let bundle = folder.appending("bundle").string
        try MisbehavingBundle.bundle(with: verdict.capabilities, startingProcesses: verdict.startsProcesses)
            .write(to: bundle, program: try BuiltProducts.executable("misbehaving-peer").string)
        var configuration = ConformanceConfiguration()
        configuration.settings = ["behaviour": behaviour]
        configuration.data.documents = [.init(path: "target.txt", size: 131_072)]
        // Of most it is certain what they do; some are waited for in vain.
        configuration.limits.request = 3
        configuration.limits.start = 4
        var runner = try ConformanceFixture.runner(.bundle(bundle), configuration)
        runner.isConfined = false
        let deed = verdict.failures.isEmpty ? ["PC-LIST-001"] : verdict.failures
        runner.selection.patterns = deed + verdict.stood + (verdict.isOutOfReach ? [] : others)
        return try await runner.run().report.results
    }
}
