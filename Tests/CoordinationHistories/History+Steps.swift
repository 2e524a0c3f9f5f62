import DocumentModel
import FileCoordination

/// What people do, at random.
extension History {
    private static let intents: [ClaimIntent] = [
        .reading, .reading, .reading(.withoutChanges), .reading(.immediatelyAvailableMetadataOnly),
        .reading(.forUploading), .writing(nil), .writing(nil), .writing(.forDeleting), .writing(.forMoving),
        .writing(.forMerging), .writing(.forReplacing), .writing(.contentIndependentMetadataOnly), .evicting,
    ]

    /// What may make a document where none is.
    private static let placeIntents: [ClaimIntent] = [
        .writing(nil), .writing(nil), .writing(.forReplacing), .writing(.forMoving), .writing(.forMerging),
    ]

    mutating func ask() {
        number += 1
        let owner = any(Self.owners)
        let outer = running.filter { claims[$0]?.owner == owner }.sorted()
        let nested = random.next() % 3 == 0 && !outer.isEmpty ? any(outer) : nil
        let asked = messages.filter { presenters[$0.value.presenter] == owner }.keys.sorted()
        let message = asked.isEmpty ? nil : any(asked)
        let answering = nested == nil && random.next() % 3 == 0 ? message : nil
        let purpose: Purpose? =
            switch random.next() % 6 {
            case 0: .identifier("p")
            case 1, 2: answering.flatMap { messages[$0] }.map { .presenter($0.presenter) }
            default: nil
            }
        let style: Claim.Style =
            switch random.next() % 16 {
            case 0: .preparation
            case 1: .unlessBusy
            case 2: .unlessOthersUseIt
            default: .access
            }
        let intentions = (0...(random.next() % 3 == 0 ? 1 : 0)).map { _ in
            random.next() % 6 == 0
                ? AccessIntention(freePlace(), any(Self.placeIntents)) : AccessIntention(any(items), any(Self.intents))
        }
        // Few coordinators, and new ones from time to time, since a cancelled one stays so.
        let coordinator =
            random.next() % 3 == 0
            ? CoordinatorID(owner: owner.id, number: number / 16 + random.next() % 2) : nil
        let isAtOnce = random.next() % 4 == 0
        let claim = Claim(
            id: ClaimID(number), owner: owner, intentions: intentions, style: style, purpose: purpose,
            coordinator: coordinator, providesContents: !isAtOnce && random.next() % 4 == 0,
            nestedIn: nested.map { [$0] } ?? [], answering: answering)
        // Whoever has looked a moment ago knows items by what they were called then.
        let request = random.next() % 4 == 0 ? claim.named(formerKeys) : claim
        if isAtOnce, !askAtOnce(request) { return }
        claims[claim.id] = claim
        for friend in friends(of: claim) { befriended.formUnion([friend.id, claim.id]) }
        if let nested { inside[nested, default: []].insert(claim.id) }
        note(
            "ask \(claim.id) \(owner) \(style) \(intentions.map { "\($0.intent) \($0.item.location)" }) in \(nested as Any) answering \(answering as Any) purpose \(purpose as Any) coordinator \(coordinator?.number as Any)",
            isAtOnce ? [.grant(claim.id, intentions.map(\.item.location))] : machine.request(request, at: time))
    }

    /// What is granted at once would have been granted to anybody who asks, and nobody would have heard of it; a plain read
    /// that is not would have had to wait for somebody, or ask.
    private mutating func askAtOnce(_ claim: Claim) -> Bool {
        var other = machine
        let actions = other.request(claim, at: time)
        let isGranted = machine.grantAtOnce(claim, at: time)
        let wouldBe = actions == [.grant(claim.id, claim.intentions.map(\.item.location))]
        let isPlain =
            !claim.isWriting && claim.style == .access && claim.nestedIn.isEmpty && claim.answering == nil
            && !claim.intentions.contains { $0.intent == .reading(.forUploading) }
            // With its group it may go before others.
            && friends(of: claim).isEmpty
        if isGranted ? !wouldBe : wouldBe && isPlain {
            complaints.append(
                "\(claim.id) was \(isGranted ? "" : "not ")granted at once, and asked for it does \(actions)")
        }
        if isGranted, machine.heldCount != other.heldCount || machine.waitingCount != other.waitingCount {
            complaints.append("\(claim.id), granted at once, is counted otherwise than one that was asked for")
        }
        return isGranted
    }

    mutating func end() {
        let free = running.filter { inside[$0]?.isEmpty ?? true }.sorted()
        guard !free.isEmpty else { return }
        let id = any(free)
        let count = claims[id]?.intentions.count ?? 0
        drop(id)
        let effects: [ClaimEffect]? =
            random.next() % 2 == 0
            ? nil : (0..<count).map { _ in any([.unchanged, .changed, .disappeared] as [ClaimEffect]) }
        note("end \(id) \(effects as Any)", machine.end(id, effects: effects, at: time))
    }

