internal import DocumentModel

/// A change that is about to be made to the folder: written down before, so that it is known after a crash whether it
/// was made.
struct PlannedChange: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        /// A temporary file gets its name.
        case create = 1
        /// A temporary file and the item's file exchange their names; then the item may move too.
        case replace = 2
        case move = 3
        /// The item's file gets a temporary name, and is removed.
        case delete = 4
    }

    var operation: String
    var kind: Kind
    /// Nil for a new item.
    var id: RecordID?
    var from: Place
    var to: Place
    /// The temporary file's name, in the folder of `from`. Of what moves, the one that it has in between, where it takes more
    /// than one step.
    var temporary: String?
    /// The file that is put in place.
    var put: FileKey?
    /// The same before it had its place: what programs have written into it since is theirs. Nil in what earlier versions wrote
    /// down.
    var putFacts: FileFacts?
    /// The file that is replaced, moved or removed, as the change expects it.
    var expected: FileFacts?
    /// The item's, so that it has its content version back when the change is undone.
    var contentChanged: Timestamp?
    /// Of what is put in place, where it is known.
    var putDigest: [UInt8]?
    /// Of what is replaced or removed, where it is known: size and times are not enough, as taking it away touches one of them,
    /// and any program may set the others back.
    var expectedDigest: [UInt8]?

    /// Whether it has ended, but for what has its temporary name still. It is called by that name then, so that the operation
    /// can be begun anew.
    var isLeft: Bool { operation == temporary }

    /// A file of this change as the host knows it; nil for any other, and where that was not written down.
    func known(_ key: FileKey) -> (facts: FileFacts, digest: [UInt8]?)? {
        if let putFacts, putFacts.key == key { return (putFacts, putDigest) }
        if let expected, expected.key == key { return (expected, expectedDigest) }
        return nil
    }

    /// The names in the folder of `from` that this change alone uses.
    var temporaryNames: [String] {
        guard let temporary else { return [] }
        return [temporary, FolderNames.third(of: temporary)]
    }
}

/// What an operation came to.
enum OperationOutcome: Hashable, Sendable {
    case made(Item)
    case removed

    var item: Item? {
        switch self {
        case .made(let item): item
        case .removed: nil
        }
    }
}

/// The last operations and what they came to, so that a repeated one is answered and not done again.
struct OperationLedger: Sendable {
    private let capacity: Int
    private var outcomes: [String: OperationOutcome] = [:]
    private var order: [String] = []
    private(set) var planned: [String: PlannedChange] = [:]
    private var running: Set<String> = []

    init(capacity: Int = 4096) {
        self.capacity = capacity
    }

    /// The outcome of an earlier run of the operation; nil when it is to be done now, between this and ``end(_:)``.
    ///
    /// - Throws: `busy` while it runs.
    mutating func begin(_ operation: String) throws(DocumentError) -> OperationOutcome? {
        if let outcome = outcomes[operation] { return outcome }
        guard !operation.isEmpty else { return nil }
        guard running.insert(operation).inserted else {
            throw DocumentError(.busy, "This change is being made already; ask again in a moment.")
        }
        return nil
    }

    mutating func end(_ operation: String) {
        running.remove(operation)
    }

    /// Changes that have ended, but for what has their temporary names still.
    var left: [PlannedChange] { planned.values.filter(\.isLeft).sorted { $0.operation < $1.operation } }

    /// Whether a change is planned that uses a temporary name.
    func hasPlanned(temporary name: String) -> Bool { planned.values.contains { $0.temporary == name } }

    mutating func plan(_ change: PlannedChange) {
        planned[change.operation] = change
    }

    mutating func abandon(_ operation: String) {
        planned[operation] = nil
    }

    mutating func finish(_ operation: String, _ outcome: OperationOutcome) {
        planned[operation] = nil
        guard !operation.isEmpty else { return }
        if outcomes.updateValue(outcome, forKey: operation) == nil { order.append(operation) }
        guard order.count > 2 * capacity else { return }
        for old in order.prefix(order.count - capacity) { outcomes[old] = nil }
        order.removeFirst(order.count - capacity)
    }

    /// What an empty ledger needs to become this one.
    var entries: [StateEntry] {
        let finished = order.suffix(capacity).compactMap { operation in
            outcomes[operation].map { StateEntry.finished(operation: operation, outcome: $0) }
        }
        return finished + planned.values.sorted { $0.operation < $1.operation }.map { .planned($0) }
    }
}
