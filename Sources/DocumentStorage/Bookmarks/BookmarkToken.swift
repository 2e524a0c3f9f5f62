package import DocumentModel

/// What a bookmark says (BOOK-5). Its bytes are sealed by ``BookmarkSeal``; on its own this is only the writing.
///
///     version 1, rights 1 (bit 0: may write; bit 1: bound to a document), number 8, created 8, expires 8 (0: never),
///     domain, item, tool, and with bit 1 the document's domain and item: each with its length in 2 bytes before it
///
/// Numbers have their highest byte first. There is one writing of a token: what has anything behind it, or says the same
/// in another way, is none.
package struct BookmarkToken: Hashable, Sendable {
    package var id: BookmarkIdentifier
    package var rights: BookmarkRights
    /// Seconds since 1970.
    package var created: Int64
    package var expires: Int64?
    package var domain: DomainName
    package var item: ItemIdentifier
    /// Nil: for the user's own programs.
    package var tool: ToolIdentifier?
    package var document: Document?

    /// The document that a bookmark is bound to.
    package struct Document: Hashable, Sendable {
        package var domain: DomainName
        package var item: ItemIdentifier

        package init(domain: DomainName, item: ItemIdentifier) {
            self.domain = domain
            self.item = item
        }
    }

    package init(
        id: BookmarkIdentifier, rights: BookmarkRights, created: Int64, expires: Int64?, domain: DomainName,
        item: ItemIdentifier, tool: ToolIdentifier?, document: Document?
    ) {
        self.id = id
        self.rights = rights
        self.created = created
        self.expires = expires
        self.domain = domain
        self.item = item
        self.tool = tool
        self.document = document
    }

    private static let version: UInt8 = 1
    private static let writes: UInt8 = 1
    private static let isBound: UInt8 = 2

    package var encoded: [UInt8] {
        var bytes = [
            Self.version, (rights == .readWrite ? Self.writes : 0) | (document == nil ? 0 : Self.isBound),
        ]
        for number in [id.rawValue, UInt64(bitPattern: created), UInt64(bitPattern: expires ?? 0)] {
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
        }
        var texts = [domain.rawValue, item.rawValue, tool?.rawValue ?? ""]
        if let document { texts += [document.domain.rawValue, document.item.rawValue] }
        for text in texts {
            // No text of a token is longer than an item's identifier.
            let count = UInt16(clamping: text.utf8.count)
            bytes += [UInt8(count >> 8), UInt8(truncatingIfNeeded: count)] + text.utf8.prefix(Int(count))
        }
        return bytes
    }

    /// Nil for bytes that are no token.
    package init?(decoding bytes: some Collection<UInt8>) {
        var rest = Array(bytes)[...]
        guard let version = rest.popFirst(), version == Self.version, let flags = rest.popFirst(),
            flags & ~(Self.writes | Self.isBound) == 0, let id = Self.number(&rest), let created = Self.number(&rest),
            let expires = Self.number(&rest),
            let domain = Self.text(&rest).flatMap({ try? DomainName($0) }),
            let item = Self.text(&rest).flatMap({ try? ItemIdentifier($0) }), let tool = Self.text(&rest)
        else { return nil }
        self.init(
            id: BookmarkIdentifier(rawValue: id), rights: flags & Self.writes == 0 ? .readOnly : .readWrite,
            created: Int64(bitPattern: created), expires: expires == 0 ? nil : Int64(bitPattern: expires),
            domain: domain, item: item, tool: nil, document: nil)
        if !tool.isEmpty {
            guard let tool = try? ToolIdentifier(tool) else { return nil }
            self.tool = tool
        }
        if flags & Self.isBound != 0 {
            guard let domain = Self.text(&rest).flatMap({ try? DomainName($0) }),
                let item = Self.text(&rest).flatMap({ try? ItemIdentifier($0) })
            else { return nil }
            document = Document(domain: domain, item: item)
        }
        guard rest.isEmpty else { return nil }
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        guard rest.count >= 8 else { return nil }
        defer { rest.removeFirst(8) }
        return rest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func text(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard let high = rest.popFirst(), let low = rest.popFirst() else { return nil }
        let count = Int(high) << 8 | Int(low)
        guard rest.count >= count else { return nil }
        defer { rest.removeFirst(count) }
        return String(validating: rest.prefix(count), as: UTF8.self)
    }
}
