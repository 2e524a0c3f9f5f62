import DocumentModel
import DocumentStorage
import DocumentWire
import FileCoordination
import Synchronization
import SystemPackage

/// An item with all that an access needs to know of it, from one look into the index. One object for each look: it is
/// handed around without a copy, and another look is another object.
final class KnownItem: Sendable {
    let item: IndexedItem
    /// Around it, from the inside outwards.
    let folders: [IndexedItem]
    let coordinated: CoordinatedItem
    /// Where its file is: while a move waits for somebody to end, that is not where the item belongs.
    let onDisk: Location
    /// What tools are told of it, but for what goes on just now.
    let status: ItemStatus
    private let encoded = Mutex<EncodedAccess?>(nil)

    var key: ItemKey { item.key }

    init(_ item: IndexedItem, _ index: IndexReader, in root: StorageRoot) throws {
        self.item = item
        folders = try index.folders(around: item)
        let location = try index.shownLocation(of: item, inside: folders)
        // Of one that is not shown because of its name, nobody is told a place.
        coordinated = index.coordinated(item, inside: folders, at: item.state == .nameClash ? nil : location)
        onDisk = try index.diskLocations(in: item.domain)(location)
        status = try ItemStatus(item, at: location, onDisk: onDisk, index, in: root)
    }

    /// The answer to an access to its file, while nothing goes on with it: made once, for all accesses.
    var encodedAccess: EncodedAccess {
        encoded.withLock { encoded in
            if let encoded { return encoded }
            let made = EncodedAccess(AccessedItem(path: status.path, item: status))
            encoded = made
            return made
        }
    }
}

extension ItemStatus {
    /// What the index knows of an item. That it is on its way just now is not in it.
    ///
    /// - Parameter onDisk: while a move waits for somebody to end, the file is still where it was.
    init(
        _ item: IndexedItem, at location: Location, onDisk: Location, _ index: IndexReader, in root: StorageRoot
    ) throws {
        self.init(
            item: item.item, location: location, state: item.state,
            path: item.state == .nameClash ? "" : root.tree.path(of: onDisk).string)
        if let local = item.local, item.state != .outdated {
            // What is here is what people mean by the document's size and time, unless whoever opens it gets something newer.
            self.item.size = local.size
            if item.isUnsent { self.item.modified = local.modified }
        }
        marks = try index.marks(of: item)
        problem = item.problem.map { problem in
            // It was written down by the name that the document had then.
            item.state == .conflict && problem.code == .inConflict
                ? .inConflict(at: location) : DocumentError(problem.code, problem.message)
        }
        if item.item.conflictVersions > 0 {
            // Those that nobody here has resolved, and none of this device's own.
            self.item.conflictVersions = try index.unresolvedSides(of: item).count
        }
        if item.state == .conflict {
            conflictPath = try index.conflicts(in: item.domain).last { $0.itemID == item.id }
                .map { root.versions.path(of: $0.kept).string }
        }
    }
}
