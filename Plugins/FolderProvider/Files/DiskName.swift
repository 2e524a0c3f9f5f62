internal import DocumentModel

/// Names as they are on the disk, and as items have them.
///
/// A file's name need not be text, and may have control characters, which no item's may. Such a one is shown by a name that
/// looks like it (``ItemName/init(escaping:)``), and comes back from that. A name that means something else so, because it has
/// one of the characters that stand for others, is shown so too; every other one is itself.
enum DiskName {
    /// What the item is called whose file has a name.
    ///
    /// - Returns: nil for what no item can be called: it would be too long, or is a name of ours.
    static func shown(_ bytes: UnsafeBufferPointer<UInt8>) -> ItemName? {
        if let text = String(validating: bytes, as: UTF8.self), let name = try? ItemName(text),
            escaped(text) == nil
        {
            return name
        }
        return try? ItemName(escaping: bytes)
    }

    /// The names on the disk of items on the way to one, with slashes between them and a NUL at the end.
    static func path(_ path: String) -> [CChar] {
        guard mayBeEscaped(path) else { return Array(path.utf8CString) }
        var bytes: [UInt8] = []
        for (number, name) in path.split(separator: "/", omittingEmptySubsequences: false).enumerated() {
            if number > 0 { bytes.append(UInt8(ascii: "/")) }
            bytes += escaped(String(name)) ?? Array(name.utf8)
        }
        return (bytes + [0]).map { CChar(bitPattern: $0) }
    }

    /// The bytes that a name is shown for; nil for one that is itself.
    private static func escaped(_ name: String) -> [UInt8]? {
        guard mayBeEscaped(name) else { return nil }
        let bytes = ItemName.unescaping(name)
        // No file has these in its name, so that what looks like them is itself.
        guard !bytes.contains(0), !bytes.contains(UInt8(ascii: "/")), !bytes.elementsEqual(name.utf8),
            ItemName.escaping(bytes).utf8.elementsEqual(name.utf8)
        else { return nil }
        return bytes
    }

    /// Whether it has a byte that each of the characters that stand for others begins with.
    private static func mayBeEscaped(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { $0.contains(0xE2) }
    }
}
