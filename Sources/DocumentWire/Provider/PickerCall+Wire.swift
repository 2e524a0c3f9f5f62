package import DocumentModel
import SwiftProtobuf

extension ProviderCall {
    /// A picker session, as a provider is told of it: the checked form of `docent.provider.v1.Picker`.
    package struct PickerCall: Hashable, Sendable {
        /// The same in all requests of the session.
        package var session: String
        package var mode: PickerMode
        /// Nil in export and move (PICK-8).
        package var validTypes: [ContentType]?
        /// Nil in import and open (PICK-8).
        package var originalPath: String?
        /// Nil when it is not known, and in import and open.
        package var originalSize: Int64?
        package var hasFileHalf: Bool

        package init(
            session: String, mode: PickerMode, validTypes: [ContentType]? = nil, originalPath: String? = nil,
            originalSize: Int64? = nil, hasFileHalf: Bool = true
        ) {
            self.session = session
            self.mode = mode
            self.validTypes = validTypes
            self.originalPath = originalPath
            self.originalSize = originalSize
            self.hasFileHalf = hasFileHalf
        }
    }
}

extension ProviderCall.PickerCall {
    init(_ wire: WireProviderPicker) throws(DocumentError) {
        let mode = try PickerMode(wire.mode)
        // The rules of what goes with which mode are the request's.
        let request = try PickerRequest(
            mode: mode, types: try mapped(wire.types, ContentType.init),
            originalPath: wire.originalPath.isEmpty
                ? nil : try Checks.absolutePath(wire.originalPath, "The document's path"),
            domain: nil, allowsSeveral: false)
        guard wire.originalSize >= -1, !mode.choosesDocuments || wire.originalSize <= 0 else {
            throw Checks.refusal("\(wire.originalSize) is not the size of a document.")
        }
        self.init(
            session: try Checks.operation(wire.session), mode: mode, validTypes: request.validTypes,
            originalPath: request.originalPath,
            originalSize: mode.choosesDocuments || wire.originalSize < 0 ? nil : wire.originalSize,
            hasFileHalf: wire.fileHalf)
    }
}

extension WireProviderPicker {
    init(_ call: ProviderCall.PickerCall) {
        self.init()
        session = call.session
        mode = WireProviderPickerMode(call.mode)
        types = call.validTypes?.map(\.identifier) ?? []
        originalPath = call.originalPath ?? ""
        originalSize = call.originalSize ?? (call.mode.choosesDocuments ? 0 : -1)
        fileHalf = call.hasFileHalf
    }
}

extension PickerMode {
    fileprivate init(_ wire: WireProviderPickerMode) throws(DocumentError) {
        switch wire {
        case .import: self = .import
        case .open: self = .open
        case .export: self = .export
        case .move: self = .move
        case .unspecified, .UNRECOGNIZED: throw Checks.refusal("\(wire.rawValue) is not a mode of a picker.")
        }
    }
}

extension WireProviderPickerMode {
    fileprivate init(_ mode: PickerMode) {
        switch mode {
        case .import: self = .import
        case .open: self = .open
        case .export: self = .export
        case .move: self = .move
        }
    }
}

extension PickerChoice {
    init(_ wire: WireProviderValidateChoice) throws(DocumentError) {
        switch wire.choice {
        case .itemID(let id): self = .item(try ItemIdentifier(id))
        case .destination(let destination):
            self = .destination(
                container: try ItemIdentifier(destination.containerID), name: try ItemName(destination.name),
                replacing: destination.replace)
        case nil: throw Checks.refusal("Nothing was chosen.")
        }
    }
}

extension WireProviderValidateChoice {
    init(_ choice: PickerChoice, _ picker: ProviderCall.PickerCall) {
        self.init()
        self.picker = WireProviderPicker(picker)
        switch choice {
        case .item(let id): self.choice = .itemID(id.rawValue)
        case .destination(let container, let name, let replacing):
            self.choice = .destination(
                .with {
                    $0.containerID = container.rawValue
                    $0.name = name.rawValue
                    $0.replace = replacing
                })
        }
    }
}

extension PickerPresentation {
    init(_ wire: WireProviderPreparePickerAnswer) throws(DocumentError) {
        guard wire.sections.count <= Self.mostSections else {
            throw Checks.refusal("A picker takes \(Self.mostSections) sections; these are \(wire.sections.count).")
        }
        self.init(
            message: Checks.displayable(wire.message, limit: Self.longestMessage),
            sections: try mapped(wire.sections) { section throws(DocumentError) in
                PickerSection(
                    title: Checks.displayable(
                        try Checks.text(section.title, "A section's title", required: true),
                        limit: PickerSection.longestTitle),
                    containerID: try ItemIdentifier(section.containerID))
            },
            // Columns of a newer provider are left out, and so is what is named again.
            columns: wire.columns.reduce(into: []) { columns, column in
                if let column = PickerColumn(column), !columns.contains(column) { columns.append(column) }
            },
            startID: wire.startID.isEmpty ? nil : try ItemIdentifier(wire.startID))
    }
}

extension WireProviderPreparePickerAnswer {
    init(_ presentation: PickerPresentation) {
        self.init()
        message = presentation.message
        sections = presentation.sections.map { section in
            .with {
                $0.title = section.title
                $0.containerID = section.containerID.rawValue
            }
        }
        columns = presentation.columns.map(WireProviderPickerColumn.init)
        startID = presentation.startID?.rawValue ?? ""
    }
}

extension PickerColumn {
    fileprivate init?(_ wire: WireProviderPickerColumn) {
        switch wire {
        case .size: self = .size
        case .modified: self = .modified
        case .created: self = .created
        case .type: self = .type
        case .state: self = .state
        case .unspecified, .UNRECOGNIZED: return nil
        }
    }
}

extension WireProviderPickerColumn {
    fileprivate init(_ column: PickerColumn) {
        switch column {
        case .size: self = .size
        case .modified: self = .modified
        case .created: self = .created
        case .type: self = .type
        case .state: self = .state
        }
    }
}
