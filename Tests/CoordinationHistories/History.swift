import DocumentModel
package import FileCoordination

/// One random history of claims and presenters, and what must hold in it, said in other words than the machine's.
package struct History {
    /// An access that keeps others out.
    struct Held {
        let claim: Claim
        /// Nothing is kept from others: a preparation, or a snapshot is read instead of the items.
        let isAlone: Bool
    }

    struct Message {
        let presenter: PresenterID
        let message: PresenterMessage
    }

    /// What did not hold.
    var complaints: [String] = []
    /// Hears of every step, when somebody wants to know.
    let onStep: ((String) -> Void)?
    var machine = CoordinationStateMachine()
    var random: SplitMix64
    var claims: [ClaimID: Claim] = [:]
    /// Claims whose accessors run.
    var running: Set<ClaimID> = []
    /// Claims that keep others out: those that run, and those whose contents or snapshots are made.
    var held: [ClaimID: Held] = [:]
    /// Accessors end from the inside.
    var inside: [ClaimID: Set<ClaimID>] = [:]
    /// Claims that had others of their group beside them: those may go before whoever waits for the group (COORD-6).
    var befriended: Set<ClaimID> = []
    /// Messages that presenters have not answered.
    var messages: [MessageID: Message] = [:]
    /// How many times a presenter has given up what it had, and not got it back.
    var relinquished: [PresenterID: Int] = [:]
    var presenters: [PresenterID: ClaimOwner] = [:]
    var providing: [ClaimID] = []
    var snapshotting: [ClaimID] = []
    var number: UInt64 = 0
    var time: Duration = .zero
    /// Where they are now.
    var items: [CoordinatedItem]
    /// What items were called before.
    var formerKeys: [CoordinatedItem.Key: CoordinatedItem.Key] = [:]

    static let owners = (1...3).map { ClaimOwner(id: UInt64($0), name: ["alice", "bob", "carol"][$0 - 1]) }
    private static let paths = [
        "a", "f/", "f/a", "f/g/", "f/g/b", "f/r.pkg/", "f/r.pkg/e", "p.pkg/", "p.pkg/c", "p.pkg/q.pkg/",
        "p.pkg/q.pkg/d",
    ]

    /// The items that histories are about: made once.
    package static func items() throws -> [CoordinatedItem] { try paths.map { try .at($0) } }

    /// Runs a history.
    ///
    /// - Parameter steps: hears of every step.
    /// - Returns: what did not hold in it; nil when all did.
    package static func complaint(
        seed: UInt64, items: [CoordinatedItem], steps: ((String) -> Void)? = nil
    ) -> String? {
        var history = History(items: items, random: SplitMix64(seed: seed), onStep: steps)
        history.run(steps: 40)
        history.finish()
        return history.complaints.first
    }

    private init(items: [CoordinatedItem], random: SplitMix64, onStep: ((String) -> Void)?) {
        self.items = items
        self.random = random
        self.onStep = onStep
    }

    private mutating func run(steps count: Int) {
        for _ in 0..<count where complaints.isEmpty {
            time += .seconds(1)
            switch random.next() % 14 {
            case 0...4: ask()
            case 5...6: end()
            case 7: addPresenter()
            case 8: answer(withError: random.next() % 8 == 0)
            case 9: answer(withError: false)
            case 10: random.next() % 2 == 0 || snapshotting.isEmpty ? provide() : makeSnapshot()
            case 11:
                switch random.next() % 4 {
                case 0: identify()
                case 1: setItem()
                default: occupy()
                }
            case 12:
                switch random.next() % 3 {
                case 0: endPresenters()
                default: notice()
                }
            default:
                switch random.next() % 7 {
                case 5: move()
                case 6: random.next() % 2 == 0 ? move() : moveFolder()
                case 0: giveUp()
                case 1: removePresenter()
                case 2 where random.next() % 3 == 0: endOwner()
                case 3: cancelCoordinator()
                default: note("time", machine.timePassed(to: time))
                }
            }
        }
    }

    /// Everybody does what he is to do; then nothing may be left.
    private mutating func finish() {
        var rounds = 0
        while complaints.isEmpty, !claims.isEmpty || !messages.isEmpty, rounds < 10_000 {
            rounds += 1
            time += .seconds(1)
            if !messages.isEmpty {
                answer(withError: false)
            } else if !providing.isEmpty {
                provide()
            } else if !snapshotting.isEmpty {
                makeSnapshot()
            } else if running.contains(where: { inside[$0]?.isEmpty ?? true }) {
                end()
            } else {
                complaints.append("these wait for ever: \(machine.explanations.map(\.description))")
            }
        }
        guard complaints.isEmpty else { return }
        if rounds == 10_000 { complaints.append("it does not come to an end") }
        if machine.heldCount + machine.waitingCount > 0 { complaints.append("the machine still knows of claims") }
        for (presenter, count) in relinquished where count != 0 && presenters[presenter] != nil {
            complaints.append("\(presenter) gave up \(count) times more than it got back")
        }
    }
}
