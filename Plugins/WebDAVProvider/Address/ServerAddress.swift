internal import DocumentModel

/// Where the domain's top folder is on the web: scheme, computer, port and path.
struct ServerAddress: Hashable, Sendable {
    let isSecure: Bool
    /// In lower case; an IPv6 address is in brackets.
    let host: String
    let port: UInt16
    /// The path of the top folder: its segments, decoded.
    let segments: [[UInt8]]

    /// - Parameter setting: what to call it in messages.
    /// - Throws: `notConfigured` when it is not an address that everybody reads in the same way.
    init(_ text: String, setting: String = "url") throws(DocumentError) {
        func problem(_ what: String) -> DocumentError {
            DocumentError(
                .notConfigured,
                "The setting “\(setting)” cannot be used: \(what). Write it like https://example.org/dav."
            )
        }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw problem("it has spaces or letters beyond ASCII in it, which have to be escaped")
        }
        guard let colon = text.range(of: "://") else { throw problem("it does not begin with https:// or http://") }
        switch text[..<colon.lowerBound].lowercased() {
        case "https": isSecure = true
        case "http": isSecure = false
        default: throw problem("it does not begin with https:// or http://")
        }
        let rest = text[colon.upperBound...]
        guard !rest.contains("?"), !rest.contains("#"), !rest.contains("\\") else {
            throw problem("it has a “?”, a “#” or a backslash in it")
        }
        let end = rest.firstIndex(of: "/") ?? rest.endIndex
        guard !rest[..<end].contains("@") else {
            throw problem("it has a name or a password in it; give those as settings of their own")
        }
        guard let place = Self.place(rest[..<end]) else { throw problem("its computer or its port makes no sense") }
        host = place.host
        port = place.port ?? (isSecure ? 443 : 80)
        var segments: [[UInt8]] = []
        for part in rest[end...].utf8.split(separator: UInt8(ascii: "/")) {
            guard let segment = PercentCoding.decode(part) else { throw problem("it has a “%” that escapes nothing") }
            guard segment != Array(".".utf8), segment != Array("..".utf8) else {
                throw problem("it has “.” or “..” in its path")
            }
            segments.append(segment)
        }
        self.segments = segments
    }

    /// Scheme, computer and port: credentials go there and nowhere else (RS-9).
    var origin: String { "\(isSecure ? "https" : "http")://\(host):\(port)" }

    /// Whether the computer is this one.
    var isLoopback: Bool { host == "localhost" || host == "[::1]" || isLoopbackNumber }

    /// - Parameter asFolder: with a slash at the end, without which some servers do not find folders.
    func url(of path: RemotePath, asFolder: Bool) -> String { origin + target(of: path, asFolder: asFolder) }

    /// The path of the address.
    func target(of path: RemotePath, asFolder: Bool) -> String {
        let encoded =
            segments.map { PercentCoding.encode($0) } + path.names.map { PercentCoding.encode($0.unescaped) }
        let joined = "/" + encoded.joined(separator: "/")
        return asFolder && !encoded.isEmpty ? joined + "/" : joined
    }

    private var isLoopbackNumber: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.first == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func place(_ text: Substring) -> (host: String, port: UInt16?)? {
        var host = text
        var port: UInt16?
        if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") {
            host = text[..<colon]
            let digits = text[text.index(after: colon)...]
            guard digits.allSatisfy(\.isASCIIDigit), let number = UInt16(digits), number > 0 else { return nil }
            port = number
        }
        let lowered = host.lowercased()
        let isNumber = lowered.hasPrefix("[") && lowered.hasSuffix("]") && lowered.utf8.count > 4
        let inner = isNumber ? lowered.dropFirst().dropLast() : lowered[...]
        let isGood = inner.allSatisfy { character in
            isNumber
                ? character.isASCIIDigit || ("a"..."f").contains(character) || character == ":" || character == "."
                : character.isASCIIDigit || ("a"..."z").contains(character) || "-._".contains(character)
        }
        guard isGood, !inner.isEmpty, inner.utf8.count <= 253 else { return nil }
        return (lowered, port)
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isWholeNumber }
}

extension StringProtocol {
    /// The first place of a text; without Foundation.
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
