package import DocumentModel

/// Items that get another place while they are claimed and presented, and what happens to their versions
/// (COORD-7, COORD-27, COORD-28, COORD-30, COORD-40, COORD-41).
extension CoordinationStateMachine {
    /// Inside an accessor, an item has got another place: claims that wait follow it, presenters are told when the
    /// accessor has returned.
    ///
    /// - Throws: `invalidArgument` outside of an accessor that writes the item or what is around it.
    package mutating func moved(
        _ item: CoordinatedItem, to destination: CoordinatedItem, in claim: ClaimID, at time: Duration = .zero
    ) throws(DocumentError) -> [CoordinationAction] {
        if item.location == destination.location { return [] }
        // It may have got another identifier just now.
        let (item, destination) = (current(item), current(destination))
        guard let record = records[claim], record.stage == .granted,
            record.claim.intentions.contains(where: { intention in
                intention.intent.isWriting
                    && (intention.item.claimed == item.claimed
                        || item.enclosing.contains { $0.subject == intention.item.subject })
            })
        else {
            throw DocumentError(
                .invalidArgument,
                "\(item.location) was said to have moved to \(destination.location) outside of an access that writes it; coordinate the move, and say so inside."
            )
        }
        return turn(at: time) { machine in
            let tellings = machine.tellings(item, to: destination, except: record.claim.presenter)
            machine.records[claim]?.afterwards += tellings
            machine.rebind(item, to: destination)
        }
    }

    /// An item lies here by now, as the remote says: claims and presenters that know it, or what is inside, elsewhere
    /// follow, and presenters are told at once (COORD-28). So they do when a folder turns out to be a package (COORD-21).
    package mutating func placed(_ item: CoordinatedItem, at time: Duration = .zero) -> [CoordinationAction] {
        var places = otherPlaces(of: item)
        // Whoever knew it elsewhere has ended, and who came since is still there in the tree where they were.
        if places.isEmpty, let node = tree[item.subject], node.parent != item.enclosing.last?.subject {
            places = [item]
        }
        if places.isEmpty { return [] }
        return turn(at: time) { machine in
            for known in places {
                if known.location != item.location {
                    for telling in machine.tellings(known, to: item, except: nil) {
                        machine.tell(telling.presenter, telling.message)
                    }
                }
                machine.rebind(known, to: item)
            }
        }
    }

    /// An item in each of the places where claims and presenters of it, or of what is inside, know it, but for this one.
    /// Whoever asked before the remote moved it knows it elsewhere than whoever asked since.
    private func otherPlaces(of item: CoordinatedItem) -> [CoordinatedItem] {
        var found: [CoordinatedItem] = []
        func look(_ node: CoordinationTree.Node) {
            for other in node.presenters.compactMap({ presenters[$0]?.presenter.item }) { look(other) }
            for id in node.readers.union(node.writers).sorted() {
                for intention in records[id]?.claim.intentions ?? [] { look(intention.item) }
            }
        }
        func look(_ other: CoordinatedItem) {
            guard let known = other.around(item),
                known.enclosing != item.enclosing || known.location != item.location
                    || (known.kind == .package) != (item.kind == .package), !found.contains(known)
            else { return }
            found.append(known)
        }
        guard let node = tree[item.subject] else { return [] }
        look(node)
        tree.forEachInside(item.subject) { node in
            look(node)
            return true
        }
        return found
    }

    /// The kernel, or the host's own look, has noticed a change that nobody coordinated (COORD-28, COORD-40).
    package mutating func noticed(
        _ effect: ClaimEffect, on item: CoordinatedItem, at time: Duration = .zero
    ) -> [CoordinationAction] {
        turn(at: time) { machine in
            if effect == .appeared { machine.occupy(item) }
            machine.tell(effect, on: item, except: nil)
        }
    }

    /// An item is where none was: who claims or presents the place, claims or presents the item from now on.
    package mutating func occupied(by item: CoordinatedItem, at time: Duration = .zero) -> [CoordinationAction] {
        turn(at: time) { $0.occupy(item) }
    }

    private mutating func occupy(_ item: CoordinatedItem) {
        let place = item.asPlace
        if tree[place.subject] != nil || tree[place.claimed] != nil { rebind(place, to: item) }
    }

    /// A version was gained, lost or resolved: presenters are told when the accessor has returned, and at once outside
    /// of one (COORD-24, COORD-27).
    package mutating func version(
        _ version: String, _ event: PresenterMessage.VersionEvent, of item: CoordinatedItem, in claim: ClaimID? = nil,
        at time: Duration = .zero
    ) -> [CoordinationAction] {
        turn(at: time) { machine in
            let tellings = machine.tellings(event, version, of: item)
            if let claim, machine.records[claim]?.stage == .granted {
                machine.records[claim]?.afterwards += tellings
            } else {
                for telling in tellings { machine.tell(telling.presenter, telling.message) }
            }
        }
    }

