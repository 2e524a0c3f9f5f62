import ArgumentParser
import DocumentClient
import DocumentModel

struct DomainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "domain",
        abstract: "Set up where documents come from.",
        subcommands: [Add.self, List.self, Show.self, SetRules.self, Deletions.self, Remove.self]
    )

    struct Add: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a domain: a provider with settings, under a name of your choice.",
            discussion: """
                “docent provider show ID” tells which settings a provider has. In paths, ~ is your home folder, and \
                what is relative begins at the current folder. What is secret is not written here, where other users see \
                it: write --set key=@FILE for the text of a file, or --set key=- for standard input.

                Example: docent domain add work --provider org.docent.folder --set folder=~/Documents
                """
        )

        @Argument(help: "The domain's name, for locations: name:/path.", transform: Arguments.domain)
        var name: DomainName

        @Option(help: "The provider's identifier.", completion: Completions.providers, transform: Arguments.provider)
        var provider: ProviderIdentifier

        @Option(
            name: .customLong("set"), help: ArgumentHelp("A setting; may be repeated.", valueName: "key=value"),
            transform: Arguments.setting)
        var settings: [Arguments.Setting] = []

        func run(_ client: DocumentClient) async throws {
            var values: [String: String] = [:]
            for setting in settings {
                guard values.updateValue(setting.value, forKey: setting.key) == nil else {
                    throw ValidationError("The setting “\(setting.key)” is given twice: give it once.")
                }
            }
            let description = try await client.provider(provider)
            for setting in description.settings {
                guard let value = values[setting.key] else { continue }
                if setting.type == .path { values[setting.key] = try Arguments.absolutePath(value) }
                if setting.isSecret { values[setting.key] = try SecretInput.value(of: setting.key, written: value) }
            }
            let domain = try await client.addDomain(name, provider: provider, settings: values)
            let next =
                domain.needsSignIn
                ? "is set up and needs a sign-in: docent login \(name)"
                : "is set up: “docent ls \(name):/” shows what is there."
            Console.complain(
                "\(name) \(next)\nWhat \(description.name) may do:\n"
                    + ProviderListing.permissions(of: description), terminator: "")
        }
    }

    struct List: ClientCommand {
        static let configuration = CommandConfiguration(abstract: "List the domains that are set up.")

        @OptionGroup var listing: ListingOptions

        func run(_ client: DocumentClient) async throws {
            let domains = try await client.domains()
            try listing.show(.array(domains.map(\.json)), DomainListing.text(domains))
        }
    }

    struct Remove: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forget a domain, and what of it is here. The remote stays as it is.",
            discussion: "Example: docent domain remove work"
        )

        @Argument(help: "The domain's name.", completion: Completions.domains, transform: Arguments.domain)
        var name: DomainName

        @Flag(help: "Also when there are changes that were not sent. They are lost.")
        var discardUnsent = false

        func run(_ client: DocumentClient) async throws {
            try await client.removeDomain(name, discardUnsent: discardUnsent)
        }
    }
}
