import DocumentModel
import DocumentStorage
import FileCoordination
import SystemPackage

/// Open files of documents that are accessed, for tools that cannot open paths (PICK-21, BOOK-5).
extension AccessGranter {
    /// Opens a document of an access: for writing, too, where the access is for writing its contents.
    ///
    /// - Parameters:
    ///   - index: which of the access's documents.
    ///   - part: of a package, the names that lead to the file in it; else empty.
    /// - Returns: whoever asked closes it.
    /// - Throws: `invalidArgument` when the tool holds no such access, or what is wanted is no file; `noSuchItem` when its
    ///   contents are not here.
    func open(
        _ number: UInt64, _ index: Int, part: [ItemName], making: Bool, by owner: ClaimOwner
    ) async throws(DocumentError) -> FileDescriptor {
        let access = try held(number, by: owner)
        guard access.intentions.indices.contains(index) else {
            throw DocumentError(
                .invalidArgument,
                "Access \(number) has \(access.intentions.count) documents, and none with the number \(index).")
        }
        let intention = access.intentions[index]
        if access.snapshots.indices.contains(index) {
            let path = access.snapshots[index].path
            return try await storage.run { _ in
                try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .noFollow])
            }
        }
        let (place, onDisk, kind) = try whereabouts(of: intention, number: index, in: access)
        try check(part, of: place, kind)
        let isWriting = intention.intent.writesContents
        let file = Location(domain: onDisk.domain, components: onDisk.components + part)
        let isMaking = isWriting && (part.isEmpty ? intention.mayMakeFile : making)
        let opened = try await storage.run { store in
            try store.root.tree.openFile(at: file, writing: isWriting, making: isMaking)
        }
        guard let opened else {
            throw DocumentError(
                .noSuchItem,
                part.isEmpty
                    ? "The contents of \(place) are not here: ask for an access that wants them."
                    : "There is no file \(Location(domain: place.domain, components: place.components + part)).")
        }
        return opened
    }

    /// Where the document of an intention is by now: for people, and its file, which stays where it was while it is used.
    private func whereabouts(
        of intention: AccessIntention, number: Int, in access: Access
    ) throws(DocumentError) -> (place: Location, onDisk: Location, ItemKind) {
        let item = intention.item
        guard case .item(let key) = item.subject else {
            // What is to come there, in the place that the journal knows.
            let place = access.awaited.first { $0.intention == number }?.entry.payload.place
            let location = place.map { Location(domain: item.location.domain, components: $0) } ?? item.location
            return (location, location, .document)
        }
        let found = try current(key, item.location)
        return (found.coordinated.location, found.onDisk, found.item.item.kind)
    }

    private func check(_ part: [ItemName], of place: Location, _ kind: ItemKind) throws(DocumentError) {
        switch kind {
        case .document where !part.isEmpty:
            throw DocumentError(.invalidArgument, "\(place) is one file: there are no parts of it to be opened.")
        case .package where part.isEmpty:
            throw DocumentError(.invalidArgument, "\(place) is a package: name the file in it that is to be opened.")
        case .folder:
            throw DocumentError(
                .invalidArgument, "\(place) is a folder: ask for an access to the document in it that is to be opened.")
        default: return
        }
    }
}

extension ClaimIntent {
    /// Whether it is for changing what is in the file, or in the package.
    var writesContents: Bool {
        guard case .writing(let option) = self else { return false }
        return switch option {
        case nil, .forMerging, .forReplacing: true
        case .forDeleting, .forMoving, .contentIndependentMetadataOnly: false
        }
    }
}

extension AccessIntention {
    /// Whether there may be no file yet: a document is to come there (COORD-19), or what was there is not asked for.
    fileprivate var mayMakeFile: Bool {
        if case .place = item.subject { return true }
        return intent == .writing(.forReplacing)
    }
}
