/// What may be done with a folder or an entry of a picker session: by its provider, by the item itself, and by the tool's own
/// rights (PICK-20). What is not in it is refused. Things are made, put and chosen in the session as its mode allows; the rest
/// is for the client's other calls.
public struct PickerActions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Make something in it, or put something into it.
    public static let create = PickerActions(rawValue: 1 << 0)
    /// Change its contents, or replace it.
    public static let write = PickerActions(rawValue: 1 << 1)
    public static let rename = PickerActions(rawValue: 1 << 2)
    /// Move it to another folder.
    public static let move = PickerActions(rawValue: 1 << 3)
    public static let delete = PickerActions(rawValue: 1 << 4)
    /// Read all that it holds, to make a copy of it.
    public static let copy = PickerActions(rawValue: 1 << 5)
    /// Look for something below it: ``PickerQuery``.
    public static let search = PickerActions(rawValue: 1 << 6)
    /// Ask for a picture of it; of a folder: of the documents in it. There need not be one.
    public static let thumbnail = PickerActions(rawValue: 1 << 7)

    /// All that change something.
    public static let changes: PickerActions = [.create, .write, .rename, .move, .delete]
}
