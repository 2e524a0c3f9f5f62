import DocumentModel
import DocumentStorage
import FileCoordination
import Synchronization

/// Opens bookmarks, and knows which are started.
final class BookmarkDesk: Sendable {
    /// As many may be bound to one tool.
    static let mostOfOneTool = 10_000
    private static let mostLooked = 1_024

    private let storage: StorageThreads
    /// Seconds since 1970.
    private let clock: @Sendable () -> Int64
    private let accesses = Mutex(BookmarkAccesses())
    /// The bookmarks that were started for an access each, by the access's number.
    private let forAccesses = Mutex<[UInt64: (tool: UInt64, bookmark: BookmarkIdentifier)]>([:])
    /// Once it was read.
    private let seal = Mutex<BookmarkSeal?>(nil)
    /// What was looked up last, for as long as nothing was written since.
    private let looked = Mutex((generation: UInt64(0), records: [BookmarkIdentifier: BookmarkRecord]()))

    init(storage: StorageThreads, clock: @escaping @Sendable () -> Int64) {
        self.storage = storage
        self.clock = clock
    }

    var now: Int64 { clock() }

    /// A genuine bookmark that is neither revoked nor too old, for the one that it is bound to (BOOK-5).
    ///
    /// - Parameter document: the document that the tool says it is bound to, and may read.
    /// - Throws: `notPermitted`.
    func record(
        of bookmark: Bookmark, for tool: ToolIdentifier?, document: IndexedItem?
    ) async throws(DocumentError) -> BookmarkRecord {
        try record(of: try await token(of: bookmark), for: tool, document: document)
    }

    /// The same without a pause, of one that is bound to no document. Nil when it gives nothing, or when that is to be found out.
    func recordAtOnce(of bookmark: Bookmark, for tool: ToolIdentifier?) -> BookmarkRecord? {
        guard let token = try? seal.withLock({ $0 })?.token(of: bookmark) else { return nil }
        return try? record(of: token, for: tool, document: nil)
    }

    private func record(
        of token: BookmarkToken, for tool: ToolIdentifier?, document: IndexedItem?
    ) throws(DocumentError) -> BookmarkRecord {
        guard let record = try kept(token.id), record.domain == token.domain else {
            throw Self.revoked(token.id)
        }
        guard token.expires.map({ now < $0 }) ?? true else {
            throw DocumentError(.notPermitted, "The bookmark \(token.id) has expired: ask for a new one.")
        }
        if let bound = record.document {
            guard let document, document.domain == bound.domain, document.id == bound.item else {
                throw DocumentError(
                    .notPermitted,
                    "The bookmark \(token.id) is bound to a document, and can be used together with that one only: name it."
                )
            }
        } else if token.tool != tool {
            let whose = token.tool.map { "the tool \($0)" } ?? "the user's own programs"
            throw DocumentError(
                .notPermitted,
                "The bookmark \(token.id) is bound to \(whose), and was used by another one: ask for one of your own.")
        }
        return record
    }

    /// As it was written down; nil when it is revoked.
    private func kept(_ id: BookmarkIdentifier) throws(DocumentError) -> BookmarkRecord? {
        // Before the look: what is written meanwhile makes it old.
        let generation = storage.store.root.index.generation
        if let record = looked.withLock({ $0.generation == generation ? $0.records[id] : nil }) { return record }
        let record = try storage.read { try $0.bookmark(id) }
        looked.withLock { looked in
            guard generation >= looked.generation else { return }
            if generation > looked.generation || looked.records.count >= Self.mostLooked { looked = (generation, [:]) }
            looked.records[id] = record
        }
        return record
    }

    private static func revoked(_ id: BookmarkIdentifier) -> DocumentError {
        DocumentError(.notPermitted, "The bookmark \(id) was revoked, or its domain was removed: ask for a new one.")
    }

    func token(of bookmark: Bookmark) async throws(DocumentError) -> BookmarkToken {
        if let seal = seal.withLock({ $0 }) { return try seal.token(of: bookmark) }
        let seal = try await storage.run { try $0.root.bookmarkSeal() }
        self.seal.withLock { $0 = seal }
        return try seal.token(of: bookmark)
    }

