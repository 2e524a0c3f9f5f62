import DocumentModel
import DocumentTestSupport
import Foundation
import ProviderConformance
import SystemPackage
import Testing

@Suite("The attacks against damaged hosts", .serialized, .timeLimit(.minutes(20)))
struct DamagedHostTests {
    /// A failure on the way to a listing, and to contents; one that a change waits for; two providers that are well; and
    /// one that does wrong when the caller has its answer.
    private static let attacks = [
        "HA-ANSWER-018", "HA-CONTENT-001", "HA-CODE-003", "HA-ANSWER-036", "HA-START-011", "HA-ANSWER-001",
    ]
    /// All but the one that measures speed.
    private static let conditions = AttackRunner.descriptions.map(\.id).filter {
        $0.hasPrefix("HA-RUN-") && $0 != "HA-RUN-006"
    }

    /// What finds which damage; nothing else may.
    static let finders: [(damage: String, finders: Set<String>)] = [
        ("nothing", []),
        ("failure-lost", ["HA-ANSWER-018", "HA-CONTENT-001", "HA-CODE-003"]),
        ("failure-as-missing", ["HA-ANSWER-018", "HA-CONTENT-001", "HA-CODE-003"]),
        ("failure-as-success", ["HA-CODE-003"]),
        ("failure-closes", ["HA-ANSWER-018", "HA-CONTENT-001", "HA-CODE-003"]),
        ("document-in-place", ["HA-CONTENT-001"]),
        ("placeholder-touched", ["HA-CONTENT-001"]),
        ("failure-unrecorded", ["HA-ANSWER-001", "HA-CONTENT-001"]),
        ("edit-lost", ["HA-CODE-003"]),
        ("process-stays", ["HA-RUN-002"]),
        ("process-unburied", ["HA-RUN-002"]),
        ("file-stays", ["HA-RUN-004"]),
        ("file-outside", ["HA-RUN-005"]),
        ("log-painted", ["HA-RUN-007"]),
        ("log-noise", ["HA-RUN-007"]),
        ("crashes-at-the-end", ["HA-RUN-010"]),
        ("connections-stay", ["HA-RUN-003", "HA-RUN-008"]),
        ("memory-grows", ["HA-RUN-009"]),
        ("process-outlives", ["HA-RUN-010"]),
        ("feature-refused", ["HA-START-011"]),
        ("document-swapped", ["HA-ANSWER-036"]),
    ]

    /// What a damage may fail besides: it also keeps domains from being removed, and whatever is theirs is left.
    private static let spoilt: [String: Set<String>] = [
        "failure-lost": leftovers.union(late), "failure-as-missing": leftovers.union(late),
        "failure-closes": leftovers.union(late),
        "document-in-place": leftovers.union(attacks), "feature-refused": leftovers,
    ]
    /// Whose caller is told of the failure, or has its answer before.
    private static let late: Set<String> = ["HA-ANSWER-001"]
    private static let leftovers: Set<String> = ["HA-RUN-002", "HA-RUN-003", "HA-RUN-004", "HA-RUN-008"]

    @Test("§10.12: each damage to a host fails the attacks that name it, and no others", arguments: finders)
    func damages(damage: String, finders: Set<String>) async throws {
        let results = try await Self.run(damage)
        let bad = results.filter { $0.outcome.state != .passed }
        let words = bad.map { "\($0.check.id) \($0.outcome.state): \($0.outcome.message) \($0.outcome.detail)" }
        let failed = Set(bad.map(\.check.id))
        #expect(finders.subtracting(failed) == [], "\(words)")
        #expect(failed.subtracting(finders).subtracting(Self.spoilt[damage] ?? []) == [], "\(words)")
        #expect(bad.allSatisfy { $0.outcome.state == .failed })
        #expect(results.count == Self.attacks.count + Self.conditions.count)
    }

    @Test("§10.12: a host that dies fails what looks whether it is still there")
    func death() async throws {
        let failed = Set(try await Self.run("host-dies").filter { $0.outcome.state == .failed }.map(\.check.id))
        #expect(failed.isSuperset(of: ["HA-ANSWER-018", "HA-RUN-001", "HA-RUN-008"]), "\(failed)")
    }

    @Test("§10.12: a host that makes others wait for an attacked provider fails what measures their speed")
    func slowness() async throws {
        // Two that let somebody wait for seconds.
        let results = try await Self.run(
            "others-wait", attacks: ["HA-ANSWER-007", "HA-ANSWER-008"], conditions: ["HA-RUN-006"])
        let speed = try #require(results.first { $0.check.id == "HA-RUN-006" })
        #expect(speed.outcome.state == .failed, "\(speed.outcome)")
    }

    @Test("§10.5: a host that answers nothing is not waited for without end")
    func nothingAnswered() async throws {
        let results = try await Self.run("answers-nothing")
        #expect(results.map(\.outcome.state) == [.failed])
        #expect(results[0].outcome.detail.contains("gives no answer"), "\(results[0].outcome)")
    }

    @Test("Every damage that there is, is tried")
    func isComplete() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try BuiltProducts.executable("misbehaving-peer").string)
        process.arguments = ["damage"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let words = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let names = words.split(separator: "\n").compactMap { $0.split(separator: " ").first.map { String($0) } }
        #expect(Set(names) == Set(Self.finders.map(\.damage) + ["host-dies", "others-wait", "answers-nothing"]))
        #expect(names.count >= 7)
    }

    /// One attack of each family that fails by itself, whatever becomes of its domain. Thumbnails fail one by one, in an answer
    /// that the damage leaves as it is.
    private static let familiar: [HostAttack] = Dictionary(grouping: HostAttack.all, by: \.description.family)
        .compactMap { _, attacks in
            attacks.first { attack in
                guard case .failure = attack.expectation, ![.tool, .thumbnails].contains(attack.question) else {
                    return false
                }
                return !attack.expectation.codes.contains(.deadlineExceeded)
            }
        }.sorted { $0.id < $1.id }

    @Test("§10.12: each family has an attack that fails a host which tells of something else than what happened")
    func families() async throws {
        #expect(Self.familiar.count >= 9, "\(Self.familiar.map(\.id))")
        let results = try await Self.run("failure-as-missing", attacks: Self.familiar.map(\.id), conditions: [])
        for attack in Self.familiar where !attack.expectation.codes.contains(.noSuchItem) {
            let result = results.first { $0.check.id == attack.id }
            #expect(result?.outcome.state == .failed, "\(attack.id) does not find it: \(result.debugDescription)")
        }
    }

    static func run(
        _ damage: String, attacks: [String] = attacks, conditions: [String] = conditions
    ) async throws -> [CheckResult] {
        let peer = try BuiltProducts.executable("misbehaving-peer").string
        let host = try BuiltProducts.executable("docentd").string
        var runner = AttackRunner(host: [peer, "damage", damage, "--", host, "--idle-time", "120"])
        runner.peer = peer
        runner.selection.patterns = attacks + conditions
        // What is never told is waited for.
        if damage == "failure-lost" { runner.patience = 0.5 }
        return try await runner.run().results
    }
}
