import DocumentClient
import DocumentModel
import SystemPackage

/// A local file that is copied into a domain, or moved there, as its provider takes it.
struct OutgoingDocument {
    var file: String
    /// The new document, or the folder that it goes to.
    var location: Location
    var force: Bool
    var noWait: Bool

    /// - Returns: the document as it is there.
    @discardableResult
    func send(
        _ client: DocumentClient,
        _ transfer: (FilePath, Location, @escaping DocumentClient.ProgressHandler) async throws -> ItemStatus
    ) async throws -> ItemStatus {
        let path = FilePath(file)
        guard let name = path.lastComponent, isDocument(path, name) else {
            throw DocumentError(
                .invalidArgument,
                "\(file) is a folder, and only documents can be sent: name a file, or a package such as Notes.rtfd.")
        }
        var destination = location
        if try await client.isFolder(location) {
            destination = location.appending(try Arguments.name(name.string))
        }
        let item: ItemStatus
        do {
            item = try await withProgress("Copying \(file)") { try await transfer(path, destination, $0) }
        } catch let error as DocumentError where error.code == .destinationExists && !force {
            throw DocumentError(
                .destinationExists,
                "\(destination) exists already: choose another name, or replace it with --force."
            )
        }
        try Console.print(item.location.description)
        if !noWait { try await client.waitUntilSentAndTell(item.location) }
        return item
    }

    /// A file, or a folder that is treated as one document.
    private func isDocument(_ path: FilePath, _ name: FilePath.Component) -> Bool {
        guard path.isLocalFolder else { return true }
        return (try? ItemName(name.string)).map { ItemKind(ofFolderNamed: $0) == .package } ?? false
    }
}
