public import DocumentModel
import DocumentStorage
import DocumentTypes
import DocumentWire
import FileCoordination
import Glibc
import Logging
import ProviderLauncher
import Synchronization
import SystemPackage

extension DocumentHost {
    /// Begins a picker session, and says in which domains it may choose (PICK-10); a registered tool in those, and in the
    /// containers, that its manifest names.
    ///
    /// - Returns: the session's number, and the domains by name.
    /// - Throws: `notPermitted` when the domain that was named does not offer the mode or a type, `notConfigured` when
    ///   none does, `noSuchItem` when the original is not there.
    public func beginPicker(
        _ request: PickerRequest, for tool: Tool
    ) async throws(DocumentError) -> (session: UInt64, roots: [PickerRoot]) {
        let machineTypes = machineTypes
        let types = try await storage.run { _ in machineTypes.current }
        let original = try await original(of: request, types)
        let asked = original.map { [$0.type] } ?? request.validTypes ?? []
        let starts = try await starts(request, asked, types, for: tool)
        let picker = try pickers.open(
            request, for: tool.owner, in: starts.map(\.domain.name), original: original, types: types)
        do throws(DocumentError) {
            var roots: [PickerRoot] = []
            let sight = try sight(of: tool)
            for start in starts { roots.append(try await root(start, in: picker, sight)) }
            return (picker.number, roots)
        } catch {
            release(picker)
            throw error
        }
    }

    /// A page of a folder. The first look into a domain prepares its provider (PICK-7).
    public func browse(
        _ folder: PickerEntryID, in session: UInt64, page: PageToken?, suggestedCount: Int, refreshing: Bool,
        for tool: Tool
    ) async throws(DocumentError) -> PickerListing {
        let picker = try pickers.find(session, of: tool.owner)
        try picker.machine.withLock { machine throws(DocumentError) in try machine.look() }
        let key = try picker.key(folder)
        let domain = try domains.domain(key.domain)
        try await prepare(domain, for: picker)
        var item = try await pickedFolder(key, domain)
        if page == nil, key.id == domain.rootID, !domain.isDropBox { item = await toldTopFolder(item, domain) }
        let sight = try sight(of: tool)
        let entry = try self.entry(item, in: picker, sight)
        let location = entry.status.location
        try sight.require(picker.request.mode.choosesDocuments ? .reading : .writing, of: location)
        let parent = location.parent.flatMap { sight.shows($0) ? item.item.parentID : nil }
        var listing = PickerListing(
            entries: [], folder: entry,
            parent: try parent.map { parent throws(DocumentError) in
                try picker.entryID(ItemKey(domain: domain.name, id: parent))
            },
            // What the provider wishes to be shown is of the whole domain.
            shape: sight.shows(Location(domain: domain.name)) ? try shape(of: domain, in: picker) : PickerShape())
        // Of a drop box nothing is told, not even whether there is something (PICK-13).
        guard !domain.isDropBox else { return listing }
        if page == nil { listing.isLoading = try await list(item, domain, picker, refreshing) }
        let cursor = try page.map { page throws(DocumentError) in try ChildCursor(page) }
        let limit = min(max(suggestedCount, 1), 1000)
        (listing.entries, listing.next) = try storage.read { index in
            let children = try index.children(of: item.id, in: domain.name, after: cursor, limit: limit)
            var entries: [PickerEntry] = []
            let onDisk = try index.diskLocations(in: domain.name)
            for child in children.items where child.exists {
                let status = try self.status(of: child, in: location, onDisk: onDisk, index)
                guard sight.shows(status.location) else { continue }
                entries.append(try self.entry(child, status, in: picker, sight))
            }
            return (entries, try children.next.map { try PageToken($0) })
        }
        // What comes later may belong before what is here.
        if listing.isLoading { listing.next = nil }
        return listing
    }

    /// Makes a folder, in export and move.
    public func makePickerFolder(
        named name: ItemName, in folder: PickerEntryID, in session: UInt64, for tool: Tool
    ) async throws(DocumentError) -> PickerEntry {
        let picker = try pickers.find(session, of: tool.owner)
        try picker.machine.withLock { machine throws(DocumentError) in try machine.look() }
        guard !picker.request.mode.choosesDocuments else {
            throw DocumentError(
                .notPermitted,
                "Folders are made in export and move; this session is an \(picker.request.mode.rawValue).")
        }
        let key = try picker.key(folder)
        let domain = try domains.domain(key.domain)
        guard !domain.isDropBox else {
            throw DocumentError(.notPermitted, "\(domain.name) takes documents only: put it into its top folder.")
        }
        try await prepare(domain, for: picker)
        let parent = try await pickedFolder(key, domain)
        let place = try status(of: parent).location
        let sight = try sight(of: tool)
        try sight.require(.writing, of: place.appending(name))
        try requireCreating(in: parent, at: place, picker, sight)
        return try entry(try await exporter.makeFolder(at: place.appending(name), on: domain), in: picker, sight)
    }

    /// Checks a choice, and carries it out: then the session is over, also when that fails (PICK-6). A choice that
    /// breaks a rule is refused, and the session stays open.
    public func choose(
        _ selection: PickerSelection, in session: UInt64, for tool: Tool,
        onProgress: @escaping @Sendable (TransferProgress?) -> Void = { _ in }
    ) async throws(DocumentError) -> [PickedItem] {
        let picker = try pickers.find(session, of: tool.owner)
        try picker.machine.withLock { machine throws(DocumentError) in try machine.choose() }
        let transfer: PickerTransfer
        do throws(DocumentError) {
            transfer = try await checked(selection, picker, try sight(of: tool))
            try picker.machine.withLock { machine throws(DocumentError) in try machine.accept() }
        } catch {
            picker.machine.withLock { $0.refuse() }
            throw error
        }
        defer { release(picker) }
        return try await carryOut(transfer, picker, tool, onProgress)
    }

    /// Ends a session without a choice (PICK-16).
    public func cancelPicker(_ session: UInt64, for tool: Tool) throws(DocumentError) {
        let picker = try pickers.find(session, of: tool.owner)
        let prepared = try picker.machine.withLock { machine throws(DocumentError) in try machine.cancel() }
        tell(prepared, thatIsOver: picker)
    }

    /// How many picker sessions are open.
    public var pickerCount: Int { pickers.count }

    /// A tool is gone, and its sessions with it.
    func endPickers(of tool: Tool) {
        for picker in pickers.all(of: tool.owner) { release(picker) }
        exported.end(tool.owner)
    }

    private func release(_ picker: OpenPicker) {
        tell(picker.machine.withLock { $0.release() }, thatIsOver: picker)
    }

    private func tell(_ prepared: [DomainName], thatIsOver picker: OpenPicker) {
        pickers.remove(picker)
        for domain in prepared.compactMap(domains.find) where domain.isRunning {
            work.add { [logger] in
                do throws(DocumentError) {
                    try await domain.provider.endPicker(session: picker.call(hasFileHalf: true).session)
                } catch {
                    logger.debug("endPicker failed", metadata: ["domain": "\(domain.name)", "error": "\(error)"])
                }
            }
        }
    }
}

extension ItemStatus {
    /// With the type that this machine knows for it.
    func typed(by types: TypeDatabase) -> ItemStatus {
        var status = self
        status.item.contentType = types.type(of: item)
        return status
    }
}
