import DocumentModel
import DocumentStorage

/// Something that is to be done so that remote and index know the same sides of conflicts.
enum SideStep: Hashable, Sendable {
    /// The remote is to keep what is here. Of the file as it is: when it changes, it is another step.
    case keep(IndexedItem, FileIdentity?)
    /// The remote is not to keep any more what this device has given it.
    case drop(OwnSide)
    /// A side of another device was resolved here, or belongs to nothing any more.
    case remove(RemoteSide)
    /// What the remote keeps is to be listed: the item has a version of its metadata that is new.
    case list(IndexedItem, [UInt8])

    var itemID: ItemIdentifier {
        switch self {
        case .keep(let item, _), .list(let item, _): item.id
        case .drop(let side): side.itemID
        case .remove(let side): side.itemID
        }
    }

    /// Whether it waits while the document is paused.
    var isTransfer: Bool {
        if case .list = self { false } else { true }
    }

    static func == (one: Self, other: Self) -> Bool {
        switch (one, other) {
        case (.keep(let item, let file), .keep(let otherItem, let otherFile)):
            item.id == otherItem.id && file == otherFile
        case (.drop(let side), .drop(let otherSide)): side == otherSide
        case (.remove(let side), .remove(let otherSide)): side == otherSide
        case (.list(let item, let version), .list(let otherItem, let otherVersion)):
            item.id == otherItem.id && version == otherVersion
        default: false
        }
    }

    func hash(into hasher: inout Hasher) { hasher.combine(itemID) }
}

extension IndexReader {
    /// In the order in which they are to be done: what is here is kept before anything is taken away, and what is not known is
    /// asked for last.
    func sideSteps(in domain: DomainName) throws -> [SideStep] {
        // It may have been removed meanwhile.
        guard try self.domain(domain) != nil else { return [] }
        var steps = try unkeptSides(in: domain).map { SideStep.keep($0, $0.local) }
        steps += try needlessOwnSides(in: domain).map { .drop($0) }
        steps += try settledSides(in: domain).map { .remove($0) }
        let unkept = Set(try ownSides(in: domain).filter { $0.version == nil }.map(\.itemID))
        // One that is being kept is listed when that is done: it would be taken for another device's.
        steps += try itemsWithUnlistedSides(in: domain).filter { !unkept.contains($0.id) }
            .map { .list($0, $0.item.version.metadata) }
        return steps
    }
}