    /// Writes a bookmark down, and seals it.
    func make(_ record: BookmarkRecord) async throws(DocumentError) -> Bookmark {
        let now = now
        let token = BookmarkToken(
            id: record.id, rights: record.rights, created: record.created, expires: record.expires,
            domain: record.domain, item: record.item, tool: record.tool, document: record.document)
        return try await storage.run { store in
            let bookmark = try store.root.bookmarkSeal().bookmark(of: token)
            try store.root.index.write { index in
                try index.removeBookmarks(expiredBy: now)
                if let origin = record.origin, try index.bookmark(origin) == nil { throw Self.revoked(origin) }
                let whose = record.holder.map { "The tool \($0)" } ?? "The user"
                guard try index.bookmarkCount(of: record.holder) < Self.mostOfOneTool else {
                    throw DocumentError(
                        .insufficientQuota,
                        "\(whose) has \(Self.mostOfOneTool) bookmarks, and more are not kept: revoke some first (docent bookmark list)."
                    )
                }
                try index.addBookmark(record)
            }
            return bookmark
        }
    }

    func revoke(_ id: BookmarkIdentifier) async throws(DocumentError) {
        let revoked = try await storage.write { index throws -> [BookmarkIdentifier]? in
            try index.removeBookmark(id) ? [id] + index.removeBookmarks(madeBy: id) : nil
        }
        guard let revoked else {
            throw DocumentError(.noSuchItem, "There is no bookmark \(id): it was revoked before, or has expired.")
        }
        accesses.withLock { accesses in
            for id in revoked { accesses.revoke(id) }
        }
    }

    // MARK: Accesses

    /// - Parameter isForAccess: it ends with an access, and not when the tool stops it.
    /// - Throws: `notPermitted` for a tool that leaks them (BOOK-2), and for one that was revoked meanwhile (BOOK-5).
    func start(_ record: BookmarkRecord, by tool: ClaimOwner, isForAccess: Bool = false) throws(DocumentError) {
        let start = accesses.withLock {
            $0.start(record.id, Self.scope(of: record), by: tool.id, isForAccess: isForAccess)
        }
        guard case .leaking(let open) = start else {
            // It may have been revoked since it was looked up, when there was nothing yet to take back.
            let isThere: Bool
            do throws(DocumentError) {
                isThere = try kept(record.id) != nil
            } catch {
                accesses.withLock { _ = $0.stop(record.id, by: tool.id, isForAccess: isForAccess) }
                throw error
            }
            if isThere { return }
            accesses.withLock { accesses in
                accesses.revoke(record.id)
                _ = accesses.stop(record.id, by: tool.id, isForAccess: isForAccess)
            }
            throw Self.revoked(record.id)
        }
        throw DocumentError(
            .notPermitted,
            "\(tool.name) has started \(open) accesses by bookmarks and not stopped them: it gets no more until it is started anew. Each one that is granted must be stopped."
        )
    }

    /// What a bookmark allows when it is started.
    static func scope(of record: BookmarkRecord) -> BookmarkAccesses.Scope {
        BookmarkAccesses.Scope(
            item: ItemKey(domain: record.domain, id: record.item), rights: record.rights, expires: record.expires,
            origin: record.id)
    }

    /// - Throws: `invalidArgument` when it is not started.
    func stop(_ id: BookmarkIdentifier, by tool: ClaimOwner) throws(DocumentError) {
        guard accesses.withLock({ $0.stop(id, by: tool.id) }) else {
            throw DocumentError(
                .invalidArgument, "The bookmark \(id) was not started, or was stopped as often already.")
        }
    }

    /// What was started for an access is over.
    @discardableResult
    func endUse(_ id: BookmarkIdentifier, by tool: ClaimOwner) -> Bool {
        accesses.withLock { $0.stop(id, by: tool.id, isForAccess: true) }
    }

    func end(_ tool: ClaimOwner) -> Int {
        forAccesses.withLock { $0 = $0.filter { $0.value.tool != tool.id } }
        return accesses.withLock { $0.end(tool.id) }
    }

    /// An access was granted for which this was started.
    func began(_ access: UInt64, by bookmark: BookmarkIdentifier, of tool: ClaimOwner) {
        forAccesses.withLock { $0[access] = (tool.id, bookmark) }
    }

    /// - Returns: whether something was started for it.
    func ended(_ access: UInt64, of tool: ClaimOwner) -> Bool {
        let begun = forAccesses.withLock { forAccesses in
            forAccesses[access]?.tool == tool.id ? forAccesses.removeValue(forKey: access) : nil
        }
        guard let begun else { return false }
        return endUse(begun.bookmark, by: tool)
    }

    func scope(_ id: BookmarkIdentifier, of tool: ClaimOwner) -> BookmarkAccesses.Scope? {
        accesses.withLock { [now] in $0.scope(id, of: tool.id, at: now) }
    }

    func scopes(of tool: ClaimOwner) -> [BookmarkAccesses.Scope] {
        accesses.withLock { [now] in $0.scopes(of: tool.id, at: now) }
    }
}
