import DocumentModel
import FileCoordination

/// Places where nothing is until something comes there, and items that get another identifier.
extension History {
    /// An item gets its provider's identifier.
    mutating func identify() {
        let index = any(Array(items.indices))
        guard case .item(let key) = items[index].subject else { return }
        number += 1
        guard let id = try? ItemIdentifier("/named-\(number)") else { return complaints.append("no identifier") }
        let now = CoordinatedItem.Key(domain: key.domain, id: id)
        let actions = machine.identified(items[index], as: id, at: time)
        formerKeys[now] = key
        let names = [key: now]
        items = items.map { $0.named(names) }
        for id in claims.keys { claims[id] = claims[id]?.named(names) }
        holdAnew()
        note("identify \(key.id) as \(id)", actions)
    }

    /// A document comes to be at a free place: who claims that claims the document from then on.
    mutating func occupy() {
        let wanted = wantedPlaces
        let place = wanted.isEmpty || random.next() % 4 == 0 ? freePlace() : any(wanted)
        guard !items.contains(where: { $0.location == place.location }) else { return }
        number += 1
        guard let key = try? CoordinatedItem.key("made-\(number)") else { return complaints.append("no identifier") }
        let item = place.occupied(by: key)
        let isHeard = random.next() % 2 == 0
        let actions = isHeard ? machine.noticed(.appeared, on: item, at: time) : machine.occupied(by: item, at: time)
        items.append(item)
        for id in claims.keys { claims[id]?.occupy(item) }
        holdAnew()
        note("\(key.id) comes to \(item.location)", actions)
    }

    /// Places that claims are on.
    var wantedPlaces: [CoordinatedItem] {
        let places = claims.keys.sorted().flatMap { claims[$0]?.intentions.map(\.item) ?? [] }
        return places.filter { place in
            guard case .place = place.subject else { return false }
            return !items.contains { $0.location == place.location }
        }
    }

    /// Where no item is, in a folder or a package that is there.
    mutating func freePlace() -> CoordinatedItem {
        while true {
            let folders = items.filter { $0.kind != .document }
            let name = "free-\(random.next() % 3)"
            let place = any([nil] + folders).flatMap { $0.place(named: name) } ?? items[0].top(named: name)
            if let place, !items.contains(where: { $0.location == place.location }) { return place }
            number += 1
            if let place = items[0].top(named: "free-\(number)") { return place }
        }
    }

    /// What is held is known as it is by now.
    mutating func holdAnew() {
        for (id, old) in held {
            guard let claim = claims[id] else { continue }
            held[id] = Held(claim: claim, isAlone: old.isAlone)
        }
    }
}

extension Claim {
    /// Whoever claims the place of an item that has come there claims the item.
    mutating func occupy(_ item: CoordinatedItem) {
        for index in intentions.indices where intentions[index].item.subject == .place(item.location) {
            intentions[index].item = item
        }
    }

    func named(_ names: [CoordinatedItem.Key: CoordinatedItem.Key]) -> Claim {
        var claim = self
        for index in intentions.indices { claim.intentions[index].item = intentions[index].item.named(names) }
        return claim
    }
}

extension CoordinatedItem {
    /// The same item, with what it and the folders around it are called by those names.
    fileprivate func named(_ names: [Key: Key]) -> CoordinatedItem {
        var subject = subject
        if case .item(let key) = subject { subject = .item(names[key] ?? key) }
        return CoordinatedItem(
            subject: subject, kind: kind,
            enclosing: enclosing.map { Folder(key: names[$0.key] ?? $0.key, isPackage: $0.isPackage) },
            location: location)
    }

    /// A place in it.
    fileprivate func place(named name: String) -> CoordinatedItem? {
        guard let name = try? ItemName(name), case .item(let key) = subject else { return nil }
        let place = location.appending(name)
        return CoordinatedItem(
            subject: .place(place), kind: .document,
            enclosing: enclosing + [Folder(key: key, isPackage: kind == .package)], location: place)
    }

    /// A place at the top.
    fileprivate func top(named name: String) -> CoordinatedItem? {
        guard let name = try? ItemName(name), let top = enclosing.first else { return nil }
        let place = Location(domain: location.domain, components: [name])
        return CoordinatedItem(subject: .place(place), kind: .document, enclosing: [top], location: place)
    }

    /// The document that has come to a place.
    func occupied(by key: Key) -> CoordinatedItem {
        CoordinatedItem(subject: .item(key), kind: .document, enclosing: enclosing, location: location)
    }
}
