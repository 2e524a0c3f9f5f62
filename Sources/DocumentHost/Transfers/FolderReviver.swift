import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentWire
import Logging
import ProviderLauncher

/// Makes folders anew at the provider that were removed there while something in them was edited here: the edit
/// survives, and so does the place that it has (VER-15).
struct FolderReviver: Sendable {
    /// A folder at the provider.
    struct Made: Sendable {
        let item: Item
        /// It has not the name that it was to have: something else has that.
        let isBeside: Bool
    }

    let storage: StorageThreads
    let logger: Logger
    /// Several documents of one folder may be sent at once.
    private let turns = KeyedLock<DomainName>()

    init(storage: StorageThreads, logger: Logger) {
        self.storage = storage
        self.logger = logger
    }

    /// - Parameters:
    ///   - item: what is sent into it.
    ///   - operation: the name of that, so that a folder is not made twice for it.
    /// - Returns: the folder's identifier from now on; the same one when it was there all along.
    func revive(
        _ id: ItemIdentifier, around item: IndexedItem, for operation: String, with session: ProviderSession
    ) async throws(DocumentError) -> ItemIdentifier {
        try await turns.withLock(item.domain) { () async throws(DocumentError) in
            let now = try storage.read { index in
                guard try index.item(id, in: item.domain) == nil else { return id }
                // It was made anew for something else just now.
                return try index.item(row: item.row, in: item.domain)?.item.parentID ?? id
            }
            return try await revive(now, in: item.domain, for: operation, with: session)
        }
    }

    private func revive(
        _ id: ItemIdentifier, in domain: DomainName, for operation: String, with session: ProviderSession
    ) async throws(DocumentError) -> ItemIdentifier {
        // From the inside out, up to the first one that is there.
        var missing: [IndexedItem] = []
        var around = id
        while try await !isThere(around, session) {
            guard let folder = try storage.read({ try $0.item(around, in: domain) }),
                let parent = folder.item.parentID, missing.count < ItemLineage.deepest
            else {
                throw DocumentError(.noSuchItem, "The provider of \(domain) does not know its own top folder any more.")
            }
            missing.append(folder)
            around = parent
        }
        for folder in missing.reversed() {
            let made = try await make(folder, in: around, "\(operation)-\(folder.row)", session)
            try await storage.run { try $0.revive(folder.id, as: made.item, isBeside: made.isBeside, in: domain) }
            logger.notice(
                "a folder that was removed on the remote is made anew, because something in it was changed here",
                metadata: ["domain": "\(domain)", "item.id": "\(folder.id)"])
            around = made.item.id
        }
        return around
    }

    private func isThere(_ id: ItemIdentifier, _ session: ProviderSession) async throws(DocumentError) -> Bool {
        do throws(DocumentError) {
            return try await session.item(id).kind != .document
        } catch {
            guard error.code == .noSuchItem else { throw error }
            return false
        }
    }

    /// Makes a folder at the provider, or finds the one that has its name there by now. Beside anything else of that name it gets
    /// another one, so that what is in it can be sent.
    func make(
        _ folder: IndexedItem, in parent: ItemIdentifier, _ operation: String, _ session: ProviderSession
    ) async throws(DocumentError) -> Made {
        guard let name = folder.item.name else {
            throw DocumentError(.internal, "A folder without a name cannot be made anew.")
        }
        guard !folder.isAside else {
            throw DocumentError(
                .busy,
                "A folder just changes places with others, and is made on the remote when it has its own; wait a moment.",
                itemID: folder.id)
        }
        var call = ProviderCall.CreateCall(
            parentID: parent, name: name, kind: folder.item.kind, contentsPath: nil, modified: nil,
            operation: operation)
        var attempt = 0
        var isAnew = false
        while true {
            do throws(DocumentError) {
                let item = try await onceMoreAfterDeath { [call] () async throws(DocumentError) in
                    try await session.create(call)
                }
                return Made(item: item, isBeside: attempt > 0)
            } catch {
                if error.code == .noSuchItem, !isAnew, try await isThere(parent, session) {
                    // It was made when this was asked for before, and somebody has removed it since.
                    isAnew = true
                    call.operation += "-anew"
                    continue
                }
                guard error.code == .nameCollision, attempt < Self.mostNames else { throw error }
                // Somebody else was quicker.
                if let item = try await existing(call.name, of: folder, in: parent, session),
                    try !isAnother(item.id, than: folder), try await canBeJoined(item, by: folder, session)
                {
                    return Made(item: item, isBeside: attempt > 0)
                }
                attempt += 1
                call.name = try ConflictName.make(forFolder: name, attempt: attempt)
                call.operation = "\(operation)-\(attempt)\(isAnew ? "-anew" : "")"
            }
        }
    }

    /// Whether it is another folder here, too, that has got its name there: it cannot be both. One that is not shown, because
    /// of that name, is it from now on, and what is in it is told anew; unless something of it is here.
    private func isAnother(_ id: ItemIdentifier, than folder: IndexedItem) throws(DocumentError) -> Bool {
        try storage.read { index in
            guard let known = try index.item(id, in: folder.domain), known.id != folder.id, known.exists else {
                return false
            }
            return try known.state != .nameClash
                || folder.isArriving && index.holdsMoreThanTold(known.id, in: folder.domain)
        }
    }

    /// Folders of one name are one; packages are documents (COORD-21), and two of them are not mixed. An empty one is what was made
    /// when this was asked for before.
    private func canBeJoined(
        _ item: Item, by folder: IndexedItem, _ session: ProviderSession
    ) async throws(DocumentError) -> Bool {
        guard folder.item.kind == .package || item.kind == .package else { return true }
        let page = try await session.enumerate(item.id, page: nil, suggestedCount: 1)
        return page.items.isEmpty && page.next == nil
    }

    private static var mostNames: Int { 20 }

    /// What has a name at the provider, where it is of the same kind.
    func existing(
        _ name: ItemName, of item: IndexedItem, in parent: ItemIdentifier, _ session: ProviderSession
    ) async throws(DocumentError) -> Item? {
        try await existing(name, isFolder: item.item.kind.isFolder, in: parent, of: item.domain, session)
    }

    func existing(
        _ name: ItemName, isFolder: Bool, in parent: ItemIdentifier, of domain: DomainName, _ session: ProviderSession
    ) async throws(DocumentError) -> Item? {
        var page: PageToken?
        var progress = PagingProgress("the listing of a folder of \(domain)", of: session)
        repeat {
            let found = try await session.enumerate(parent, page: page, suggestedCount: 500)
            if let there = found.items.first(where: { $0.name == name && $0.kind.isFolder == isFolder }) {
                return there
            }
            page = found.next
            if let token = page { try progress.took(token.bytes, items: found.items) }
        } while page != nil
        return nil
    }
}