    mutating func giveUp() {
        let waiting = claims.keys.filter { held[$0] == nil && !running.contains($0) }.sorted()
        guard !waiting.isEmpty else { return }
        let id = any(waiting)
        drop(id)
        note("give up \(id)", machine.end(id, at: time))
    }

    mutating func cancelCoordinator() {
        let known = claims.keys.sorted().compactMap { claims[$0]?.coordinator }
        guard !known.isEmpty else { return }
        let coordinator = any(known)
        note("cancel coordinator \(coordinator.number)", machine.cancel(coordinator, at: time))
    }

    mutating func endOwner() {
        let owner = any(Self.owners)
        for id in claims.values.filter({ $0.owner == owner }).map(\.id) { drop(id) }
        for (id, other) in presenters where other == owner { forget(id) }
        note("end of \(owner)", machine.ownerEnded(owner, at: time))
    }

    /// A document gets another folder or name: inside of an access that may do that, or by a program that coordinates nothing.
    mutating func move() {
        let documents = items.indices.filter {
            items[$0].kind == .document && !items[$0].location.description.contains(".pkg")
        }
        let index = any(documents)
        let item = items[index]
        number += 1
        let folders = items.filter { $0.kind == .folder }
        guard var there = item.inside(any([nil] + folders), named: "moved-\(number)") else {
            return complaints.append("an item cannot be moved")
        }
        // Onto a place that somebody claims: from then on the item is claimed.
        let wanted = wantedPlaces
        if random.next() % 2 == 0, !wanted.isEmpty, case .item(let key) = item.subject {
            there = any(wanted).occupied(by: key)
        }
        let mover = running.sorted().first { claims[$0]?.mayMove(item) == true }
        let actions: [CoordinationAction]
        if let mover, random.next() % 2 == 0 {
            guard let told = try? machine.moved(item, to: there, in: mover, at: time) else {
                return complaints.append("\(mover) could not move \(item.location), which it writes")
            }
            actions = told
        } else {
            actions = machine.placed(there, at: time) + machine.occupied(by: there, at: time)
        }
        items[index] = there
        // Who waits to replace it wants the place, and not the item (COORD-7); all others follow.
        for id in claims.keys {
            let keepsPlaces = held[id] == nil && !running.contains(id)
            claims[id]?.follow(item, to: there, keepingPlaces: keepsPlaces)
        }
        for id in claims.keys { claims[id]?.occupy(there) }
        holdAnew()
        note("move \(item.location) to \(there.location) in \(mover as Any)", actions)
    }

    /// The remote has given a folder another place, with all that is in it.
    mutating func moveFolder() {
        let folders = items.filter { $0.kind == .folder }
        let folder = any(folders)
        let others = folders.filter { other in
            other != folder && !other.enclosing.contains { .item($0.key) == folder.subject }
        }
        number += 1
        guard let there = folder.inside(any([nil] + others), named: "placed-\(number)") else {
            return complaints.append("a folder cannot be moved")
        }
        let actions = machine.placed(there, at: time)
        items = items.map { $0.taken(along: folder, to: there) }
        for id in claims.keys {
            let keepsPlaces = held[id] == nil && !running.contains(id)
            claims[id]?.follow(folder, to: there, keepingPlaces: keepsPlaces)
        }
        holdAnew()
        note("place \(folder.location) at \(there.location)", actions)
    }

    mutating func addPresenter() {
        number += 1
        let id = PresenterID(number)
        let owner = any(Self.owners)
        presenters[id] = owner
        let capabilities = PresenterCapabilities(rawValue: UInt32(truncatingIfNeeded: random.next()))
            .intersection(.all)
        note(
            "presenter \(id) \(owner) \(capabilities.rawValue)",
            machine.add(
                Presenter(
                    id: id, owner: owner, item: somethingToPresent(), capabilities: capabilities, patience: .seconds(20)
                ),
                at: time))
    }

    /// A presenter tells of another item, or of none yet (COORD-29).
    mutating func setItem() {
        guard !presenters.isEmpty else { return }
        let (id, item) = (any(presenters.keys.sorted()), somethingToPresent())
        note("\(id) presents \(item?.location as Any)", machine.setItem(item, of: id, at: time))
    }

    private mutating func somethingToPresent() -> CoordinatedItem? {
        switch random.next() % 8 {
        case 0: nil
        case 1: freePlace()
        default: any(items)
        }
    }

    /// Something happens to an item, or to a version of it.
    mutating func notice() {
        let item = any(items)
        switch random.next() % 3 {
        case 0:
            note(
                "version of \(item.location)",
                machine.version(
                    "v", any(PresenterMessage.VersionEvent.allCases), of: item,
                    in: running.isEmpty ? nil : any([nil] + running.sorted()), at: time))
        default:
            let effect = any([.changed, .disappeared] as [ClaimEffect])
            note("\(item.location) has \(effect)", machine.noticed(effect, on: item, at: time))
        }
    }

    /// A process is killed: its presenters are gone at once, what it holds when all that it asked for has come to its end.
    mutating func endPresenters() {
        let owner = any(Self.owners)
        for (id, other) in presenters where other == owner { forget(id) }
        note("end of the presenters of \(owner)", machine.presentersEnded(of: owner, at: time))
    }

