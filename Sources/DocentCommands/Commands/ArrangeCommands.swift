import ArgumentParser
import DocumentClient
import DocumentModel

struct MakeFolderCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "mkdir",
        abstract: "Make a folder.",
        discussion: "Example: docent mkdir work:/Reports/2026"
    )

    @Argument(
        help: "The new folder, as domain:/path.", completion: Completions.locations, transform: Arguments.location)
    var location: Location

    func run(_ client: DocumentClient) async throws {
        do throws(DocumentError) {
            try await client.makeFolder(at: location)
        } catch {
            guard error.code == .destinationExists || error.code == .nameCollision else { throw error }
            throw DocumentError(error.code, "\(location) exists already: choose another name.", causes: error.causes)
        }
    }
}

struct RenameCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Give an item another name, or another folder of its domain.",
        discussion: """
            Examples:
              docent rename work:/q3.pdf q4.pdf
              docent rename work:/q3.pdf work:/Reports/q3.pdf
            """
    )

    @Argument(help: "The item, as domain:/path.", completion: Completions.locations, transform: Arguments.location)
    var location: Location

    @Argument(help: "Its new name, or its new location.")
    var destination: String

    @Flag(
        name: .customLong("no-wait"),
        help: "Rename it here at once, and on the remote as soon as it can be reached.")
    var isAtOnce = false

    func run(_ client: DocumentClient) async throws {
        guard let folder = location.parent else {
            throw ValidationError("\(location) is a domain's top folder, which has no name: name an item in it.")
        }
        // A name has no slash, so there is no doubt.
        let isLocation = destination.contains(":/")
        let new =
            isLocation ? try Arguments.location(destination) : folder.appending(try Arguments.name(destination))
        guard new.domain == location.domain else {
            throw ValidationError(
                "\(location) cannot be renamed into another domain: use “docent import” and “docent export”.")
        }
        try await client.rename(itemAt: location, to: new, atOnce: isAtOnce)
    }
}

struct RemoveCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove items, here and on the remote.",
        discussion: """
            To free space only, use “docent evict”.

            Examples:
              docent rm work:/old.txt
              docent rm -r work:/Old --dry-run     what would go, as far as it is known here
            """
    )

    @Argument(help: "The items, as domain:/path.", completion: Completions.locations, transform: Arguments.location)
    var locations: [Location]

    @Flag(name: .shortAndLong, help: "Also folders that are not empty.")
    var recursive = false

    @Flag(help: "Also what has changes that were not sent. They are lost.")
    var discardUnsent = false

    @Flag(
        name: .customLong("no-wait"),
        help: "Remove documents and empty folders here at once, and on the remote as soon as it can be reached.")
    var isAtOnce = false

    @Flag(
        name: .customLong("dry-run"), help: "Remove nothing; say what would go, and whether it would wait for your yes."
    )
    var isDryRun = false

    @Flag(help: "With --dry-run: print one JSON document instead of text for people.")
    var json = false

    func validate() throws {
        if json, !isDryRun { throw ValidationError("--json is for --dry-run.") }
        if recursive, isAtOnce { throw ValidationError("--recursive waits for the remote; leave out --no-wait.") }
    }

    func run(_ client: DocumentClient) async throws {
        guard !isDryRun else { return try await preview(client) }
        try await Failures.collect(locations) {
            try await client.remove(
                itemAt: $0, recursive: recursive, discardUnsent: discardUnsent, atOnce: isAtOnce)
        }
    }

    private func preview(_ client: DocumentClient) async throws {
        var previews: [RemovalPreview] = []
        for location in locations {
            previews.append(
                try await client.previewRemoval(of: location, recursive: recursive, discardUnsent: discardUnsent))
        }
        var listing = ListingOptions()
        listing.json = json
        try listing.show(.array(previews.map(\.json)), previews.map { PreviewListing.text($0) }.joined())
    }
}
