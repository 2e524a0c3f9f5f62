import DocumentTestSupport
import ProviderConformance
import SystemPackage
import Testing

@testable import MistakenProvider

@Suite("The kit against itself", .timeLimit(.minutes(10)))
struct PlantedMistakesTests {
    /// So many providers at once; they wait more than they work.
    private static let width = 4

    @Test("§10.12: a good provider passes every check, none skipped")
    func good() async throws {
        let run = try await Self.run(nil, [], lanes: Self.width)
        let results = run.report.results
        for result in results where result.outcome.state != .passed {
            // Some checks are of how a provider refuses what it does not claim.
            if result.outcome.state == .skipped, result.outcome.message.hasPrefix("The provider claims") { continue }
            Issue.record(
                "\(result.check.id) \(result.outcome.state): \(result.outcome.message)\n\(result.outcome.detail)")
        }
        #expect(results.count == CheckRegistry.allChecks.count)
        #expect(results.count >= 120)
        // §2: and every call of the wire is asked by a check, and answered.
        let answered = try WireCalls.answered(in: run.records.map(\.text))
        let declared = try WireCalls.declared()
        #expect(declared.count >= 17)
        let missing = declared.filter { !answered.contains($0.key) }.values.sorted()
        #expect(missing.isEmpty, "no check asks \(missing)")
    }

    @Test("§10.12: a good provider whose remote is slow passes the checks of what goes on at once")
    func slow() async throws {
        let checks = [
            "PC-CONC-002", "PC-CONC-003", "PC-CONC-010", "PC-RESTART-010", "PC-RESTART-011", "PC-CANCEL-01*",
            "PC-GIVEUP-*", "PC-GONE-*",
        ]
        for result in try await Self.run(nil, checks, pace: 150).report.results where result.outcome.state != .passed {
            Issue.record(
                "\(result.check.id) \(result.outcome.state): \(result.outcome.message)\n\(result.outcome.detail)")
        }
    }

    @Test("§8: every mistake that can be planted has checks that must find it")
    func isComplete() {
        #expect(Set(Mistake.allCases).subtracting(PlantedMistakes.finders.keys) == [])
        #expect(Mistake.allCases.count >= 30)
        let ids = Set(CheckRegistry.allChecks.map(\.id))
        for (mistake, finders) in PlantedMistakes.finders {
            #expect(!finders.isEmpty && ids.isSuperset(of: finders), "\(mistake)")
        }
    }

    @Test("§10.12: each family of checks finds a mistake")
    func families() {
        func family(_ id: String) -> Substring { id.dropLast(4) }
        let all = Set(CheckRegistry.allChecks.map { family($0.id) })
        let finding = Set(PlantedMistakes.finders.values.joined().map(family))
        #expect(all.subtracting(finding).sorted() == [])
    }

    @Test("§10.12: each planted mistake fails the checks that name it, and leaves others alone")
    func mistakes() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, mistake) in TestShare.of(Mistake.allCases).enumerated() {
                if number >= Self.width { try await group.next() }
                group.addTask { try await Self.expectFound(mistake) }
            }
            try await group.waitForAll()
        }
    }

    /// Some mistakes show only when the provider is caught at it: a check that missed the moment looks again.
    private static let looks = 3

    private static func expectFound(_ mistake: Mistake) async throws {
        let finders = PlantedMistakes.finders[mistake] ?? []
        let others = PlantedMistakes.spoilingAll.contains(mistake) ? [] : PlantedMistakes.others
        let pace = PlantedMistakes.pace(for: mistake)
        var results = try await run(mistake, finders + others, pace: pace).report.results
        var missing = Set(finders).subtracting(Self.failed(results))
        for _ in 1..<looks where !missing.isEmpty {
            results += try await run(mistake, missing.sorted(), pace: pace).report.results
            missing = Set(finders).subtracting(Self.failed(results))
        }
        let failed = Self.failed(results)
        #expect(missing.isEmpty, "\(mistake) is not found by \(missing.sorted())")
        let spoilt = failed.subtracting(finders).subtracting(PlantedMistakes.spoilt[mistake] ?? [])
        #expect(spoilt.isEmpty, "\(mistake) fails \(spoilt.sorted()), which are of something else")
        let errors = results.filter { $0.outcome.state == .error }
        #expect(errors.isEmpty, "\(mistake): \(errors.map(\.outcome.message))")
    }

    private static func failed(_ results: [CheckResult]) -> Set<String> {
        Set(results.filter { $0.outcome.state == .failed }.map(\.check.id))
    }

    /// Without a sandbox, which would keep a provider from some of the mistakes.
    private static func run(
        _ mistake: Mistake?, _ checks: [String], pace: Int = 0, lanes: Int = 1
    ) async throws -> ConformanceRunner.Run {
        let source = "Tests/Fixtures/MistakenProvider"
        // Some are made before the settings have come.
        let arguments = mistake.map { [$0.rawValue] } ?? []
        return try await ConformanceFixture.withBundle("MistakenProvider", source: source, arguments: arguments) {
            bundle in
            var configuration = try ConfigurationFile.read(
                BuiltProducts.packageFolder().appending(source).appending("conformance.toml").string)
            configuration.settings["mistake"] = mistake?.rawValue
            configuration.settings["pace"] = "\(pace)"
            configuration.lanes = lanes
            // What a mistake keeps from happening is waited for in vain.
            if mistake != nil { configuration.limits.request = 2 }
            var runner = try ConformanceFixture.runner(.bundle(bundle), configuration, mutating: true)
            runner.isConfined = false
            runner.keepsRecords = mistake == nil
            runner.selection.patterns = checks
            return try await runner.run()
        }
    }
}
