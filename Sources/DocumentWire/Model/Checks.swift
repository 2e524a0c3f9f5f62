import DocumentModel

/// Checks of plain values that come from outside. Each throws `invalidArgument` with a sentence that says what is
/// wrong; ``blaming(_:_:_:)`` turns that into the answering side's fault where it is one.
package enum Checks {
    /// Linux' PATH_MAX without the NUL.
    package static let longestPath = 4095
    package static let longestOperation = 128
    package static let longestText = 64 * 1024
    package static let mostSettings = 256
    /// What a peer without an opinion gets, and the most that anybody may ask for.
    package static let defaultCount = 100
    package static let largestCount = 10_000
    /// How many times the suggested count a page may hold (PROV-21).
    package static let pageFactor = 100

    /// Empty where the tool is told no path: nothing was granted, or it is confined (PICK-3, PICK-21).
    static func documentPath(_ path: String) throws(DocumentError) -> String {
        path.isEmpty ? "" : try absolutePath(path, "A document's file")
    }

    static func absolutePath(_ path: String, _ thing: String) throws(DocumentError) -> String {
        let bytes = path.utf8
        guard bytes.first == slash else {
            throw refusal("\(thing) must be an absolute path, and “\(ItemName.printable(path))” is not.")
        }
        guard bytes.count <= longestPath, !bytes.contains(0) else {
            throw refusal("\(thing) must have at most \(longestPath) bytes and no NUL.")
        }
        guard !bytes.split(separator: slash).contains(where: { $0.elementsEqual("..".utf8) }) else {
            throw refusal("\(thing) must not contain “..”, and “\(ItemName.printable(path))” does.")
        }
        return path
    }

    /// A path of items, relative to the top folder; empty for the top folder.
    static func relativePath(_ path: String) throws(DocumentError) -> String {
        if path.isEmpty { return path }
        for component in path.utf8.split(separator: slash, omittingEmptySubsequences: false) {
            _ = try ItemName(String(Substring(component)))
        }
        return path
    }

    static func count(_ count: UInt32) -> Int {
        count == 0 ? defaultCount : min(Int(count), largestCount)
    }

    static func encodedCount(_ count: Int) -> UInt32 {
        UInt32(min(max(count, 1), largestCount))
    }

    static func operation(_ operation: String) throws(DocumentError) -> String {
        guard (1...longestOperation).contains(operation.utf8.count), isPrintable(operation) else {
            throw refusal("An operation must have a name of 1 to \(longestOperation) bytes without control characters.")
        }
        return operation
    }

    static func versionIdentifier(_ id: String) throws(DocumentError) -> String {
        guard (1...ProvidedVersion.longestIdentifier).contains(id.utf8.count), isPrintable(id) else {
            throw refusal(
                "A version must have an identifier of 1 to \(ProvidedVersion.longestIdentifier) bytes without control characters."
            )
        }
        return id
    }

    static func contentVersion(_ bytes: [UInt8]) throws(DocumentError) -> [UInt8] {
        try ItemVersion(content: bytes).content
    }

    /// Text for people. Not empty where `required`.
    static func text(
        _ text: String, _ thing: String, limit: Int = longestText, required: Bool = false
    ) throws(DocumentError) -> String {
        guard text.utf8.count <= limit, !text.utf8.contains(0), !(required && text.isEmpty) else {
            let least = required ? 1 : 0
            throw refusal("\(thing) must have \(least) to \(limit) bytes and no NUL.")
        }
        return text
    }

    static func settings(_ settings: [String: String]) throws(DocumentError) -> [String: String] {
        guard settings.count <= mostSettings else {
            throw refusal("A domain may have \(mostSettings) settings; these are \(settings.count).")
        }
        for (key, value) in settings {
            guard (1...128).contains(key.utf8.count), isPrintable(key) else {
                throw refusal("“\(ItemName.printable(key))” cannot be a setting's key: use 1 to 128 printable bytes.")
            }
            _ = try text(value, "The setting “\(key)”")
        }
        return settings
    }

    static func processID(_ number: Int64) throws(DocumentError) -> Int32 {
        guard let number = Int32(exactly: number), number >= 0 else {
            throw refusal("\(number) is not a process id.")
        }
        return number
    }

    /// Text of an untrusted peer, made fit for logs and terminals: at most so many bytes, with a mark where it was cut, and
    /// with control characters other than line feed and tab made visible.
    static func displayable(_ text: String, limit: Int) -> String {
        if text.utf8.count <= limit, !text.unicodeScalars.contains(where: isUnwanted) { return text }
        var result = ""
        var size = 0
        for scalar in text.unicodeScalars {
            let piece = isUnwanted(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
            size += piece.utf8.count
            guard size <= limit else {
                while result.utf8.count + "…".utf8.count > limit, !result.isEmpty { result.unicodeScalars.removeLast() }
                return result + "…"
            }
            result.unicodeScalars.append(contentsOf: piece.unicodeScalars)
        }
        return result
    }

    static func refusal(_ message: String) -> DocumentError {
        DocumentError(.invalidArgument, message)
    }

    private static let slash = UInt8(ascii: "/")

    private static func isPrintable(_ text: String) -> Bool {
        !text.unicodeScalars.contains { isUnwanted($0) || $0 == "\n" || $0 == "\t" }
    }

    private static func isUnwanted(_ scalar: Unicode.Scalar) -> Bool {
        (scalar.value < 0x20 && scalar != "\n" && scalar != "\t") || (0x7F...0x9F).contains(scalar.value)
            || scalar.isDeceptive
    }
}
