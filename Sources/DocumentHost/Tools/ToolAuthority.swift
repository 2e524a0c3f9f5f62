import DocumentModel

/// What a registered tool may do with a location just now: what its manifest names, and what its started bookmarks allow.
/// Without I/O.
struct ToolAuthority {
    enum Use {
        case reading
        case writing

        var verb: String { self == .reading ? "read" : "change" }
    }

    /// What a started bookmark allows, where its item is now.
    struct Scope {
        var location: Location
        var rights: BookmarkRights
    }

    var tool: ToolDescription
    /// The folder of all containers; nil when there is none.
    var containerPlace: Location?
    /// The containers that it has opened (CONT-3).
    var opened: Set<ContainerIdentifier> = []
    /// Of all tools (CONT-6).
    var publicContainers: [PublicContainer] = []
    var scopes: [Scope] = []

    /// Nil when it may.
    func refusal(_ use: Use, of location: Location) -> DocumentError? {
        if let whole = tool.entitlements.domains[location.domain], use == .reading || whole == .writing { return nil }
        let scope = scopes.filter { location.isWithin($0.location) }
        if scope.contains(where: { use == .reading || $0.rights == .readWrite }) { return nil }
        if let (container, path) = containerPlace.flatMap({ location.container(below: $0) }) {
            return refusal(use, of: location, in: container, path)
        }
        if !scope.isEmpty {
            return refused("\(tool.id) may only read \(location): its bookmark of it is read-only.")
        }
        if tool.entitlements.domains[location.domain] != nil {
            return refused(
                "\(tool.id) may only read \(location.domain): its manifest names the domain under “read-domains”; to change documents of it, it must be under “domains”."
            )
        }
        return refused(
            "\(tool.id) may not \(use.verb) \(location): its manifest names neither the domain “\(location.domain)” nor a container there. Register it with a manifest that does, or give it this one item: docent bookmark create \(location) --for \(tool.id)"
        )
    }

    private func refusal(
        _ use: Use, of location: Location, in container: ContainerIdentifier, _ path: [ItemName]
    ) -> DocumentError? {
        if tool.entitlements.covers(container) {
            if opened.contains(container) { return nil }
            return refused(
                "\(tool.id) has not opened its container \(container) on this connection: ask for the container's location first."
            )
        }
        let shown = publicContainers.filter { $0.identifier == container && $0.shows(path) }
        if use == .reading, !shown.isEmpty { return nil }
        let missing = "its manifest does not name the container \(container) under “containers”"
        return refused(
            shown.isEmpty
                ? "\(tool.id) may not \(use.verb) \(location): \(missing)."
                : "\(tool.id) may only read \(location), which is public: \(missing).")
    }

    private func refused(_ sentence: String) -> DocumentError { DocumentError(.notPermitted, sentence) }
}

extension Location {
    /// Whether it is another location, or lies below it.
    func isWithin(_ other: Location) -> Bool {
        domain == other.domain && components.starts(with: other.components)
    }

    /// The container that a location lies in, and the names from its folder on.
    func container(below place: Location) -> (ContainerIdentifier, [ItemName])? {
        guard isWithin(place), components.count > place.components.count,
            let container = try? ContainerIdentifier(components[place.components.count].rawValue)
        else { return nil }
        return (container, Array(components[(place.components.count + 1)...]))
    }
}
