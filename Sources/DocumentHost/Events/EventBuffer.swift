package import DocumentModel
package import DocumentStorage
package import FileCoordination

/// What has happened and was not told yet, for one who watches: bounded, and each item at most once, however much happens
/// to it. A state machine without I/O.
package struct EventBuffer: Sendable {
    package typealias Key = CoordinatedItem.Key

    package enum Entry: Hashable, Sendable {
        case lost
        case appeared(Key)
        case changed(Key)
        case moved(Key, from: Location)
        case removed(Key, from: Location)
        case domain(DomainName)
        case domainRemoved(DomainName)
    }

    /// What entries are about; of each subject the newest entry is the one that counts.
    private enum Subject: Hashable {
        case item(Key)
        case domain(DomainName)
    }

    package let capacity: Int
    private var entries: [UInt64: Entry] = [:]
    private var order: [UInt64] = []
    private var newest: [Subject: UInt64] = [:]
    private var nextNumber: UInt64 = 0
    private var hasLost = false

    package init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    package var isEmpty: Bool { entries.isEmpty && !hasLost }
    package var count: Int { entries.count + (hasLost ? 1 : 0) }

    package mutating func add(_ change: ItemChange) {
        let key = Key(domain: change.domain, id: change.id)
        switch change.kind {
        case .appeared: put(.appeared(key), .item(key))
        case .changed: put(.changed(key), .item(key))
        case .moved(let place): put(.moved(key, from: place), .item(key))
        case .removed(let place): put(.removed(key, from: place), .item(key))
        }
    }

    /// How far a transfer is.
    package mutating func progressed(_ key: Key) { put(.changed(key), .item(key)) }

    package mutating func domainChanged(_ name: DomainName) { put(.domain(name), .domain(name)) }

    package mutating func domainRemoved(_ name: DomainName) { put(.domainRemoved(name), .domain(name)) }

    /// All of it, the oldest first.
    package mutating func take() -> [Entry] {
        let taken = (hasLost ? [Entry.lost] : []) + order.compactMap { entries[$0] }
        self = EventBuffer(capacity: capacity)
        return taken
    }

    private mutating func put(_ entry: Entry, _ subject: Subject) {
        if let number = newest[subject], let known = entries[number] {
            switch Self.joined(known, entry) {
            case .one(let entry): entries[number] = entry
            case .both: append(entry, subject)
            }
        } else {
            append(entry, subject)
        }
    }

    private mutating func append(_ entry: Entry, _ subject: Subject) {
        if order.count >= capacity * 2 { order.removeAll { entries[$0] == nil } }
        guard entries.count < capacity else {
            // Whoever watches looks at everything anew: what was kept says nothing more than that.
            self = EventBuffer(capacity: capacity)
            hasLost = true
            return
        }
        nextNumber += 1
        entries[nextNumber] = entry
        order.append(nextNumber)
        newest[subject] = nextNumber
    }

    private enum Joined {
        case one(Entry)
        case both
    }

    /// Two things that happened to the same subject, as one.
    private static func joined(_ first: Entry, _ second: Entry) -> Joined {
        switch (first, second) {
        // Somebody may have looked in between, and has to hear that it is gone.
        case (.appeared, .removed): .one(second)
        case (.appeared, .changed), (.appeared, .moved), (.appeared, .appeared): .one(first)
        case (.changed, .moved), (.changed, .removed): .one(second)
        case (.moved(_, let place), .removed(let key, _)): .one(.removed(key, from: place))
        case (.moved, .changed), (.moved, .moved), (.changed, .changed), (.changed, .appeared), (.moved, .appeared):
            .one(first)
        case (.domain, .domain), (.domainRemoved, .domainRemoved): .one(second)
        case (.domain, .domainRemoved): .one(second)
        default: .both
        }
    }
}
