package import DocumentModel

/// What an operation's answer changes in the trees.
package enum SyncRecorder {
    /// - Parameters:
    ///   - fresh: an identifier that nothing has yet.
    ///   - toldMeanwhile: the provider told of the item while the operation was under way, be it what was known.
    package static func changes(
        of operation: SyncOperation, _ answer: SyncAnswer?, in trees: SyncTrees, fresh: ItemIdentifier,
        toldMeanwhile: Bool = false
    ) -> [TreeChange] {
        if case .overtaken(let changes) = answer { return changes }
        let id = operation.id
        switch (operation, answer) {
        case (.create(_, let node), .item(let made, let there)):
            let agreed = SyncTrees.Synced(
                place: there.place, kind: there.kind, version: there.version, revision: node.revision)
            return [
                .identified(id, as: made), .remote(made, trees.remote[made] ?? .present(there)), .synced(made, agreed),
            ]
        case (.send(_, let base, let revision), .item(_, let there)):
            guard var agreed = trees.synced[id] else { return [] }
            agreed.version = there.version
            agreed.revision = revision
            // The answer may be older than what the provider has told meanwhile.
            guard case .present(var known) = trees.remote[id], known.version == base else {
                return [.synced(id, agreed)]
            }
            known.version = there.version
            known.stamp = there.stamp
            return [.remote(id, .present(known)), .synced(id, agreed)]
        case (.relocate(_, let from, _), .item(_, let there)):
            guard var agreed = trees.synced[id] else { return [] }
            agreed.place = there.place
            // Of what was told meanwhile, all that comes later is told, too; an answer may be older, also where the item
            // is said to be where it was: somebody may have moved it back.
            guard !toldMeanwhile, case .present(var known) = trees.remote[id], known.place == from else {
                return [.synced(id, agreed)]
            }
            known.place = there.place
            return [.remote(id, .present(known)), .synced(id, agreed)]
        case (.delete, .deleted): return [.remote(id, .gone)]
        case (.compare(_, _, let revision), .compared(let there, let comparison)):
            return compared(id, there, comparison, revision, in: trees)
        case (.fetch(_, let version, _), .here(let node)):
            guard var agreed = trees.synced[id] else { return [.local(id, .present(node))] }
            agreed.version = version
            agreed.revision = node.revision
            return [.local(id, .present(node)), .synced(id, agreed)]
        case (.place(_, let there), .here(let node)):
            return [
                .local(id, .present(node)),
                .synced(id, .init(place: there.place, kind: there.kind, version: there.version)),
            ]
        case (.evict, .here(let node)), (.hide, .here(let node)):
            guard var agreed = trees.synced[id] else { return [.local(id, .present(node))] }
            agreed.revision = nil
            return [.local(id, .present(node)), .synced(id, agreed)]
        case (.relocateHere(_, let from, let place, _), .here(var node)):
            // It followed the remote, which has it elsewhere again by now: nobody has moved it here.
            if trees.synced[id]?.place == from, node.place == place, let there = trees.remote[id]?.node,
                there.place != place
            {
                node.isParked = true
            }
            return [.local(id, .present(node))]
        case (.show, .here(let node)): return [.local(id, .present(node))]
        case (.remove, .removed): return [.local(id, nil), .synced(id, nil)]
        case (.keepBoth(_, let divergence), .keptBoth(let copy)): return keptBoth(id, divergence, copy, in: trees)
        case (.agree(_, let agreed), _):
            guard case .present(var node) = trees.local[id], node.isParked, node.place == agreed.place else {
                return [.synced(id, agreed)]
            }
            node.isParked = false
            return [.synced(id, agreed), .local(id, .present(node))]
        case (.forget, _): return [.remote(id, nil), .local(id, nil), .synced(id, nil)]
        case (.identify(_, let other), _): return [.identified(id, as: other)]
        case (.revive, _): return [.synced(id, nil), .identified(id, as: fresh)]
        case (.restore, _): return [.local(id, nil), .synced(id, nil)]
        default: return []
        }
    }

    private static func compared(
        _ id: ItemIdentifier, _ there: SyncTrees.Remote, _ comparison: SyncAnswer.Comparison, _ revision: UInt64,
        in trees: SyncTrees
    ) -> [TreeChange] {
        guard var agreed = agreement(id, there, in: trees) else { return [] }
        switch comparison {
        case .same: agreed.revision = revision
        case .sent(let sent): agreed.revision = sent
        case .different: return []
        }
        guard case .sent = comparison, case .present(var node) = trees.local[id], node.stamp <= there.stamp else {
            return [.synced(id, agreed)]
        }
        // What is here began from these contents, and is later than them, also where their stamp was not known (VER-12).
        node.stamp = VersionStamp(time: there.stamp.time + 1, device: node.stamp.device)
        return [.synced(id, agreed), .local(id, .present(node))]
    }

    private static func keptBoth(
        _ id: ItemIdentifier, _ divergence: SyncOperation.Divergence, _ copy: SyncTrees.Local, in trees: SyncTrees
    ) -> [TreeChange] {
        let new = TreeChange.local(divergence.copyID, .present(copy))
        guard case .present(var node) = trees.local[id] else { return [new] }
        if divergence.keepsOurs {
            return [new, .synced(id, agreement(id, divergence.theirs, in: trees))]
        }
        node.revision = nil
        // An item that was never agreed on takes the remote's place, too.
        let agreed = trees.synced[id].flatMap { _ in agreement(id, divergence.theirs, in: trees) }
        return [new, .local(id, .present(node)), .synced(id, agreed)]
    }

    /// On the remote's contents, and on the place as far as it was agreed on.
    private static func agreement(
        _ id: ItemIdentifier, _ there: SyncTrees.Remote, in trees: SyncTrees
    ) -> SyncTrees.Synced? {
        guard let place = trees.synced[id]?.place ?? trees.local[id]?.node?.place else { return nil }
        return SyncTrees.Synced(place: place, kind: there.kind, version: there.version)
    }
}
