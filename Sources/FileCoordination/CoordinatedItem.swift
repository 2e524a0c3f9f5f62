package import DocumentModel

/// An item as coordination sees it: itself, and the folders and packages around it.
package struct CoordinatedItem: Hashable, Sendable {
    /// Names an item for its whole life, wherever it lies.
    package struct Key: Hashable, Sendable {
        package let domain: DomainName
        package let id: ItemIdentifier

        package init(domain: DomainName, id: ItemIdentifier) {
            self.domain = domain
            self.id = id
        }
    }

    /// What can be claimed and presented.
    package enum Subject: Hashable, Sendable {
        case item(Key)
        /// A place where no item is yet, or where another one than the writer's is by now (COORD-7).
        case place(Location)
    }

    /// A folder or package around an item.
    package struct Folder: Hashable, Sendable {
        package let key: Key
        package let isPackage: Bool

        package init(key: Key, isPackage: Bool) {
            self.key = key
            self.isPackage = isPackage
        }

        var subject: Subject { .item(key) }
    }

    package let subject: Subject
    package let kind: ItemKind
    /// Outermost first.
    package let enclosing: [Folder]
    package let location: Location

    package init(subject: Subject, kind: ItemKind, enclosing: [Folder], location: Location) {
        self.subject = subject
        self.kind = kind
        self.enclosing = enclosing
        self.location = location
    }

    /// What a claim on it keeps others from: itself, or the outermost package around it (COORD-21).
    package var claimed: Subject { outermostPackage.map { enclosing[$0].subject } ?? subject }

    func isOrHolds(_ other: CoordinatedItem) -> Bool {
        subject == other.subject || other.enclosing.contains { $0.subject == subject }
    }

    /// Whether there can be something inside that is claimed on its own.
    var isDirectory: Bool { kind != .document }

    /// The folders around what is claimed, outermost first.
    var aroundClaimed: ArraySlice<Folder> { enclosing[..<(outermostPackage ?? enclosing.count)] }

    package var isInPackage: Bool { outermostPackage != nil }

    var packagesAround: [Folder] { enclosing.filter(\.isPackage) }

    private var outermostPackage: Int? { enclosing.firstIndex(where: \.isPackage) }

    /// The same item after `moved`, which it is or lies in, has got another place.
    func following(_ moved: CoordinatedItem, to destination: CoordinatedItem) -> CoordinatedItem {
        if subject == moved.subject { return destination }
        guard let level = enclosing.firstIndex(where: { $0.subject == moved.subject }) else { return self }
        // What lay in the folder can be around it by now, when somebody has turned folders inside out.
        if let known = destination.around(self) { return known }
        if let inner = enclosing.indices.last(where: { folder in
            folder > level && destination.enclosing.contains { $0.key == enclosing[folder].key }
        }), let outer = destination.enclosing.firstIndex(where: { $0.key == enclosing[inner].key }) {
            return lying(
                below: inner, of: Array(destination.enclosing[...outer]),
                at: destination.location.components.dropLast(destination.enclosing.count - outer),
                in: destination.location.domain)
        }
        let folder = Folder(key: enclosing[level].key, isPackage: destination.kind == .package)
        return lying(
            below: level, of: destination.enclosing + [folder], at: destination.location.components[...],
            in: destination.location.domain)
    }

    /// The same item, when the folder around it at that level has these around it and is there.
    private func lying(
        below level: Int, of folders: [Folder], at components: ArraySlice<ItemName>, in domain: DomainName
    ) -> CoordinatedItem {
        // Counted from below: it may be known elsewhere than the one that it lies in.
        let place = Location(
            domain: domain, components: components + location.components.suffix(enclosing.count - level))
        let subject: Subject = if case .place = subject { .place(place) } else { subject }
        return CoordinatedItem(
            subject: subject, kind: kind, enclosing: folders + enclosing[(level + 1)...], location: place)
    }

    /// Another item as this one, which is it or lies in it, knows it; nil when it is neither.
    func around(_ item: CoordinatedItem) -> CoordinatedItem? {
        if subject == item.subject {
            return self
        }
        guard let level = enclosing.firstIndex(where: { $0.subject == item.subject }) else { return nil }
        return CoordinatedItem(
            subject: item.subject, kind: enclosing[level].isPackage ? .package : .folder,
            enclosing: Array(enclosing[..<level]),
            location: Location(
                domain: location.domain, components: location.components.dropLast(enclosing.count - level)))
    }

    /// The place that it lies at, as something to claim of its own.
    var asPlace: CoordinatedItem {
        CoordinatedItem(subject: .place(location), kind: kind, enclosing: enclosing, location: location)
    }
}
