import DocumentModel
import DocumentStorage
import FileCoordination
import Synchronization

/// One granted access of a host tool: a claim, and what is to happen when it ends.
struct Access: Sendable {
    var claim: ClaimID
    var owner: ClaimOwner
    var key: ItemKey
    /// Of a writing access: the journal's word that the file may change.
    var change: JournalEntry?
}

/// The accesses that are held, by the number that the tool knows them by: the claim's.
final class AccessTable: Sendable {
    private let accesses = Mutex<[ClaimID: Access]>([:])

    func insert(_ access: Access) {
        accesses.withLock { $0[access.claim] = access }
    }

    /// Takes an access out of the table; nil when the owner holds no such one.
    func remove(_ claim: ClaimID, of owner: ClaimOwner) -> Access? {
        accesses.withLock { accesses in
            guard accesses[claim]?.owner == owner else { return nil }
            return accesses.removeValue(forKey: claim)
        }
    }

    func removeAll(of owner: ClaimOwner) -> [Access] {
        accesses.withLock { accesses in
            let ended = accesses.values.filter { $0.owner == owner }.sorted { $0.claim < $1.claim }
            for access in ended { accesses[access.claim] = nil }
            return ended
        }
    }

    /// Those of the given numbers that the owner really holds: nobody nests in another one's accesses.
    func held(_ numbers: [UInt64], by owner: ClaimOwner) -> Set<ClaimID> {
        accesses.withLock { accesses in
            Set(numbers.map(ClaimID.init).filter { accesses[$0]?.owner == owner })
        }
    }
}
