import DocumentModel
import DocumentStorage
import FileCoordination
import Synchronization

/// Files that belong to no document, and that the host's start has told of.
extension StrayFiles {
    /// Has them told of once more where a folder around them gets another place, and they with it.
    func toldAtStart(_ files: [Location]) {
        for file in files.prefix(Self.mostUnknown) {
            guard let name = file.name, let around = file.parent,
                let folder = try? storage.read({ index in try index.item(at: index.location(onDisk: around)) })
            else { continue }
            state.withLock { $0.toldAtStart[Name(name, in: folder.key)] = file }
        }
    }

    /// Those of them that are there, are still nobody's, and lie elsewhere by now. Nobody watches folders in which nothing is here.
    var movedSinceStart: Set<Location> {
        var moved: Set<Location> = []
        for (name, told) in state.withLock({ $0.toldAtStart }) {
            let found = try? storage.read { index -> (place: Location, holder: IndexedItem?)? in
                let around = try index.diskLocation(of: name.folder.id, in: name.folder.domain)
                guard let place = around?.appending(name.name) else { return nil }
                return (place, try index.item(at: index.location(onDisk: place)))
            }
            guard let (place, holder) = found ?? nil, place != told, holder?.local == nil,
                ((try? storage.store.root.tree.inode(at: place)) ?? nil) != nil
            else { continue }
            moved.insert(place)
        }
        return moved
    }
}
