/// What a server guarantees to those who write to it at the same time (RS-1, RS-10).
enum Guarantee: String, Hashable, Sendable {
    /// Conditional changes are atomic: of two writers one is refused, and nothing is lost. So is the moving of a folder.
    case conditionalChanges = "conditional-changes"
    /// Only the moving of a folder to a new name is: enough for a protocol of its own (SLOT-2).
    case folderMoves = "folder-moves"
    /// Nothing is: of two writers at the same time one may lose what was written, and nobody is told.
    case nothing

    init(_ findings: ProbeFindings) {
        // Also where contents are sent under a condition, documents get other names, and go, under a claim.
        guard findings.folderMoves.isExclusive else {
            self = .nothing
            return
        }
        let isConditional =
            findings.keepsConditions && findings.changes.isExclusive && findings.creations.isExclusive
        self = isConditional ? .conditionalChanges : .folderMoves
    }

    /// For people.
    var sentence: String {
        switch self {
        case .conditionalChanges:
            "The server refuses a change when another one came first: several people can write at the same time."
        case .folderMoves:
            "The server can lose one of two changes that are made at the same time; only folders are moved one at a time."
        case .nothing:
            "The server can lose one of two changes that are made at the same time, in whatever way they are made."
        }
    }
}
