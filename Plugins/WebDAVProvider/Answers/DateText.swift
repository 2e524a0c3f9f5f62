internal import DocumentModel

/// Dates as servers write them: HTTP's three forms (RFC 9110, section 5.6.7), and RFC 3339 of `creationdate`.
enum DateText {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// Seconds since 1970, or nil for what is no date.
    static func http(_ text: String) -> Int64? {
        // “Sun, 06 Nov 1994 08:49:37 GMT”, “Sunday, 06-Nov-94 08:49:37 GMT”, “Sun Nov  6 08:49:37 1994”
        let words = text.split { " ,-\t".contains($0) }.map { $0.lowercased() }
        guard words.count >= 5 else { return nil }
        if let month = month(words[1]) {
            return seconds(year: Int(words[4]), month: month, day: Int(words[2]), clock: words[3])
        }
        guard let month = month(words[2]) else { return nil }
        var year = Int(words[3])
        if words[3].utf8.count == 2 { year = year.map { $0 < 70 ? $0 + 2000 : $0 + 1900 } }
        return seconds(year: year, month: month, day: Int(words[1]), clock: words[4])
    }

    /// Seconds since 1970, or nil for what is no date. Fractions of a second are left out.
    static func rfc3339(_ text: String) -> Int64? {
        let text = text.trimmed
        let parts = text.split { $0 == "T" || $0 == "t" || $0 == " " }
        guard parts.count == 2 else { return nil }
        let day = parts[0].split(separator: "-").map { Int($0) }
        guard day.count == 3, let month = day[1] else { return nil }
        var clock = parts[1]
        var offset: Int64 = 0
        if let sign = clock.firstIndex(where: { $0 == "+" || $0 == "-" }) {
            let zone = clock[clock.index(after: sign)...].split(separator: ":").map { Int64($0) }
            guard zone.count == 2, let hours = zone[0], let minutes = zone[1], hours < 24, minutes < 60 else {
                return nil
            }
            offset = (hours * 60 + minutes) * 60 * (clock[sign] == "-" ? -1 : 1)
            clock = clock[..<sign]
        } else if clock.hasSuffix("Z") || clock.hasSuffix("z") {
            clock = clock.dropLast()
        }
        let whole = clock.split(separator: ".").first.map(String.init) ?? ""
        return seconds(year: day[0], month: month, day: day[2], clock: whole).map { $0 - offset }
    }

    private static func month(_ word: String) -> Int? {
        months.firstIndex(of: word).map { $0 + 1 }
    }

    private static func seconds(year: Int?, month: Int, day: Int?, clock: String) -> Int64? {
        let time = clock.split(separator: ":").map { Int64($0) }
        guard let year, let day, (1601...9999).contains(year), (1...12).contains(month), (1...31).contains(day),
            time.count == 3, let hours = time[0], let minutes = time[1], let seconds = time[2],
            (0...23).contains(hours), (0...59).contains(minutes), (0...60).contains(seconds)
        else { return nil }
        return days(year, month, day) * 86_400 + hours * 3600 + minutes * 60 + seconds
    }

    /// Days since 1970 in the Gregorian calendar. The year is taken to begin in March, so that leap days come last.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int64(era * 146_097 + dayOfEra - 719_468)
    }
}
