import DocumentModel

/// What the machine knows of a claim that has not ended.
struct ClaimRecord: Sendable {
    /// How far a claim has come.
    enum Stage: Hashable, Sendable {
        /// Waits for other claims.
        case queued
        /// It is its turn: presenters give up what they hold.
        case relinquishing
        /// Presenters save, or make ready for what comes.
        case asking
        /// Presenters have answered, and one of them writes before (COORD-32).
        case asked
        /// The provider brings the contents.
        case providing
        /// Snapshots are made.
        case snapshotting
        /// The accessor runs.
        case granted
        /// The accessor runs on a snapshot; nobody is kept out any more (COORD-14).
        case uploading

        /// Whether it keeps others out, whatever the order.
        var excludes: Bool {
            switch self {
            case .providing, .snapshotting, .granted: true
            case .queued, .relinquishing, .asking, .asked, .uploading: false
            }
        }

        /// Whether it is still to get what it asked for.
        var isOpen: Bool {
            switch self {
            case .queued, .relinquishing, .asking, .asked: true
            case .providing, .snapshotting, .granted, .uploading: false
            }
        }
    }

    struct Telling: Sendable {
        let presenter: PresenterID
        let message: PresenterMessage
    }

    var claim: Claim
    var stage = Stage.queued
    /// Those that are open go in this order.
    var rank: UInt64
    let since: Duration
    /// The one that it was last seen to wait for: when that ends, it is looked at again.
    var witness: ClaimID?
    /// Those whose witness this is.
    var dependents: Set<ClaimID> = []
    /// Those that were asked for inside its accessor.
    var nested: Set<ClaimID> = []
    /// Messages whose answers are awaited.
    var unanswered: Set<MessageID> = []
    /// What is asked of presenters after they have relinquished, in order.
    var requests: [Telling] = []
    /// Presenters that gave up what they held, and are to get it back.
    var relinquished: [PresenterID] = []
    /// Told when it ends: did-move and version messages, in order (COORD-24).
    var afterwards: [Telling] = []

    /// Of a mount's: when it is next looked at whether it waits for another mount.
    var nextLook: Duration?

    /// When it is refused, if it still waits for others then.
    var end: Duration? { claim.patience.map { since + $0 } }

    /// When something is to be done if it still waits for others then.
    var deadline: Duration? { [end, nextLook].compactMap { $0 }.min() }

    init(claim: Claim, rank: UInt64, since: Duration) {
        self.claim = claim
        self.rank = rank
        self.since = since
        nextLook = claim.isOfMount ? since + Claim.patienceWithMounts : nil
    }
}

/// What the machine knows of a registered presenter.
struct PresenterRecord: Sendable {
    struct Pending: Sendable {
        let id: MessageID
        let message: PresenterMessage
        /// The claim that caused it.
        let claim: ClaimID?
    }

    var presenter: Presenter
    /// The message that it is answering.
    var current: Pending?
    /// When it is dropped, if it has not answered by then.
    var deadline: Duration?
    /// Those that wait for their turn: one at a time (COORD-29).
    var queue: [Pending] = []
    /// The claims that it asked for while it answers the current message.
    var claimsInAnswer: Set<ClaimID> = []

    init(_ presenter: Presenter) {
        self.presenter = presenter
    }
}
