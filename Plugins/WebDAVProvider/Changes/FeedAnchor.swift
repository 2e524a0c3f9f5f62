internal import DocumentModel

/// A point in a server's changes, as the host keeps it: the server's own token, with a sum over it, the address that it is of
/// and whose it is. One that was damaged, or is another server's or another user's, has expired.
struct FeedAnchor: Hashable, Sendable {
    private static let version = "sync1;"
    let token: String

    init(token: String) {
        self.token = token
    }

    init?(_ anchor: SyncAnchor, of address: ServerAddress, for user: String) {
        guard let text = String(validating: anchor.bytes, as: UTF8.self), text.hasPrefix(Self.version) else {
            return nil
        }
        let parts = text.dropFirst(Self.version.count).split(separator: ";", maxSplits: 1)
        guard parts.count == 2, parts[0] == Self.sum(of: String(parts[1]), address, user) else { return nil }
        token = String(parts[1])
    }

    /// - Throws: `invalidArgument` when the server's token is too long for one.
    func anchor(of address: ServerAddress, for user: String) throws(DocumentError) -> SyncAnchor {
        try SyncAnchor(Array("\(Self.version)\(Self.sum(of: token, address, user));\(token)".utf8))
    }

    private static func sum(of token: String, _ address: ServerAddress, _ user: String) -> String {
        let text = address.url(of: .root, asFolder: true) + "\n" + (user.isEmpty ? "" : user + "\n") + token
        let sum: UInt64 = text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        return String(sum, radix: 16)
    }
}
