import ArgumentParser
import DocumentClient
import DocumentModel
import Glibc

struct TrashCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trash",
        abstract: "Show and bring back what was here when it was removed.",
        discussion: """
            When a document is removed, here or on the remote, the contents of it that are on this machine are kept for a \
            while: for 30 days, and at most 10 GB, unless you say otherwise. What was not here is not in the trash. Nothing \
            is kept when the disk is nearly full.

            Examples:
              docent trash
              docent trash restore work:/Reports
              docent trash restore 4f1c09ab… --to work:/again.txt
              docent trash empty --older-than 7
              docent trash limits --size 5GB --days 90
            """,
        subcommands: [List.self, Restore.self, Empty.self, Limits.self], defaultSubcommand: List.self
    )

    struct List: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "List what is in the trash, the newest first.",
            discussion: "Example: docent trash list work:/Reports")

        @Argument(
            help: "Only what was there or below, as domain:/path.", completion: Completions.locations,
            transform: Arguments.location)
        var location: Location?

        @OptionGroup var listing: ListingOptions

        func run(_ client: DocumentClient) async throws {
            let documents = try await client.wholeTrash(location.map { .below($0) } ?? .all)
            try listing.show(.array(documents.map(\.json)), TrashListing.text(documents))
        }
    }

    struct Restore: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make documents again of what is in the trash.",
            discussion: """
                By where it was, with all that was below; of several at one place, the one that was removed last. Or one of \
                them by its identifier. Folders that are gone are made, too. It is sent to the remote as anything new.

                Example: docent trash restore work:/Reports work:/notes.txt
                """)

        @Argument(
            help: ArgumentHelp("Where it was, as domain:/path, or its identifier.", valueName: "what"),
            completion: Completions.locations)
        var what: [String]

        @Option(
            help: ArgumentHelp("Bring a single document here instead of where it was.", valueName: "location"),
            completion: Completions.locations, transform: Arguments.location)
        var to: Location?

        func run(_ client: DocumentClient) async throws {
            var chosen: [TrashedDocument] = []
            for word in what {
                let found = try await client.wholeTrash(try TrashCommand.choice(word))
                guard !found.isEmpty else {
                    throw DocumentError(
                        .noSuchItem,
                        "Nothing of \(ErrorText.visible(word)) is in the trash: docent trash shows what there is.")
                }
                chosen += found
            }
            // The newest comes first.
            var places: Set<Location> = []
            if chosen.count > 1 { chosen = chosen.filter { places.insert($0.location).inserted } }
            if to != nil, chosen.count > 1 {
                throw ValidationError(
                    "--to is for one document, and these are \(chosen.count): name one, by its identifier.")
            }
            try await Failures.collect(chosen) { document in
                let item = try await client.restoreTrash(document.id, to: to)
                try Console.print("\(item.location) is back.")
            }
        }
    }

    struct Empty: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove what is in the trash for good.",
            discussion: "Example: docent trash empty work:/Reports, or docent trash empty --all")

        @Argument(
            help: ArgumentHelp("Where it was, as domain:/path, or its identifier.", valueName: "what"),
            completion: Completions.locations)
        var what: [String] = []

        @Flag(help: "All of it.")
        var all = false

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("Only what was removed more than so many days ago.", valueName: "days"),
            transform: Arguments.number("--older-than", 0...TrashLimits.mostDays))
        var olderThan: UInt32?

        func validate() throws {
            guard what.isEmpty || !all else { throw ValidationError("Give either what is to go, or --all.") }
            guard !what.isEmpty || all || olderThan != nil else {
                throw ValidationError("Say what is to go for good: places, --older-than, or --all.")
            }
        }

        func run(_ client: DocumentClient) async throws {
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            let before = olderThan.map { Int64(now.tv_sec) - Int64($0) * 86_400 }
            let choices = what.isEmpty ? [TrashChoice.all] : try what.map(TrashCommand.choice)
            try await Failures.collect(choices) { choice in
                let (documents, bytes) = try await client.emptyTrash(choice, removedBefore: before)
                let count = Words.count(documents, "document", "documents")
                try Console.print("\(count), \(Words.size(bytes)), removed for good.")
            }
        }
    }

    struct Limits: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show how much is in the trash, and say how much may be.",
            discussion: "With 0 for one of them nothing is kept. Example: docent trash limits --size 5GB --days 90")

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("The most that is kept: 500MB, 20GB, or bytes.", valueName: "size"),
            transform: SpaceCommand.size)
        var size: UInt64?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("For how long, from 0 to \(TrashLimits.mostDays).", valueName: "days"),
            transform: Arguments.number("--days", 0...TrashLimits.mostDays))
        var days: UInt32?

        @OptionGroup var listing: ListingOptions

        func run(_ client: DocumentClient) async throws {
            var status = try await client.trashStatus()
            if size != nil || days != nil {
                status = try await client.setTrashLimits(
                    TrashLimits(bytes: size ?? status.limits.bytes, days: days ?? status.limits.days))
            }
            try listing.show(status.json, TrashListing.text(status))
        }
    }

    /// Identifiers have no colon, and places have one.
    private static func choice(_ word: String) throws -> TrashChoice {
        word.contains(":") ? .below(try Arguments.location(word)) : .one(word)
    }
}

extension DocumentClient {
    fileprivate func wholeTrash(_ choice: TrashChoice) async throws(DocumentError) -> [TrashedDocument] {
        var documents: [TrashedDocument] = []
        var next: UInt64?
        repeat {
            let page = try await trash(choice, after: next)
            documents += page.documents
            next = page.next
        } while next != nil
        return documents
    }
}
