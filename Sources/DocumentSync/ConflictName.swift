package import DocumentModel

/// The name that one side of a conflict gets when both are kept as documents of their own.
package enum ConflictName {
    /// `report.pdf` becomes `report (conflict 2026-11-21 14.05.09).pdf`; with an attempt above 1, a number is added.
    /// The result fits 255 bytes, whatever the name.
    package static func make(for name: ItemName, at date: String, attempt: Int = 1) throws(DocumentError) -> ItemName {
        try make(for: name, mark: "conflict \(date)", attempt: attempt)
    }

    /// `Reports` becomes `Reports (folder)`: of a folder that is made anew where something else has its name by now. It is the
    /// same on every machine that makes it.
    package static func make(forFolder name: ItemName, attempt: Int) throws(DocumentError) -> ItemName {
        try make(for: name, mark: "folder", attempt: attempt)
    }

    /// The same with other words in the brackets.
    static func make(for name: ItemName, mark: String, attempt: Int) throws(DocumentError) -> ItemName {
        let suffix = attempt > 1 ? " (\(mark) \(attempt))" : " (\(mark))"
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

    /// `2026-11-21 14.05.09`, in UTC: the same on every machine.
    package static func date(of time: Timestamp) -> String {
        // Days to year, month and day, by the civil calendar's 400-year cycle.
        let days = Int(time.seconds >= 0 ? time.seconds / 86_400 : (time.seconds - 86_399) / 86_400)
        let second = Int(time.seconds) - days * 86_400
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthIndex + 2) / 5 + 1
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return
            "\(year)-\(two(month))-\(two(day)) \(two(second / 3600)).\(two(second / 60 % 60)).\(two(second % 60))"
    }

    /// When contents were written, in words.
    package static func date(of stamp: VersionStamp) -> String {
        date(of: Timestamp(seconds: stamp.time / 1_000_000))
    }
}
