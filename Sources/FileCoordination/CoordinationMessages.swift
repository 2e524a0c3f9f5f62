import DocumentModel

/// The sentences that coordination says to people.
enum CoordinationMessages {
    static func cancelled(_ claim: Claim) -> DocumentError {
        DocumentError(.cancelled, "Waiting for \(claim.locations) was cancelled.")
    }

    static func nested(_ claim: Claim, _ refused: AccessIntention, inside outer: Claim) -> DocumentError {
        if outer.intentions.contains(where: { $0.item.claimed == refused.item.claimed }) {
            return DocumentError(
                .deadlock,
                "\(claim.owner) asked to write \(refused.item.location) while it already holds it; end the outer access first, or use its path."
            )
        }
        return DocumentError(
            .deadlock,
            "\(claim.owner) asked to \(refused.intent.verb) \(refused.item.location) inside an access that writes \(outer.locations); ask for both in one step, or end the outer access first."
        )
    }

    /// COORD-14: a snapshot frees its item at once, and what is held together ends together.
    static func unlike(
        _ uploaded: AccessIntention, _ held: AccessIntention, by owner: ClaimOwner
    ) -> DocumentError {
        DocumentError(
            .invalidArgument,
            "\(owner) asked in one step to read \(uploaded.item.location) for uploading and to \(held.intent.verb) \(held.item.location), which would hold both; ask for them one after the other."
        )
    }

    static func unpreparable(_ intention: AccessIntention, by owner: ClaimOwner) -> DocumentError? {
        let option: String
        switch intention.intent {
        case .reading(let options) where options.contains(.resolvesSymbolicLink): option = "resolvesSymbolicLink"
        case .writing(.forReplacing): option = "forReplacing"
        default: return nil
        }
        return DocumentError(
            .invalidArgument,
            "\(owner) asked to prepare \(intention.item.location) with \(option), which says nothing to presenters; give it to the access itself."
        )
    }

    static func busy(_ claim: Claim, because blockers: [Claim]) -> DocumentError {
        DocumentError(
            .busy,
            "\(claim.locations) is in use: \(blockers.map { doing($0, seenBy: Sight(claim)) }.joined(separator: "; ")). End that access first."
        )
    }

    /// - Parameter wait: what it still waits for.
    static func inUse(_ claim: Claim, _ wait: WaitExplanation?) -> DocumentError {
        let sight = Sight(claim)
        let others = (wait?.reasons ?? []).map { reason in
            switch reason {
            case .claim(_, let owner, let verb, let location): "\(owner) \(verb) \(sight.name(location))"
            case .presenter(_, let owner, let message):
                "\(owner) presents it, and has not answered to \(asked(message))"
            case .contents, .snapshot: "its contents are on their way"
            }
        }
        let why = others.isEmpty ? "" : ": \(others.joined(separator: "; "))"
        return DocumentError(
            .busy, "\(claim.locations) is still in use\(why). Nothing was done; try again when that has ended.")
    }

    static func presented(_ item: CoordinatedItem, by owner: ClaimOwner) -> DocumentError {
        DocumentError(
            .busy,
            "\(item.location) stays here, because \(owner) presents it and has not said that it can do without the contents; close it there first."
        )
    }

    /// Who is told, and which documents he knows of.
    struct Sight {
        let known: Set<Location>?

        /// - Parameter claims: what he has asked for.
        init(of seer: ClaimOwner, _ claims: [Claim]) {
            known = seer.isRestricted ? Set(claims.flatMap(\.intentions).map(\.item.location)) : nil
        }

        init(_ claim: Claim) { self.init(of: claim.owner, [claim]) }

        func name(_ location: Location) -> String {
            known.map { $0.contains(location) } ?? true ? location.description : "another document"
        }

        func locations(_ claim: Claim) -> String {
            guard let known else { return claim.locations }
            let all = claim.intentions.map(\.item.location)
            let shown = all.filter(known.contains).map(\.description)
            let hidden = all.count - shown.count
            let others = hidden == 0 ? [] : [hidden == 1 ? "another document" : "other documents"]
            return (shown + others).joined(separator: " and ")
        }
    }

    static func waits(_ claim: Claim, for blocker: Claim, seenBy sight: Sight) -> String {
        "\(claim.owner) waits to \(claim.verb) \(sight.locations(claim)) until \(doing(blocker, seenBy: sight)) no more"
    }

    static func contains(_ outer: Claim, nested: Claim, seenBy sight: Sight) -> String {
        "\(outer.owner) holds \(sight.locations(outer)) until it may \(nested.verb) \(sight.locations(nested))"
    }

    static func waits(
        _ claim: Claim, forAnswerOf presenter: ClaimOwner, to message: PresenterMessage?, seenBy sight: Sight
    ) -> String {
        "\(claim.owner) waits to \(claim.verb) \(sight.locations(claim)) until \(presenter), which presents it, has answered to \(message.map(asked) ?? "a message")"
    }

    static func answers(
        _ presenter: ClaimOwner, _ message: PresenterMessage?, with claim: Claim, seenBy sight: Sight
    ) -> String {
        "\(presenter), asked to \(message.map(asked) ?? "answer"), waits first to \(claim.verb) \(sight.locations(claim))"
    }

    /// "save its changes": what a presenter was asked, after "to".
    static func asked(_ message: PresenterMessage) -> String {
        switch message {
        case .relinquishToReader: "let others read"
        case .relinquishToWriter: "let others write"
        case .saveChanges: "save its changes"
        case .accommodateDeletion, .accommodateSubitemDeletion: "make ready for a deletion"
        case .accommodateEviction: "do without the contents"
        case .reacquire, .didChange, .didMove, .didMoveOut, .didChangeAttributes, .version, .subitemDidAppear,
            .subitemDidChange, .subitemDidMove, .subitemVersion:
            "take note of a change"
        }
    }

    static func explanation(_ wait: WaitExplanation) -> String {
        let what = wait.locations.map(\.description).joined(separator: " and ")
        let opening = "\(wait.owner) waits to \(wait.verb) \(what)"
        let others = wait.reasons.compactMap { reason in
            if case .claim(_, let owner, let verb, let location) = reason {
                "\(owner), which \(verb) \(location)"
            } else {
                String?.none
            }
        }
        if !others.isEmpty { return "\(opening) until these have ended: \(others.joined(separator: "; "))." }
        let rest = wait.reasons.map { reason in
            switch reason {
            case .claim(_, let owner, _, _): "\(owner) has ended"
            case .presenter(_, let owner, let message): "\(owner), which presents it, has answered to \(asked(message))"
            case .contents(let location): "the provider has brought the contents of \(location)"
            case .snapshot(let location): "a snapshot of \(location) is made"
            }
        }
        return rest.isEmpty ? "\(opening); it is next." : "\(opening) until \(rest.joined(separator: " and "))."
    }

    private static func doing(_ claim: Claim, seenBy sight: Sight) -> String {
        "\(claim.owner) \(claim.verb)s \(sight.locations(claim))"
    }
}

extension Claim {
    /// For sentences.
    var locations: String { intentions.map(\.item.location.description).joined(separator: " and ") }

    /// The strongest thing that it wants: "read", "write".
    var verb: String {
        if style == .preparation { return "prepare" }
        return (intentions.first { $0.intent.isWriting } ?? intentions.first).map(verb) ?? "read"
    }

    func verb(of intention: AccessIntention) -> String { style == .renewal ? "renew" : intention.intent.verb }
}
