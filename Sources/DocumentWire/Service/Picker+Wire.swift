import DocumentModel
import SwiftProtobuf

extension PickerRequest {
    init(_ wire: WireServiceBeginPicker) throws(DocumentError) {
        guard let mode = PickerMode(rawValue: wire.mode) else {
            throw Checks.refusal(
                "“\(ItemName.printable(wire.mode))” is not a mode of a picker; there are import, open, export and move."
            )
        }
        guard wire.types.count <= Self.mostTypes else {
            throw Checks.refusal("A picker takes \(Self.mostTypes) types; these are \(wire.types.count).")
        }
        try self.init(
            mode: mode, types: try mapped(wire.types, ContentType.init),
            originalPath: wire.originalPath.isEmpty
                ? nil : try Checks.absolutePath(wire.originalPath, "The document's path"),
            domain: wire.domain.isEmpty ? nil : try DomainName(wire.domain), allowsSeveral: wire.several)
    }
}

extension WireServiceBeginPicker {
    init(_ request: PickerRequest) {
        self.init()
        mode = request.mode.rawValue
        types = request.validTypes?.map(\.identifier) ?? []
        originalPath = request.originalPath ?? ""
        domain = request.domain?.rawValue ?? ""
        several = request.allowsSeveral
    }
}

extension PickerSelection {
    init(_ wire: WireServiceChoosePicker) throws(DocumentError) {
        switch (wire.entries.isEmpty, wire.paths.isEmpty, wire.hasTarget) {
        case (false, true, false):
            try Self.checkCount(wire.entries.count)
            self = .entries(
                try mapped(wire.entries) { entry throws(DocumentError) in try PickerEntryID(Array(entry)) })
        case (true, false, false):
            try Self.checkCount(wire.paths.count)
            // Where a path leads is for the host to find out: it has rules of its own for “..” (PICK-15).
            self = .paths(
                try mapped(wire.paths) { path throws(DocumentError) in
                    try Checks.text(path, "A path", limit: Checks.longestPath, required: true)
                })
        case (true, true, true):
            self = .target(
                folder: try PickerEntryID(Array(wire.target.folder)), name: try ItemName(wire.target.name),
                replacing: wire.target.replace)
        case (true, true, false): throw Checks.refusal("Nothing was chosen.")
        default: throw Checks.refusal("A choice is entries, or paths, or a target, and this is more than one of them.")
        }
    }

    private static func checkCount(_ count: Int) throws(DocumentError) {
        guard count <= mostItems else {
            throw Checks.refusal("\(mostItems) items can be chosen at once; these are \(count).")
        }
    }
}

extension WireServiceChoosePicker {
    init(_ selection: PickerSelection, in session: UInt64) {
        self.init()
        self.session = session
        switch selection {
        case .entries(let entries): self.entries = entries.map { collected($0.bytes) }
        case .paths(let paths): self.paths = paths
        case .target(let folder, let name, let replacing):
            target = .with {
                $0.folder = collected(folder.bytes)
                $0.name = name.rawValue
                $0.replace = replacing
            }
        }
    }
}

extension PickerRoot {
    init(_ wire: WireServicePickerRoot) throws(DocumentError) {
        guard let state = ProviderState(rawValue: wire.providerState) else {
            throw Checks.refusal("“\(ItemName.printable(wire.providerState))” is not a state of a provider.")
        }
        self.init(
            id: try PickerEntryID(Array(wire.id)), domain: try DomainName(wire.domain),
            providerName: Checks.displayable(wire.providerName, limit: 256), providerState: state,
            problem: wire.hasProblem ? DocumentError(wire.problem) : nil,
            capabilities: ItemCapabilities(wire.capabilities), isDropBox: wire.dropBox,
            actions: PickerActions(wire.actions))
    }
}

extension WireServicePickerRoot {
    init(_ root: PickerRoot) {
        self.init()
        id = collected(root.id.bytes)
        domain = root.domain.rawValue
        providerName = root.providerName
        providerState = root.providerState.rawValue
        if let problem = root.problem { self.problem = WireFailure(problem) }
        capabilities = WireModelItemCapabilities(root.capabilities)
        dropBox = root.isDropBox
        actions = WireServicePickerActions(root.actions)
    }
}

