import ArgumentParser
import Foundation
import ProviderConformance

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Plays a recorded session again and says where it goes another way.",
        usage: """
            provider-conformance replay FILE [--config FILE] --bundle DIR
            provider-conformance replay FILE [--config FILE] -- PROVIDER [ARG ...]
            provider-conformance replay FILE --as provider
            """,
        discussion: """
            As host, which is the default, it starts a provider, sends what the host sent, and compares the answers. As \
            provider it is started by a host, answers what the provider answered, and compares what the host asks. \
            Recordings come from “run --record DIR” and from the host's own recording of a provider.
            """)

    enum Side: String, ExpressibleByArgument, CaseIterable {
        case host, provider
    }

    @Argument(help: ArgumentHelp("The recording.", valueName: "FILE"))
    var file: String

    @Option(name: .customLong("as"), help: "Which side is played: host or provider.")
    var side = Side.host

    @Option(help: ArgumentHelp("The folder that holds the provider's manifest.", valueName: "DIR"))
    var bundle: String?

    @Option(help: ArgumentHelp("Settings and hooks: a TOML or JSON file.", valueName: "FILE"))
    var config: String?

    @OptionGroup var settings: SettingOptions

    @Argument(help: ArgumentHelp("The provider's program and its arguments.", valueName: "PROVIDER"))
    var provider: [String] = []

    func validate() throws {
        if side == .provider {
            guard bundle == nil, provider.isEmpty else {
                throw ValidationError("As provider there is no provider to name: the host starts this program.")
            }
        } else {
            guard (bundle == nil) != provider.isEmpty else {
                throw ValidationError("As host, say which provider is asked: either --bundle DIR or -- PROVIDER.")
            }
        }
    }

    func run() async throws {
        let runner = try ReplayRunner(file: file)
        let outcome: ReplayRunner.Outcome
        switch side {
        case .provider: outcome = try await runner.replayAsProvider()
        case .host:
            var configuration = try config.map(ConfigurationFile.read) ?? ConformanceConfiguration()
            settings.apply(to: &configuration)
            let folder = config.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path } ?? "."
            let subject = bundle.map(ConformanceSubject.bundle) ?? .command(provider)
            let interruptions = Interruption.stream()
            outcome = try await Interruption.ending(with: interruptions) { [configuration] in
                try await runner.replay(against: subject, configuration: configuration, configurationFolder: folder)
            }
        }
        // Standard output carries frames when the provider is played.
        switch outcome {
        case .same:
            ToolOutput.complain("The session went as it was recorded.")
        case .different(let words):
            ToolOutput.complain(words)
            throw ExitCode(1)
        }
    }
}
