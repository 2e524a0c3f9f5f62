import ArgumentParser
import ProviderConformance

struct RunHostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run-host", abstract: "Attacks a host with misbehaving providers and tools, and judges it.",
        discussion: """
            The host is docentd beside this program, or any command that serves docent.service.v1: it is started with
            DOCENT_ROOT, XDG_RUNTIME_DIR and DOCENT_PROVIDER_PATH of a temporary machine, and has to stay until it is
            told to stop. Write the command after “--host”, as the last option: provider-conformance run-host --host
            my-host --flag
            """)

    @Option(
        name: .customLong("check"),
        help: ArgumentHelp("Only attacks with this id; * stands for any text. May be repeated.", valueName: "ID"))
    var checks: [String] = []

    @Option(help: "How many attacks are under way at once.")
    var width = 12

    @Option(help: "How often each attack is carried out.")
    var rounds = 1

    @Option(
        help:
            "How much more time than usual to give the machine, beside the deadlines of the calls, when it has much else to do."
    )
    var patience = 1.0

    @OptionGroup var output: ReportOptions

    @Option(parsing: .remaining, help: ArgumentHelp("The host and its arguments.", valueName: "COMMAND"))
    var host: [String] = []

    func validate() throws {
        guard (1...256).contains(width), (1...100_000).contains(rounds), (0.1...100).contains(patience) else {
            throw ValidationError("--width goes from 1 to 256, --rounds from 1 to 100000, --patience from 0.1 to 100.")
        }
    }

    func run() async throws {
        var runner = AttackRunner(host: host, selection: CheckSelection(patterns: checks))
        runner.width = width
        runner.rounds = rounds
        runner.patience = patience
        try output.prepare()
        let output = output
        runner.interruptions = Interruption.stream()
        let list = try output.expected.map { try ExpectedFailures.read($0) }
        var report = try await runner.run { output.show($0) }
        if let list { report.expectations = list.review(report, known: AttackRunner.descriptions.map(\.id)) }
        try output.finish(report)
        throw ExitCode(report.exitStatus)
    }
}
