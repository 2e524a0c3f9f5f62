import ArgumentParser
import DocumentClient
import DocumentModel
import Glibc

struct BookmarkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bookmark",
        abstract: "Find documents again, wherever they are by then.",
        discussion: """
            A bookmark finds its document after it was renamed, moved or evicted, also when the host was restarted \
            meanwhile. It is one word; keep it in a file, or in another document.

            Examples:
              docent bookmark create work:/Reports/q3.pdf > q3.bookmark
              docent open "$(docent bookmark resolve - < q3.bookmark)"
            """,
        subcommands: [Create.self, Resolve.self, List.self, Revoke.self]
    )

    struct Create: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a bookmark of a document or a folder, and print it.",
            discussion: """
                It is bound to your own programs, to another tool (--for), or to a document (--relative-to): then \
                whoever may read that document may use the bookmark.
                """
        )

        @Argument(help: "The item, as domain:/path.", completion: Completions.locations, transform: Arguments.location)
        var location: Location

        @Flag(help: "Refuse writes through it.")
        var readOnly = false

        @Option(
            name: .customLong("for"), help: ArgumentHelp("The registered tool that may use it.", valueName: "tool"),
            transform: Arguments.tool)
        var tool: ToolIdentifier?

        @Option(
            help: ArgumentHelp("Bind it to this document.", valueName: "location"), completion: Completions.locations,
            transform: Arguments.location)
        var relativeTo: Location?

        @Option(
            parsing: .unconditional, help: ArgumentHelp("Let it expire after so many days.", valueName: "days"),
            transform: Arguments.number("--days", 0...36_500))
        var days: UInt32?

        func validate() throws {
            if tool != nil, relativeTo != nil {
                throw ValidationError(
                    "A bookmark is bound to a tool or to a document: leave out --for or --relative-to.")
            }
        }

        func run(_ client: DocumentClient) async throws {
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            let expires = days.map { Timestamp(seconds: Int64(now.tv_sec) + Int64($0) * 86_400) }
            let options = BookmarkOptions(
                rights: readOnly ? .readOnly : .readWrite, document: relativeTo, tool: tool, expires: expires)
            try Console.print(try await client.bookmark(of: location, options: options).text)
        }
    }

    struct Resolve: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print where a bookmark's item is now.",
            discussion:
                "Says so on standard error when it has moved since: the bookmark is still good, a new one is better."
        )

        @Argument(help: "The bookmark, or - to read it from standard input.")
        var bookmark: String

        @Option(
            help: ArgumentHelp("The document that it is bound to.", valueName: "location"),
            completion: Completions.locations, transform: Arguments.location)
        var relativeTo: Location?

        @OptionGroup var listing: ListingOptions

        func run(_ client: DocumentClient) async throws {
            let resolved = try await client.resolve(try Arguments.bookmark(bookmark), relativeTo: relativeTo)
            try listing.show(resolved.json, "\(resolved.item.location)\n")
            if resolved.isStale, !listing.json {
                Console.complain("docent: The item has moved since the bookmark was made; make a new one of it.")
            }
        }
    }

    struct List: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the bookmarks, with the numbers to revoke them by.")

        @OptionGroup var listing: ListingOptions

        func run(_ client: DocumentClient) async throws {
            let bookmarks = try await client.bookmarks()
            try listing.show(.array(bookmarks.map(\.json)), BookmarkListing.text(bookmarks))
        }
    }

    struct Revoke: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make bookmarks worthless, for everybody and at once.",
            discussion: "Example: docent bookmark revoke 3f2a9c0d1e4b5a67"
        )

        @Argument(
            help: "Their numbers, as “docent bookmark list” shows them.", transform: Arguments.bookmarkIdentifier)
        var ids: [BookmarkIdentifier]

        func run(_ client: DocumentClient) async throws {
            try await Failures.collect(ids) { try await client.revokeBookmark($0) }
        }
    }
}
