import DocumentModel
import Glibc

/// What a domain signs in with, as a text: a line for each, behind a first line that says what it is.
enum SecretText {
    private static let header = "docent secrets 1"

    /// - Throws: `invalidArgument` for what is more than one line.
    static func text(of secrets: [String: String]) throws(DocumentError) -> String {
        var lines = [header]
        for (key, value) in secrets.sorted(by: { $0.key < $1.key }) {
            guard !contains(key, UInt8(ascii: "=")), !contains(key, newLine), !contains(value, newLine) else {
                throw DocumentError(.invalidArgument, "The setting “\(key)” has to be one line.")
            }
            lines.append("\(key)=\(value)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Nil for what is none.
    static func parse(_ text: String) -> [String: String]? {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.last == newLine else { return nil }
            var secrets: [String: String]?
            var start = 0
            while start < bytes.count {
                guard let end = bytes.place(of: newLine, from: start) else { return nil }
                let line = UnsafeBufferPointer(rebasing: bytes[start..<end])
                start = end + 1
                guard secrets != nil else {
                    guard String(decoding: line, as: UTF8.self) == header else { return nil }
                    secrets = [:]
                    continue
                }
                guard let sign = line.place(of: UInt8(ascii: "="), from: 0) else { return nil }
                secrets?[String(decoding: line[..<sign], as: UTF8.self)] = String(
                    decoding: line[(sign + 1)...], as: UTF8.self)
            }
            return secrets
        }
    }

    private static func contains(_ text: String, _ byte: UInt8) -> Bool {
        var text = text
        return text.withUTF8 { $0.place(of: byte, from: 0) != nil }
    }

    private static let newLine = UInt8(ascii: "\n")
}

extension UnsafeBufferPointer<UInt8> {
    /// As `firstIndex(of:)`; providers may keep hundreds of kilobytes.
    fileprivate func place(of byte: UInt8, from start: Int) -> Int? {
        guard let base = baseAddress, let found = memchr(base + start, Int32(byte), count - start) else { return nil }
        return UnsafeRawPointer(base).distance(to: found)
    }
}
