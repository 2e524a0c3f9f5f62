import CoordinationHistories
import DocumentModel
import FileCoordination

/// A machine with a few owners and presenters, and the log of what it had done, in short words: "grant 1",
/// "P saveChanges".
struct Scene {
    var machine = CoordinationStateMachine()
    /// Presenters answer at once, unless they are in here.
    var silent: Set<String> = []
    /// Contents and snapshots arrive at once, unless this is false.
    var providesAtOnce = true
    private(set) var log: [String] = []
    /// The errors of refused claims.
    private(set) var refusals: [UInt64: DocumentError] = [:]
    private(set) var reports: [Deadlock] = []
    private(set) var dropped: [DroppedPresenter] = []
    /// Messages that silent presenters have not answered, by the presenter's name.
    private(set) var unanswered: [String: [MessageID]] = [:]
    /// Actions to take up, in their order.
    private var pending: [CoordinationAction] = []
    private var isTaking = false
    private var names: [PresenterID: String] = [:]
    var time: Duration = .zero
    /// Ids of items that are not where their first path says.
    private var lastPresenter: UInt64 = 0

    static let alice = ClaimOwner(id: 1, name: "alice")
    static let bob = ClaimOwner(id: 2, name: "bob")
    static let carol = ClaimOwner(id: 3, name: "carol")

    // MARK: Items

    /// ``CoordinatedItem/at(_:is:)``
    static func item(_ path: String, is id: String? = nil) throws -> CoordinatedItem { try .at(path, is: id) }

    /// A place where no item is.
    static func place(_ path: String) throws -> CoordinatedItem {
        let item = try item(path)
        return CoordinatedItem(
            subject: .place(item.location), kind: item.kind, enclosing: item.enclosing, location: item.location)
    }

    static func key(_ path: String) throws -> CoordinatedItem.Key { try CoordinatedItem.key(path) }

    // MARK: Inputs

    mutating func request(
        _ id: UInt64, _ owner: ClaimOwner, _ intent: ClaimIntent, _ path: String, purpose: Purpose? = nil,
        coordinator: UInt64? = nil, in outer: Set<UInt64> = [], answering: MessageID? = nil, provides: Bool = false,
        style: Claim.Style = .access, within patience: Duration? = nil
    ) throws {
        try request(
            id, owner, [(intent, Self.item(path))], purpose: purpose, coordinator: coordinator, in: outer,
            answering: answering, provides: provides, style: style, within: patience)
    }

    mutating func request(
        _ id: UInt64, _ owner: ClaimOwner, _ intentions: [(ClaimIntent, CoordinatedItem)], purpose: Purpose? = nil,
        coordinator: UInt64? = nil, in outer: Set<UInt64> = [], answering: MessageID? = nil, provides: Bool = false,
        style: Claim.Style = .access, within patience: Duration? = nil
    ) throws {
        take(
            machine.request(
                Claim(
                    id: ClaimID(id), owner: owner, intentions: intentions.map { AccessIntention($0.1, $0.0) },
                    style: style, purpose: purpose,
                    coordinator: coordinator.map { CoordinatorID(owner: owner.id, number: $0) },
                    providesContents: provides, nestedIn: Set(outer.map(ClaimID.init)), answering: answering,
                    patience: patience), at: time)
        )
    }

    mutating func end(_ id: UInt64, _ effects: [ClaimEffect]? = nil) {
        take(machine.end(ClaimID(id), effects: effects, at: time))
    }

    mutating func ends(_ owner: ClaimOwner) { take(machine.ownerEnded(owner, at: time)) }

    mutating func cancel(_ owner: ClaimOwner, coordinator: UInt64) {
        take(machine.cancel(CoordinatorID(owner: owner.id, number: coordinator), at: time))
    }

    mutating func move(_ path: String, to destination: String, in claim: UInt64, is id: String? = nil)
        throws
    {
        take(
            try machine.moved(
                Self.item(path, is: id), to: Self.item(destination, is: id ?? trimmed(path)), in: ClaimID(claim),
                at: time))
    }

    /// The remote says that an item lies here.
    mutating func placed(_ path: String, is id: String) throws {
        take(try machine.placed(Self.item(path, is: id), at: time))
    }

    private func trimmed(_ path: String) -> String { path.hasSuffix("/") ? String(path.dropLast()) : path }

