package import DocumentModel

/// Items that were made here and get their provider's identifier while they are claimed and presented.
extension CoordinationStateMachine {
    /// An item is called something else from now on: claims and presenters of it, and of what lies inside, follow, and so
    /// does whoever still asks for it by the old identifier. Nobody is told: it is the same item.
    package mutating func identified(
        _ item: CoordinatedItem, as id: ItemIdentifier, at time: Duration = .zero
    ) -> [CoordinationAction] {
        guard case .item(let key) = item.subject, key.id != id else { return [] }
        let now = CoordinatedItem.Key(domain: key.domain, id: id)
        return turn(at: time) { machine in
            let known = machine.current(item)
            machine.identities.add(key, now: now)
            machine.rename(near: known)
            machine.forgetIdentities()
        }
    }

    /// Something new has an identifier. If that was another item's before, as with identifiers that follow names, whoever asks by
    /// it from now on means the new one.
    package mutating func appeared(_ key: CoordinatedItem.Key) {
        if !identities.isEmpty { identities.forget(key) }
    }

    /// An item under the identifiers that are used now.
    package func current(_ item: CoordinatedItem) -> CoordinatedItem {
        guard !identities.isEmpty else { return item }
        var subject = item.subject
        if case .item(let key) = subject { subject = .item(identities.current(key)) }
        let enclosing = item.enclosing.map { folder in
            CoordinatedItem.Folder(key: identities.current(folder.key), isPackage: folder.isPackage)
        }
        return CoordinatedItem(subject: subject, kind: item.kind, enclosing: enclosing, location: item.location)
    }

    /// An identifier as it is used now.
    package func current(_ key: CoordinatedItem.Key) -> CoordinatedItem.Key { identities.current(key) }

    /// The items that a claim is on by now, wherever they were moved and whatever their identifiers were when it was granted.
    package func items(of claim: ClaimID) -> [CoordinatedItem.Key] {
        records[claim]?.claim.intentions.compactMap { intention in
            if case .item(let key) = intention.item.subject { key } else { nil }
        } ?? []
    }

    /// The claims on an item, and on what lies in it when it is a package; also those that wait.
    package func claims(on key: CoordinatedItem.Key) -> Set<ClaimID> {
        tree[.item(identities.current(key))].map { $0.readers.union($0.writers) } ?? []
    }

    func current(_ claim: Claim) -> Claim {
        guard !identities.isEmpty else { return claim }
        var claim = claim
        for index in claim.intentions.indices { claim.intentions[index].item = current(claim.intentions[index].item) }
        return claim
    }

    /// The oldest of those that nobody claims or presents, once there are many: whoever asks by a first identifier does
    /// so in the moments after it has changed.
    private mutating func forgetIdentities() {
        guard identities.count > Identities.most else { return }
        let tree = tree
        identities.forget { tree[.item($0)] != nil }
    }

    /// All out before the first goes in again: what lies inside what is said anew.
    private mutating func rename(near item: CoordinatedItem) {
        var claims: Set<ClaimID> = []
        for subject in [item.claimed, item.subject] {
            claims.formUnion(tree[subject].map { $0.readers.union($0.writers) } ?? [])
        }
        tree.forEachInside(item.subject) { node in
            claims.formUnion(node.readers.union(node.writers))
            return true
        }
        let concerned = (tree[item.subject]?.presenters ?? []) + tree.presentersInside(item.subject)
        let renamed = claims.compactMap { records[$0] }.sorted { $0.rank < $1.rank }
        for record in renamed {
            for intention in record.claim.intentions { tree.remove(record.claim.id, intention) }
        }
        for id in concerned {
            if let presented = presenters[id]?.presenter.item { tree.remove(id, at: presented) }
        }
        for record in renamed {
            let claim = current(record.claim)
            records[claim.id]?.claim = claim
            for intention in claim.intentions { tree.insert(claim.id, intention) }
            revisits.append(claim.id)
        }
        for id in concerned {
            guard let presented = presenters[id]?.presenter.item else { continue }
            let now = current(presented)
            presenters[id]?.presenter.item = now
            tree.insert(id, at: now)
        }
    }
}
