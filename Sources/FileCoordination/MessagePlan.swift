import DocumentModel

/// What presenters are asked before a claim's accessor runs.
struct MessagePlan: Sendable {
    typealias Telling = ClaimRecord.Telling

    /// At once, side by side.
    var relinquishing: [Telling] = []
    /// After that, one after the other.
    var requests: [Telling] = []
    /// Why the claim cannot be: a presenter that cannot do without.
    var refusal: DocumentError?

    var isEmpty: Bool { relinquishing.isEmpty && requests.isEmpty && refusal == nil }
}

/// The audiences of COORD-22, COORD-23, COORD-26, COORD-27, COORD-35 and COORD-41.
extension CoordinationStateMachine {
    func plan(for claim: Claim) -> MessagePlan {
        var plan = MessagePlan()
        // Presenters have given up to the outer access what they had (COORD-33).
        guard !presenters.isEmpty, !passesQueue(claim) else { return plan }
        for intention in claim.intentions {
            if claim.style == .preparation {
                addRequests(of: intention, by: claim, includingInside: true, to: &plan)
            } else if intention.intent == .evicting {
                addEviction(of: intention.item, by: claim, to: &plan)
            } else {
                addRelinquishing(of: intention, by: claim, to: &plan)
                addRequests(of: intention, by: claim, includingInside: false, to: &plan)
            }
        }
        return plan
    }

    /// The item's own presenters and those of every package around it.
    func audience(of item: CoordinatedItem) -> [PresenterID] {
        (tree[item.subject]?.presenters ?? [])
            + item.packagesAround.reversed().flatMap { tree[$0.subject]?.presenters ?? [] }
    }

    private func addRelinquishing(of intention: AccessIntention, by claim: Claim, to plan: inout MessagePlan) {
        var audience = audience(of: intention.item)
        if intention.covers { audience += tree.presentersInside(intention.item.subject) }
        let message: PresenterMessage = intention.intent.isWriting ? .relinquishToWriter : .relinquishToReader
        for presenter in audience where hears(presenter, message, from: claim) {
            let known = plan.relinquishing.firstIndex { $0.presenter == presenter }
            if let known {
                // Who gives up to a writer has given up to a reader.
                guard intention.intent.isWriting else { continue }
                plan.relinquishing.remove(at: known)
            }
            plan.relinquishing.append(MessagePlan.Telling(presenter: presenter, message: message))
        }
    }

    private func addRequests(
        of intention: AccessIntention, by claim: Claim, includingInside: Bool, to plan: inout MessagePlan
    ) {
        let item = intention.item
        let inside = includingInside || intention.covers ? tree.presentersInside(item.subject) : []
        switch intention.intent {
        case .reading(let options) where options.contains(.withoutChanges): break
        case .reading, .writing(.forMerging):
            add(.saveChanges, to: audience(of: item) + (includingInside ? inside : []), by: claim, &plan)
        case .writing(.forDeleting), .writing(.forReplacing):
            add(.accommodateDeletion, to: (tree[item.subject]?.presenters ?? []) + inside, by: claim, &plan)
            for package in item.packagesAround.reversed() {
                add(
                    .accommodateSubitemDeletion(item.location), to: tree[package.subject]?.presenters ?? [], by: claim,
                    &plan)
            }
        // What comes into a domain is read there from then on.
        case .writing(.forMoving) where item.localPath != nil:
            add(.saveChanges, to: audience(of: item), by: claim, &plan)
        case .writing, .evicting: break
        }
    }

    /// COORD-41: a presenter that has not declared that it can do without the contents keeps them.
    private func addEviction(of item: CoordinatedItem, by claim: Claim, to plan: inout MessagePlan) {
        let concerned = audience(of: item) + tree.presentersInside(item.subject)
        if let attached = concerned.first(where: { !declares($0, .accommodateEviction) }),
            let presenter = presenters[attached]?.presenter
        {
            plan.refusal = CoordinationMessages.presented(item, by: presenter.owner)
            return
        }
        add(.accommodateEviction, to: concerned, by: claim, &plan)
    }

    private func add(
        _ message: PresenterMessage, to audience: [PresenterID], by claim: Claim, _ plan: inout MessagePlan
    ) {
        for presenter in audience where hears(presenter, message, from: claim) {
            guard !plan.requests.contains(where: { $0.presenter == presenter && $0.message == message }) else {
                continue
            }
            plan.requests.append(MessagePlan.Telling(presenter: presenter, message: message))
        }
    }

    /// Never the coordinator's own presenter, and nobody who has not declared the message.
    private func hears(_ presenter: PresenterID, _ message: PresenterMessage, from claim: Claim) -> Bool {
        presenter != claim.presenter && declares(presenter, message)
            && (claim.tellingItself == nil || presenters[presenter]?.presenter.owner != claim.tellingItself)
    }

    func declares(_ presenter: PresenterID, _ message: PresenterMessage) -> Bool {
        presenters[presenter]?.presenter.capabilities.contains(message.capability) ?? false
    }

    // MARK: - Afterwards

    /// COORD-26: what a write or an uncoordinated program has done.
    mutating func tell(_ effect: ClaimEffect, on item: CoordinatedItem, except own: PresenterID?) {
        guard effect != .unchanged, !presenters.isEmpty else { return }
        if item.kind != .folder {
            for presenter in tree[item.subject]?.presenters ?? [] where presenter != own {
                tell(presenter, .didChange)
            }
        }
        let message: PresenterMessage =
            effect == .appeared ? .subitemDidAppear(item.location) : .subitemDidChange(item.location)
        for folder in item.enclosing.reversed() {
            for presenter in tree[folder.subject]?.presenters ?? [] where presenter != own {
                tell(presenter, folder.isPackage && !declares(presenter, message) ? .didChange : message)
            }
        }
    }

    /// COORD-27: to everybody, the coordinator's own presenter included.
    func tellings(_ event: PresenterMessage.VersionEvent, _ version: String, of item: CoordinatedItem)
        -> [ClaimRecord.Telling]
    {
        let own = (tree[item.subject]?.presenters ?? []).map {
            ClaimRecord.Telling(presenter: $0, message: .version(event, version))
        }
        return own
            + item.enclosing.reversed().flatMap { folder in
                (tree[folder.subject]?.presenters ?? []).map {
                    ClaimRecord.Telling(presenter: $0, message: .subitemVersion(item.location, event, version))
                }
            }
    }
}
