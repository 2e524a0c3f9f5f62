package import DocumentModel
import DocumentStorage
package import DocumentWire
import FileCoordination

extension DocumentHost {
    /// Refuses what a tool may not ask for (CONT-2). The user's own programs may ask for everything.
    ///
    /// - Throws: `notPermitted`, with a sentence that says what is missing.
    package func authorise(_ call: ServiceCall, for tool: Tool) throws(DocumentError) {
        let id: ToolIdentifier
        switch tool.standing {
        case .user: return
        case .nobody(let reason): throw DocumentError(.notPermitted, reason)
        case .registered(let registered): id = registered
        }
        if let path = call.sourcePath, isConfined(tool) {
            throw DocumentError(
                .notPermitted,
                "\(id) is confined, so no file is read or written for it: “\(path)” is for itself to open. It can make a document and write it: coordinate(creatingItemAt:)."
            )
        }
        let uses = try uses(of: call, by: id)
        if uses.isEmpty { return }
        let authority = try authority(of: id, tool)
        for (use, location) in uses {
            if let refusal = authority.refusal(use, of: location) { throw refusal }
        }
    }

    /// Whether a tool gets open files instead of paths (PICK-21, BOOK-5).
    package func isConfined(_ tool: Tool) -> Bool {
        guard case .registered(let id) = tool.standing else { return false }
        return registry.find(id)?.isConfined ?? true
    }

    /// What a call does with which locations. What is not named here is for the user's own programs: a call that is new is
    /// refused until somebody has thought about it.
    private func uses(
        of call: ServiceCall, by id: ToolIdentifier
    ) throws(DocumentError) -> [(ToolAuthority.Use, Location)] {
        switch call {
        case .hostStatus, .listDomains, .endAccess, .flushAccess, .awaitContents, .openAccessed, .removePresenter,
            .cancelCoordinator:
            return []
        case .listItems(let location, _, _, _, _), .getItem(let location, _), .download(let location),
            .evict(let location), .waitUntilSent(let location), .refresh(let location), .status(let location?),
            .listVersions(let location), .fetchRemoteVersion(let location):
            return [(.reading, location)]
        case .quota(let domain): return [(.reading, Location(domain: domain))]
        // Its own files: what it may do with those is not for us to say.
        case .addPresenter(let registration): return registration.place?.location.map { [(.reading, $0)] } ?? []
        case .setPresentedItem(_, let place): return place?.location.map { [(.reading, $0)] } ?? []
        // The access ends whatever the tool may present: see ``DocumentHost/endWrite(_:presenter:presents:of:)``.
        case .endWrite: return []
        case .makeFolder(let location, _), .removeItem(let location, _, _, _), .exportDocument(_, let location, _),
            .moveDocument(_, let location, _), .moveIn(_, let location), .resolveConflict(let location, _, _),
            .restoreVersion(let location, _), .removeVersions(let location, _):
            return [(.writing, location)]
        case .moveOut(let call): return [(.writing, call.location)]
        case .renameItem(let location, let destination, _): return [(.writing, location), (.writing, destination)]
        // By its items, when they are known: see ``permit(for:by:of:)``.
        case .beginAccess: return []
        // So here: see ``PickerSight``.
        case .beginPicker, .browsePicker, .makePickerFolder, .choosePicker, .cancelPicker, .searchPicker: return []
        case .thumbnails: return []
        case .bookmark(let call): return try uses(of: call, by: id)
        case .safeguards(.previewSync(let location)), .safeguards(.previewRemoval(let location, _, _)):
            return [(.reading, location)]
        case .transfers(.startDownload(let location)), .transfers(.watch(let location?)): return [(.reading, location)]
        // By a number that only the connection has that began it.
        case .transfers(.nextEvents), .transfers(.endWatch): return []
        case .tools(.openContainer), .tools(.listContainers), .tools(.describe(nil)): return []
        // Of the tool's own identifier, and of no other.
        case .tools(.removeContainerData(let container)):
            guard let place = registry.containerPlace else { return [] }
            return [(.writing, place.appending(try ItemName(container.rawValue)))]
        case .tools(.getKeyValues), .tools(.setKeyValues): return []
        case .tools(.describe(let other?)) where other == id: return []
        default:
            throw DocumentError(
                .notPermitted,
                "\(id) may not ask for this: setting up and looking after the host is for the user's own programs, such as docent."
            )
        }
    }

    private func uses(
        of call: BookmarkCall, by id: ToolIdentifier
    ) throws(DocumentError) -> [(ToolAuthority.Use, Location)] {
        switch call {
        case .create(let location, let options):
            guard options.tool == nil || options.tool == id else {
                throw DocumentError(
                    .notPermitted,
                    "\(id) may make bookmarks for itself only: the user's own programs make them for others.")
            }
            let use: ToolAuthority.Use = options.rights == .readOnly ? .reading : .writing
            return [(use, location)] + (options.document.map { [(.reading, $0)] } ?? [])
        case .resolve(_, let document), .start(_, let document): return document.map { [(.reading, $0)] } ?? []
        case .access(let access): return access.document.map { [(.reading, $0)] } ?? []
        case .stop, .list: return []
        case .revoke(let number):
            guard try storage.read({ try $0.bookmark(number) })?.holder == id else {
                throw DocumentError(
                    .notPermitted, "The bookmark \(number) is not one of \(id): the user's own programs revoke any.")
            }
            return []
        }
    }

