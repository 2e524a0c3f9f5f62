package import DocumentModel

/// The three trees of a domain, or of a part of one (design, section 8): what the provider last told, what was seen on
/// this machine's disk, and what both last agreed on.
///
/// An identifier without an entry is one that nothing is known of. That is never evidence of a deletion: only an
/// explicit `gone` is. So the planner may be given a part of a domain, and a tree that was not read yet.
package struct SyncTrees: Hashable, Sendable {
    package enum Sighting<Node: Hashable & Sendable>: Hashable, Sendable {
        case present(Node)
        /// On positive evidence: a tombstone, a complete listing, a complete scan.
        case gone

        package var node: Node? {
            if case .present(let node) = self { node } else { nil }
        }
    }

    package struct Remote: Hashable, Sendable {
        package var place: SyncPlace
        package var kind: ItemKind
        /// Changes when the contents change; empty for folders. A package has one for all that is in it.
        package var version: [UInt8]
        /// When and where these contents were written.
        package var stamp: VersionStamp

        package init(place: SyncPlace, kind: ItemKind, version: [UInt8], stamp: VersionStamp = .zero) {
            self.place = place
            self.kind = kind
            self.version = version
            self.stamp = stamp
        }
    }

    package struct Local: Hashable, Sendable {
        package var place: SyncPlace
        package var kind: ItemKind
        /// Which state of the file was seen, or of a package's files; nil for a placeholder, and for folders.
        package var revision: UInt64?
        /// When these contents were written here.
        package var stamp: VersionStamp
        /// The engine chose the place, to get the item out of another's way: nobody moved it.
        package var isParked: Bool
        /// A sibling has the same name but for case or Unicode form: known here, and not shown (CONT-12).
        package var isHidden: Bool

        package init(
            place: SyncPlace, kind: ItemKind, revision: UInt64? = nil, stamp: VersionStamp = .zero,
            isParked: Bool = false, isHidden: Bool = false
        ) {
            self.place = place
            self.kind = kind
            self.revision = revision
            self.stamp = stamp
            self.isParked = isParked
            self.isHidden = isHidden
        }
    }

    package struct Synced: Hashable, Sendable {
        package var place: SyncPlace
        package var kind: ItemKind
        /// The remote's version that the contents here are, or began from.
        package var version: [UInt8]
        /// The local state that is that version; nil when the contents are not here.
        package var revision: UInt64?

        package init(place: SyncPlace, kind: ItemKind, version: [UInt8], revision: UInt64? = nil) {
            self.place = place
            self.kind = kind
            self.version = version
            self.revision = revision
        }
    }

    /// The domain's top folder: in all three trees, without being listed in them.
    package let root: ItemIdentifier
    package var remote: [ItemIdentifier: Sighting<Remote>] = [:]
    package var local: [ItemIdentifier: Sighting<Local>] = [:]
    package var synced: [ItemIdentifier: Synced] = [:]

    package init(root: ItemIdentifier = .root) {
        self.root = root
    }

    /// Whether contents are here that no version of the remote's is known to have.
    package func isChanged(_ id: ItemIdentifier) -> Bool {
        guard let here = local[id]?.node, here.kind != .folder, let revision = here.revision else { return false }
        return synced[id]?.revision != revision
    }

    /// Whether the contents here are the remote's current ones.
    package func isCurrent(_ id: ItemIdentifier) -> Bool {
        guard let revision = local[id]?.node?.revision, let agreed = synced[id] else { return false }
        return agreed.revision == revision && agreed.version == remote[id]?.node?.version
    }

    /// Items that are known, in an order that is the same on every machine and in every process.
    package var identifiers: [ItemIdentifier] {
        Set(remote.keys).union(local.keys).union(synced.keys).sorted()
    }
}
