import ArgumentParser
import DocumentClient
import DocumentModel

struct ProviderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider",
        abstract: "Show which providers are installed, what each can do, and how it is; begin one of your own.",
        subcommands: [List.self, Show.self, Restart.self, Record.self, NewProviderCommand.self]
    )

    struct List: ClientCommand {
        static let configuration = CommandConfiguration(abstract: "List the providers that are installed.")

        @OptionGroup var listing: ListingOptions

        func run(_ client: DocumentClient) async throws {
            let installed = try await client.providers()
            let domains = try await client.domains()
            try listing.show(installed.json, ProviderListing.text(installed, domains: domains))
        }
    }

    struct Show: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show one provider: what it can do, what it may do, its settings, and how its last failure went.",
            discussion: """
                Examples:
                  docent provider show org.docent.folder
                  docent provider show org.docent.folder --last-failure
                """
        )

        @Argument(help: "The provider's identifier.", completion: Completions.providers, transform: Arguments.provider)
        var id: ProviderIdentifier

        @Flag(help: "Show what is known of its last failure instead.")
        var lastFailure = false

        @Option(
            help: "With --last-failure: of this domain only.", completion: Completions.domains,
            transform: Arguments.domain)
        var domain: DomainName?

        @OptionGroup var listing: ListingOptions

        func run(_ client: DocumentClient) async throws {
            if lastFailure {
                let failure = try await client.lastFailure(of: id, domain: domain)
                if listing.json { return try Console.print(failure?.json ?? "null") }
                let text = failure.map { FailureListing.text($0.record, path: $0.path) }
                return try Console.print(text ?? "No failure of \(id) is on record.\n", terminator: "")
            }
            let provider = try await client.provider(id)
            let domains = try await client.domains().filter { $0.providerID == id }
            try listing.show(provider.json, ProviderListing.details(provider, domains: domains))
        }
    }

    struct Restart: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Start a provider anew at its next use, also one that was given up.",
            discussion: """
                Its past deaths are forgotten and its bundle is read again. What it does just now is finished first.

                Example: docent provider restart org.docent.folder
                """
        )

        @Argument(help: "The provider's identifier.", completion: Completions.providers, transform: Arguments.provider)
        var id: ProviderIdentifier

        @Option(help: "For this domain only.", completion: Completions.domains, transform: Arguments.domain)
        var domain: DomainName?

        func run(_ client: DocumentClient) async throws {
            try await client.restartProvider(id, domain: domain)
        }
    }

    struct Record: ClientCommand {
        enum Switch: String, ExpressibleByArgument, CaseIterable, Sendable {
            case on, off
        }

        static let configuration = CommandConfiguration(
            abstract: "Record the traffic with a provider in files, or stop that.",
            discussion: """
                Prints where the recordings are. Settings are blanked out in them, and what documents are called is not.
                “provider-conformance replay FILE” plays one. The last five of a domain are kept, of 64 MB at most.

                Example: docent provider record org.docent.folder on
                """
        )

        @Argument(help: "The provider's identifier.", completion: Completions.providers, transform: Arguments.provider)
        var id: ProviderIdentifier

        @Argument(help: "on or off.")
        var state: Switch

        @Option(help: "For this domain only.", completion: Completions.domains, transform: Arguments.domain)
        var domain: DomainName?

        func run(_ client: DocumentClient) async throws {
            let folders = try await client.recordProvider(id, domain: domain, isOn: state == .on)
            for folder in folders { try Console.print(folder) }
            // What is recorded is of a domain.
            guard folders.isEmpty, state == .on else { return }
            throw DocumentError(
                .notConfigured,
                "The provider \(id) has no domain, so nothing is recorded. Add one with “docent domain add NAME --provider \(id)”, and say this again."
            )
        }
    }
}
