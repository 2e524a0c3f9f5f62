import ArgumentParser
import DocumentClient
import DocumentModel

struct VersionsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions",
        abstract: "List the contents that a document has and had.",
        discussion: """
            current: what the document is; of a conflict, the side that wins on every machine. conflict: the other side. \
            base: what changes began from that were not sent yet. older: what was here before. remote: what the remote \
            has, and the document here has neither become nor begun from.

            --fetch brings that beside the document, also while it is paused; restore puts it in its place. --remove is for \
            good. One side of a conflict that is removed leaves the other one, as docent resolve does it.

            Example: docent versions work:/notes.txt
            Example: docent versions work:/notes.txt --remove 4f1c09ab
            """
    )

    @Argument(help: "The document, as domain:/path.", completion: Completions.locations, transform: Arguments.location)
    var location: Location

    @Flag(help: "Ask the remote, and bring what it has.")
    var fetch = false

    @Option(help: ArgumentHelp("Remove this version. May be given several times.", valueName: "version"))
    var remove: [String] = []

    @Flag(help: "Remove all older versions.")
    var removeOthers = false

    @OptionGroup var listing: ListingOptions

    func validate() throws {
        guard remove.isEmpty || !removeOthers else {
            throw ValidationError("Give either --remove or --remove-others.")
        }
        guard !fetch || remove.isEmpty && !removeOthers else {
            throw ValidationError("With --fetch nothing is removed.")
        }
    }

    func run(_ client: DocumentClient) async throws {
        if removeOthers { return try await client.removeOtherVersions(of: location) }
        guard remove.isEmpty else { return try await client.removeVersions(remove, of: location) }
        if fetch {
            _ = try await withProgress("Fetching \(location)") {
                try await client.fetchRemoteVersion(of: location, progress: $0)
            }
        }
        let versions = try await client.versions(of: location)
        try listing.show(.array(versions.map(\.json)), VersionListing.text(versions))
    }
}

struct RestoreCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put a version's contents back in a document's place.",
        discussion: """
            What is there now is kept as a version, and the change is sent.

            Example: docent restore work:/notes.txt 4f1c09ab
            """
    )

    @Argument(help: "The document, as domain:/path.", completion: Completions.locations, transform: Arguments.location)
    var location: Location

    @Argument(help: "The version, as “docent versions” shows it.")
    var version: String

    func run(_ client: DocumentClient) async throws {
        try await client.restore(version, of: location)
        try await client.waitUntilSentAndTell(location)
    }
}

struct ConflictsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "List the documents that were changed on both sides, with both contents.",
        discussion: "Example: docent conflicts work:/"
    )

    @Argument(
        help: "Only what is there or below, as domain:/path.", completion: Completions.locations,
        transform: Arguments.location)
    var location: Location?

    @OptionGroup var listing: ListingOptions

    func run(_ client: DocumentClient) async throws {
        var conflicts: [(ItemStatus, [DocumentVersion])] = []
        for item in try await client.status(location).items where item.state == .conflict {
            conflicts.append((item, try await client.versions(of: item.location)))
        }
        let json = JSON.array(
            conflicts.map { item, versions in
                .object([("item", item.json), ("versions", .array(versions.map(\.json)))])
            })
        try listing.show(json, VersionListing.text(ofConflicts: conflicts))
    }
}