extension PickerEntry {
    init(_ wire: WireServicePickerEntry) throws(DocumentError) {
        self.init(
            id: try PickerEntryID(Array(wire.id)), status: try ItemStatus(wire.item), isSelectable: wire.selectable,
            actions: PickerActions(wire.actions))
    }
}

extension WireServicePickerEntry {
    init(_ entry: PickerEntry) {
        self.init()
        id = collected(entry.id.bytes)
        item = WireServiceItemStatus(entry.status)
        selectable = entry.isSelectable
        actions = WireServicePickerActions(entry.actions)
    }
}

extension PickerActions {
    fileprivate init(_ wire: WireServicePickerActions) {
        self.init()
        if wire.create { insert(.create) }
        if wire.write { insert(.write) }
        if wire.rename { insert(.rename) }
        if wire.move { insert(.move) }
        if wire.delete { insert(.delete) }
        if wire.copy { insert(.copy) }
        if wire.search { insert(.search) }
        if wire.thumbnail { insert(.thumbnail) }
    }
}

extension WireServicePickerActions {
    fileprivate init(_ actions: PickerActions) {
        self.init()
        create = actions.contains(.create)
        write = actions.contains(.write)
        rename = actions.contains(.rename)
        move = actions.contains(.move)
        delete = actions.contains(.delete)
        copy = actions.contains(.copy)
        search = actions.contains(.search)
        thumbnail = actions.contains(.thumbnail)
    }
}

extension PickerFindings {
    init(_ wire: WireServiceSearchPickerAnswer) throws(DocumentError) {
        self.init(
            entries: try mapped(wire.entries, PickerEntry.init),
            next: wire.nextPage.isEmpty ? nil : try PageToken(Array(wire.nextPage)), isLoading: wire.loading)
    }
}

extension WireServiceSearchPickerAnswer {
    init(_ findings: PickerFindings) {
        self.init()
        entries = findings.entries.map(WireServicePickerEntry.init)
        nextPage = collected(findings.next?.bytes ?? [])
        loading = findings.isLoading
    }
}

extension PickerListing {
    init(_ wire: WireServiceBrowsePickerAnswer) throws(DocumentError) {
        self.init(
            entries: try mapped(wire.entries, PickerEntry.init),
            next: wire.nextPage.isEmpty ? nil : try PageToken(Array(wire.nextPage)), isLoading: wire.loading,
            folder: try PickerEntry(wire.folder),
            parent: wire.parent.isEmpty ? nil : try PickerEntryID(Array(wire.parent)),
            shape: try PickerShape(wire.shape))
    }
}

extension WireServiceBrowsePickerAnswer {
    init(_ listing: PickerListing) {
        self.init()
        entries = listing.entries.map(WireServicePickerEntry.init)
        nextPage = collected(listing.next?.bytes ?? [])
        loading = listing.isLoading
        folder = WireServicePickerEntry(listing.folder)
        parent = collected(listing.parent?.bytes ?? [])
        shape = WireServicePickerShape(listing.shape)
    }
}

extension PickerShape {
    init(_ wire: WireServicePickerShape) throws(DocumentError) {
        self.init(
            message: Checks.displayable(wire.message, limit: PickerPresentation.longestMessage),
            places: try mapped(wire.places) { place throws(DocumentError) in
                PickerPlace(
                    title: Checks.displayable(place.title, limit: PickerSection.longestTitle),
                    id: try PickerEntryID(Array(place.id)))
            },
            columns: wire.columns.compactMap(PickerColumn.init(rawValue:)),
            start: wire.start.isEmpty ? nil : try PickerEntryID(Array(wire.start)))
    }
}

extension WireServicePickerShape {
    init(_ shape: PickerShape) {
        self.init()
        message = shape.message
        places = shape.places.map { place in
            .with {
                $0.title = place.title
                $0.id = collected(place.id.bytes)
            }
        }
        columns = shape.columns.map(\.rawValue)
        start = collected(shape.start?.bytes ?? [])
    }
}

extension PickedItem {
    init(_ wire: WireServicePickedItem) throws(DocumentError) {
        self.init(status: try ItemStatus(wire.item), access: wire.access == 0 ? nil : wire.access)
    }
}

extension WireServicePickedItem {
    init(_ item: PickedItem) {
        self.init()
        self.item = WireServiceItemStatus(item.status)
        access = item.access ?? 0
    }
}
