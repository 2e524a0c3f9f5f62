package import DocumentModel
import DocumentWire

/// A recorded session as a file: text, one line an entry.
///
///     docent-traffic 1
///     provider org.example.photos
///     > 1204 frame 12220A…
///     < 3377 preface
///     < 3391 frame 1A0C08…
///     < 9121 end
///
/// Lines before the first entry are notes: a key and a text. An entry is a direction (`>` to the provider, `<` to the
/// host), microseconds since the beginning, what it is, and bytes in hexadecimal.
package struct TrafficRecord: Hashable, Sendable {
    package static let firstLine = "docent-traffic 1"
    /// Longer files are refused, in bytes.
    package static let sizeLimit = 268_435_456

    /// For people and for who replays it, in order: who, when, which check.
    package var notes: [Note]
    package var entries: [TrafficEntry]

    package struct Note: Hashable, Sendable {
        package var key: String
        package var text: String

        package init(key: String, text: String) {
            self.key = key
            self.text = text
        }
    }

    package init(notes: [Note] = [], entries: [TrafficEntry] = []) {
        self.notes = notes
        self.entries = entries
    }

    /// The first note with a key.
    package func note(_ key: String) -> String? { notes.first { $0.key == key }?.text }

    /// The whole file. What could not be read back of a note becomes a space.
    package var text: String {
        var text = Self.firstLine + "\n"
        for note in notes { text += note.line + "\n" }
        for entry in entries { text += entry.line + "\n" }
        return text
    }

    /// Reads a file.
    ///
    /// - Throws: `invalidArgument` with the line that is wrong.
    package init(text bytes: [UInt8]) throws(DocumentError) {
        self.init()
        guard bytes.count <= Self.sizeLimit else {
            throw DocumentError(
                .invalidArgument, "The recording has \(bytes.count) bytes, and at most \(Self.sizeLimit) are read.")
        }
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            number += 1
            if number == 1 {
                guard line.elementsEqual(Self.firstLine.utf8) else {
                    throw DocumentError(
                        .invalidArgument, "This is no recording: it does not begin with “\(Self.firstLine)”.")
                }
            } else if line.first == UInt8(ascii: ">") || line.first == UInt8(ascii: "<") {
                guard let entry = TrafficEntry(line: line) else {
                    throw DocumentError(
                        .invalidArgument, "Line \(number) of the recording makes no sense; record it again.")
                }
                entries.append(entry)
            } else {
                let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
                let words = parts.map { String(decoding: $0, as: UTF8.self) }
                notes.append(Note(key: words.first ?? "", text: words.count > 1 ? words[1] : ""))
            }
        }
        guard number > 0 else { throw DocumentError(.invalidArgument, "The recording is empty.") }
    }
}

extension TrafficRecord.Note {
    fileprivate var line: String {
        let key = String(self.key.map { $0.isLetter || $0.isNumber || $0 == "-" ? $0 : "-" })
        let text = String(String.UnicodeScalarView(self.text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
        return "\(key.isEmpty ? "note" : key) \(text)"
    }
}

extension TrafficEntry {
    /// As a line of a file, without its end.
    package var line: String {
        let (seconds, attoseconds) = time.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        let start = (direction == .toProvider ? "> " : "< ") + String(microseconds)
        switch content {
        case .preface: return start + " preface"
        case .frame(let body): return start + " frame " + Self.hex(body)
        case .bytes(let bytes): return start + " bytes " + Self.hex(bytes)
        case .end: return start + " end"
        }
    }

    init?(line: ArraySlice<UInt8>) {
        let parts = line.split(separator: UInt8(ascii: " "))
        guard parts.count >= 3, parts[0].count == 1,
            let microseconds = Int64(String(decoding: parts[1], as: UTF8.self)), microseconds >= 0
        else { return nil }
        let content: Content
        switch (String(decoding: parts[2], as: UTF8.self), parts.count) {
        case ("preface", 3): content = .preface
        case ("end", 3): content = .end
        case ("frame", 4):
            guard let body = Self.bytes(hex: parts[3]) else { return nil }
            content = .frame(body)
        case ("bytes", 4):
            guard let bytes = Self.bytes(hex: parts[3]) else { return nil }
            content = .bytes(bytes)
        default: return nil
        }
        self.init(
            time: .microseconds(microseconds), direction: parts[0].first == UInt8(ascii: ">") ? .toProvider : .toHost,
            content: content)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func hex(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            for (index, byte) in bytes.enumerated() {
                buffer[index * 2] = digits[Int(byte >> 4)]
                buffer[index * 2 + 1] = digits[Int(byte & 15)]
            }
            return bytes.count * 2
        }
    }

    private static func bytes(hex text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        var high: UInt8?
        for character in text {
            let value: UInt8
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = character - UInt8(ascii: "0")
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = character - UInt8(ascii: "A") + 10
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = character - UInt8(ascii: "a") + 10
            default: return nil
            }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}
