/// What a server guarantees to those who write to it at the same time (RS-1, RS-10).
enum Guarantee: String, Hashable, Sendable {
    /// Conditional changes are atomic: of two writers one is refused, and nothing is lost.
    case conditionalChanges = "conditional-changes"
    /// Only the moving of a folder to a new name is: enough for a protocol of its own (SLOT-2).
    case folderMoves = "folder-moves"
    /// Nothing is: of two writers at the same time one may lose what was written, and nobody is told.
    case nothing

    init(_ findings: ProbeFindings) {
        let isConditional =
            findings.hasStrongTags && findings.refusesSecondCreate && findings.refusesStaleChange
            && findings.acceptsCurrentChange && findings.refusesOvertakenChange && findings.survivesAbortedChange
            && findings.changes.isExclusive && findings.creations.isExclusive
        if isConditional {
            self = .conditionalChanges
        } else if findings.folderMoves.isExclusive {
            self = .folderMoves
        } else {
            self = .nothing
        }
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
