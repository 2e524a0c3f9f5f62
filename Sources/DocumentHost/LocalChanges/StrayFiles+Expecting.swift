import DocumentModel
import DocumentStorage
import DocumentTransport
import FileCoordination
import Synchronization

/// Documents' files that were found where nobody had told of them.
extension StrayFiles {
    /// Says who looks at files, and at documents.
    func isWatched(
        look: @escaping @Sendable (Name) -> Void, lookAgain: @escaping @Sendable (ItemKey) -> Void,
        watch: @escaping @Sendable (ItemKey) -> Void
    ) {
        state.withLock { state in
            state.look = look
            state.lookAgain = lookAgain
            state.watch = watch
        }
    }

    /// Has a document follow its file, once that has been looked at where it is by now; after its folder, where that is none
    /// of the domain's yet.
    ///
    /// - Returns: false when no document can be there, because its folder is none of the domain's; it is told of.
    func expect(_ moved: MovedFile) -> Bool {
        let key = ItemKey(domain: moved.location.domain, id: moved.id)
        guard let folder = moved.folder, let name = moved.location.name else {
            if let folder = moved.unknownFolder, expect(folder, around: moved.location, of: key) { return true }
            tellOutside(moved.location)
            return false
        }
        let place = Name(name, in: ItemKey(domain: key.domain, id: folder))
        let look = state.withLock { state in
            if state.moves[key]?.name != place { state.moves[key] = (place, .now()) }
            return state.look
        }
        look?(place)
        return true
    }

    /// A file is where no document can be, or was left where a folder is gone.
    func tellOutside(_ location: Location) {
        state.withLock { state in
            if state.outside.count < Self.mostUnknown { state.outside.insert(location) }
        }
    }

    /// They are where a folder was that is gone. They are looked at by and by: who removes a folder keeps others waiting.
    func tellLeft(_ files: [Location]) {
        let files = files.prefix(Self.mostUnknown)
        work.add { [self] in
            for file in files {
                // What programs leave beside documents is nothing to tell of.
                let isIgnored = try? await storage.run { store in
                    try store.root.index.read { try $0.ignoringRule(at: file, isFolder: false) != nil }
                }
                if isIgnored != true, isNobodys(file) { tellOutside(file) }
            }
        }
    }

    /// Has a document be looked at soon.
    func lookAgain(at key: ItemKey) {
        let lookAgain = state.withLock { $0.lookAgain }
        lookAgain?(key)
    }

    /// No document's file is there any more: where it is by now, if it is anywhere, a look at its document finds out.
    func giveUpMoves(to name: Name) {
        let (keys, lookAgain) = state.withLock { state in
            let keys = state.moves.filter { $0.value.name == name }.map(\.key)
            for key in keys { state.moves[key] = nil }
            return (keys, state.lookAgain)
        }
        for key in keys.sorted(by: { $0.id < $1.id }) { lookAgain?(key) }
    }
}
