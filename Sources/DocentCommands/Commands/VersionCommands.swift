import ArgumentParser
import DocumentClient
import DocumentModel
import SystemPackage

struct VersionsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions",
        abstract: "List the contents that a document has and had.",
        discussion: """
            current: what the document is; of a conflict, the side that wins on every machine. conflict: the other side. \
            base: what changes began from that were not sent yet. older: what was here before. remote: what the remote \
            has, and the document here has neither become nor begun from. Contents have one identifier for as long as they are \
            kept, as current ones and as older ones. “current” names what lies in the document's own file, too.

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
        abstract: "Put a version's contents back in a document's place, or in another one.",
        discussion: """
            What is there now is kept as a version, and the change is sent.

            With --to, the contents go to another document, to a new one or to a local file, and the document stays as it \
            is. A document that is replaced keeps its name, but for the ending, when it is of another type.

            Examples:
              docent restore work:/notes.txt 4f1c09ab
              docent restore work:/notes.txt 4f1c09ab --to work:/notes-old.txt
              docent restore work:/notes.txt 4f1c09ab --to ~/notes.txt --move
            """
    )

    @Argument(help: "The document, as domain:/path.", completion: Completions.locations, transform: Arguments.location)
    var location: Location

    @Argument(help: "The version, as “docent versions” shows it.")
    var version: String

    @Option(
        help: ArgumentHelp(
            "The document, the local file or the folder that the contents go to.", valueName: "place"),
        completion: Completions.locations)
    var to: String?

    @Flag(name: .shortAndLong, help: "With --to: replace what is there.")
    var force = false

    @Flag(help: "Remove the version when its contents are in their place.")
    var move = false

    func validate() throws {
        guard to != nil || !force else { throw ValidationError("--force is for --to.") }
    }

    func run(_ client: DocumentClient) async throws {
        guard let to, Arguments.locationUnlessFile(to) == nil else {
            var target = try to.map(Arguments.location) ?? location
            if to != nil, try await client.isFolder(target), let name = location.name {
                target = target.appending(name)
            }
            let goal = target
            let place = try await namingForce(for: goal.description) {
                try await withProgress("Putting back \(location)") {
                    try await client.replaceItem(
                        at: goal, with: version, of: location, byMoving: move, replacing: force || to == nil,
                        progress: $0)
                }
            }
            if to != nil { try Console.print(place.description) }
            return try await client.waitUntilSentAndTell(place)
        }
        var path = FilePath(to)
        if path.isLocalFolder, let name = location.name { path.append(name.rawValue) }
        let goal = path
        try await namingForce(for: goal.string) {
            try await withProgress("Copying \(location)") {
                try await client.replaceLocalFile(
                    at: goal, with: version, of: location, byMoving: move, replacing: force, progress: $0)
            }
        }
        try Console.print(goal.string)
    }

    private func namingForce<Value>(for place: String, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as DocumentError where error.code == .destinationExists && to != nil && !force {
            throw DocumentError(
                .destinationExists, "\(place) exists already: choose another name, or replace it with --force.")
        }
    }
}

struct ConflictsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "List the documents that were changed on both sides, with both contents.",
        discussion: """
            Where the remote keeps both sides for all devices, also those that other devices are in conflict over. \
            docent versions --fetch brings what they have left there.

            Example: docent conflicts work:/
            """
    )

    @Argument(
        help: "Only what is there or below, as domain:/path.", completion: Completions.locations,
        transform: Arguments.location)
    var location: Location?

    @OptionGroup var listing: ListingOptions

    func run(_ client: DocumentClient) async throws {
        var conflicts: [(ItemStatus, [DocumentVersion])] = []
        for item in try await client.status(location).items
        where item.state == .conflict || item.item.conflictVersions > 0 {
            conflicts.append((item, try await client.versions(of: item.location)))
        }
        let json = JSON.array(
            conflicts.map { item, versions in
                .object([("item", item.json), ("versions", .array(versions.map(\.json)))])
            })
        try listing.show(json, VersionListing.text(ofConflicts: conflicts))
    }
}
