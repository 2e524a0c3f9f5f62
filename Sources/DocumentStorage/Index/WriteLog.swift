package import DocumentModel
internal import Synchronization

/// What the index's last writes have touched: what was read before them still stands where they touched something else.
final class WriteLog: Sendable {
    /// What a transaction may have changed for those who look at items.
    enum Touched: Hashable {
        case anything
        /// Of one document, and of no other item: neither its name and place, nor what people have said of it.
        case document(TouchedDocument)
    }

    /// So many are remembered: more than are under way at once.
    private static let most: UInt64 = 64

    private let count = Atomic<UInt64>(0)
    /// The nth has its place at the rest of n.
    private let last = Mutex<[Touched]>(Array(repeating: .anything, count: Int(most)))

    /// How many there were.
    var generation: UInt64 { count.load(ordering: .acquiring) }

    func add(_ touched: Touched) {
        last.withLock { last in
            let next = count.load(ordering: .relaxed) &+ 1
            last[Int(next % Self.most)] = touched
            count.store(next, ordering: .releasing)
        }
    }

    /// - Returns: the documents that were touched by writes from one number on up to another; nil when it may be anything.
    func documents(touchedSince generation: UInt64, until end: UInt64) -> [TouchedDocument]? {
        guard generation < end else { return [] }
        return last.withLock { last in
            guard count.load(ordering: .relaxed) - generation <= Self.most else { return nil }
            var documents: [TouchedDocument] = []
            for number in generation + 1...end {
                guard case .document(let document) = last[Int(number % Self.most)] else { return nil }
                documents.append(document)
            }
            return documents
        }
    }
}

/// A document of which a write has touched something.
package struct TouchedDocument: Hashable, Sendable {
    package var domain: DomainName
    package var id: ItemIdentifier
}
