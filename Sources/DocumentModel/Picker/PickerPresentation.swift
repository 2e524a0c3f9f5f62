/// How a provider would like a picker to show its domain.
public struct PickerPresentation: Hashable, Sendable {
    public static let mostSections = 16
    /// In bytes.
    public static let longestMessage = 512

    /// A sentence above the items, for example “You are offline.”; empty for none.
    public var message: String
    /// Folders that people go to often.
    public var sections: [PickerSection]
    /// What is shown beside the names, in this order; empty for what the picker likes best.
    public var columns: [PickerColumn]
    /// The folder to begin with; nil for the top folder.
    public var startID: ItemIdentifier?

    public init(
        message: String = "", sections: [PickerSection] = [], columns: [PickerColumn] = [],
        startID: ItemIdentifier? = nil
    ) {
        self.message = message
        self.sections = sections
        self.columns = columns
        self.startID = startID
    }

    /// No wishes.
    public static let plain = PickerPresentation()
}

/// A folder that people go to often, under a title of its own.
public struct PickerSection: Hashable, Sendable {
    /// In bytes.
    public static let longestTitle = 128

    public var title: String
    public var containerID: ItemIdentifier

    public init(title: String, containerID: ItemIdentifier) {
        self.title = title
        self.containerID = containerID
    }
}

/// What a picker shows beside a name.
public enum PickerColumn: String, Sendable, CaseIterable {
    case size, modified, created, type
    /// Whether the contents are here, and what is wrong.
    case state
}
