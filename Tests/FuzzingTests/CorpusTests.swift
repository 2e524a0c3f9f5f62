import DocumentFuzzing
import Foundation
import Testing

/// What fuzzing has found interesting, as it is checked in: each input is taken by its target without a finding. One after
/// the other: what a target keeps from input to input, such as a host, is for one at a time.
@Suite(.serialized) struct CorpusTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fuzzing/Corpus").standardized

    private static func inputs(of name: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: corpus.appending(path: name), includingPropertiesForKeys: nil
        ).sorted { $0.path < $1.path }
    }

    @Test("every input of the corpus keeps the rules of its target", arguments: FuzzTargets.all.map { $0.name })
    func corpus(_ name: String) throws {
        let target = try #require(FuzzTargets.named(name))
        let inputs = try Self.inputs(of: name)
        #expect(!inputs.isEmpty, "The target \(name) has no corpus.")
        for input in inputs {
            let bytes = [UInt8](try Data(contentsOf: input))
            do {
                try target.run(bytes)
            } catch {
                Issue.record("\(name)/\(input.lastPathComponent): \(error)")
            }
        }
    }

    /// DOCENT_FUZZ_MUTATIONS says how many of each target.
    private static let mutations =
        ProcessInfo.processInfo.environment["DOCENT_FUZZ_MUTATIONS"].flatMap { Int($0) } ?? 200

    /// Others each day, so that days of runs try more than one does, and all runs of a day the same; DOCENT_FUZZ_SEED
    /// gives those of another day again.
    private static let seed =
        ProcessInfo.processInfo.environment["DOCENT_FUZZ_SEED"].flatMap { UInt64($0) }
        ?? UInt64(Date().timeIntervalSince1970 / 86_400)

    @Test("inputs near those of the corpus keep the rules of its target", arguments: FuzzTargets.all.map { $0.name })
    func nearby(_ name: String) throws {
        let target = try #require(FuzzTargets.named(name))
        let known = try Self.inputs(of: name).map { [UInt8](try Data(contentsOf: $0)) }
        try #require(!known.isEmpty)
        var mutator = InputMutator(near: known, seed: Self.seed)
        for number in 0..<Self.mutations {
            let input = mutator.next()
            do {
                try target.run(input)
            } catch {
                Issue.record(
                    "\(name), input \(number) of DOCENT_FUZZ_SEED=\(Self.seed): \(error)\n\(input)")
                return
            }
        }
    }

    @Test("every folder of the corpus has a target")
    func folders() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path).sorted()
        #expect(folders == FuzzTargets.all.map { $0.name }.sorted())
    }
}
