import DocumentTestSupport
import SystemPackage
import Testing

@testable import MistakenProvider

@Suite("Misbehaving hosts, which judge providers", .timeLimit(.minutes(5)))
struct MisbehavingHostTests {
    /// Providers that stand all of them.
    enum Subject: String, CaseIterable, Sendable {
        case greeting, memory, folder, python, fixture

        var identifier: String {
            switch self {
            case .greeting: "org.example.greeting"
            case .memory: "org.example.memory"
            case .folder: "org.docent.folder"
            case .python: "org.example.memory-python"
            case .fixture: "org.docent.fixture.mistaken"
            }
        }

        var program: String {
            get throws {
                switch self {
                case .greeting: try BuiltProducts.executable("GreetingProvider").string
                case .memory: try BuiltProducts.executable("MemoryProvider").string
                case .folder: try BuiltProducts.executable("FolderProvider").string
                case .python:
                    try BuiltProducts.packageFolder().appending("Examples/memory-provider-python/memory-provider")
                        .string
                case .fixture: try BuiltProducts.executable("MistakenProvider").string
                }
            }
        }

        /// What cannot be tried with it.
        var untried: Set<String> { self == .greeting ? ["host-repeats-its-changes"] : [] }
    }

    @Test("§9: our providers stand every misbehaving host", arguments: TestShare.of(Subject.allCases))
    func stands(subject: Subject) async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        try TemporaryFile.write("Welcome.\n", to: folder.appending("Welcome.txt"))
        let settings = subject == .folder ? ["folder=\(folder)"] : []
        for behaviour in try await Self.behaviours() {
            let run = try await Self.run(behaviour, subject, settings: settings)
            if subject.untried.contains(behaviour) {
                #expect(run.status == 2, "\(behaviour): \(run)")
            } else {
                #expect(run.output == "passed: \(behaviour)\n" && run.status == 0, "\(behaviour): \(run)")
            }
        }
    }

    @Test("§10.12: every misbehaving host finds a provider that does not stand it")
    func finds() async throws {
        #expect(Set(try await Self.behaviours()) == Set(HostMistakes.finders.keys))
        let pairs = HostMistakes.finders.sorted { $0.key < $1.key }.flatMap { host in host.value.map { (host.key, $0) }
        }
        // They wait more than they work.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, (behaviour, mistake)) in pairs.enumerated() {
                if number >= 6 { try await group.next() }
                group.addTask {
                    let run = try await Self.run(
                        behaviour, .fixture, settings: ["mistake=\(mistake)"], arguments: [mistake.rawValue])
                    #expect(
                        run.status == 1 && run.output.hasPrefix("failed: \(behaviour): "),
                        "\(mistake) is not found by \(behaviour): \(run)")
                }
            }
            try await group.waitForAll()
        }
    }

    private static func behaviours() async throws -> [String] {
        try await ToolRun.of("misbehaving-peer", ["list", "--names"]).output.split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("host-") }
    }

    private static func run(
        _ behaviour: String, _ subject: Subject, settings: [String] = [], arguments: [String] = []
    ) async throws -> ToolRun {
        let words = ["host", behaviour, "--id", subject.identifier] + settings.flatMap { ["--set", $0] }
        return try await ToolRun.of("misbehaving-peer", words + ["--", try subject.program] + arguments)
    }
}