    func authority(of id: ToolIdentifier, _ tool: Tool) throws(DocumentError) -> ToolAuthority {
        var authority = try authorityWithoutBookmarks(of: id, tool)
        let scopes = bookmarks.scopes(of: tool.owner)
        if scopes.isEmpty { return authority }
        authority.scopes = try storage.read { index in
            scopes.compactMap { scope in
                // Also none for an item that cannot be shown because of its name.
                guard let place = (try? index.location(of: scope.item.id, in: scope.item.domain)) ?? nil else {
                    return nil
                }
                return ToolAuthority.Scope(location: place, rights: scope.rights)
            }
        }
        return authority
    }

    private func authorityWithoutBookmarks(
        of id: ToolIdentifier, _ tool: Tool
    ) throws(DocumentError) -> ToolAuthority {
        guard let authority = registry.authority(of: id, connection: tool.owner.id) else {
            throw DocumentError(.notPermitted, "\(id) was unregistered meanwhile: end it and start it anew.")
        }
        return authority
    }

    /// What a request for an access may touch: what its bookmark allows, where it names one; else what the tool may.
    func permit(
        for intentions: [AccessRequest.Intention], by bookmark: Bookmark?, of tool: Tool
    ) async throws(DocumentError) -> AccessPermit {
        if let bookmark {
            let id = try await bookmarks.token(of: bookmark).id
            guard let scope = bookmarks.scope(id, of: tool.owner) else {
                throw DocumentError(
                    .notPermitted,
                    "The bookmark \(id) is not started, or is revoked or expired by now: resolving gives no access, start it first."
                )
            }
            return .bookmark(scope)
        }
        return try permit(for: intentions, of: tool)
    }

    /// The same without a bookmark.
    func permit(
        for intentions: [AccessRequest.Intention], of tool: Tool
    ) throws(DocumentError) -> AccessPermit {
        guard case .registered(let id) = tool.standing else { return .everything }
        // Bookmarks are bound to items: what is at their place is looked at when it is known.
        let authority = try authorityWithoutBookmarks(of: id, tool)
        var refusals: [Location: DocumentError] = [:]
        for intention in intentions {
            let use: ToolAuthority.Use = intention.intent == .reading ? .reading : .writing
            // Once refused, a location stays so: it may be named twice.
            guard let refusal = authority.refusal(use, of: intention.location) else { continue }
            refusals[intention.location] = refusal
        }
        let scopes = bookmarks.scopes(of: tool.owner)
        // Without bookmarks it need not be looked at what is there.
        if scopes.isEmpty, let refusal = intentions.lazy.compactMap({ refusals[$0.location] }).first {
            throw refusal
        }
        return .entitled(except: refusals, scopes)
    }

    /// What a tool may know of the domains: those that it may use, and nothing of how they are set up.
    package func reduced(_ descriptions: [DomainDescription], for tool: Tool) throws(DocumentError)
        -> [DomainDescription]
    {
        guard case .registered(let id) = tool.standing else { return descriptions }
        let used = Set(registry.find(id)?.entitlements.domains.keys.map { $0 } ?? [])
        return descriptions.filter { used.contains($0.name) }.map { Self.withoutSettings($0) }
    }

    /// As ``reduced(_:for:)-(DomainDescription,_)``, of what is in them.
    package func reduced(_ statuses: [DomainStatus], for tool: Tool) -> [DomainStatus] {
        guard case .registered = tool.standing else { return statuses }
        return statuses.map { status in
            var status = status
            status.domain = Self.withoutSettings(status.domain)
            return status
        }
    }

    /// What a tool may know of the host: that it runs. What the start found, and what is used, is about everybody's documents.
    package func reduced(_ status: HostStatus, for tool: Tool) -> HostStatus {
        guard case .registered = tool.standing else { return status }
        return HostStatus(
            version: status.version, processID: status.processID, root: "", started: status.started,
            memory: status.memory)
    }

    /// The bookmarks that a tool may know of.
    package func bookmarkDescriptions(for tool: Tool) throws(DocumentError) -> [BookmarkDescription] {
        guard case .registered(let id) = tool.standing else { return try bookmarkDescriptions() }
        return try bookmarkDescriptions { $0.holder == id }
    }

    private static func withoutSettings(_ description: DomainDescription) -> DomainDescription {
        var description = description
        description.settings = [:]
        description.recordings = nil
        description.heldDeletions = []
        return description
    }
}

extension ServiceCall {
    /// The local file that the host would read, or write, or look at, for the tool.
    fileprivate var sourcePath: String? {
        switch self {
        case .exportDocument(let path, _, _), .moveDocument(let path, _, _), .moveIn(let path, _): path
        case .moveOut(let call): call.destinationPath
        case .beginPicker(let request): request.originalPath
        case .addPresenter(let registration): registration.place?.localPath
        case .setPresentedItem(_, let place): place?.localPath
        default: nil
        }
    }
}
