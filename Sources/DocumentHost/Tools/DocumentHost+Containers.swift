public import DocumentModel
import DocumentStorage
import FileCoordination

extension DocumentHost {
    /// Where containers are: each is a folder of its identifier in this one.
    public var containerPlace: Location? { registry.containerPlace }

    /// The same, for those who may know it.
    package func containerPlace(for tool: Tool) -> Location? {
        tool.standing == .user ? registry.containerPlace : nil
    }

    /// Says where containers are to be from now on; what is in them already stays where it is.
    ///
    /// - Parameter place: a folder of a domain whose documents can be changed; nil: there are none, the service is off.
    public func setContainerPlace(_ place: Location?) async throws(DocumentError) {
        if let place {
            let domain = try domains.domain(place.domain)
            try domain.require([.open], for: "kept in containers")
            try domain.requireModifying(place)
            guard try await resolver.resolve(place, in: domain).item.kind == .folder else {
                throw DocumentError(.invalidArgument, "\(place) is not a folder; containers are kept in one.")
            }
        }
        try await storage.write { try $0.setContainerPlace(place) }
        registry.containerPlace = place
        reviewPresenters()
    }

    /// The folder of a container, made when it is missing; from then on the tool may use it (CONT-3).
    ///
    /// - Parameter container: nil for the tool's main container.
    /// - Returns: nil when the service is off, or there is no account.
    /// - Throws: `notPermitted` for a container that the tool is not entitled to.
    public func openContainer(
        _ container: ContainerIdentifier?, for tool: Tool
    ) async throws(DocumentError) -> Location? {
        let wanted = try entitled(container, tool)
        guard let place = registry.containerPlace, let domain = domains.find(place.domain) else { return nil }
        let location = place.appending(try ItemName(wanted.rawValue))
        do throws(DocumentError) {
            _ = try await current(place, in: domain)
            if try await resolver.resolveIfPresent(location, in: domain) == nil {
                do throws(DocumentError) {
                    _ = try await exporter.makeFolder(at: location, on: domain)
                } catch {
                    // Another tool may have made it meanwhile.
                    guard try await resolver.resolveIfPresent(location, in: domain) != nil else { throw error }
                }
            }
        } catch {
            if error.code == .notAuthenticated { return nil }
            throw error.wrapped("The container \(wanted) cannot be opened: \(error.message)")
        }
        registry.opened(wanted, by: tool.owner.id)
        return location
    }

    /// Removes everything of a container but the user's documents, as a whole (CONT-5): in one claim, which waits until nobody
    /// uses any of it, and after a look at all of it, so that nothing goes when something has to stay. Once it has begun it is
    /// brought to its end, also when the host ends meanwhile.
    ///
    /// - Throws: `noSuchItem` when there is no such container, `unsyncedEdits` when something in it was not sent yet, and what
    ///   else keeps it from being removed.
    package func removeData(
        ofContainer container: ContainerIdentifier, for tool: Tool
    ) async throws(DocumentError) {
        guard let found = try await containers(for: tool).first(where: { $0.identifier == container }) else {
            throw DocumentError(
                .noSuchItem, "There is no container \(container): “docent container list” shows those that there are.")
        }
        let domain = try domains.domain(found.location.domain)
        await settleChanges(at: found.location, in: domain)
        let folder = try await resolver.resolve(found.location, in: domain)
        let isKnown = try storage.read { try $0.listing(of: folder.id, in: domain.name).isComplete }
        if !isKnown || !domain.hasFeed { try await follower.list(folder.id, of: domain) }
        try await clearing.clear(folder, at: found.location, on: domain)
    }

    private func entitled(
        _ container: ContainerIdentifier?, _ tool: Tool
    ) throws(DocumentError) -> ContainerIdentifier {
        guard case .registered(let id) = tool.standing else {
            if let container { return container }
            throw DocumentError(.invalidArgument, "A program without a manifest has no container of its own: name one.")
        }
        guard let entitlements = registry.find(id)?.entitlements, let main = entitlements.mainContainer else {
            throw DocumentError(
                .notPermitted, "\(id) has no containers: its manifest names none under “containers”.")
        }
        let wanted = container ?? main
        guard entitlements.covers(wanted) else {
            throw DocumentError(
                .notPermitted,
                "\(id) may not use the container \(wanted): its manifest does not name it under “containers”.")
        }
        return wanted
    }

    /// The folder of the containers, as the provider has it now: from its feed, or listed anew.
    private func current(_ place: Location, in domain: Domain) async throws(DocumentError) -> IndexedItem {
        try await follower.freshen(domain)
        let folder = try await resolver.resolve(place, in: domain)
        let isKnown = try storage.read { try $0.listing(of: folder.id, in: domain.name).isComplete }
        if !isKnown || !domain.hasFeed { try await follower.list(folder.id, of: domain) }
        return folder
    }

    /// The containers that are there and that the tool can see: its own, and public ones (CONT-4, CONT-6). All of them for
    /// the user's own programs. None when the service is off, or there is no account (QUERY-6).
    public func containers(for tool: Tool) async throws(DocumentError) -> [ContainerDescription] {
        guard let place = registry.containerPlace, let domain = domains.find(place.domain) else { return [] }
        let folder: IndexedItem
        do throws(DocumentError) {
            folder = try await current(place, in: domain)
        } catch {
            // Without an account there are no containers, as there are none while the service is off (QUERY-6).
            if error.code == .notAuthenticated { return [] }
            throw error
        }
        var entitlements: Entitlements?
        if case .registered(let id) = tool.standing { entitlements = registry.find(id)?.entitlements }
        let shown = registry.all.flatMap(\.publicContainers)
        var found: [ContainerDescription] = []
        var cursor: ChildCursor?
        repeat {
            let after = cursor
            let page = try storage.read { try $0.children(of: folder.id, in: domain.name, after: after, limit: 500) }
            for child in page.items where child.item.kind == .folder && !child.isGone && child.state != .nameClash {
                guard let name = child.item.name, let identifier = try? ContainerIdentifier(name.rawValue) else {
                    continue
                }
                let isEntitled = entitlements?.covers(identifier) ?? (tool.standing == .user)
                let told = shown.first { $0.identifier == identifier }
                guard isEntitled || told != nil else { continue }
                found.append(
                    ContainerDescription(
                        identifier: identifier, name: told?.name ?? identifier.rawValue,
                        location: place.appending(name),
                        isPublic: told != nil, isEntitled: isEntitled))
            }
            cursor = page.next
        } while cursor != nil
        return found.sorted { $0.identifier < $1.identifier }
    }
}
