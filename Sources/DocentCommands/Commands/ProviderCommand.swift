import ArgumentParser
import DocumentClient
import DocumentModel

struct ProviderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider",
        abstract: "Show which providers are installed, and what each can do.",
        subcommands: [List.self, Show.self]
    )

    struct List: ClientCommand {
        static let configuration = CommandConfiguration(abstract: "List the providers that are installed.")

        @OptionGroup var listing: ListingOptions

        func run(_ client: DocumentClient) async throws {
            let installed = try await client.providers()
            try listing.show(installed.json, ProviderListing.text(installed))
        }
    }

    struct Show: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show one provider: what it can do, what it may do, and its settings.",
            discussion: "Example: docent provider show org.docent.folder"
        )

        @Argument(help: "The provider's identifier.", completion: Completions.providers, transform: Arguments.provider)
        var id: ProviderIdentifier

        @OptionGroup var listing: ListingOptions

        func run(_ client: DocumentClient) async throws {
            let provider = try await client.provider(id)
            try listing.show(provider.json, ProviderListing.details(provider))
        }
    }
}
