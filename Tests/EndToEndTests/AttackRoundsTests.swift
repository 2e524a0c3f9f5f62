import DocumentTestSupport
import Foundation
import ProviderConformance
import SystemPackage
import Testing

/// What leaks a little at a time.
@Suite(.serialized) struct AttackRoundsTests {
    /// Attacks that wait for no deadline.
    private static let quick = HostAttack.all.filter { attack in
        let errors = ["error-no-code", "error-unknown-code", "error-without-words", "error-moves-the-cursor"]
        let frames = ["frame-length-zero", "frame-length-huge", "frame-cut", "frame-undecodable", "frame-noise"]
        // Those that leave something of a process behind, if anything does.
        let processes = [
            "process-leaves-a-child", "process-child-in-a-session", "process-daemon", "process-child-writes-on",
            "process-signals-its-group", "process-closes-stdout", "process-closes-all", "process-dies-once",
            "process-dies-between-calls", "process-forks", "picker-dies-preparing", "picker-end-dies", "modify-dies",
        ]
        return ["HA-VALUE", "HA-CONTENT", "HA-CODE"].contains(attack.description.family)
            || (errors + frames + processes).contains(attack.behaviour)
    }

    /// Attacks that hold a place for a request until a deadline has passed.
    private static let slow = HostAttack.all.filter { attack in
        [
            "cancel-ignored", "answer-never-contents", "cancel-answered-twice", "modify-never", "slot-held",
            "slot-kept",
        ].contains(attack.behaviour)
    }

    @Test("WIRE-49: 1,000 rounds of attacks leave no process, no descriptor and no place for a request behind")
    func rounds() async throws {
        var runner = AttackRunner(host: [try BuiltProducts.executable("docentd").string, "--idle-time", "120"])
        runner.peer = try BuiltProducts.executable("misbehaving-peer").string
        #expect(Self.slow.count == 6)
        let quick = (0...1000 / Self.quick.count).flatMap { _ in Self.quick }
        // Side by side with the others, which go on meanwhile.
        runner.attacks = (0..<8).flatMap { _ in Self.slow } + quick
        runner.patience = 3
        let report = try await runner.run()
        #expect(report.results.count > 1000)
        let bad = report.results.filter { [.failed, .error].contains($0.outcome.state) }
        #expect(bad.isEmpty, "\(bad.prefix(20).map { "\($0.check.id): \($0.outcome.message) \($0.outcome.detail)" })")
    }
}
