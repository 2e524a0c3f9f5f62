import DocumentModel
import DocumentStorage
import Synchronization

/// Files that belong to no document, and that the host's start has told of.
extension StrayFiles {
    /// Has them told of once more where a folder around them gets another place, and they with it.
    func toldAtStart(_ files: [Location]) {
        state.withLock { state in
            for file in files.prefix(Self.mostUnknown) { state.toldAtStart[file] = file }
        }
    }

    /// A folder has another place on disk, and with it all that is in it; whether or not the index knew the folder when the host
    /// started, and whether or not anybody watches it.
    func followFolder(_ move: FolderMoves.Move) {
        state.withLock { state in
            state.toldAtStart = state.toldAtStart.mapValues { move.target(of: $0) ?? $0 }
            state.unknown = state.unknown.mapValues { move.target(of: $0) ?? $0 }
            state.outside = Set(state.outside.map { move.target(of: $0) ?? $0 })
        }
    }

    /// Those of them that are there, are still nobody's, and lie elsewhere by now. Nobody watches folders in which nothing is here.
    var movedSinceStart: Set<Location> {
        var moved: Set<Location> = []
        for (told, place) in state.withLock({ $0.toldAtStart }) where place != told {
            guard isNobodys(place), ((try? storage.store.root.tree.inode(at: place)) ?? nil) != nil else { continue }
            moved.insert(place)
        }
        return moved
    }

    /// Whether what lies at a place is no document's.
    func isNobodys(_ place: Location) -> Bool {
        let holder = try? storage.read { index in try index.item(at: index.location(onDisk: place)) }
        return (holder ?? nil)?.local == nil
    }
}
