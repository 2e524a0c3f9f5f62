import DocumentModel
import DocumentStorage
import FileCoordination
import Synchronization

/// One granted access of a host tool: a claim, and what is to happen when it ends.
struct Access: Sendable {
    var claim: ClaimID
    var owner: ClaimOwner
    /// Of what its process may use.
    var share: AccessQuota.Share
    /// What was asked for, as it was when it was granted.
    var intentions: [AccessIntention] = []
    var keys: [ItemKey]
    /// Documents that may come into being.
    var awaited: [AwaitedDocument] = []
    /// Of a writing access: the journal's word that a file may change, one for each document that is written.
    var changes: [JournalEntry] = []
    /// The same, one for each package.
    var edits: [JournalEntry] = []
    /// Of an access for uploading: what it reads instead of the documents (COORD-14).
    var snapshots: [Snapshots.Snapshot] = []
    /// What it reads while it comes, when not all was here.
    var coming: ComingFile?

    /// Documents whose place another one has got inside of it: they are gone, and nothing is recorded of them.
    var replaced: Set<ItemKey> = []

    var isForDeleting: Bool { intentions.contains { $0.intent == .writing(.forDeleting) } }

    /// Whether it is for moving, deleting or replacing: then the host may be doing that under it.
    var isForWhole: Bool {
        let options: [ClaimIntent] = [.writing(.forDeleting), .writing(.forMoving), .writing(.forReplacing)]
        return intentions.contains { options.contains($0.intent) }
    }

    func hasReplaced(_ change: JournalEntry) -> Bool {
        replaced.contains { $0.id == change.itemID && $0.domain == change.domain }
    }
}

/// The journal's word that a document may come to a free place, and which of the access's intentions says so.
struct AwaitedDocument: Sendable {
    let entry: JournalEntry
    let intention: Int
}

/// The accesses that are held, by the number that the tool knows them by: the claim's.
final class AccessTable: Sendable {
    let quota = AccessQuota()
    private let accesses = Mutex<[ClaimID: Access]>([:])
    /// How much is done just now inside of each, for the tool that holds it.
    private let enclosing = Mutex<[ClaimID: Int]>([:])

    func insert(_ access: Access) {
        accesses.withLock { $0[access.claim] = access }
    }

    /// Nil when the owner holds no such one.
    func access(_ claim: ClaimID, of owner: ClaimOwner) -> Access? {
        accesses.withLock { accesses in
            guard let access = accesses[claim], access.owner == owner else { return nil }
            return access
        }
    }

    /// Takes an access out of the table; nil when the owner holds no such one.
    func remove(_ claim: ClaimID, of owner: ClaimOwner) -> Access? {
        accesses.withLock { accesses in
            guard accesses[claim]?.owner == owner else { return nil }
            return accesses.removeValue(forKey: claim)
        }
    }

    /// - Parameter unused: only those that nothing is done under any more, be it for a tool that is gone.
    func removeAll(of owner: ClaimOwner, unused: Bool = false) -> [Access] {
        let inUse = unused ? enclosing.withLock { Set($0.keys) } : []
        return accesses.withLock { accesses in
            let ended = accesses.values
                .filter { access in
                    access.owner == owner && !(unused && (access.isForWhole || inUse.contains(access.claim)))
                }
                .sorted { $0.claim < $1.claim }
            for access in ended { accesses[access.claim] = nil }
            return ended
        }
    }

    /// The claim of an access that the owner holds on just that item for just that.
    func claim(of owner: ClaimOwner, on subject: CoordinatedItem.Subject, for intent: ClaimIntent) -> ClaimID? {
        accesses.withLock { accesses in
            accesses.values.first { access in
                access.owner == owner
                    && access.intentions.contains { $0.item.subject == subject && $0.intent == intent }
            }?.claim
        }
    }

    /// The same, of the item at a location, when it was granted: what it is called may have changed since.
    func claim(of owner: ClaimOwner, at location: Location, for intent: ClaimIntent) -> ClaimID? {
        accesses.withLock { accesses in
            accesses.values.first { access in
                access.owner == owner
                    && access.intentions.contains { $0.item.location == location && $0.intent == intent }
            }?.claim
        }
    }

    /// Inside of its owner's access for replacing it, a document has gone.
    func replaced(_ key: ItemKey, by owner: ClaimOwner) {
        accesses.withLock { accesses in
            for (id, access) in accesses where access.owner == owner && access.keys.contains(key) {
                accesses[id]?.replaced.insert(key)
            }
        }
    }

    /// Whether somebody may write a document just now, whose end looks at it.
    func isWritten(_ key: ItemKey) -> Bool {
        accesses.withLock { accesses in
            accesses.values.contains { access in
                access.changes.contains { $0.itemID == key.id && $0.domain == key.domain }
            }
        }
    }

    /// Whether one of these claims is that of an access.
    func holdsAny(of claims: Set<ClaimID>) -> Bool {
        accesses.withLock { accesses in claims.contains { accesses[$0] != nil } }
    }

    /// Whether one of these claims is on the item, or on a folder around it for what concerns all that is inside.
    ///
    /// - Parameter tool: of anything in a package, its other claims in that count, too: it does not wait for itself (COORD-21).
    func isHeld(_ item: CoordinatedItem, by claims: Set<ClaimID>, orOf tool: ClaimOwner? = nil) -> Bool {
        let intentions = accesses.withLock { accesses -> [AccessIntention] in
            if let tool, item.isInPackage,
                accesses.values.contains(where: { access in
                    access.owner == tool && access.intentions.contains { $0.item.claimed == item.claimed }
                })
            {
                return [AccessIntention(item, .writing(.forReplacing))]
            }
            return claims.flatMap { accesses[$0]?.intentions ?? [] }
        }
        let covering: [ClaimIntent] = [.writing(.forDeleting), .writing(.forMoving), .writing(.forReplacing)]
        for intention in intentions {
            if intention.item.subject == item.subject || intention.item.claimed == item.claimed { return true }
            for folder in item.enclosing where intention.item.subject == .item(folder.key) {
                if folder.isPackage || covering.contains(intention.intent) { return true }
            }
        }
        return false
    }

    /// Does something inside of accesses, which are in use meanwhile.
    func whileInUse<Value>(_ claims: Set<ClaimID>, _ body: () async throws -> Value) async rethrows -> Value {
        enclosing.withLock { enclosing in
            for claim in claims { enclosing[claim, default: 0] += 1 }
        }
        defer {
            enclosing.withLock { enclosing in
                for claim in claims {
                    let count = (enclosing[claim] ?? 1) - 1
                    enclosing[claim] = count > 0 ? count : nil
                }
            }
        }
        return try await body()
    }

    /// Those of the given numbers that the owner really holds: nobody nests in another one's accesses.
    func held(_ numbers: [UInt64], by owner: ClaimOwner) -> Set<ClaimID> {
        accesses.withLock { accesses in
            Set(numbers.map(ClaimID.init).filter { accesses[$0]?.owner == owner })
        }
    }
}
