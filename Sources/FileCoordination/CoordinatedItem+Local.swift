import DocumentModel

/// Documents and folders of this machine that are in no domain: they are claimed while they move into one, and presented until
/// then (CONT-7, CONT-8).
extension CoordinatedItem {
    /// It is not said what lies inside of what: that is told by the paths.
    ///
    /// - Parameter path: absolute, and the one by which everybody names it: no link leads to it.
    /// - Returns: nil for what could be in no domain, because of a name on the way to it.
    package init?(localPath path: String) {
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        var names: [ItemName] = []
        for component in path.utf8.split(separator: UInt8(ascii: "/")) {
            guard let name = try? ItemName(String(Substring(component))) else { return nil }
            names.append(name)
        }
        guard !names.isEmpty else { return nil }
        let place = Location(domain: .thisMachine, components: names)
        self.init(subject: .place(place), kind: .document, enclosing: [], location: place)
    }

    /// Nil for an item of a domain.
    package var localPath: String? { location.domain == .thisMachine ? location.description : nil }

    /// The names below another local one that lead to this one; none for that one itself. Nil when this one is elsewhere.
    func names(below other: CoordinatedItem) -> [ItemName]? {
        guard location.domain == other.location.domain,
            location.components.starts(with: other.location.components)
        else { return nil }
        return Array(location.components.dropFirst(other.location.components.count))
    }
}
