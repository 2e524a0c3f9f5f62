public import DocumentModel
internal import DocumentWire
public import SystemPackage

extension DocumentClient {
    /// Moves a local document, or a local folder with all that is in it, into a domain or a container (CONT-7); the field
    /// knows it as `setUbiquitous(true, …)`.
    ///
    /// When this returns, the contents are safe in the document storage root, the old place is empty, and the tool has
    /// full access to the item. It is sent later, also when the provider cannot be reached now, this tool ends or the
    /// host starts anew; ``waitUntilSent(_:progress:)`` waits for it. Folders around the destination that are missing are
    /// made. Presenters of what is moved (``LocalFilePresenter``), this tool's and others', save first, and hear of their new
    /// location.
    ///
    /// - Parameters:
    ///   - path: a document or a folder outside the document storage root.
    ///   - destination: the new item, below a folder of a domain; in a container, below the container's.
    /// - Throws: ``DocumentError``, and then nothing was moved (CONT-8): `destinationExists`; `nameClash`;
    ///   `invalidArgument` for what is in a domain already, and for what holds links or devices; `notPermitted` where the
    ///   tool or the provider does not allow it; `deadlock` inside of an access that it would wait for.
    @discardableResult
    public func moveIn(_ path: FilePath, to destination: Location) async throws -> ItemStatus {
        try checkNotInside(an: "A move in", of: destination)
        let source = try LocalPath.absolute(path)
        let presenters = desk.localPresenters(of: source)
        return try await presenters.lettingGo {
            guard case .item(let item) = try await ask(.moveIn(sourcePath: source.string, destination: destination))
            else { throw Self.unexpectedAnswer }
            for presented in presenters.all {
                let location = presented.below.reduce(item.location) { $0.appending($1) }
                await presented.presenter.presentedItemDidMove(to: location)
                if let number = desk.number(of: presented.presenter) {
                    try await tell(.setPresentedItem(number, .item(location)))
                }
            }
            return item
        }
    }

    /// Moves a document, or a folder with all that is in it, out of its domain to a local place (CONT-9): it is removed at
    /// the provider, and so on all other machines. The field knows it as `setUbiquitous(false, …)`.
    ///
    /// Contents that are not here are downloaded first; changes that were not sent go along. The copy is whole and flushed
    /// before anything is removed. Presenters are told as before any deletion; those that are a ``LocalFilePresenter``, of this
    /// tool and of others, hear of the new place.
    ///
    /// - Parameters:
    ///   - destination: the new file or folder; nothing may have its name, and the folder around it must exist.
    ///   - progress: how far the download is.
    /// - Throws: ``DocumentError``: when the remote has something newer, or the provider refuses or cannot be reached,
    ///   what is not removed stays, and the copy, too; the message says so. Before anything was copied:
    ///   `destinationExists`, `deletionRejected`, `notPermitted`, and what keeps the contents from being downloaded.
    public func moveOut(
        _ location: Location, to destination: FilePath, progress: ProgressHandler? = nil
    ) async throws {
        try checkNotInside(an: "A move out", of: location)
        try LocalCopy.check(destination, replacing: false)
        try await download(location, progress: progress)
        try await coordinate(writingItemAt: location, for: .forDeleting, progress: progress) { path, item in
            guard item.item.capabilities.contains(.delete) else {
                throw DocumentError(.deletionRejected, "\(location) cannot be removed on the remote: it stays.")
            }
            let parts = try await LocalTree.copy(path, isFolder: item.item.kind != .document, to: destination)
            let copy = try LocalPath.absolute(destination)
            try await tell(
                .moveOut(MoveOutCall(location: location, destinationPath: copy.string, parts: parts)))
            for presented in desk.localPresenters(at: item.location).all {
                let path = presented.below.reduce(copy) { $0.appending($1.rawValue) }
                await presented.presenter.presentedItemDidMove(toLocalPath: path)
                // It is out, whether or not anybody will tell of the next move.
                if let number = desk.number(of: presented.presenter) {
                    try? await tell(.setPresentedItem(number, .local(path.string)))
                }
            }
        }
    }
}
