import DocumentModel
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
    /// How long a page waits for what a provider still lists.
    private static let patience = Duration.milliseconds(300)

    /// Once a session and domain, before anything else is asked of the provider for it.
    func prepare(_ domain: Domain, for picker: OpenPicker) async throws(DocumentError) {
        guard domain.bundle.manifest.capabilities.contains(.picker) else { return }
        try await picker.preparing.withLock(domain.name) { () async throws(DocumentError) in
            guard picker.machine.withLock({ $0.needsPreparing(domain.name) }) else { return }
            do throws(DocumentError) {
                try await granter.pending.during(.preparing, of: picker, in: domain.name) {
                    () async throws(DocumentError) in
                    let capabilities = try await domain.supervisor.withProvider { live throws(DocumentError) in
                        live.capabilities
                    }
                    guard capabilities.contains(.picker) else { return }
                    let call = picker.call(hasFileHalf: domain.bundle.manifest.hasFileHalf)
                    picker.keep(try await domain.provider.preparePicker(call), of: domain.name)
                }
            } catch {
                picker.machine.withLock { $0.wasNotPrepared(domain.name) }
                throw error
            }
        }
    }

    func pickedFolder(_ key: ItemKey, _ domain: Domain) async throws(DocumentError) -> IndexedItem {
        let item: IndexedItem
        // Of a drop box there is nothing else to be seen, and guessing is no way in (PICK-13).
        guard key.id == domain.rootID || !domain.isDropBox else {
            throw DocumentError(.notPermitted, "\(domain.name) takes documents only: put it into its top folder.")
        }
        if key.id == domain.rootID {
            item = try await resolver.resolve(Location(domain: domain.name), in: domain)
        } else {
            item = try await pickedItem(key, domain)
        }
        guard item.item.kind == .folder else {
            throw DocumentError(.invalidArgument, "“\(item.item.name?.rawValue ?? key.id.rawValue)” is not a folder.")
        }
        return item
    }

    func pickedItem(_ key: ItemKey, _ domain: Domain) async throws(DocumentError) -> IndexedItem {
        if let item = try storage.read({ try $0.item(key.id, in: domain.name) }), item.exists {
            return item
        }
        // A folder that the provider named, and that nobody has listed yet.
        guard let path = try await domain.provider.path(forIdentifier: key.id) else {
            throw DocumentError(.noSuchItem, "The item is not there any more; look at its folder again.")
        }
        return try await resolver.resolve(try Location("\(domain.name):/\(path)"), in: domain)
    }

    /// A top folder as its provider tells of it: no listing says what may be done with it. As it is known, when that takes long.
    func toldTopFolder(_ folder: IndexedItem, _ domain: Domain) async -> IndexedItem {
        await withTaskGroup(of: IndexedItem?.self) { group in
            group.addTask { await self.refreshed(folder, domain) }
            group.addTask {
                try? await Task.sleep(for: Self.patience)
                return nil
            }
            defer { group.cancelAll() }
            let told = await group.next() ?? nil
            return told ?? folder
        }
    }

    /// Has a folder listed at its provider, where that is needed.
    ///
    /// - Returns: whether it is still listed: what is known so far has to do.
    func list(
        _ folder: IndexedItem, _ domain: Domain, _ picker: OpenPicker, _ refreshing: Bool
    ) async throws(DocumentError) -> Bool {
        let key = folder.key
        if refreshing { picker.forgetListing(of: key) }
        switch picker.listing(of: key) {
        case .complete: return false
        case .failed(let error):
            picker.forgetListing(of: key)
            throw error
        case .running: break
        case nil:
            try await follower.freshen(domain)
            let isKnown = try storage.read { try $0.listing(of: folder.id, in: domain.name).isComplete }
            if isKnown, !refreshing, domain.hasFeed { return false }
            guard picker.beginListing(of: key) else { break }
            work.add { [follower, logger] in
                do throws(DocumentError) {
                    try await follower.list(folder.id, of: domain)
                    picker.endListing(of: key, nil)
                } catch {
                    // What is known stays visible when the remote is not there.
                    let isShown = isKnown && !refreshing && error.code.errorClass != .definitive
                    if isShown { logger.notice("a picker shows what is known", metadata: ["error": "\(error)"]) }
                    picker.endListing(of: key, isShown ? nil : error)
                }
            }
        }
        let deadline = ContinuousClock.now + Self.patience
        while case .running = picker.listing(of: key), ContinuousClock.now < deadline {
            do {
                try await Task.sleep(for: .milliseconds(5))
            } catch {
                throw DocumentError(.cancelled, "Looking at the folder was cancelled.")
            }
        }
        switch picker.listing(of: key) {
        case .running: return true
        case .failed(let error):
            picker.forgetListing(of: key)
            throw error
        case .complete, nil: return false
        }
    }

    func entry(
        _ item: IndexedItem, in picker: OpenPicker, _ sight: PickerSight
    ) throws(DocumentError) -> PickerEntry {
        try entry(item, try status(of: item), in: picker, sight)
    }

    func entry(
        _ item: IndexedItem, _ status: ItemStatus, in picker: OpenPicker, _ sight: PickerSight
    ) throws(DocumentError) -> PickerEntry {
        let actions = actions(on: item, at: status.location, in: picker, sight)
        let takesIt = picker.request.mode.choosesDocuments || actions.contains(.create)
        return PickerEntry(
            id: try picker.entryID(item.key), status: status.typed(by: picker.types),
            isSelectable: takesIt && picker.allows(item.item, in: item.state), actions: actions)
    }

    func shape(of domain: Domain, in picker: OpenPicker) throws(DocumentError) -> PickerShape {
        let presentation = picker.presentation(of: domain.name)
        func id(_ item: ItemIdentifier) throws(DocumentError) -> PickerEntryID {
            try picker.entryID(ItemKey(domain: domain.name, id: item))
        }
        var places: [PickerPlace] = []
        for section in presentation.sections {
            places.append(PickerPlace(title: section.title, id: try id(section.containerID)))
        }
        return PickerShape(
            message: presentation.message, places: places, columns: presentation.columns,
            start: try presentation.startID.map(id))
    }
}
