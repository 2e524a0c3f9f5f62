extension Manifest {
    /// The port that a setting of type `url` leads to; nil for what is no such address.
    ///
    /// A name and a password in it would be shown wherever settings are, so they are not accepted.
    static func port(ofURL text: String) -> UInt16? {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else { return nil }
        let schemes: [(name: String, port: UInt16)] = [("https://", 443), ("http://", 80)]
        let beginning = text.prefix(8).lowercased()
        guard let scheme = schemes.first(where: { beginning.hasPrefix($0.name) }) else { return nil }
        let authority = text.dropFirst(scheme.name.count).prefix { !"/?#".contains($0) }
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else { return scheme.port }
        let digits = authority[authority.index(after: colon)...]
        guard colon != authority.startIndex, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(digits), port > 0
        else { return nil }
        return port
    }
}
