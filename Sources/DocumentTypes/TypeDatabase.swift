package import DocumentModel

/// The document types that this machine knows beyond ``ContentType``'s own: made of the texts of its shared-mime-info
/// database.
///
/// A media type that has a uniform type identifier is that one; every other gets a dynamic one, `dyn.application.x-krita`
/// for `application/x-krita`, which conforms to what the database and the media type say.
package struct TypeDatabase: Sendable {
    /// Media types, lower case, by a name's ending without its first dot: `tar.gz`.
    private var byEnding: [String: Pattern] = [:]
    /// The same for endings where case counts: `C` is C++, `c` is C.
    private var byExactEnding: [String: Pattern] = [:]
    /// By a whole name, lower case: `makefile`.
    private var byName: [String: Pattern] = [:]
    private var parents: [String: [String]] = [:]
    private var canonical: [String: String] = [:]

    private struct Pattern {
        var weight: Int
        var mediaType: String
    }

    /// More entries than this no database has; what is over is left out.
    static let mostEntries = 50_000
    private static let longestLine = 1_000

    /// Only what ``ContentType`` knows itself.
    package init() {}

    /// - Parameters: the texts of the database's files, as its specification describes them; lines that make no sense
    ///   are left out.
    package init(globs: String, subclasses: String = "", aliases: String = "") {
        add(globs: globs, subclasses: subclasses, aliases: aliases)
    }

    /// Adds the texts of a database of lower rank.
    package mutating func add(globs: String, subclasses: String, aliases: String) {
        for line in Self.lines(globs) { add(glob: line) }
        for line in Self.lines(subclasses) where parents.count < Self.mostEntries {
            let words = line.split(separator: " ")
            guard words.count == 2, words.allSatisfy(Self.isMediaType) else { continue }
            parents[words[0].lowercased(), default: []].append(words[1].lowercased())
        }
        for line in Self.lines(aliases) where canonical.count < Self.mostEntries {
            let words = line.split(separator: " ")
            guard words.count == 2, words.allSatisfy(Self.isMediaType) else { continue }
            canonical[words[0].lowercased()] = words[1].lowercased()
        }
    }

    private static func lines(_ text: String) -> some Sequence<Substring> {
        text.split(whereSeparator: \.isNewline).lazy.filter { $0.utf8.count <= longestLine && $0.first != "#" }
    }

    /// `weight:media/type:pattern` and perhaps `:flags`.
    private mutating func add(glob line: Substring) {
        let fields = line.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
        guard fields.count >= 3, let weight = Int(fields[0]), (0...100).contains(weight), Self.isMediaType(fields[1]),
            byEnding.count + byExactEnding.count + byName.count < Self.mostEntries
        else { return }
        let pattern = Pattern(weight: weight, mediaType: fields[1].lowercased())
        let isExact = fields.count == 4 && fields[3].split(separator: ",").contains("cs")
        var glob = fields[2]
        if glob.hasPrefix("*.") {
            glob = glob.dropFirst(2)
            guard !glob.isEmpty, !glob.contains(where: Self.isWildcard) else { return }
            if isExact {
                Self.keep(pattern, as: String(glob), in: &byExactEnding)
            } else {
                Self.keep(pattern, as: glob.lowercased(), in: &byEnding)
            }
        } else if !glob.isEmpty, !glob.contains(where: Self.isWildcard) {
            Self.keep(pattern, as: glob.lowercased(), in: &byName)
        }
    }

    /// The heavier one wins, then the one that came first.
    private static func keep(_ pattern: Pattern, as key: String, in table: inout [String: Pattern]) {
        if let there = table[key], there.weight >= pattern.weight { return }
        table[key] = pattern
    }

    private static func isWildcard(_ character: Character) -> Bool { "*?[\\".contains(character) }

    private static func isMediaType(_ text: Substring) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                (1...127).contains(part.utf8.count)
                    && part.utf8.allSatisfy { byte in
                        let lower = byte | 0x20
                        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lower)
                            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                            || "!#$&-^_.+".utf8.contains(byte)
                    }
            }
    }

    // MARK: Asking

    /// The type of an item: what it says itself, unless that is only “data” and its name says more.
    package func type(of item: Item) -> ContentType {
        guard item.kind == .document, item.contentType == .data, let name = item.name else { return item.contentType }
        return type(ofDocumentNamed: name.rawValue)
    }

    /// The type that a document's name stands for; `public.data` when it stands for none.
    package func type(ofDocumentNamed name: String) -> ContentType {
        if let own = (try? ItemName(name))?.pathExtension.map({ ContentType(kind: .document, pathExtension: $0) }),
            own != .data
        {
            return own
        }
        return mediaType(ofDocumentNamed: name).flatMap(type(forMediaType:)) ?? .data
    }

    /// The longest ending that is known counts, one where case counts before one where it does not.
    func mediaType(ofDocumentNamed name: String) -> String? {
        let lower = name.lowercased()
        if let pattern = byName[lower] { return pattern.mediaType }
        for table in [(byExactEnding, name), (byEnding, lower)] {
            var rest = table.1[...]
            while let dot = rest.firstIndex(of: ".") {
                rest = rest[rest.index(after: dot)...]
                if let pattern = table.0[String(rest)] { return pattern.mediaType }
            }
        }
        return nil
    }

    /// The type of a media type; nil when it is none.
    package func type(forMediaType text: String) -> ContentType? {
        guard Self.isMediaType(Substring(text)) else { return nil }
        let lower = text.lowercased()
        let mediaType = canonical[lower] ?? lower
        if let known = MediaTypes.identifiers[mediaType] { return try? ContentType(known) }
        return try? ContentType(MediaTypes.dynamicIdentifier(of: mediaType))
    }

    /// What a person means: a type identifier, a media type, or a name's ending with its dot.
    ///
    /// - Throws: ``DocumentError`` with the code `invalidArgument`.
    package func type(named text: String) throws(DocumentError) -> ContentType {
        if text.hasPrefix("."), text.count > 1 {
            let type = type(ofDocumentNamed: "x" + text)
            guard type != .data else {
                throw DocumentError(
                    .invalidArgument,
                    "No type is known for names that end in \(text): give a type identifier, for example public.data.")
            }
            return type
        }
        if text.contains("/"), let type = type(forMediaType: text) { return type }
        return try ContentType(text)
    }

    /// Whether a type is another one or a kind of it, by what ``ContentType`` and the machine know.
    package func conforms(_ type: ContentType, to other: ContentType) -> Bool {
        if type.conforms(to: other) { return true }
        guard let mediaType = MediaTypes.mediaType(ofDynamic: type.identifier) else { return false }
        var pending = [mediaType]
        var seen: Set<String> = []
        while let next = pending.popLast() {
            guard seen.insert(next).inserted else { continue }
            if let type = self.type(forMediaType: next), type.conforms(to: other) { return true }
            if let general = MediaTypes.general(next), general.conforms(to: other) { return true }
            pending += (parents[next] ?? []).map { canonical[$0] ?? $0 }
        }
        return false
    }
}
