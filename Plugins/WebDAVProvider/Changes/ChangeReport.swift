/// What a server tells of changes since a token (RFC 6578): one answer of it.
struct ChangeReport: Hashable, Sendable {
    /// What is there, new or changed; nil for what is gone.
    var changes: [RemotePath: Properties?] = [:]
    /// What to ask with next.
    var token = ""
    /// There is more, to be asked for with the new token.
    var isTruncated = false
    /// Folders below are left out of it.
    var isShallow = false
    /// How far below the folder that was asked about something was told.
    var depth = 0
    /// Addresses that are nothing of the domain's.
    var strangers = 0
    /// Of something in it nothing can be known but that it is there: whoever went on from it would not hear of that again.
    var isUnusable = false

    /// Whether anything is said to be gone.
    var tellsRemovals: Bool { changes.values.contains { $0 == nil } }

    enum Outcome: Hashable, Sendable {
        case told(ChangeReport)
        /// The token is one that the server does not know, or not any more; or there is more than is worth reading. Listing is
        /// the way on.
        case expired
        /// The server has more to tell than it can, or than it was asked for.
        case tooMuch
        /// It does not answer what it was asked, whatever it says that it can.
        case refused
    }
}
