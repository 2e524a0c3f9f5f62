internal import DocumentModel

/// Names as they are on the disk, and as items have them.
///
/// A file's name need not be text, and may have control characters, which no item's may. Such a one is shown by a name that
/// looks like it (``ItemName/init(escaping:)``), and comes back from that. A name that means something else so, because it has
/// one of the characters that stand for others, is shown so too; every other one is itself.
///
/// What would be too long so is known by that text still, and shown by a shorter name (``EntryName``).
enum DiskName {
    /// The name of a file as text, where that is what its item is called.
    static func own(_ bytes: some Collection<UInt8>) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self), (try? ItemName(text)) != nil, escaped(text) == nil
        else { return nil }
        return text
    }

    /// The names on the disk of items on the way to one, with slashes between them and a NUL at the end.
    ///
    /// - Parameter path: names as ``EntryName/rawValue`` has them.
    static func path(_ path: String) -> [CChar] {
        guard mayBeEscaped(path) else { return Array(path.utf8CString) }
        var bytes: [UInt8] = []
        // By bytes: to Swift, a slash and a mark that begins the next name are one character.
        let names = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (number, name) in names.enumerated() {
            if number > 0 { bytes.append(UInt8(ascii: "/")) }
            bytes += escaped(String(Substring(name))) ?? Array(name)
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
        // What has these bytes for its name is shown by themselves.
        return own(bytes) == nil ? bytes : nil
    }

    /// Whether it has a byte that each of the characters that stand for others begins with.
    private static func mayBeEscaped(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { $0.contains(0xE2) }
    }
}
