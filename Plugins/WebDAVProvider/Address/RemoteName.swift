internal import DocumentModel

/// One segment of a path on the server, as text: what is not allowed in a name is escaped, as ``ItemName`` does it, and nothing
/// is left out, however long it is.
struct RemoteName: Hashable, Sendable, CustomStringConvertible {
    let rawValue: String
    /// What it is called here: shortened, when it is too long for that.
    let shown: ItemName

    init(_ name: ItemName) {
        (rawValue, shown) = (name.rawValue, name)
    }

    /// - Parameter text: as ``rawValue`` has it.
    /// - Throws: `invalidArgument` for what stands for no name.
    init(_ text: String) throws(DocumentError) {
        guard text.utf8.count > ItemName.maximumLength else {
            (rawValue, shown) = (text, try ItemName(text))
            return
        }
        let bytes = ItemName.unescaping(text)
        guard ItemName.escaping(bytes).utf8.elementsEqual(text.utf8) else {
            throw DocumentError(.invalidArgument, "“\(ItemName.printable(text))” stands for no name.")
        }
        rawValue = text
        shown = try ItemName(shortening: bytes)
    }

    /// The name of a segment of a path, decoded.
    ///
    /// - Throws: `invalidArgument` for one that cannot be shown, and for one that is not UTF-8: the library that asks for it
    ///   would ask for another address.
    init(segment: [UInt8]) throws(DocumentError) {
        guard String(validating: segment, as: UTF8.self) != nil else {
            throw DocumentError(.invalidArgument, "a name that is not UTF-8")
        }
        rawValue = ItemName.escaping(segment)
        shown = try ItemName(shortening: segment)
    }

    /// As the server has it.
    var unescaped: [UInt8] { ItemName.unescaping(rawValue) }

    /// Whether it is longer than names are on most file systems.
    var isLong: Bool { unescaped.count > ItemName.maximumLength }

    var description: String { shown.rawValue }

    static func == (one: Self, other: Self) -> Bool { one.rawValue.hasSameBytes(as: other.rawValue) }

    func hash(into hasher: inout Hasher) {
        rawValue.hashBytes(into: &hasher)
    }
}

extension RemoteName: Comparable {
    static func < (one: Self, other: Self) -> Bool {
        one.rawValue.utf8.lexicographicallyPrecedes(other.rawValue.utf8)
    }
}