    /// Attributes of an item have changed: presenters hear of those that they asked for (COORD-41).
    package mutating func attributesChanged(
        _ attributes: Set<String>, of item: CoordinatedItem, at time: Duration = .zero
    ) -> [CoordinationAction] {
        turn(at: time) { machine in
            for id in machine.tree[item.subject]?.presenters ?? [] {
                guard let presenter = machine.presenters[id]?.presenter else { continue }
                let observed = attributes.intersection(presenter.observedAttributes).sorted()
                if !observed.isEmpty { machine.tell(id, .didChangeAttributes(observed)) }
            }
        }
    }

    // MARK: - Following

    /// COORD-30: presenters of the item, of everything inside, and of the directories around.
    private func tellings(
        _ item: CoordinatedItem, to destination: CoordinatedItem, except own: PresenterID?
    ) -> [ClaimRecord.Telling] {
        let concerned = (tree[item.subject]?.presenters ?? []) + tree.presentersInside(item.subject)
        var tellings = concerned.compactMap { id -> ClaimRecord.Telling? in
            guard id != own, let presented = presenters[id]?.presenter.item else { return nil }
            let place = presented.following(item, to: destination).location
            if place == presented.location { return nil }
            return ClaimRecord.Telling(presenter: id, message: .didMove(to: place))
        }
        var seen: Set<PresenterID> = []
        for folder in item.enclosing.reversed() + destination.enclosing.reversed() {
            for id in tree[folder.subject]?.presenters ?? [] where id != own && seen.insert(id).inserted {
                let message = PresenterMessage.subitemDidMove(item.location, to: destination.location)
                tellings.append(
                    ClaimRecord.Telling(
                        presenter: id, message: folder.isPackage && !declares(id, message) ? .didChange : message))
            }
        }
        return tellings
    }

    /// Claims and presenters follow the item and what lies inside. Who waits to replace it keeps the place (COORD-7);
    /// who waits for the place that it comes to waits for it.
    private mutating func rebind(_ item: CoordinatedItem, to destination: CoordinatedItem) {
        var claims: [(id: ClaimID, old: [AccessIntention], new: [AccessIntention])] = []
        for id in self.claims(near: item, or: destination).sorted() {
            guard let record = records[id] else { continue }
            let old = record.claim.intentions
            let new = old.map { intention in
                var intention = intention
                intention.item = rebound(intention, of: record, item, to: destination) ?? intention.item
                return intention
            }
            claims.append((id, old, new))
        }
        var attached: [(id: PresenterID, old: CoordinatedItem, new: CoordinatedItem)] = []
        let concerned =
            (tree[item.subject]?.presenters ?? []) + tree.presentersInside(item.subject)
            + (tree[.place(destination.location)]?.presenters ?? [])
        for id in concerned {
            guard let presented = presenters[id]?.presenter.item else { continue }
            let new =
                presented.subject == .place(destination.location)
                ? destination : presented.following(item, to: destination)
            attached.append((id, presented, new))
        }
        // All out before the first goes in again: what somebody is still at keeps its place in the tree.
        for (id, old, _) in claims { for intention in old { tree.remove(id, intention) } }
        for (id, old, _) in attached { tree.remove(id, at: old) }
        for (id, _, new) in claims {
            records[id]?.claim.intentions = new
            for intention in new { tree.insert(id, intention) }
        }
        for (id, _, new) in attached {
            presenters[id]?.presenter.item = new
            tree.insert(id, at: new)
        }
        somethingHasMoved = true
        for (id, old, new) in claims where old != new {
            revisits.append(id)
            revisitDependents(of: id)
            // A read inside of it may be one of the same item by now, which waits for nobody in the queue (COORD-33).
            revisits += records[id]?.nested ?? []
        }
    }

    private func claims(near item: CoordinatedItem, or destination: CoordinatedItem) -> Set<ClaimID> {
        var found: Set<ClaimID> = []
        for subject in [item.claimed, destination.claimed, .place(destination.location)] {
            guard let node = tree[subject] else { continue }
            found.formUnion(node.readers.union(node.writers))
        }
        tree.forEachInside(item.claimed) { node in
            found.formUnion(node.readers.union(node.writers))
            return true
        }
        return found
    }

    private func rebound(
        _ intention: AccessIntention, of record: ClaimRecord, _ item: CoordinatedItem, to destination: CoordinatedItem
    ) -> CoordinatedItem? {
        if intention.item.subject == .place(destination.location) { return destination }
        if record.stage.isOpen, intention.intent == .writing(.forReplacing), intention.item.subject == item.subject,
            intention.item.location != destination.location
        {
            return intention.item.asPlace
        }
        let followed = intention.item.following(item, to: destination)
        return followed == intention.item ? nil : followed
    }
}
