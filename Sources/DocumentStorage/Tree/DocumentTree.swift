package import DocumentModel
package import SystemPackage

/// The documents that people and host tools see: `documents/<domain>/…`.
///
/// Every path is opened beneath `documents`, and no symlink is followed.
package struct DocumentTree: Sendable {
    /// Where a document is, or would be. Pure.
    package func path(of location: Location) -> FilePath { "" }
    /// Where an item's placeholder is, or would be. Pure, injective (PH-2).
    package func placeholderPath(of location: Location) -> FilePath { "" }
    /// The location of a path, of a document or of a placeholder; nil outside the tree (ID-2).
    package func location(of path: FilePath) -> Location? { nil }

    /// The file's identity; nil when nothing is there. Throws when something else than a file is there.
    package func file(at location: Location) throws -> FileIdentity? { nil }
    package func makeFolder(at location: Location) throws {}
    /// Puts a verified staging file at an item's place.
    ///
    /// - Parameter replacing: the file that may be there, and is to be replaced; nil when none may be there
    ///   (`destinationExists`). A file that was changed in the meantime, or is open for writing, is never replaced
    ///   (`unsyncedEdits`, `busy`).
    /// - Parameter durably: the new name is on disk when the call returns.
    package func publish(
        _ file: StagedFile, at location: Location, replacing: FileIdentity?, durably: Bool = false
    ) throws -> FileIdentity { throw DocumentError(.unimplemented, "") }
    /// Removes a document, only when it still is what was recorded.
    package func removeFile(at location: Location, expecting: FileIdentity) throws {}
    /// Removes a folder with its placeholders; `directoryNotEmpty` when a document is in it.
    package func removeFolder(at location: Location) throws {}
    /// Moves a document or a folder, and its placeholder; `destinationExists` when something is there. What is not on
    /// disk at all is no error. Returns the file's new identity.
    package func move(from: Location, to: Location) throws -> FileIdentity? { nil }
    /// Makes what was written to a document durable, and returns its identity.
    package func flush(_ location: Location) throws -> FileIdentity { throw DocumentError(.unimplemented, "") }
}

/// Placeholders: `<folder>/.docent-placeholders/<name>`. When a document and a placeholder are both there, the
/// document is what counts.
package struct PlaceholderStore: Sendable {
    package func write(_ placeholder: Placeholder, at location: Location) throws {}
    /// Many of one folder, faster.
    package func write(_ placeholders: [Placeholder], in folder: Location) throws {}
    /// Nil when none is there, or a torn one.
    package func read(at location: Location) throws -> Placeholder? { nil }
    package func remove(at location: Location) throws {}
}
