import ArgumentParser
import DocumentClient
import DocumentModel
import Glibc
import SystemPackage

struct MoveCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Move a file or a folder into a domain, or out of it: its old place is empty then.",
        discussion: """
            Into a domain, a file is moved when the provider has taken it. With --no-wait, and always with a folder, it is \
            moved at once, also when the provider cannot be reached, and sent later. Out of a domain, what is moved is \
            removed on the remote, and so on all other machines.

            To move an item within its domain, use “docent rename”.

            Examples:
              docent move ~/Downloads/q3.pdf work:/Reports
              docent move --no-wait ~/Drafts work:/Reports/Drafts
              docent move work:/Reports/q3.pdf ~/q3.pdf
            """
    )

    @Argument(help: "The local file or folder; or what is to leave its domain, as domain:/path.", completion: .file())
    var source: String

    @Argument(
        help: "The new item, or the folder that it goes to, as domain:/path; or the new local file or folder.",
        completion: Completions.locations)
    var destination: String

    @Flag(name: .shortAndLong, help: "Replace a document that is there.")
    var force = false

    @Flag(help: "Do not wait until it is sent.")
    var noWait = false

    func validate() throws {
        guard (Arguments.locationUnlessFile(source) == nil) != (Arguments.locationUnlessFile(destination) == nil) else {
            throw ValidationError(
                Arguments.locationUnlessFile(source) == nil
                    ? "Nothing of it is in a domain: name one of the two as domain:/path."
                    : "Both are in domains: use “docent rename” within one, else move it out and in.")
        }
        if Arguments.locationUnlessFile(source) != nil, force || noWait {
            throw ValidationError("--force and --no-wait are for what is moved into a domain.")
        }
    }

    func run(_ client: DocumentClient) async throws {
        if let location = Arguments.locationUnlessFile(source) { return try await moveOut(location, client) }
        let location = try Arguments.location(destination)
        var moved: Location?
        do {
            try await moveIn(to: location, client) { moved = $0 }
        } catch let error as DocumentError where error.code == .hostUnavailable {
            throw moved.map { InterruptedMove.done(at: $0) } ?? InterruptedMove.into(location, from: source)
        }
    }

    /// - Parameter noting: is told where it is when it has been moved.
    private func moveIn(
        to location: Location, _ client: DocumentClient, noting: (Location) -> Void
    ) async throws {
        let path = FilePath(source)
        let isFolder = path.isLocalFolder
        guard let name = path.lastComponent else {
            throw DocumentError(.invalidArgument, "\(source) is not the name of a file or a folder.")
        }
        guard isFolder || noWait else {
            let item = try await OutgoingDocument(file: source, location: location, force: force, noWait: noWait)
                .send(client) { file, destination, progress in
                    let item = try await client.moveDocument(
                        file, to: destination, replacing: force, progress: progress)
                    noting(item.location)
                    return item
                }
            return tellWhatStays(of: item)
        }
        if force {
            throw DocumentError(
                .invalidArgument,
                isFolder
                    ? "A folder is always sent later, and cannot replace what is there: leave out --force."
                    : "What is sent later cannot replace what is there: leave out --force, or --no-wait.")
        }
        let goal =
            try await client.isFolder(location, asKnown: noWait)
            ? location.appending(try Arguments.name(name.string)) : location
        let item = try await client.moveIn(path, to: goal)
        noting(item.location)
        try Console.print(item.location.description)
        tellWhatStays(of: item)
        if !noWait { try await client.waitUntilSentAndTell(item.location) }
    }

    /// What was written meanwhile is still in its old place.
    ///
    /// - Parameter item: as it was when it had been moved; when it has been sent since, it says nothing of that any more.
    private func tellWhatStays(of item: ItemStatus) {
        guard let problem = item.problem, problem.code == .unsyncedEdits else { return }
        Console.complain(ErrorText.visible(problem.message))
    }

    private func moveOut(_ location: Location, _ client: DocumentClient) async throws {
        var path = FilePath(destination)
        if path.isLocalFolder, let name = location.name { path.append(name.rawValue) }
        let goal = path
        do {
            try await withProgress("Downloading \(location)") {
                try await client.moveOut(location, to: goal, progress: $0)
            }
        } catch let error as DocumentError where error.code == .hostUnavailable {
            throw InterruptedMove.out(of: location, to: goal.string)
        }
        try Console.print(goal.string)
    }
}

extension FilePath {
    /// Whether it is a folder of this machine, links followed.
    var isLocalFolder: Bool { isFolder(at: string) }
}

private func isFolder(at path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

extension DocumentClient {
    /// - Parameter asKnown: as it is known here: its provider is waited for only where nobody has looked into the folder around it.
    func isFolder(_ location: Location, asKnown: Bool = false) async throws -> Bool {
        if location.isRoot { return true }
        do throws(DocumentError) {
            let status = try await asKnown ? knownItem(at: location) : item(at: location)
            return status.item.kind == .folder
        } catch {
            // When its provider cannot be asked, what is not known is not there.
            guard
                error.code == .noSuchItem || error.code.errorClass == .resolvable
                    || error.code.errorClass == .transient
            else { throw error }
            return false
        }
    }
}
