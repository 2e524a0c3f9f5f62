internal import DocumentModel

/// A thumbnail beside a document, as the thumbnail specification of freedesktop.org has it for folders that several people
/// use: `.sh_thumbnails/normal/<MD5>.png`, with words in it that say what it was made of.
enum SharedThumbnail {
    /// The folders, and how large the pictures in them are at most.
    private static let flavours = [("normal", 128), ("large", 256), ("x-large", 512), ("xx-large", 1024)]

    /// Where one may be that can be given to somebody who asks for a size: the best one first.
    static func paths(of name: EntryName, size: Int) -> [(path: String, uri: String)] {
        let larger = flavours.filter { $0.1 >= size && $0.1 <= size * Thumbnail.sizeFactor }
        let smaller = flavours.filter { $0.1 < size }.reversed()
        return (larger + smaller).flatMap { flavour in
            uris(of: name).map { uri in
                let digest = MD5.digest(of: Array(uri.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
                return (".sh_thumbnails/\(flavour.0)/\(digest.joined()).png", uri)
            }
        }
    }

    /// What it is called in its folder. The specification has it without the folder, and programs differ in whether that is
    /// with “./” before it.
    private static func uris(of name: EntryName) -> [String] {
        let escaped = escaped(name)
        return ["./" + escaped, escaped]
    }

    private static let plain = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!$&'()*+,-.:=@_~".utf8)

    /// As in the path of a URI.
    private static func escaped(_ name: EntryName) -> String {
        DiskName.path(name.rawValue).dropLast().map { UInt8(bitPattern: $0) }.reduce(into: "") { text, byte in
            if plain.contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }

    /// Whether a picture was made of just these contents: of that name, and from the second in which they were last changed.
    /// One that is older than the contents was made of others, which were changed in the same second.
    static func isOf(_ facts: FileFacts, uri: String, words: [String: String], made: Timestamp) -> Bool {
        guard words["Thumb::URI"] == uri, words["Thumb::MTime"].flatMap({ Int64($0) }) == facts.modified.seconds else {
            return false
        }
        if let size = words["Thumb::Size"], Int64(size) != facts.size { return false }
        return made >= facts.modified
    }
}
