import DocumentModel
import DocumentTestSupport
import Foundation
import ProviderConformance
import SystemPackage
import Testing

@Suite("The list of attacks")
struct HostAttackTests {
    @Test("§10.1: every attack, and every condition after them, has an id of its own and a title")
    func wellFormed() {
        #expect(CheckRegistry.problems(in: AttackRunner.descriptions) == [])
        #expect(HostAttack.all.count >= 60)
    }

    @Test("Every behaviour of the misbehaving provider and tool is tried on hosts, and every attack has its behaviour")
    func complete() throws {
        let behaviours = Set(try peer("list", "--names").split(separator: "\n").map { String($0) })
        let attacks = Set(HostAttack.all.map(\.behaviour))
        #expect(attacks.subtracting(behaviours).sorted() == [])
        let forHosts = behaviours.filter { !$0.hasPrefix("host-") }
        #expect(forHosts.subtracting(attacks).sorted() == [])
    }

    @Test("A behaviour is a name, a sentence and a rule, and its name is its own")
    func behaviours() throws {
        let lines = try peer("list").split(separator: "\n")
        let names = lines.compactMap { $0.split(separator: " ").dropFirst().first }
        #expect(Set(names).count == names.count)
        #expect(lines.allSatisfy { $0.contains(" — ") && $0.hasSuffix(")") && $0.contains(". (") })
    }

    @Test("§10.4: a host that does not come up has failed, and the report says how it ended")
    func noHost() async throws {
        var runner = AttackRunner(host: ["/bin/false"])
        runner.peer = try BuiltProducts.executable("misbehaving-peer").string
        let attacks = runner
        let report = try await attacks.run()
        #expect(report.exitStatus == 1)
        #expect(report.results.map(\.outcome.message) == ["The host does not come up."])
        #expect(report.results[0].outcome.detail.contains("It ended with status 1."))
    }

    @Test("§1: the report shows every exchange of an attack, both ways, with settings blanked out")
    func exchanges() async throws {
        var runner = AttackRunner(host: [try BuiltProducts.executable("docentd").string, "--idle-time", "120"])
        runner.peer = try BuiltProducts.executable("misbehaving-peer").string
        runner.selection.patterns = ["HA-ANSWER-036", "HA-START-016", "HA-TOOL-014"]
        let report = try await runner.run()
        #expect(report.results.count == 3)
        let page = try ReportFormat.html.text(report)
        for result in report.results {
            #expect(result.outcome.state == .passed, "\(result.outcome)")
            let summaries = result.exchanges.map(\.summary)
            #expect(summaries.contains { $0.hasPrefix("Hello,") }, "\(summaries)")
            #expect(Set(result.exchanges.map(\.isToProvider)) == [true, false], "\(summaries)")
            #expect(page.contains("id=\"\(result.check.id)\""))
        }
        #expect(
            report.results.contains { result in
                result.exchanges.contains { $0.summary.hasPrefix("Pong") && !$0.isToProvider }
            })
        #expect(page.contains("Pong 4711"))
        // What the settings say is not told.
        #expect(!page.contains("pong-unasked"))
    }

    @Test(
        "WIRE-39: what a provider does to its staging file is found by the host itself where no sandbox refuses it",
        .timeLimit(.minutes(5)))
    func withoutSandbox() async throws {
        let host = try BuiltProducts.executable("docentd").string
        let confiner = try BuiltProducts.executable("without-landlock").string
        var runner = AttackRunner(host: [confiner, host, host, "--allow-unsandboxed", "--idle-time", "120"])
        runner.peer = try BuiltProducts.executable("misbehaving-peer").string
        runner.patience = 2
        // From these only the sandbox keeps a host: they write where any program of the user may.
        let others: Set = ["HA-CONTENT-023", "HA-CONTENT-024", "HA-CONTENT-034"]
        let ofSides = [
            "side-removed", "side-is-a-symlink", "side-still-open", "side-of-other-contents",
            "keep-damages-the-snapshot",
        ]
        runner.selection.patterns =
            HostAttack.all.filter { ofSides.contains($0.behaviour) }.map(\.id)
            + HostAttack.all.map(\.id).filter {
                ($0.hasPrefix("HA-CONTENT-") || $0.hasPrefix("HA-PART-")) && !others.contains($0)
            }
            + ["HA-RUN-001", "HA-RUN-002", "HA-RUN-003", "HA-RUN-004", "HA-RUN-010"]
        let results = try await runner.run().results
        #expect(results.count == runner.selection.patterns.count)
        for result in results { #expect(result.outcome.state == .passed, "\(result.check.id): \(result.outcome)") }
    }

    @Test("On a slow machine the margin is longer, and the deadline that the host has to keep is what it was")
    func patience() {
        for attack in HostAttack.all {
            let usual = attack.limit(patience: 1)
            let margin = attack.limit(patience: 2) - usual
            #expect(margin >= .seconds(5) && margin < usual, "\(attack.id)")
            #expect(attack.limit(patience: 3) - usual == margin * 2, "\(attack.id)")
        }
        // What the manifest allows for metadata, and the usual margin.
        let attack = HostAttack.all.first { $0.id == "HA-ANSWER-002" }
        #expect(attack?.limit(patience: 1) == .seconds(8))
        #expect(attack?.limit(patience: 2) == .seconds(13))
    }

    @Test("An attack that nobody knows is wrong usage")
    func unknown() async throws {
        let runner = AttackRunner(host: ["/bin/false"], selection: CheckSelection(patterns: ["HA-NOTHING-*"]))
        await #expect(throws: ConformanceUsageError.self) { try await runner.run() }
    }

    private func peer(_ words: String...) throws -> String { try Self.peer(words) }

    private static func peer(_ words: String...) throws -> String { try peer(words) }

    /// What `misbehaving-peer` prints.
    private static func peer(_ words: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try BuiltProducts.executable("misbehaving-peer").string)
        process.arguments = words
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self)
    }
}
