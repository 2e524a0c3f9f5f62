import DocumentSimulator
import DocumentTestSupport
import Foundation
import SystemPackage
import Testing

@testable import WebDAVProvider

/// Several machines edit the same documents of one server, each with the shipped sync engine and the shipped provider, in
/// virtual time: requests are lost, doubled, late and overtaken, machines die at any moment, and other programs write there.
///
/// `DOCENT_COMMIT_SEEDS=FROM:COUNT` runs other seeds.
@Suite("Commit protocols in the simulator", .serialized)
struct CommitSimulationTests {
    struct Way: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var manner: SimulatedServer.Manner
        var verdict: SimulatedWebDAV.Verdict
        /// Where to begin to look for what a wrong verdict loses: a little before the first seed that shows it.
        var firstSeed: UInt64 = 0

        static let all = [
            Way(
                testDescription: "conditions on lighttpd", manner: .lighttpd,
                verdict: .init(guarantee: .conditionalChanges, hasExactTags: true)),
            Way(
                testDescription: "claims on lighttpd", manner: .lighttpd,
                verdict: .init(guarantee: .folderMoves, hasExactTags: true)),
            Way(
                testDescription: "claims on Apache", manner: .apache,
                verdict: .init(guarantee: .folderMoves, hasExactTags: false)),
            Way(
                testDescription: "claims on nginx", manner: .nginx,
                verdict: .init(guarantee: .folderMoves, hasExactTags: false)),
            Way(
                testDescription: "claims on rclone", manner: .rclone,
                verdict: .init(guarantee: .folderMoves, hasExactTags: true)),
            Way(
                testDescription: "claims on WsgiDAV", manner: .wsgidav,
                verdict: .init(guarantee: .folderMoves, hasExactTags: false)),
            Way(
                testDescription: "claims where one folder is moved over another, as WsgiDAV does now and then",
                manner: .init(conditions: .ignored, tags: .exact, movesFoldersOverOthers: true),
                verdict: .init(guarantee: .folderMoves, hasExactTags: true)),
        ]
    }

    private static func run(_ way: Way, seed: UInt64) throws -> SimulatedRun {
        try run(way, Scenario(seed: seed, isOfDocuments: true))
    }

    private static func run(
        _ way: Way, _ scenario: Scenario, onStep: ((String) -> Void)? = nil
    ) throws -> SimulatedRun {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let remote = SimulatedWebDAV(way.manner, way.verdict, seed: scenario.seed, folder: folder)
        return SimulatedRun(scenario, remote: remote, onStep: onStep)
    }

    /// Nil for seeds that cannot be read.
    private static let seeds: Range<UInt64>? = {
        guard let text = ProcessInfo.processInfo.environment["DOCENT_COMMIT_SEEDS"] else { return 0..<20 }
        let words = text.split(separator: ":")
        guard words.count == 2, let from = UInt64(words[0]), let count = UInt64(words[1]) else { return nil }
        return from..<from + count
    }()

    /// What a wrong verdict on a server does, which the simulator has to find.
    private static let wrong = [
        Way(
            testDescription: "conditions on Apache, which looks first and writes then", manner: .apache,
            verdict: .init(guarantee: .conditionalChanges, hasExactTags: true), firstSeed: 60),
        Way(
            testDescription: "conditions on nginx, which ignores them", manner: .nginx,
            verdict: .init(guarantee: .conditionalChanges, hasExactTags: false)),
        Way(
            testDescription: "conditions on rclone, which ignores them", manner: .rclone,
            verdict: .init(guarantee: .conditionalChanges, hasExactTags: true), firstSeed: 45),
        Way(
            testDescription: "claims where nothing tells versions of one length apart",
            manner: .init(conditions: .ignored, tags: .ofLength),
            verdict: .init(guarantee: .folderMoves, hasExactTags: true), firstSeed: 1),
    ]

    @Test("RS-1: what a wrong verdict on a server loses is found", arguments: TestShare.of(wrong))
    func mistakes(_ way: Way) throws {
        let found = try (way.firstSeed..<way.firstSeed + 400).first { try Self.run(way, seed: $0).complaint != nil }
        #expect(found != nil)
    }

    @Test("INV-1, INV-2: no edit is lost, and all machines end up with the same", arguments: Way.all)
    func holds(_ way: Way) throws {
        for seed in try #require(Self.seeds) {
            let run = try Self.run(way, seed: seed)
            if seed % 20 == 0 { #expect(try Self.run(way, seed: seed) == run, "seed \(seed) gives the same run twice") }
            guard let complaint = run.complaint else { continue }
            Issue.record("Seed \(seed): \(complaint)\n\(try Self.history(way, seed: seed))")
            return
        }
    }

    /// The shortest run that was found to fail, step by step.
    private static func history(_ way: Way, seed: UInt64) throws -> String {
        let shortest = Shrinker.shrink(Scenario(seed: seed, isOfDocuments: true), limit: 300) {
            (try? run(way, $0).complaint) != nil
        }
        var lines: [String] = []
        let complaint = try run(way, shortest) { lines.append($0) }.complaint
        return (lines + ["\(shortest)", complaint ?? "It holds now."]).joined(separator: "\n")
    }
}
