/// The words that a PNG carries before its picture: `tEXt` chunks, by their keys.
enum PNGText {
    /// More are not looked at.
    private static let most = 64

    /// What is cut off or damaged gives what is before that.
    static func entries(of png: [UInt8]) -> [String: String] {
        var entries: [String: String] = [:]
        var place = 8
        while place + 12 <= png.count, entries.count < most {
            let length = png[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            let data = place + 8
            guard length <= png.count - data - 4 else { break }
            let kind = png[place + 4..<data]
            if kind.elementsEqual("IDAT".utf8) || kind.elementsEqual("IEND".utf8) { break }
            if kind.elementsEqual("tEXt".utf8), let end = png[data..<data + length].firstIndex(of: 0) {
                entries[text(png[data..<end])] = text(png[end + 1..<data + length])
            }
            place = data + length + 4
        }
        return entries
    }

    /// In Latin-1.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
