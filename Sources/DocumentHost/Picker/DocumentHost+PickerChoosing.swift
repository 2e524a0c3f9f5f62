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

/// A choice that keeps the rules of its mode.
enum PickerTransfer: Sendable {
    case items([IndexedItem])
    case target(Location, Domain, replacing: Bool)
}

extension DocumentHost {
    func checked(
        _ selection: PickerSelection, _ picker: OpenPicker, _ sight: PickerSight
    ) async throws(DocumentError) -> PickerTransfer {
        let mode = picker.request.mode
        switch selection {
        case .entries, .paths:
            guard mode.choosesDocuments else {
                throw DocumentError(
                    .invalidArgument, "In \(mode.rawValue) a folder and a name are chosen, not a document.")
            }
            let items = try await chosenItems(selection, picker, sight)
            guard items.count == 1 || picker.request.allowsSeveral else {
                throw DocumentError(.invalidArgument, "This session is for one item, and \(items.count) were chosen.")
            }
            for item in items { try await check(item, picker) }
            return .items(items)
        case .target(let folder, let name, let replacing):
            guard !mode.choosesDocuments else {
                throw DocumentError(.invalidArgument, "In \(mode.rawValue) a document is chosen, not a place.")
            }
            return try await checkedTarget(folder, name, replacing, picker, sight)
        }
    }

    private func chosenItems(
        _ selection: PickerSelection, _ picker: OpenPicker, _ sight: PickerSight
    ) async throws(DocumentError) -> [IndexedItem] {
        var items: [IndexedItem] = []
        switch selection {
        case .target: break
        case .entries(let entries):
            for entry in entries {
                let key = try picker.key(entry)
                let domain = try domains.domain(key.domain)
                guard key.id != domain.rootID else { throw Self.isTheRoot(domain) }
                let item = try await pickedItem(key, domain)
                try sight.require(.reading, of: try status(of: item).location)
                items.append(item)
            }
        case .paths(let paths):
            guard let any = picker.domains.first else { break }
            // The folder that the domains' own lie in.
            let documents = StorageRootPath(
                documents: root.tree.path(of: Location(domain: any)).removingLastComponent())
            for path in paths {
                let place = try await storage.run { _ in try documents.location(of: path) }
                try picker.check(place.domain)
                let location = try storage.read { try $0.location(onDisk: place) }
                try sight.require(.reading, of: location)
                let domain = try domains.domain(location.domain)
                items.append(try await resolver.resolve(location, in: domain))
            }
        }
        return items
    }

    /// The rules of import and open (PICK-1, PICK-2, PICK-14), and then the provider's own.
    private func check(_ item: IndexedItem, _ picker: OpenPicker) async throws(DocumentError) {
        let domain = try domains.domain(item.domain)
        let name = item.item.name?.rawValue ?? domain.name.rawValue
        guard item.id != domain.rootID else { throw Self.isTheRoot(domain) }
        guard item.state != .nameClash else {
            throw DocumentError(
                .nameClash,
                "“\(name)” cannot be chosen, because another name in its folder is the same but for case or Unicode form."
            )
        }
        guard picker.allows(item.item, in: item.state) else {
            let wanted = (picker.request.validTypes ?? []).map(\.identifier).joined(separator: ", ")
            throw DocumentError(
                .typeNotAccepted,
                "“\(name)” is of the type \(picker.types.type(of: item.item)), and \(wanted) is wanted: choose another one."
            )
        }
        try await validate(.item(item.id), domain, picker)
    }

    /// The rules of export and move (PICK-3, PICK-4, PICK-19), and then the provider's own.
    private func checkedTarget(
        _ folder: PickerEntryID, _ name: ItemName, _ replacing: Bool, _ picker: OpenPicker, _ sight: PickerSight
    ) async throws(DocumentError) -> PickerTransfer {
        let key = try picker.key(folder)
        let domain = try domains.domain(key.domain)
        try await prepare(domain, for: picker)
        let parent = try await pickedFolder(key, domain)
        let around = try status(of: parent).location
        let place = around.appending(name)
        try sight.require(.writing, of: place)
        try requireCreating(in: parent, at: around, picker, sight)
        // Whether the name is taken in a drop box only the transfer tells, and only as its failure.
        if !domain.isDropBox, let existing = try await resolver.resolveIfPresent(place, in: domain) {
            guard replacing else { throw Exporter.exists(place, canBeReplaced: true) }
            guard existing.item.kind == .document else {
                throw DocumentError(.destinationExists, "\(place) is a folder, and cannot be replaced.")
            }
            guard existing.item.capabilities.contains(.write) else {
                throw DocumentError(.notPermitted, "\(place) is read-only on the remote: choose another name.")
            }
        }
        try await validate(
            .destination(container: parent.id, name: name, replacing: replacing), domain, picker)
        return .target(place, domain, replacing: replacing)
    }

    private func validate(
        _ choice: PickerChoice, _ domain: Domain, _ picker: OpenPicker
    ) async throws(DocumentError) {
        guard domain.bundle.manifest.capabilities.contains(.picker) else { return }
        try await prepare(domain, for: picker)
        let capabilities = try await domain.supervisor.withProvider { live throws(DocumentError) in
            live.capabilities
        }
        guard capabilities.contains(.picker) else { return }
        try await granter.pending.during(.validating, of: picker, in: domain.name) { () async throws(DocumentError) in
            try await domain.provider.validate(
                choice, for: picker.call(hasFileHalf: domain.bundle.manifest.hasFileHalf))
        }
    }

    func carryOut(
        _ transfer: PickerTransfer, _ picker: OpenPicker, _ tool: Tool,
        _ onProgress: @escaping @Sendable (TransferProgress?) -> Void
    ) async throws(DocumentError) -> [PickedItem] {
        switch transfer {
        case .items(let items):
            var picked: [PickedItem] = []
            do throws(DocumentError) {
                for item in items {
                    let status = try status(of: item)
                    exported.grant(item.key, to: tool.owner)
                    guard picker.request.mode == .import else {
                        picked.append(PickedItem(status: status))
                        continue
                    }
                    // The file half provides it (PICK-5); the claim keeps it as it is until it is copied.
                    let request = AccessRequest(location: status.location, intent: .reading)
                    let (number, items) = try await beginAccess(request, for: tool, onProgress: onProgress)
                    guard let accessed = items.first else {
                        throw DocumentError(.internal, "\(status.location) was granted without a file; try again.")
                    }
                    var now = accessed.item
                    now.path = accessed.path
                    picked.append(PickedItem(status: now, access: number))
                    if item.item.kind == .package { try requireWhole(item, at: status.location) }
                }
            } catch {
                for access in picked.compactMap(\.access) { try? await endAccess(access, of: tool) }
                throw error
            }
            return picked
        case .target(let place, let domain, let replacing):
            guard let original = picker.request.originalPath else { return [] }
            let isMove = picker.request.mode == .move
            var (item, status) = try await put(
                FilePath(original), at: place, on: domain, removingSource: isMove, replacing: replacing,
                onProgress: onProgress)
            if isMove {
                exported.grant(item.key, to: tool.owner)
            } else {
                // A sign of success only: nothing is granted (PICK-3).
                status.path = ""
                exported.add(item.key, by: tool.owner)
            }
            return [PickedItem(status: status)]
        }
    }

    private static func isTheRoot(_ domain: Domain) -> DocumentError {
        DocumentError(
            .outsideStorageRoot, "The top folder of \(domain.name) cannot be chosen: choose something in it.")
    }
}
