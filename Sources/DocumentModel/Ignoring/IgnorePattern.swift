/// One line of a domain's ignore rules, in the way of gitignore (CONT-13): what it matches is kept here and not sent.
///
/// - `*` is any text within a name, `?` one character, `[a-z]` one of several, `[!a-z]` one of all others.
/// - `**` is any number of folders; a pattern that begins with `/`, or has one inside, begins at the domain's top folder,
///   and others are about a name in any folder.
/// - `/` at the end: folders only. `!` at the beginning: what matches is sent after all. `#` at the beginning: a remark. `\`
///   makes the character behind it an ordinary one.
///
/// Names that differ only by case or Unicode form are the same here, as everywhere in a domain (CONT-11, CONT-12).
public struct IgnorePattern: Sendable, CustomStringConvertible {
    /// The longest pattern, in bytes of UTF-8.
    public static let maximumLength = 255

    /// As it was written.
    public let text: String
    /// What matches is sent after all.
    public let isNegated: Bool
    /// It matches nothing, and is there for people to read.
    public let isRemark: Bool
    /// It matches folders only.
    let isForFolders: Bool
    let segments: [Segment]

    enum Segment: Hashable, Sendable {
        /// Any number of folders.
        case anyFolders
        case name(NameGlob)
    }

    /// Checks a pattern.
    ///
    /// - Throws: ``DocumentError`` with the code `invalidArgument`, and a sentence that names the pattern.
    public init(_ text: String) throws(DocumentError) {
        func refuse(_ reason: String) -> DocumentError {
            DocumentError(.invalidArgument, "“\(ItemName.printable(text))” is no pattern for ignore rules: \(reason).")
        }
        self.text = text
        let length = text.utf8.count
        if length == 0 { throw refuse("it is empty") }
        if length > Self.maximumLength { throw refuse("it has \(length) bytes, and \(Self.maximumLength) is the most") }
        if text.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }) {
            throw refuse("it contains a control character")
        }
        isRemark = text.utf8.first == UInt8(ascii: "#")
        guard !isRemark else {
            isNegated = false
            isForFolders = false
            segments = []
            return
        }
        var rest = Array(FoldedName(text: text).text.unicodeScalars)[...]
        isNegated = rest.first == "!"
        if isNegated { rest.removeFirst() }
        // No name has a slash, so that none is escaped or in brackets.
        var parts = rest.split(separator: "/", omittingEmptySubsequences: false)
        isForFolders = parts.count > 1 && parts.last?.isEmpty == true
        if isForFolders { parts.removeLast() }
        let isAnchored = parts.count > 1
        if isAnchored, parts.first?.isEmpty == true { parts.removeFirst() }
        guard parts.contains(where: { !$0.isEmpty }) else { throw refuse("it says nothing of a name") }
        var segments: [Segment] = isAnchored ? [] : [.anyFolders]
        for part in parts {
            switch String(String.UnicodeScalarView(part)) {
            case "**":
                // Several of them are one.
                if segments.last != .anyFolders { segments.append(.anyFolders) }
                continue
            case "": throw refuse("nothing is between two of its slashes")
            case ".", "..": throw refuse("“.” and “..” are no names")
            default: break
            }
            do {
                segments.append(.name(try NameGlob(part)))
            } catch {
                throw refuse(error.reason)
            }
        }
        // What is in a folder, and not the folder.
        if segments.last == .anyFolders { segments.append(.name(.anything)) }
        self.segments = segments
    }

    public var description: String { text }

    /// Whether it matches just the item whose folded names these are, from the domain's top folder on.
    func matches(_ names: ArraySlice<[Unicode.Scalar]>, isFolder: Bool) -> Bool {
        guard !isRemark, isFolder || !isForFolders else { return false }
        var (segment, place) = (0, names.startIndex)
        // As with the stars in a name: only the last “**” may have to take more.
        var retry: (segment: Int, place: Int)?
        while place < names.endIndex {
            if segment < segments.count {
                switch segments[segment] {
                case .anyFolders:
                    segment += 1
                    retry = (segment, place)
                    continue
                case .name(let glob):
                    if glob.matches(names[place]) {
                        segment += 1
                        place += 1
                        continue
                    }
                }
            }
            guard let last = retry else { return false }
            segment = last.segment
            place = last.place + 1
            retry = (segment, place)
        }
        return segment == segments.count
    }
}

extension IgnorePattern: Hashable {
    public static func == (one: Self, other: Self) -> Bool { one.text.hasSameBytes(as: other.text) }

    public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}
