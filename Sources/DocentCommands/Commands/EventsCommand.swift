import ArgumentParser
import DocumentClient
import DocumentModel

struct EventsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Print what happens to items as it happens, a line each, until it is interrupted.",
        discussion: """
            An item that changes quickly is told of once for all of it. “lost” means that more may have happened than is \
            told, because it was too much or the host was started anew: look at everything anew. When the host has ended, \
            the next one is waited for for a minute.

            Examples:
              docent events
              docent events work:/Reports --json | jq -r .location
            """
    )

    @Argument(
        help: "Only what happens at and below this item, as domain:/path.", completion: Completions.locations,
        transform: Arguments.location)
    var location: Location?

    @Flag(help: "Print a JSON object a line instead of text for people.")
    var json = false

    func run(_ client: DocumentClient) async throws {
        for try await event in try await client.changes(below: location) {
            try Console.print(json ? event.json.line : EventListing.line(event))
        }
    }
}
