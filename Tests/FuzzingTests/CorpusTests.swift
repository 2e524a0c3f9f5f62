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

    /// The messages with one field of several, and the target that reads them.
    private static let choices = [
        (target: "provider-call", proto: "provider/v1/provider", message: "ProviderRequest"),
        ("provider-reply", "provider/v1/provider", "ProviderAnswer"),
        ("provider-event", "provider/v1/provider", "ProviderNotification"),
        ("host-call", "provider/v1/provider", "HostRequest"),
        ("host-reply", "provider/v1/provider", "HostAnswer"),
        ("service-call", "service/v1/service", "ServiceRequest"),
        ("service-reply", "service/v1/service", "ServiceAnswer"),
        ("tool-call", "service/v1/service", "ToolRequest"),
        ("tool-event", "service/v1/service", "ToolNotification"),
        ("frame", "wire/v1/frame", "Frame"),
    ]

    @Test("each case of a message's oneof occurs in the corpus of its target", arguments: choices)
    func cases(target: String, proto: String, message: String) throws {
        let file = Self.corpus.appending(path: "../../Sources/DocumentWire/Protos/docent/\(proto).proto").standardized
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.firstRange(of: "message \(message) {")).upperBound
        let oneof = try #require(text[start...].firstRange(of: "oneof ")).upperBound
        let end = try #require(text[oneof...].firstRange(of: "\n  }")).lowerBound
        let fields = text[oneof..<end].matches(of: /\n +[A-Za-z0-9_.]+ ([a-z0-9_]+) = ([0-9]+);/)
        #expect(fields.count >= 2)
        var seen: Set<UInt64> = []
        for input in try Self.inputs(of: target) {
            seen.formUnion(Self.fields(in: [UInt8](try Data(contentsOf: input))))
        }
        let missing = fields.filter { UInt64($0.2).map(seen.contains) != true }.map { String($0.1) }
        #expect(missing == [], "scripts/fuzz, or an input by hand: none of the corpus has them")
    }

    /// The numbers of a message's fields, as far as it can be read.
    private static func fields(in bytes: [UInt8]) -> Set<UInt64> {
        var (rest, numbers) = (bytes[...], Set<UInt64>())
        func varint() -> UInt64? {
            var (value, shift) = (UInt64(0), UInt64(0))
            while shift < 64, let byte = rest.popFirst() {
                value |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return value }
                shift += 7
            }
            return nil
        }
        while let tag = varint() {
            switch tag & 7 {
            case 0: guard varint() != nil else { return numbers }
            case 1: rest = rest.dropFirst(8)
            case 2:
                guard let length = varint(), length <= UInt64(rest.count) else { return numbers }
                rest = rest.dropFirst(Int(length))
            case 5: rest = rest.dropFirst(4)
            default: return numbers
            }
            numbers.insert(tag >> 3)
        }
        return numbers
    }

    @Test("every folder of the corpus has a target")
    func folders() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path).sorted()
        #expect(folders == FuzzTargets.all.map { $0.name }.sorted())
    }
}