    mutating func removePresenter() {
        guard !presenters.isEmpty else { return }
        let id = any(presenters.keys.sorted())
        forget(id)
        note("remove \(id)", machine.remove(id, at: time))
    }

    mutating func answer(withError: Bool) {
        guard !messages.isEmpty else { return }
        let id = any(messages.keys.sorted())
        guard let (presenter, message) = messages.removeValue(forKey: id).map({ ($0.presenter, $0.message) }) else {
            return
        }
        switch message {
        case .relinquishToReader, .relinquishToWriter: if !withError { relinquished[presenter, default: 0] += 1 }
        case .reacquire: relinquished[presenter, default: 0] -= 1
        default: break
        }
        if relinquished[presenter, default: 0] < 0 { complaints.append("\(presenter) got back what it never gave up") }
        let failure = withError ? DocumentError(.internal, "No.") : nil
        note(
            "answer \(id) of \(presenter) to \(message) \(withError)", machine.answered(id, failure: failure, at: time))
    }

    mutating func provide() {
        guard !providing.isEmpty else { return }
        let id = any(providing)
        providing.removeAll { $0 == id }
        let failure = random.next() % 4 == 0 ? DocumentError(.serverUnreachable, "Away.") : nil
        note("provided \(id) \(failure == nil)", machine.provided(id, failure: failure, at: time))
    }

    mutating func makeSnapshot() {
        guard !snapshotting.isEmpty else { return }
        let id = any(snapshotting)
        snapshotting.removeAll { $0 == id }
        let failure = random.next() % 4 == 0 ? DocumentError(.localStorage, "Full.") : nil
        // COORD-14: from now on the original is free.
        held[id] = nil
        note("snapshot \(id) \(failure == nil)", machine.snapshotsMade(id, failure: failure, at: time))
    }

    mutating func forget(_ presenter: PresenterID) {
        presenters[presenter] = nil
        relinquished[presenter] = nil
        messages = messages.filter { $0.value.presenter != presenter }
    }

    mutating func drop(_ id: ClaimID) {
        held[id] = nil
        running.remove(id)
        providing.removeAll { $0 == id }
        snapshotting.removeAll { $0 == id }
        guard let claim = claims.removeValue(forKey: id) else { return }
        for outer in claim.nestedIn { inside[outer]?.remove(id) }
    }

    /// - Precondition: there is at least one.
    mutating func any<Element>(_ elements: [Element]) -> Element {
        elements[Int(random.next() % UInt64(elements.count))]
    }
}

extension Claim {
    /// The same claim, of an item that is somewhere else by now.
    fileprivate mutating func follow(_ item: CoordinatedItem, to there: CoordinatedItem, keepingPlaces: Bool) {
        for index in intentions.indices {
            let keepsPlace = keepingPlaces && intentions[index].intent == .writing(.forReplacing)
            guard intentions[index].item.subject == item.subject, keepsPlace else {
                intentions[index].item = intentions[index].item.taken(along: item, to: there)
                continue
            }
            let place = intentions[index].item
            intentions[index].item = CoordinatedItem(
                subject: .place(place.location), kind: place.kind, enclosing: place.enclosing, location: place.location)
        }
    }

    /// Whether its accessor may give an item another place.
    fileprivate func mayMove(_ item: CoordinatedItem) -> Bool {
        guard style == .access else { return false }
        return intentions.contains { intention in
            guard intention.intent.isWriting else { return false }
            let isInside = item.enclosing.contains { .item($0.key) == intention.item.subject }
            return isInside || intention.item.subject == item.subject
        }
    }
}

extension CoordinatedItem {
    /// The same item in a folder; nil: at the top.
    fileprivate func inside(_ folder: CoordinatedItem?, named name: String) -> CoordinatedItem? {
        guard let name = try? ItemName(name), let top = enclosing.first else { return nil }
        guard let folder else {
            return CoordinatedItem(
                subject: subject, kind: kind, enclosing: [top],
                location: Location(domain: location.domain, components: [name]))
        }
        guard case .item(let key) = folder.subject else { return nil }
        return CoordinatedItem(
            subject: subject, kind: kind, enclosing: folder.enclosing + [Folder(key: key, isPackage: false)],
            location: folder.location.appending(name))
    }

    /// Where it is when another item, which it is or lies in, has got another place.
    fileprivate func taken(along other: CoordinatedItem, to there: CoordinatedItem) -> CoordinatedItem {
        if subject == other.subject { return there }
        guard enclosing.contains(where: { .item($0.key) == other.subject }) else { return self }
        let place = Location(
            domain: there.location.domain,
            components: there.location.components + location.components.dropFirst(other.location.components.count))
        let isPlace = if case .place = subject { true } else { false }
        return CoordinatedItem(
            subject: isPlace ? .place(place) : subject, kind: kind,
            enclosing: there.enclosing + enclosing.dropFirst(other.enclosing.count), location: place)
    }
}
