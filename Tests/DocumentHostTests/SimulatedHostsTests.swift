import DocumentTestSupport
import SystemPackage
import Testing

/// Whole hosts in virtual time, in a program of its own; scripts/simulate-hosts runs many more seeds.
@Suite(.serialized, .timeLimit(.minutes(6))) struct SimulatedHostsTests {
    private func simulate(_ arguments: String...) async throws -> (status: Int32?, output: String) {
        try await simulate(arguments)
    }

    private func simulate(_ arguments: [String]) async throws -> (status: Int32?, output: String) {
        try await ChildProcess.with(
            try BuiltProducts.executable("docent-simulate-hosts"), arguments: arguments, environment: [:]
        ) { child in
            // What it prints is little, and waits in the pipe.
            let status = try await child.exitStatus(within: .seconds(300))
            return (status, status == nil ? "" : try Self.text(child.standardOutput))
        }
    }

    private static func text(_ output: FileDescriptor) throws -> String {
        var (all, buffer): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: 4096))
        while true {
            let count = try buffer.withUnsafeMutableBytes { try output.read(into: $0) }
            guard count > 0 else { return String(decoding: all, as: UTF8.self) }
            all += buffer[..<count]
        }
    }

    private static let firstSeeds = 6

    @Test("INV-1, INV-2, INV-3: hosts that die and fill their disks lose nothing, and agree in the end")
    func seeds() async throws {
        #expect(try await simulate("--seeds", "\(Self.firstSeeds)").status == 0)
        // A document could not be made, and was back after a power failure.
        #expect(try await simulate("--seeds", "1", "--from", "25").status == 0)
    }

    @Test("INV-2, INV-3: where answers are lost and names go round all the time, hosts agree in the end, too")
    func lossySeeds() async throws {
        #expect(try await simulate("--seeds", "4", "--lossy").status == 0)
        // The copy that keeps both sides of a conflict was made, and the answer was lost.
        #expect(try await simulate("--seeds", "1", "--from", "58", "--lossy").status == 0)
    }

    @Test("SIM-3, SIM-4: a seed is the same run in another process, down to the order of all changes of files")
    func replay() async throws {
        let first = try await simulate("--one", "--show", "3")
        let again = try await simulate("--one", "--show", "3")
        // It ends with a digest of all that was done.
        #expect(first.output.contains("changes of files") && first.output.contains("trace "))
        #expect(again.output == first.output)
        #expect(try await simulate("--one", "--show", "2").output != first.output)
    }

    @Test("What a run that was killed has left neither fails the next one nor counts as something that it found")
    func leftovers() async throws {
        let program = try BuiltProducts.executable("docent-simulate-hosts")
        let script = "f=/dev/shm/docent-simulation-$((10000000 + $$)); mkdir -p $f/bundle && exec \"$0\" --one --show 0"
        let status = try await ChildProcess.with(
            FilePath("/bin/sh"), arguments: ["-c", script, program.string], environment: [:]
        ) { try await $0.exitStatus(within: .seconds(300)) }
        #expect(status == 0)
    }

    private static let mistakes = [
        ("skipsFlushes", 2, "are lost"), ("repeatsOperations", 0, "is made twice"), ("ignoresBases", 0, "are lost"),
        ("deletesAnyVersion", 8, "are lost"), ("forgetsDeletions", 3, "which is gone"),
        ("forgetsPages", 2, "the winner"), ("forgetsChanges", 46, "which is gone"),
        ("vouchesForNothing", 4, "are lost"), ("forgetsPins", 3, "has forgotten that"),
        ("dropsTrash", 4, "into the trash, and they are not there"), ("dropsVersions", 44, "are no version of it"),
        ("prefersOwn", 2, "the winner"), ("forgetsSides", 2, "has not given the remote its side of"),
        ("mixesParts", 36, "came damaged"), ("losesMessages", 3, "is not told of"),
        ("hidesLikeNames", 27, "tells nothing of"), ("flushesNoStaging", 8, "sends nothing as contents"),
        ("flushesNoDocuments", 2, "sends nothing as contents"), ("flushesNoIndex", 0, "cannot be opened"),
        ("comparesNoDigests", 4, "are lost"), ("evictsUnasked", 0, "has not asked whether the remote has it"),
        ("trustsListings", 76, "which nobody has removed"),
    ]

    @Test(
        "What hosts, disks and providers can do wrong is seen, each at a seed of its own",
        arguments: TestShare.of(mistakes))
    func mistake(_ name: String, seed: Int, complaint: String) async throws {
        let found = try await simulate("--one", "--show", "\(seed)", "--mistake", name)
        #expect(found.status == 2)
        #expect(found.output.contains(complaint))
    }

    /// Those of the first seeds do, as the other tests have it; one is looked for where answers are lost.
    private static let further = Set(mistakes.map { (_, seed, _) in seed }).filter { $0 >= firstSeeds }.sorted()

    @Test("The seeds at which mistakes are seen hold without them", arguments: TestShare.of(further))
    func withoutMistake(seed: Int) async throws {
        #expect(try await simulate("--one", "--show", "\(seed)").status == 0)
    }

    @Test("Of a run that fails as little is shown as it fails with, in the same way")
    func shrinking() async throws {
        let (seed, mistake) = ("3", "forgetsDeletions")
        let found = try await simulate("--seeds", "1", "--from", seed, "--mistake", mistake)
        #expect(found.status == 1)
        let lines = found.output.split(separator: "\n")
        #expect(lines.first?.contains("which is gone") == true)
        // One step is enough to have something to delete.
        #expect(lines.filter { $0.contains(" ms: m") && $0.hasPrefix("  ") }.count == 1)
        let without = try #require(lines.last?.split(separator: "\"").dropFirst().first)
        let again = try await simulate("--one", "--show", seed, "--mistake", mistake, "--without", String(without))
        #expect(again.status == 2)
        #expect(again.output.contains("which is gone"))
    }
}
