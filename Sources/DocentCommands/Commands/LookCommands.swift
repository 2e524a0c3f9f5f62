import ArgumentParser
import DocumentClient
import DocumentModel
import Glibc
import SystemPackage

struct ListCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List the items of a folder.",
        discussion: """
            The state says where an item stands: placeholder (only its metadata is here), downloading, here, outdated \
            (the remote has newer contents), changed (not sent yet), sending, conflict, name clash.

            Example: docent ls work:/Reports
            """
    )

    @Argument(help: "The folder, as domain:/path.", completion: Completions.locations, transform: Arguments.location)
    var location: Location

    @Flag(help: "Ask the provider again, also when the folder is known.")
    var refresh = false

    @OptionGroup var listing: ListingOptions

    func run(_ client: DocumentClient) async throws {
        if !location.isRoot {
            let item = try await client.item(at: location)
            if item.item.kind == .document {
                return try listing.show(.array([item.json]), ItemListing.text([item], showsTitles: true))
            }
        }
        // Page by page: a folder may have any number of items.
        var page = try await client.itemPage(in: location, refresh: refresh)
        var isFirst = true
        if listing.json { try Console.print("[", terminator: "") }
        while true {
            if listing.json {
                for item in page.items {
                    try Console.print((isFirst ? "\n  " : ",\n  ") + item.json.text(indentation: "  "), terminator: "")
                    isFirst = false
                }
            } else if !page.items.isEmpty {
                try Console.print(ItemListing.text(page.items, showsTitles: isFirst), terminator: "")
                isFirst = false
            }
            guard let next = page.next else { break }
            page = try await client.itemPage(in: location, after: next)
        }
        if listing.json { try Console.print(isFirst ? "]" : "\n]") }
    }
}

struct StatCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "stat",
        abstract: "Show everything that is known of one item.",
        discussion: "Example: docent stat work:/Reports/q3.pdf"
    )

    @Argument(help: "The item, as domain:/path.", completion: Completions.locations, transform: Arguments.location)
    var location: Location

    @OptionGroup var listing: ListingOptions

    func run(_ client: DocumentClient) async throws {
        let item = try await client.item(at: location)
        try listing.show(item.json, ItemListing.details(item))
    }
}

struct CatCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "cat",
        abstract: "Write the contents of documents to standard output.",
        discussion: """
            Downloads what is not here. Nobody writes to a document while it is printed.

            Example: docent cat work:/notes.txt | wc -w
            """
    )

    @Argument(help: "The documents, as domain:/path.", completion: Completions.locations, transform: Arguments.location)
    var locations: [Location]

    func run(_ client: DocumentClient) async throws {
        for location in locations {
            try await whileWaiting(for: location, client) { notice in
                try await client.coordinate(readingItemAt: location, progress: notice.report) { path, item in
                    notice.end()
                    guard item.item.kind == .document else {
                        throw DocumentError(
                            .invalidArgument,
                            "\(location) is a folder, which has no contents of its own: “docent ls \(ShellWord.quoted(location.description))” lists it."
                        )
                    }
                    try Self.copyToOutput(path)
                }
            }
        }
    }

    private static func copyToOutput(_ path: FilePath) throws {
        let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        defer { try? file.close() }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_048_576, alignment: 4_096)
        defer { buffer.deallocate() }
        while true {
            let count = try file.read(into: buffer)
            if count == 0 { return }
            try Console.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}

struct StatusCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show what is where, what is under way, and what is wrong and why.",
        discussion: """
            Told from what is known here: no provider is asked. Of every transfer that is under way it says how far it \
            is and how fast, of every other what it waits for.

            Without a location it is a screen that updates, on a terminal; q ends it.

            Examples:
              docent status
              docent status --plain
              docent status work:/Reports
            """
    )

    @Argument(
        help: "Only this item or folder, as domain:/path.", completion: Completions.locations,
        transform: Arguments.location)
    var location: Location?

    @OptionGroup var listing: ListingOptions

    @Flag(help: "Print it once, also on a terminal.")
    var plain = false

    func run(_ client: DocumentClient) async throws {
        if location == nil, !listing.json, !plain, isatty(STDOUT_FILENO) == 1, let screen = try? TerminalScreen() {
            defer { screen.close() }
            return try await StatusShell(
                client: client, screen: screen,
                leave: { code in
                    screen.giveBack()
                    _exit(code)
                }
            ).run()
        }
        let status = try await client.status(location)
        let coordination = try await client.coordinationStatus()
        try listing.show(
            status.json(with: coordination),
            StatusListing.text(status, of: location) + CoordinationListing.text(coordination))
    }
}
