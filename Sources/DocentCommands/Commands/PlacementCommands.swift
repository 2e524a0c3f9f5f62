import ArgumentParser
import DocumentClient
import DocumentModel
import SystemPackage

struct DownloadCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "download",
        abstract: "Have the contents of documents, or of everything in folders, here.",
        discussion: """
            Ctrl-C gives a download up; when the terminal is closed instead, it goes on in the background.

            Examples:
              docent download work:/Reports
              docent download work:/Reports --background
            """
    )

    @Flag(help: "Return at once; they come in the background.")
    var background = false

    @Argument(
        help: "The documents or folders, as domain:/path.", completion: Completions.locations,
        transform: Arguments.location)
    var locations: [Location]

    func run(_ client: DocumentClient) async throws {
        try await Failures.collect(locations) { location in
            if background { return try await client.startDownloading(location) }
            try await whileWaiting(for: location, client) { notice in
                try await client.download(location, progress: notice.report)
            }
        }
    }
}

struct EvictCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "evict",
        abstract: "Leave only placeholders: frees space, and removes nothing on the remote.",
        discussion: """
            Refused for documents that are in use, are pinned or excluded, or have changes that were not sent.

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
            A document that was changed here and on the remote keeps both contents until you choose. Of one that is in conflict \
            on another device, and whose other side the remote keeps, local is what the document is, and remote the other side.

            Examples:
              docent resolve work:/notes.txt --keep local    yours; they are sent
              docent resolve work:/notes.txt --keep remote   the other side's
              docent resolve work:/notes.txt --keep both     yours become a new document beside it
              docent resolve work:/notes.txt --as mine.txt   the same, under that name
              docent resolve work:/notes.txt --merge         both, as git merges them, where that is clear
              docent resolve work:/data.json --merge --into new.json    only to look at: nothing is changed

            docent conflicts shows both contents, and what they began from. All types are merged by lines, \
            but for those that you have named a program for, in $XDG_CONFIG_HOME/docent/merge-programs (docs/merging.md).
            """
    )

    @Argument(help: "The document, as domain:/path.", completion: Completions.locations, transform: Arguments.location)
    var location: Location

    @Option(
        help: ArgumentHelp("local, remote or both.", valueName: "side"), transform: Arguments.resolution)
    var keep: ConflictResolution?

    @Option(
        name: .customLong("as"), help: ArgumentHelp("What yours are called, with both kept.", valueName: "name"),
        transform: Arguments.name)
    var name: ItemName?

    @Flag(
        help:
            "Merge both contents, by lines or with your program for the type; nothing is changed where that is not clear."
    )
    var merge = false

    @Option(
        help: ArgumentHelp("With --merge: write the result to this new file, and change nothing.", valueName: "file"),
        completion: .file())
    var into: String?

    func validate() throws {
        if merge, keep != nil || name != nil {
            throw ValidationError("With --merge nothing else is chosen.")
        }
        if into != nil, !merge { throw ValidationError("--into says where the result of --merge goes.") }
        if name != nil, keep ?? .both != .both {
            throw ValidationError("--as names the document that is made with --keep both.")
        }
        if !merge, keep == nil, name == nil {
            throw ValidationError("Choose: --keep local, remote or both, --as NAME, or --merge.")
        }
    }

    func run(_ client: DocumentClient) async throws {
        if merge {
            try await ConflictMerge(location: location, into: into.map { FilePath($0) }).run(client)
            return into == nil ? try await client.waitUntilSentAndTell(location) : ()
        }
        // Once more is harmless (VER-11).
        let item = try await client.item(at: location)
        guard item.state == .conflict || item.item.conflictVersions > 0 else {
            return Console.complain("\(location) is not in conflict: there is nothing to choose.")
        }
        let keep = keep ?? .both
        try await client.resolveConflict(at: location, keeping: keep, as: name)
        // Another device's side is put in place as a change that is sent.
        guard keep == .remote, item.state == .conflict else { return try await client.waitUntilSentAndTell(location) }
        Console.complain(
            "The conflict of \(location) is over: it is what the remote has. What it was before is among its versions: docent versions \(ShellWord.quoted(location.description))."
        )
    }
}
