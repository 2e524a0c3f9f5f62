import ArgumentParser
import DocumentClient
import DocumentModel

struct DownloadCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "download",
        abstract: "Have the contents of documents, or of everything in folders, here.",
        discussion: "Example: docent download work:/Reports"
    )

    @Argument(
        help: "The documents or folders, as domain:/path.", completion: Completions.locations,
        transform: Arguments.location)
    var locations: [Location]

    func run(_ client: DocumentClient) async throws {
        try await Failures.collect(locations) { location in
            try await withProgress("Downloading \(location)") { try await client.download(location, progress: $0) }
        }
    }
}

struct EvictCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "evict",
        abstract: "Leave only placeholders: frees space, and removes nothing on the remote.",
        discussion: """
            Refused for documents that are in use, or have changes that were not sent.

            Example: docent evict work:/Reports
            """
    )

    @Argument(
        help: "The documents or folders, as domain:/path.", completion: Completions.locations,
        transform: Arguments.location)
    var locations: [Location]

    func run(_ client: DocumentClient) async throws {
        try await Failures.collect(locations) { location in
            let eviction = try await client.evict(location)
            let documents = Words.count(eviction.documents, "document", "documents")
            Console.complain("\(location): \(documents) evicted, \(Words.size(eviction.bytes)) freed.")
        }
    }
}

struct RefreshCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Look for changes of the remote now.",
        discussion: "Providers that tell of changes by themselves do not need it.\n\nExample: docent refresh work:/"
    )

    @Argument(
        help: "The folder or document, as domain:/path.", completion: Completions.locations,
        transform: Arguments.location)
    var location: Location

    func run(_ client: DocumentClient) async throws {
        try await client.refresh(location)
    }
}

struct ResolveCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "End a conflict: choose which contents a document keeps.",
        discussion: """
            A document that was changed here and on the remote keeps both contents until you choose.

            Examples:
              docent resolve work:/notes.txt --keep local    yours; they are sent
              docent resolve work:/notes.txt --keep remote   the other side's
              docent resolve work:/notes.txt --keep both     yours become a new document beside it
            """
    )

    @Argument(help: "The document, as domain:/path.", completion: Completions.locations, transform: Arguments.location)
    var location: Location

    @Option(
        help: ArgumentHelp("local, remote or both.", valueName: "side"), transform: Arguments.resolution)
    var keep: ConflictResolution

    func run(_ client: DocumentClient) async throws {
        try await client.resolveConflict(at: location, keeping: keep)
        if keep != .remote { try await client.waitUntilSentAndTell(location) }
    }
}
