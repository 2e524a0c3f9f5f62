package import DocumentModel

/// Names one claim for its whole life, in logs and explanations too; never reused.
package struct ClaimID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package var description: String { "claim \(rawValue)" }

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// Who holds or wants claims: one connection. When it ends, its claims end (COORD-39).
package struct ClaimOwner: Hashable, Sendable, CustomStringConvertible {
    package let id: UInt64
    /// For messages: "docent edit (process 4711)".
    package let name: String
    /// Whether it may not know everything: where others' documents are is not said to it.
    package let isRestricted: Bool

    package init(id: UInt64, name: String, isRestricted: Bool = false) {
        self.id = id
        self.name = name
        self.isRestricted = isRestricted
    }

    package var description: String { name }

    package static func == (one: Self, other: Self) -> Bool { one.id == other.id }

    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// One file coordinator of a connection: what is cancelled together (COORD-37).
package struct CoordinatorID: Hashable, Sendable {
    package let owner: UInt64
    package let number: UInt64

    package init(owner: UInt64, number: UInt64) {
        self.owner = owner
        self.number = number
    }
}

/// Claims of one purpose never wait for each other (COORD-6).
package enum Purpose: Hashable, Sendable {
    /// Of a coordinator that was made with a presenter.
    case presenter(PresenterID)
    case identifier(String)

    /// - Throws: `invalidArgument` for an empty identifier, and for one beside a presenter (COORD-36).
    package init?(identifier: String?, presenter: PresenterID?) throws(DocumentError) {
        switch (identifier, presenter) {
        case (nil, nil): return nil
        case (nil, let presenter?): self = .presenter(presenter)
        case (""?, _):
            throw DocumentError(.invalidArgument, "A purpose identifier is empty; leave it out or name a purpose.")
        case (let identifier?, nil): self = .identifier(identifier)
        case (let identifier?, _?):
            throw DocumentError(
                .invalidArgument,
                "The purpose “\(identifier)” was given to a coordinator that has its presenter's purpose; leave one of them out."
            )
        }
    }
}

/// One access to one item.
package struct AccessIntention: Hashable, Sendable {
    package var item: CoordinatedItem
    package let intent: ClaimIntent

    /// An item is never a symbolic link, so that `resolvesSymbolicLink` leads to itself (COORD-12).
    package init(_ item: CoordinatedItem, _ intent: ClaimIntent) {
        self.item = item
        self.intent = intent
    }

    /// Whether it also excludes the claims on what lies inside.
    var covers: Bool { intent.coversContents && item.isDirectory }

    /// Whether one of the two keeps the other out.
    func meets(_ other: AccessIntention) -> Bool {
        if item.claimed == other.item.claimed { return intent.isWriting || other.intent.isWriting }
        return (covers && other.item.aroundClaimed.contains { $0.subject == item.claimed })
            || (other.covers && item.aroundClaimed.contains { $0.subject == other.item.claimed })
    }

    /// Whether it is of a document whose file is opened at once, and read wherever that is by then.
    var readsWhatIsOpen: Bool {
        guard case .reading(let options) = intent else { return false }
        return options.contains(.asItComes) && !item.isDirectory
    }

    /// COORD-4: goes before what is queued inside.
    var isMoveOfDirectory: Bool { intent == .writing(.forMoving) && item.isDirectory }
}

/// A request for one access, or for several in one step (COORD-33, COORD-34).
package struct Claim: Hashable, Sendable {
    /// What is asked for.
    package enum Style: Hashable, Sendable {
        /// Exclusive or shared access.
        case access
        /// No access: only that presenters are ready for what comes (COORD-35).
        case preparation
        /// Access at once or not at all.
        case unlessBusy
        /// Access as soon as its owner's own claims have ended, or not at all while somebody else has one.
        case unlessOthersUseIt
        /// Access for bringing newer contents before somebody reads, who is content with the older ones where to wait would
        /// close a circle. Nobody is told of that: nobody's access is refused.
        case renewal
        /// Access by which the tree follows what the remote has removed: of a document, its name goes. Who reads what it has opened
        /// of it misses nothing by that, and is not waited for.
        case following
    }

    package let id: ClaimID
    package let owner: ClaimOwner
    package var intentions: [AccessIntention]
    package let style: Style
    /// Nil: a purpose of its own.
    package let purpose: Purpose?
    package let coordinator: CoordinatorID?
    /// Whether the contents are to be provided before the accessor runs (COORD-9).
    package let providesContents: Bool
    /// The claims inside whose accessors this one was asked for; they cannot end before it is answered.
    package let nestedIn: Set<ClaimID>
    /// The message that a presenter was answering when it asked for this one.
    package let answering: MessageID?
    /// How long others are waited for; then it is refused. Nil: as long as it takes.
    package let patience: Duration?
    /// Whose presenters are not asked: it tells them itself.
    package let tellingItself: ClaimOwner?
    /// Asked for by a mounted tree, for programs that know nothing of claims and may have a file open for ever.
    package let isOfMount: Bool

    /// How long those of one mount wait for what programs have open in another one.
    package static let patienceWithMounts = Duration.seconds(5)

    package init(
        id: ClaimID, owner: ClaimOwner, intentions: [AccessIntention], style: Style = .access, purpose: Purpose? = nil,
        coordinator: CoordinatorID? = nil, providesContents: Bool = false, nestedIn: Set<ClaimID> = [],
        answering: MessageID? = nil, patience: Duration? = nil, tellingItself: ClaimOwner? = nil,
        isOfMount: Bool = false
    ) {
        self.id = id
        self.owner = owner
        self.intentions = intentions
        self.style = style
        self.purpose = purpose
        self.coordinator = coordinator
        self.providesContents = providesContents
        self.nestedIn = nestedIn
        self.answering = answering
        self.patience = patience
        self.tellingItself = tellingItself
        self.isOfMount = isOfMount
    }

    package init(
        id: ClaimID, owner: ClaimOwner, item: CoordinatedItem, intent: ClaimIntent, style: Style = .access,
        purpose: Purpose? = nil, nestedIn: Set<ClaimID> = [], patience: Duration? = nil
    ) {
        self.init(
            id: id, owner: owner, intentions: [AccessIntention(item, intent)], style: style, purpose: purpose,
            nestedIn: nestedIn, patience: patience)
    }

    package var isWriting: Bool { intentions.contains { $0.intent.isWriting } }

    /// The presenter that its coordinator was made with.
    var presenter: PresenterID? {
        if case .presenter(let presenter)? = purpose { presenter } else { nil }
    }

    /// COORD-6: same coordinator, same presenter, or same purpose identifier.
    func neverWaits(for other: Claim) -> Bool {
        if style == .preparation || other.style == .preparation { return true }
        if let purpose, purpose == other.purpose { return true }
        if let coordinator, coordinator == other.coordinator { return true }
        return leavesOpen(other) || other.leavesOpen(self) || sharesFile(with: other) || other.sharesFile(with: self)
    }

    /// Whether programs read in one mount what others write in place in another one, or what is replaced for them: as in one
    /// mount, and in any folder. Two who write do not share: each mount has pages and locks of its own.
    private func sharesFile(with other: Claim) -> Bool {
        guard isOfMount, other.isOfMount, intentions.allSatisfy(\.readsWhatIsOpen) else { return false }
        return [.access, .renewal].contains(other.style) && other.intentions.allSatisfy { $0.intent == .writing(nil) }
    }

    /// Whether the other one goes on reading what it has opened when this one has taken its file away.
    private func leavesOpen(_ other: Claim) -> Bool {
        style == .following && other.intentions.allSatisfy(\.readsWhatIsOpen)
    }
}
