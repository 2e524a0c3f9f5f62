import DocumentModel
import DocumentStorage
import DocumentTypes
import FileCoordination

/// Where a picker session may choose: a domain, or one container in it.
struct PickerStart: Sendable {
    var domain: Domain
    /// Nil for the whole domain.
    var container: ContainerDescription?
}

extension DocumentHost {
    func sight(of tool: Tool) throws(DocumentError) -> PickerSight {
        guard case .registered(let id) = tool.standing else { return PickerSight(authority: nil) }
        return PickerSight(authority: try authority(of: id, tool))
    }

    /// Those of the domains that fit which the tool may use, and its containers in them: those it need not have opened
    /// before (CONT-3, CONT-4).
    ///
    /// - Throws: as ``fittingDomains(_:_:_:)``, and `notPermitted` when the tool may use none of them.
    func starts(
        _ request: PickerRequest, _ asked: [ContentType], _ types: TypeDatabase, for tool: Tool
    ) async throws(DocumentError) -> [PickerStart] {
        guard case .registered(let id) = tool.standing else {
            return try fittingDomains(request, asked, types).map { PickerStart(domain: $0) }
        }
        let authority = try authority(of: id, tool)
        let use: ToolAuthority.Use = request.mode.choosesDocuments ? .reading : .writing
        if let name = request.domain, name != authority.containerPlace?.domain {
            // Before anything is told of it.
            try PickerSight(authority: authority).require(use, of: Location(domain: name))
        }
        let fitting = try fittingDomains(request, asked, types)
        var starts: [PickerStart] = []
        for domain in fitting {
            if authority.refusal(use, of: Location(domain: domain.name)) == nil {
                starts.append(PickerStart(domain: domain))
            } else if domain.name == authority.containerPlace?.domain {
                for container in try await usableContainers(use, tool) {
                    starts.append(PickerStart(domain: domain, container: container))
                }
            }
        }
        guard starts.isEmpty else { return starts }
        throw DocumentError(
            .notPermitted,
            "\(id) has nothing to choose in for \(request.mode.rawValue): its manifest names no domain that offers it under “domains”, and no container that is there."
        )
    }

    private func usableContainers(
        _ use: ToolAuthority.Use, _ tool: Tool
    ) async throws(DocumentError) -> [ContainerDescription] {
        guard case .registered(let id) = tool.standing, let entitlements = registry.find(id)?.entitlements else {
            return []
        }
        // What is put somewhere needs a place, and a tool's own is made when it is first wanted.
        if use == .writing, entitlements.mainContainer != nil { _ = try await openContainer(nil, for: tool) }
        let containers = try await containers(for: tool).filter { $0.isEntitled || use == .reading }
        for container in containers where container.isEntitled {
            registry.opened(container.identifier, by: tool.owner.id)
        }
        return containers
    }

    func root(
        _ start: PickerStart, in picker: OpenPicker, _ sight: PickerSight
    ) async throws(DocumentError) -> PickerRoot {
        var root = try root(of: start.domain, in: picker, sight)
        guard let container = start.container else { return root }
        let folder = try await resolver.resolve(container.location, in: start.domain)
        root.id = try picker.entryID(folder.key)
        root.providerName = container.name
        root.capabilities.formIntersection(folder.item.capabilities)
        if !container.isEntitled { root.capabilities.formIntersection(.readOnly) }
        // It is what the session begins at, and stays where it is.
        root.actions = actions(on: folder, at: container.location, in: picker, sight)
            .subtracting([.rename, .move, .delete])
        return root
    }
}
