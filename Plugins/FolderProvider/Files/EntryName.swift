internal import DocumentModel

/// What something in a folder is called: on the disk, and as an item.
///
/// It is told from others by its name on the disk, so that two of them are never taken for each other, whatever they are
/// shown as.
struct EntryName: Sendable {
    /// The text that the name on the disk comes back from (``DiskName/path(_:)``). May be longer than an item's name.
    let rawValue: String

    /// A name that an item has, or is to have.
    init(_ name: ItemName) {
        rawValue = name.rawValue
    }

    /// The name of a file.
    ///
    /// - Returns: nil for what no item can be called: a name of ours.
    init?(onDisk bytes: UnsafeBufferPointer<UInt8>) {
        if let text = DiskName.own(bytes) {
            rawValue = text
            return
        }
        let escaped = ItemName.escaping(bytes)
        guard (try? ItemName(shortening: bytes)) != nil else { return nil }
        rawValue = escaped
    }

    /// - Parameter text: as ``rawValue`` has it.
    /// - Returns: nil for what stands for no name.
    init?(written text: String) {
        if text.utf8.count > ItemName.maximumLength {
            let bytes = ItemName.unescaping(text)
            guard bytes.count <= ItemName.maximumLength, !bytes.contains(0), !bytes.contains(UInt8(ascii: "/")),
                ItemName.escaping(bytes).utf8.elementsEqual(text.utf8)
            else { return nil }
        } else if (try? ItemName(text)) == nil {
            return nil
        }
        rawValue = text
    }

    /// Whether it is shown by a shorter name, from which it does not come back.
    var isShortened: Bool { rawValue.utf8.count > ItemName.maximumLength }

    /// What the item is called.
    var shown: ItemName {
        get throws(DocumentError) {
            guard isShortened else { return try ItemName(rawValue) }
            return try ItemName(shortening: ItemName.unescaping(rawValue))
        }
    }

    /// Whether a shorter name may be this one: to be asked before names are made shorter to compare them.
    static func mayBeShortened(_ name: ItemName) -> Bool {
        // A shorter name lacks less than one character's room, which is 15 bytes at most when it is shown.
        name.rawValue.utf8.count > ItemName.maximumLength - 16 && name.rawValue.unicodeScalars.contains("…")
    }
}

extension EntryName: Hashable, Comparable, CustomStringConvertible {
    static func == (one: Self, other: Self) -> Bool {
        one.rawValue.hasSameBytes(as: other.rawValue)
    }

    static func < (one: Self, other: Self) -> Bool {
        one.rawValue.utf8.lexicographicallyPrecedes(other.rawValue.utf8)
    }

    func hash(into hasher: inout Hasher) {
        rawValue.hashBytes(into: &hasher)
    }

    /// As people know it.
    var description: String {
        isShortened ? (try? shown)?.rawValue ?? rawValue : rawValue
    }
}
