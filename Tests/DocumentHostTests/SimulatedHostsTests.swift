import DocumentTestSupport
import SystemPackage
import Testing

/// Whole hosts in virtual time, in a program of its own; scripts/simulate-hosts runs many more seeds.
@Suite(.serialized, .timeLimit(.minutes(6))) struct SimulatedHostsTests {
    private func simulate(_ arguments: String...) async throws -> Int32? {
        try await ChildProcess.with(
            try BuiltProducts.executable("docent-simulate-hosts"), arguments: arguments, environment: [:]
        ) { try await $0.exitStatus(within: .seconds(300)) }
    }

    @Test("INV-1, INV-2, INV-3: hosts that die and fill their disks lose nothing, and agree in the end")
    func seeds() async throws {
        #expect(try await simulate("--seeds", "6") == 0)
    }

    @Test("INV-2, INV-3: where answers are lost and names go round all the time, hosts agree in the end, too")
    func lossySeeds() async throws {
        #expect(try await simulate("--seeds", "4", "--lossy") == 0)
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

    @Test(
        "What hosts, disks and providers can do wrong is seen, each at a seed of its own",
        arguments: [
            ("skipsFlushes", 4), ("ignoresBases", 0), ("forgetsDeletions", 0), ("vouchesForNothing", 88),
            ("repeatsOperations", 1), ("forgetsPins", 3), ("dropsTrash", 71), ("dropsVersions", 44), ("prefersOwn", 8),
            ("forgetsSides", 2), ("mixesParts", 36),
        ])
    func mistake(_ name: String, seed: Int) async throws {
        #expect(try await simulate("--one", "--show", "\(seed)", "--mistake", name) == 2)
    }
}
