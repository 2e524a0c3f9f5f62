/// Names an entry within one picker session. Opaque: it is good for what it was given for, and none can be made up
/// (PICK-20).
public struct PickerEntryID: Hashable, Sendable {
    /// In bytes: an item's identifier, and what the host puts before it.
    public static let maximumLength = ItemIdentifier.maximumLength + 300

    public let bytes: [UInt8]

    /// - Throws: ``DocumentError`` with the code `invalidArgument` when it is empty or longer than ``maximumLength``.
    public init(_ bytes: [UInt8]) throws(DocumentError) {
        guard (1...Self.maximumLength).contains(bytes.count) else {
            throw DocumentError(
                .invalidArgument,
                "An entry's id must have 1 to \(Self.maximumLength) bytes; this one has \(bytes.count).")
        }
        self.bytes = bytes
    }
}

/// A domain that a picker session may choose in; or, for a registered tool, a container that its manifest names.
public struct PickerRoot: Hashable, Sendable {
    /// Of its top folder.
    public var id: PickerEntryID
    public var domain: DomainName
    /// For people: the provider's name, or the container's.
    public var providerName: String
    public var providerState: ProviderState
    /// Why its provider does not run, or what it waits for; nil when nothing is wrong.
    public var problem: DocumentError?
    public var capabilities: ItemCapabilities
    /// Documents can be put in, and nothing of what is there can be seen (PICK-13).
    public var isDropBox: Bool
    /// What may be done with its top folder.
    public var actions: PickerActions

    public init(
        id: PickerEntryID, domain: DomainName, providerName: String, providerState: ProviderState = .idle,
        problem: DocumentError? = nil, capabilities: ItemCapabilities = .all, isDropBox: Bool = false,
        actions: PickerActions = []
    ) {
        self.id = id
        self.domain = domain
        self.providerName = providerName
        self.providerState = providerState
        self.problem = problem
        self.capabilities = capabilities
        self.isDropBox = isDropBox
        self.actions = actions
    }
}

/// An item in a picker: all that is known of it comes with it (PICK-17, PICK-20).
public struct PickerEntry: Hashable, Sendable {
    public var id: PickerEntryID
    public var status: ItemStatus
    /// In import and open: it may be chosen (PICK-14). In export and move: something may be put into it.
    public var isSelectable: Bool
    /// What may be done with it.
    public var actions: PickerActions

    public init(id: PickerEntryID, status: ItemStatus, isSelectable: Bool, actions: PickerActions = []) {
        self.id = id
        self.status = status
        self.isSelectable = isSelectable
        self.actions = actions
    }
}

/// A page of a folder in a picker.
public struct PickerListing: Hashable, Sendable {
    public var entries: [PickerEntry]
    /// Nil at the last page.
    public var next: PageToken?
    /// The provider still tells what is in the folder: ask again, from the first page, for more.
    public var isLoading: Bool
    /// The folder itself.
    public var folder: PickerEntry
    /// The folder around it; nil for a top folder.
    public var parent: PickerEntryID?
    public var shape: PickerShape

    public init(
        entries: [PickerEntry], next: PageToken? = nil, isLoading: Bool = false, folder: PickerEntry,
        parent: PickerEntryID? = nil, shape: PickerShape = PickerShape()
    ) {
        self.entries = entries
        self.next = next
        self.isLoading = isLoading
        self.folder = folder
        self.parent = parent
        self.shape = shape
    }
}

/// How a domain is to be shown: its provider's wishes, in the session's own ids.
public struct PickerShape: Hashable, Sendable {
    /// A sentence above the items; empty for none.
    public var message: String
    /// Folders that people go to often.
    public var places: [PickerPlace]
    /// Empty for what the picker likes best.
    public var columns: [PickerColumn]
    /// The folder to begin with; nil for the top folder.
    public var start: PickerEntryID?

    public init(
        message: String = "", places: [PickerPlace] = [], columns: [PickerColumn] = [], start: PickerEntryID? = nil
    ) {
        self.message = message
        self.places = places
        self.columns = columns
        self.start = start
    }
}

/// A folder that people go to often, under a title of its own.
public struct PickerPlace: Hashable, Sendable {
    public var title: String
    public var id: PickerEntryID

    public init(title: String, id: PickerEntryID) {
        self.title = title
        self.id = id
    }
}

/// What a session has granted.
public struct PickedItem: Hashable, Sendable {
    /// In export a sign of success only: it has no path (PICK-3).
    public var status: ItemStatus
    /// In import: a reading access, until the contents are copied; nil else.
    package var access: UInt64?

    package init(status: ItemStatus, access: UInt64? = nil) {
        self.status = status
        self.access = access
    }
}
