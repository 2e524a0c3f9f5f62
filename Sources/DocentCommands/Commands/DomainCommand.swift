import ArgumentParser
import DocumentClient
import DocumentModel

struct DomainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "domain",
        abstract: "Set up where documents come from.",
        subcommands: [Add.self, List.self, Remove.self]
    )

    struct Add: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a domain: a provider with settings, under a name of your choice.",
            discussion: """
                “docent provider show ID” tells which settings a provider has. In paths, ~ is your home folder, and \
                what is relative begins at the current folder.

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
            for setting in try await client.provider(provider).settings where setting.type == .path {
                if let value = values[setting.key] { values[setting.key] = try Arguments.absolutePath(value) }
            }
            try await client.addDomain(name, provider: provider, settings: values)
            Console.complain("\(name) is set up: “docent ls \(name):/” shows what is there.")
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
