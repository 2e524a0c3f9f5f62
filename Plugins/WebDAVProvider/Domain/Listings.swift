internal import DocumentModel

/// The folders that are being listed. WebDAV has no pages: a folder comes as a whole, and is handed out in parts.
///
/// A page token names the listing and the place in it. Listings are kept for as long as there is room, so that a page can
/// be asked for again; a token of one that was dropped has expired.
struct Listings: Sendable {
    struct Entry: Hashable, Sendable {
        var name: RemoteName
        var properties: Properties
    }

    private struct Listing {
        var key: UInt64
        var path: RemotePath
        var entries: [Entry]
    }

    private static let mostListings = 32
    private let mostEntries: Int
    private var listings: [Listing] = []

    init(mostEntries: Int = 200_000) {
        self.mostEntries = mostEntries
    }

    /// Keeps a listing of more than one page.
    mutating func add(_ entries: [Entry], of path: RemotePath, key: UInt64) {
        listings.append(Listing(key: key, path: path, entries: entries))
        while listings.count > 1,
            listings.count > Self.mostListings || listings.reduce(0, { $0 + $1.entries.count }) > mostEntries
        {
            listings.removeFirst()
        }
    }

    /// The entries of a page, and the token of the next one.
    ///
    /// - Throws: `pageExpired` for a token that is not known any more, or never was.
    mutating func page(
        _ token: PageToken, of path: RemotePath, count: Int
    ) throws(DocumentError) -> (entries: ArraySlice<Entry>, next: PageToken?) {
        guard let (key, start) = Self.place(token), let index = listings.firstIndex(where: { $0.key == key }),
            listings[index].path == path, start < listings[index].entries.count
        else {
            throw DocumentError(.pageExpired, "This listing of \(path.quoted) has expired; begin it anew.")
        }
        // Used last, dropped last.
        listings.append(listings.remove(at: index))
        let entries = listings[listings.count - 1].entries
        let end = min(start + max(count, 1), entries.count)
        return (entries[start..<end], end < entries.count ? try Self.token(key, end) : nil)
    }

    static func token(_ key: UInt64, _ place: Int) throws(DocumentError) -> PageToken {
        try PageToken(bytes(of: key) + bytes(of: UInt64(place)))
    }

    private static func bytes(of number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func place(_ token: PageToken) -> (UInt64, Int)? {
        guard token.bytes.count == 16 else { return nil }
        func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        return Int(exactly: number(token.bytes[8...])).map { (number(token.bytes[..<8]), $0) }
    }
}
