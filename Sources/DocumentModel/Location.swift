/// How people name an item: `work:/Reports/q3.pdf`.
public struct Location: Hashable, Sendable, CustomStringConvertible {
    public let domain: DomainName
    /// The path's components, from the top folder down; empty for the top folder itself.
    public let components: [ItemName]

    public init(domain: DomainName, components: [ItemName] = []) {
        self.domain = domain
        self.components = components
    }

    /// Reads `domain:/path`. Repeated and trailing slashes are ignored; `.` and `..` are refused, so that a location
    /// can never leave its domain.
    ///
    /// - Throws: ``DocumentError`` with the code `invalidArgument`.
    public init(_ text: String) throws(DocumentError) {
        guard let colon = text.firstIndex(of: ":") else {
            throw DocumentError(
                .invalidArgument,
                "“\(ItemName.printable(text))” is not a location. Write it as domain:/path, for example work:/Reports/q3.pdf."
            )
        }
        let domain = try DomainName(String(text[..<colon]))
        let path = text[text.index(after: colon)...]
        guard path.isEmpty || path.utf8.first == UInt8(ascii: "/") else {
            throw DocumentError(
                .invalidArgument,
                "The path of “\(ItemName.printable(text))” must begin with a slash: \(domain):/…"
            )
        }
        var components: [ItemName] = []
        // Over bytes: as a Character, a slash with a combining mark behind it is not a slash.
        for component in path.utf8.split(separator: UInt8(ascii: "/")) {
            components.append(try ItemName(String(Substring(component))))
        }
        self.init(domain: domain, components: components)
    }

    /// The path below the top folder, without a leading slash; empty for the top folder.
    public var relativePath: String { components.map(\.rawValue).joined(separator: "/") }

    public var name: ItemName? { components.last }

    public var isRoot: Bool { components.isEmpty }

    /// The folder around it; nil for the top folder.
    public var parent: Location? {
        isRoot ? nil : Location(domain: domain, components: Array(components.dropLast()))
    }

    public func appending(_ name: ItemName) -> Location {
        Location(domain: domain, components: components + [name])
    }

    public var description: String { domain == .thisMachine ? "/\(relativePath)" : "\(domain):/\(relativePath)" }
}