    /// Registers a presenter under a short name; nil: of a document that is not created yet.
    @discardableResult
    mutating func present(
        _ name: String, _ path: String?, by owner: ClaimOwner = carol, _ capabilities: PresenterCapabilities = .all,
        attributes: Set<String> = [], patience: Duration = .seconds(30)
    ) throws -> PresenterID {
        lastPresenter += 1
        let id = PresenterID(lastPresenter)
        names[id] = name
        take(
            machine.add(
                Presenter(
                    id: id, owner: owner, item: try path.map { try Self.item($0) }, capabilities: capabilities,
                    observedAttributes: attributes, patience: patience), at: time))
        return id
    }

    /// Registers a presenter of anything, under a short name.
    mutating func take(_ actions: [CoordinationAction], named name: String, _ presenter: PresenterID) {
        names[presenter] = name
        take(actions)
    }

    mutating func pass(to time: Duration) {
        self.time = time
        take(machine.timePassed(to: time))
    }

    /// A silent presenter answers its oldest message.
    mutating func answer(_ name: String, _ failure: DocumentError? = nil) {
        guard var messages = unanswered[name], !messages.isEmpty else { return }
        let message = messages.removeFirst()
        unanswered[name] = messages
        take(machine.answered(message, failure: failure, at: time))
    }

    mutating func provided(_ id: UInt64, _ failure: DocumentError? = nil) {
        take(machine.provided(ClaimID(id), failure: failure, at: time))
    }

    mutating func snapshotsMade(_ id: UInt64, _ failure: DocumentError? = nil) {
        take(machine.snapshotsMade(ClaimID(id), failure: failure, at: time))
    }

    // MARK: Outputs

    /// What has been done since the last time that somebody asked.
    mutating func news() -> [String] {
        defer { log = [] }
        return log
    }

    mutating func take(_ actions: [CoordinationAction]) {
        pending += actions
        guard !isTaking else { return }
        isTaking = true
        defer { isTaking = false }
        while !pending.isEmpty {
            switch pending.removeFirst() {
            case .grant(let id, let locations):
                log.append("grant \(id.rawValue)")
                granted[id.rawValue] = locations.map { String($0.relativePath) }
            case .refuse(let id, let error):
                log.append("refuse \(id.rawValue)")
                refusals[id.rawValue] = error
            case .provide(let id, let items):
                log.append("provide \(id.rawValue) \(items.map(\.location.relativePath).joined(separator: ","))")
                if providesAtOnce { take(machine.provided(id, at: time)) }
            case .makeSnapshots(let id, let items):
                log.append("snapshot \(id.rawValue) \(items.map(\.location.relativePath).joined(separator: ","))")
                if providesAtOnce { take(machine.snapshotsMade(id, at: time)) }
            case .deliver(let message, let id, let presenter):
                let name = names[presenter] ?? "\(presenter)"
                log.append("\(name) \(Self.words(message))")
                if silent.contains(name) {
                    unanswered[name, default: []].append(id)
                } else {
                    take(machine.answered(id, at: time))
                }
            case .drop(let record):
                log.append("drop \(names[record.presenter] ?? "")")
                dropped.append(record)
            case .report(let deadlock, let owner):
                log.append("report \(owner)")
                reports.append(deadlock)
            case .rereadItem(let presenter): log.append("\(names[presenter] ?? "") reread")
            }
        }
    }

    /// Where the items of granted claims were, by claim.
    private(set) var granted: [UInt64: [String]] = [:]

    private static func words(_ message: PresenterMessage) -> String {
        switch message {
        case .relinquishToReader: "reader"
        case .relinquishToWriter: "writer"
        case .reacquire: "reacquire"
        case .saveChanges: "save"
        case .accommodateDeletion: "deletion"
        case .accommodateSubitemDeletion(let place): "deletion of \(place.relativePath)"
        case .accommodateEviction: "eviction"
        case .didChange: "changed"
        case .didMove(let place): "moved to \(place.relativePath)"
        case .didMoveOut(let path): "didMoveOut \(path)"
        case .didChangeAttributes(let names): "attributes \(names.joined(separator: ","))"
        case .version(let event, let version): "\(event) \(version)"
        case .subitemDidAppear(let place): "appeared \(place.relativePath)"
        case .subitemDidChange(let place): "changed \(place.relativePath)"
        case .subitemDidMove(let place, let other): "moved \(place.relativePath) to \(other.relativePath)"
        case .subitemVersion(let place, let event, let version): "\(event) \(version) of \(place.relativePath)"
        }
    }
}
