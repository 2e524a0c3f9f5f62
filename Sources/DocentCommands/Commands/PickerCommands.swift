import ArgumentParser
import DocumentClient
import DocumentModel
import SystemPackage

struct ImportCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Copy a document out of its domain; edits of the copy stay with you.",
        discussion: """
            Examples:
              docent import work:/Reports/q3.pdf            makes q3.pdf in the current folder
              docent import work:/Reports/q3.pdf ~/Desktop  makes ~/Desktop/q3.pdf
            """
    )

    @Argument(help: "The document, as domain:/path.", completion: Completions.locations, transform: Arguments.location)
    var location: Location

    @Argument(
        help: "The copy, or the folder it goes to. (default: its name, in the current folder)", completion: .file())
    var file: String?

    @Flag(name: .shortAndLong, help: "Replace a file that is there.")
    var force = false

    func run(_ client: DocumentClient) async throws {
        guard let name = location.name else {
            throw ValidationError("\(location) is a domain's top folder: name a document in it.")
        }
        var destination = FilePath(file ?? name.rawValue)
        if destination.isLocalFolder { destination.append(name.rawValue) }
        do {
            try await withProgress("Downloading \(location)") { progress in
                try await client.importDocument(
                    at: location, to: destination, replacing: force, progress: progress)
            }
        } catch let error as DocumentError where error.code == .destinationExists && !force {
            throw DocumentError(
                .destinationExists, "\(destination) exists already: choose another name, or replace it with --force.")
        }
        try Console.print(destination.string)
    }
}

struct ExportCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Copy a local file into a domain; the original stays yours.",
        discussion: """
            Examples:
              docent export q3.pdf work:/Reports         makes work:/Reports/q3.pdf, if Reports is a folder
              docent export q3.pdf work:/Reports/new.pdf
            """
    )

    @OptionGroup var arguments: OutgoingArguments

    func run(_ client: DocumentClient) async throws {
        try await arguments.send(client) { file, destination, progress in
            try await client.exportDocument(
                file, to: destination, replacing: arguments.force, progress: progress)
        }
    }
}

/// A local file and where it goes.
struct OutgoingArguments: ParsableArguments {
    @Argument(help: "The local file.", completion: .file())
    var file: String

    @Argument(
        help: "The new document, or the folder that it goes to, as domain:/path.", completion: Completions.locations,
        transform: Arguments.location)
    var location: Location

    @Flag(name: .shortAndLong, help: "Replace a document that is there.")
    var force = false

    @Flag(help: "Do not wait until it is sent.")
    var noWait = false

    func send(
        _ client: DocumentClient,
        _ transfer: (FilePath, Location, @escaping DocumentClient.ProgressHandler) async throws -> ItemStatus
    ) async throws {
        try await OutgoingDocument(file: file, location: location, force: force, noWait: noWait).send(client, transfer)
    }
}
