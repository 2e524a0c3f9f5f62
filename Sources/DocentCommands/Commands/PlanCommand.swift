import ArgumentParser
import DocumentClient
import DocumentModel

struct PlanCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Say what would be sent, brought, moved and removed, and what waits: a dry run.",
        discussion: """
            It is told from what is known on this machine: no provider is asked, and nothing is changed. \
            docent refresh looks for changes of the remote first.

            Examples:
              docent plan work:/
              docent plan work:/Reports --json
            """
    )

    @Argument(
        help: "What is there or below, as domain:/path; domain:/ is all of a domain.",
        completion: Completions.locations,
        transform: Arguments.location)
    var location: Location

    @OptionGroup var listing: ListingOptions

    func run(_ client: DocumentClient) async throws {
        let preview = try await client.preview(below: location)
        try listing.show(preview.json, PreviewListing.text(preview, of: location))
    }
}
