import ArgumentParser
import Foundation
import ProviderConformance

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Checks a provider.",
        usage: """
            provider-conformance run [options] --bundle DIR
            provider-conformance run [options] -- PROVIDER [ARG ...]
            """)

    @Option(help: ArgumentHelp("The folder that holds the provider's manifest.", valueName: "DIR"))
    var bundle: String?

    @Option(help: ArgumentHelp("Settings, data, hooks: a TOML or JSON file.", valueName: "FILE"))
    var config: String?

    @OptionGroup var settings: SettingOptions

    @Option(
        name: .customLong("check"),
        help: ArgumentHelp("Only checks with this id; * stands for any text. May be repeated.", valueName: "ID"))
    var checks: [String] = []

    @Flag(help: "Allow checks that change documents, in a folder of their own that is removed afterwards.")
    var mutating = false

    @Flag(help: "A failed SHOULD is a failure too.")
    var strict = false

    @Option(
        help: "How many times longer than configured everything may take, when the machine has much else to do."
    )
    var patience = 1.0

    @OptionGroup var output: ReportOptions

    @Flag(help: "Make the list of expected failures what came of this run.")
    var rewriteExpected = false

    @Option(help: ArgumentHelp("Record every session, one file each, to be replayed.", valueName: "DIR"))
    var record: String?

    @Argument(help: ArgumentHelp("The provider's program and its arguments.", valueName: "PROVIDER"))
    var provider: [String] = []

    func validate() throws {
        guard (bundle == nil) != provider.isEmpty else {
            throw ValidationError("Say either --bundle DIR or -- PROVIDER.")
        }
        guard (0.1...100).contains(patience) else {
            throw ValidationError("--patience goes from 0.1 to 100.")
        }
    }

    func run() async throws {
        var configuration = try config.map(ConfigurationFile.read) ?? ConformanceConfiguration()
        configuration.limits.scale(by: patience)
        settings.apply(to: &configuration)
        let folder = config.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path } ?? "."
        let listPath =
            output.expected
            ?? configuration.expectedFailures.map {
                URL(fileURLWithPath: $0, relativeTo: URL(fileURLWithPath: folder)).path
            }
        guard !rewriteExpected || listPath != nil else {
            throw ValidationError("Say with --expected FILE which list is to be rewritten.")
        }
        let list = try listPath.map { path in
            rewriteExpected && !FileManager.default.fileExists(atPath: path)
                ? ExpectedFailures() : try ExpectedFailures.read(path)
        }
        var runner = ConformanceRunner(
            subject: bundle.map(ConformanceSubject.bundle) ?? .command(provider), configuration: configuration,
            configurationFolder: folder, selection: CheckSelection(patterns: checks, mayMutate: mutating))
        runner.isStrict = strict
        runner.keepsRecords = record != nil
        try output.prepare()
        if let record { try prepare(record) }
        runner.interruptions = Interruption.stream()
        let output = output
        var run = try await runner.run { output.show($0) }
        if let list {
            if rewriteExpected, let listPath {
                try ToolOutput.write(try list.rewritten(for: run.report).text, to: listPath)
                run.report.expectations = try ExpectedFailures.read(listPath).review(
                    run.report, known: runner.checks.map(\.id))
            } else {
                run.report.expectations = list.review(run.report, known: runner.checks.map(\.id))
            }
        }
        try output.finish(run.report)
        if let record { try write(run.records, to: record) }
        throw ExitCode(run.report.exitStatus)
    }

    /// Before anything runs that would be lost.
    private func prepare(_ folder: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw ConformanceUsageError(
                "The folder “\(folder)” cannot be made: \(ConfigurationFile.words(forWriting: folder)).")
        }
        guard FileManager.default.isWritableFile(atPath: folder) else {
            throw ConformanceUsageError("The folder “\(folder)” cannot be written: choose another for the recordings.")
        }
    }

    private func write(_ records: [ConformanceRunner.Recording], to folder: String) throws {
        for record in records { try ToolOutput.write(record.text, to: "\(folder)/\(record.name)") }
    }
}
