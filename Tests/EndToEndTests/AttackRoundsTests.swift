import DocumentTestSupport
import Foundation
import ProviderConformance
import SystemPackage
import Testing

/// What leaks a little at a time.
@Suite(.serialized) struct AttackRoundsTests {
    /// Attacks that wait for no deadline.
    static let quick = HostAttack.all.filter { attack in
        let errors = ["error-no-code", "error-unknown-code", "error-without-words", "error-moves-the-cursor"]
        let frames = ["frame-length-zero", "frame-length-huge", "frame-cut", "frame-undecodable", "frame-noise"]
        // Those that leave something of a process behind, if anything does.
        let processes = [
            "process-leaves-a-child", "process-child-in-a-session", "process-daemon", "process-child-writes-on",
            "process-signals-its-group", "process-closes-stdout", "process-closes-all", "process-dies-once",
            "process-dies-between-calls", "process-forks", "picker-dies-preparing", "picker-end-dies", "modify-dies",
        ]
        // It has sixteen secrets written to the disk within the deadline of a listing: beside eleven others that is luck.
        let busy = ["ask-to-keep-too-much"]
        let families = [
            "HA-VALUE", "HA-CONTENT", "HA-PART", "HA-CODE", "HA-ASK", "HA-START", "HA-CHANGE", "HA-LISTING", "HA-TOOL",
        ]
        return families.contains(attack.description.family)
            && !(slowBehaviours + busy + waiting).contains(attack.behaviour)
            || (errors + frames + processes).contains(attack.behaviour)
    }

    /// Of those families, those that wait for a deadline or have much to do.
    private static let waiting = [
        "start-silent", "start-drips", "preface-half", "preface-after-a-flood", "hello-limits-tiny", "identity-never",
        "anchor-never", "anchor-runs", "anchor-runs-with-an-item", "changes-too-many", "listing-without-end",
        "listing-of-empty-pages", "listing-large", "listing-too-large", "listing-without-ground", "listing-omits-once",
        "tool-says-nothing", "tool-stops-in-its-hello", "tool-drips-its-hello", "tool-nests-deeply", "tool-never-reads",
        "tool-pings-and-never-reads", "tool-floods-with-nothing", "tool-floods-deaf", "tool-comes-and-goes",
        "tool-in-a-crowd", "tool-in-a-friendly-crowd", "tool-vanishes-busy", "tool-asks-too-much",
        "tool-cancels-the-unknown", "tool-cancels-everything", "tool-calls-everything-an-end",
    ]

    /// Attacks that hold a place for a request until a deadline has passed.
    private static let slow = HostAttack.all.filter { slowBehaviours.contains($0.behaviour) }
    private static let slowBehaviours = [
        "cancel-ignored", "answer-never-contents", "cancel-answered-twice", "modify-never", "slot-held", "slot-kept",
        "part-stalls",
    ]

    @Test("WIRE-49: 1,000 rounds of attacks leave no process, no descriptor and no place for a request behind")
    func rounds() async throws {
        var runner = AttackRunner(host: [try BuiltProducts.executable("docentd").string, "--idle-time", "120"])
        runner.peer = try BuiltProducts.executable("misbehaving-peer").string
        #expect(Self.slow.count == Self.slowBehaviours.count)
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
