import DocumentModel
import DocumentTestSupport
import ProviderConformance
import SystemPackage

/// A run of some checks against a provider that was built with the tests.
enum ConformanceFixture {
    /// The folder of a bundle, made for the test.
    ///
    /// - Parameter arguments: of the provider's program.
    static func withBundle<Result>(
        _ name: String, source: String, arguments: [String] = [], _ body: (String) async throws -> Result
    ) async throws -> Result {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let manifest = try TemporaryFile.read(
            BuiltProducts.packageFolder().appending(source).appending("provider.toml"))
        let executable = try BuiltProducts.executable(name).string
        let words = arguments.map { "\"\($0)\"" }.joined(separator: ", ")
        try TemporaryFile.write(
            manifest.replacing(
                "executable = \"\(name)\"", with: "executable = \"\(executable)\"\narguments = [\(words)]"),
            to: folder.appending("provider.toml"))
        return try await body(folder.string)
    }

    static func runner(
        _ subject: ConformanceSubject, _ configuration: ConformanceConfiguration = ConformanceConfiguration(),
        checks: [ConformanceCheck]? = nil, mutating: Bool = false
    ) throws -> ConformanceRunner {
        var runner = ConformanceRunner(
            subject: subject, configuration: configuration, selection: CheckSelection(mayMutate: mutating))
        runner.trampoline = try BuiltProducts.executable("docent-trampoline").string
        if let checks { runner.checks = checks }
        return runner
    }

    /// A run of some checks against MemoryProvider.
    static func run(
        _ checks: [ConformanceCheck], _ change: (inout ConformanceRunner) -> Void = { _ in }
    ) async throws -> ConformanceRunner.Run {
        try await withBundle("MemoryProvider", source: "Examples/MemoryProvider") { bundle in
            var runner = try runner(.bundle(bundle), checks: checks)
            change(&runner)
            return try await runner.run()
        }
    }

    /// A check for a test.
    static func check(
        _ number: Int, _ level: CheckLevel = .must, needs: [ProviderCapability] = [], mutates: Bool = false,
        limit: Duration = .seconds(10), body: @escaping @Sendable (CheckContext) async throws -> Void
    ) -> ConformanceCheck {
        ConformanceCheck(
            "PC-TEST-00\(number)", level, "A rule of a test", rule: .rule("TEST-\(number)"), needs: needs,
            mutates: mutates, limit: limit, body: body)
    }
}
