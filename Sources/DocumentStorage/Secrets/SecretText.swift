import DocumentModel

/// What a domain signs in with, as a text: a line for each, behind a first line that says what it is.
enum SecretText {
    private static let header = "docent secrets 1"

    /// - Throws: `invalidArgument` for what is more than one line.
    static func text(of secrets: [String: String]) throws(DocumentError) -> String {
        var lines = [header]
        for (key, value) in secrets.sorted(by: { $0.key < $1.key }) {
            guard !key.utf8.contains(UInt8(ascii: "=")), !(key + value).utf8.contains(UInt8(ascii: "\n")) else {
                throw DocumentError(.invalidArgument, "The setting “\(key)” has to be one line.")
            }
            lines.append("\(key)=\(value)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Nil for what is none.
    static func parse(_ text: String) -> [String: String]? {
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count >= 2, lines.first.map({ String($0) }) == header, lines.popLast()?.isEmpty == true else {
            return nil
        }
        var secrets: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let sign = line.firstIndex(of: UInt8(ascii: "=")), let key = String(line[..<sign]),
                let value = String(line[line.index(after: sign)...])
            else { return nil }
            secrets[key] = value
        }
        return secrets
    }
}
