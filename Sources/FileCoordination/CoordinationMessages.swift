import DocumentModel

/// The sentences that coordination says to people.
enum CoordinationMessages {
    static func nestedWrite(_ claim: Claim, inside outer: Claim) -> DocumentError {
        DocumentError(
            .deadlock,
            "\(claim.owner) asked to write \(claim.item.location) while it already holds it; end the outer access first, or use its path."
        )
    }

    static func deadlock(_ claim: Claim, with other: Claim) -> DocumentError {
        DocumentError(
            .deadlock,
            "\(claim.owner) wants \(claim.item.location), which \(other.owner) holds or awaits, and \(other.owner) in turn waits for what \(claim.owner) holds; end one access and try again."
        )
    }

    static func waiting(_ claim: Claim, for blockers: [Claim]) -> String {
        let what = claim.intent.isWriting ? "write" : "read"
        let others = blockers.map { blocker in
            let does = blocker.intent.isWriting ? "writes" : "reads"
            return "\(blocker.owner), which \(does) \(blocker.item.location)"
        }
        return
            "\(claim.owner) waits to \(what) \(claim.item.location) until these have ended: \(others.joined(separator: "; "))."
    }
}
