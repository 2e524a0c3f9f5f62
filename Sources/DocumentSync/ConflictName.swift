package import DocumentModel

/// The name that one side of a conflict gets when both are kept as documents of their own.
package enum ConflictName {
    /// `report.pdf` becomes `report (conflict 2026-11-21 14.05.09).pdf`; with an attempt above 1, a number is added.
    /// The result fits 255 bytes, whatever the name.
    package static func make(for name: ItemName, at date: String, attempt: Int = 1) throws(DocumentError) -> ItemName {
        let suffix = attempt > 1 ? " (conflict \(date) \(attempt))" : " (conflict \(date))"
        let text = name.rawValue
        // A name that only begins with a dot has no extension; one as long as a sentence is no extension either.
        var stem = text[...]
        var ending = text[text.endIndex...]
        if let dot = text.utf8.lastIndex(of: UInt8(ascii: ".")), dot != text.startIndex,
            text.utf8.distance(from: dot, to: text.endIndex) <= 20
        {
            stem = text[..<dot]
            ending = text[dot...]
        }
        while stem.utf8.count + suffix.utf8.count + ending.utf8.count > ItemName.maximumLength, !stem.isEmpty {
            stem = stem.dropLast()
        }
        return try ItemName(stem + suffix + ending)
    }
}
