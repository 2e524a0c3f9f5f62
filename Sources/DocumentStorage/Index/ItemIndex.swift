internal import DocumentModel
internal import GRDB
internal import Synchronization
package import SystemPackage

/// What is known of all items: a SQLite database beside the documents.
///
/// Every call blocks; call it from a thread that may. Reads run side by side with each other and with a write. All
/// calls throw ``DocumentError``.
package final class ItemIndex: Sendable {
    private let pool: DatabasePool
    private let readers: ReadingConnections
    private let path: String
    private let log: CommitLog
    private let group = GroupCommit()
    private let references = DomainReferences()
    private let writes = WriteLog()
    private let listener = Mutex<Hook<Void>?>(nil)
    private let presenceObserver = Mutex<Hook<Set<PresenceNews>>?>(nil)
    private let identityObserver = Mutex<Hook<[IdentityNews]>?>(nil)
    private let changeObserver = Mutex<Hook<[ItemChange]>?>(nil)
    /// Whether the writing connection notes which items it changes. Only touched by who writes.
    private let isLogging = Mutex(false)

    /// Opens or creates it. Refuses a database of a newer version, or of another program.
    package init(at path: FilePath) throws {
        self.path = path.string
        var configuration = Configuration()
        configuration.label = "docent.index"
        configuration.foreignKeysEnabled = true
        // Others may look into it (backup, sqlite3); they are waited for.
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            // In KiB; bounds the host's memory.
            try database.execute(sql: "PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY")
        }
        let name = path.string
        readers = ReadingConnections(of: name, configuration)
        pool = try Self.translatingErrors(name) { try DatabasePool(path: name, configuration: configuration) }
        try Self.translatingErrors(name) { [pool] in
            try pool.writeWithoutTransaction { database in
                // What is to be durable is flushed by us.
                try database.execute(sql: "PRAGMA synchronous = NORMAL")
                try database.inTransaction(.immediate) {
                    try IndexSchema.migrate(SQLConnection(database: database), path: name)
                    return .commit
                }
            }
        }
        // Where the log could not be flushed once, what the kernel shows of it need not be on disk, and no later flush says
        // so: into the database with all of it before anything is added.
        try Self.translatingErrors(name) { [pool] in
            try pool.writeWithoutTransaction { database in
                do {
                    _ = try database.checkpoint(.truncate)
                } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                    // Somebody looks into it; with the next start, then.
                }
            }
        }
        log = try CommitLog(of: name)
        try log.flush()
    }

    package func close() throws {
        try Self.translatingErrors(path) {
            try readers.close()
            try pool.close()
        }
    }

    /// Grows whenever something was written, before the write returns: what was read at one number still stands while the
    /// number is the same.
    package var generation: UInt64 { writes.generation }

    /// What was read of other items at one number still stands at another.
    ///
    /// - Returns: the documents that were touched in between, and nothing else; nil where it may be anything.
    package func documents(touchedSince generation: UInt64, until end: UInt64) -> [TouchedDocument]? {
        writes.documents(touchedSince: generation, until: end)
    }

    /// Calls the closure after every write, on the thread of who wrote. It must not block.
    package func onWrite(_ body: @escaping @Sendable () -> Void) {
        listener.withLock { $0 = Hook(body) }
    }

    /// Is told, after a commit, in which folders contents came, went, or were looked at. Called on a thread that writes;
    /// must not block.
    package typealias PresenceObserver = @Sendable (Set<PresenceNews>) -> Void

    package func observePresence(_ observer: @escaping PresenceObserver) {
        presenceObserver.withLock { $0 = Hook(observer) }
    }

    /// Is told, after a commit, which items have other identifiers, and may be known by the former ones; and which are new, and
    /// may have an identifier that was another one's. Called on a thread that writes; must not block.
    package typealias IdentityObserver = @Sendable ([IdentityNews]) -> Void

    package func observeIdentities(_ observer: @escaping IdentityObserver) {
        identityObserver.withLock { $0 = Hook(observer) }
    }

    /// Is told, after a commit, which items it changed and how. Called on a thread that writes; must not block.
    package typealias ChangeObserver = @Sendable ([ItemChange]) -> Void

    /// From the next write on. Nil: nobody wants to know, and nothing is noted.
    package func observeChanges(_ observer: ChangeObserver?) {
        changeObserver.withLock { $0 = observer.map { Hook($0) } }
    }

    /// One consistent view.
    package func read<T>(_ body: (IndexReader) throws -> T) throws -> T {
        try Self.translatingErrors(path) {
            let references = references.view
            return try readers.read { try body(IndexReader($0, references)) }
        }
    }

    /// All of it, or nothing when the body throws; committed with what other threads want to be.
    ///
    /// - Parameter durably: on disk when the call returns; others may see it a moment earlier. Without it the transaction
    ///   survives the death of this process, and may be lost when the machine dies before the next durable one, then with
    ///   all that came after it.
    package func write<T>(durably: Bool = true, _ body: (IndexTransaction) throws -> T) throws -> T {
        try log.check()
        let result = try commit(body)
        log.wrote()
        if durably { try log.flush() }
        return result
    }

    /// The same for who keeps what the transaction has seen.
    ///
    /// - Returns: with the ``generation`` at which it still stands; one that is over already where others have written meanwhile.
    package func writeSeeing<T>(
        durably: Bool = true, _ body: (IndexTransaction) throws -> T
    ) throws -> (value: T, generation: UInt64) {
        try write(durably: durably) { index in
            // Nobody else writes now. When it is just one more afterwards, that is this write, and no other has returned.
            let before = generation
            return (try body(index), before &+ 1)
        }
    }

    /// How many read just now.
    var readingCount: Int { readers.inUse }

    /// How many writes wait for the one that is under way.
    var waitingCount: Int { group.waitingCount }

    /// Whether what was committed last may not be on disk, and nobody can know. Nothing more is written then.
    var hasFailed: Bool { log.hasFailed }

    /// Returns when all that was written is on disk.
    package func flush() throws { try log.flush() }

    /// Somebody flushes what was committed before this call, soon, with what comes until then; and whoever does what must not
    /// be found without it makes sure (``flushDeferred()``).
    func deferFlush() { log.deferFlush() }

    /// Returns when all is on disk for which a flush was put off. Mostly there is nothing to be done.
    func flushDeferred() throws {
        if log.owesFlush { try log.flush() }
    }

    private func commit<T>(_ body: (IndexTransaction) throws -> T) throws -> T {
        var touched = WriteLog.Touched.anything
        var isCounted = false
        // Also when it throws: whether all of it was undone need not be known.
        defer {
            if !isCounted { writes.add(touched) }
            listener.withLock { $0 }?(())
        }
        var result: T?
        var changes: [ItemChange] = []
        var presence: Set<PresenceNews> = []
        var identities: [IdentityNews] = []
        try Self.translatingErrors(path) {
            try group.run(on: withWriter) { sql in
                let transaction = IndexTransaction(sql, references.view)
                result = try body(transaction)
                if isLogging.withLock({ $0 }) { changes = try ChangeLog.take(from: transaction) }
                presence = transaction.presence
                identities = transaction.identities
                touched = transaction.touched
            } committed: {
                // Before anybody is told: who looks then is not to find what was remembered before.
                writes.add(touched)
                isCounted = true
                if !identities.isEmpty { identityObserver.withLock { $0 }?(identities) }
                if !changes.isEmpty { changeObserver.withLock { $0 }?(changes) }
                if !presence.isEmpty { presenceObserver.withLock { $0 }?(presence) }
            }
        }
        guard let result else { throw DocumentError(.internal, "The index has committed what was never run.") }
        return result
    }

    private func withWriter(_ body: (SQLConnection) throws -> Void) throws {
        try pool.writeWithoutTransaction { database in
            defer { references.changesEnded() }
            let isWanted = changeObserver.withLock { $0 != nil }
            try isLogging.withLock { isLogging in
                guard isLogging != isWanted else { return }
                try database.execute(sql: ChangeLog.end)
                if isWanted { try database.execute(sql: ChangeLog.begin) }
                isLogging = isWanted
            }
            try body(SQLConnection(database: database))
        }
    }

    /// Leaves nothing, in the database and its log, of what was ever deleted. Takes its time: the database is written anew.
    package func eraseDeleted() throws {
        try Self.translatingErrors(path) {
            try pool.writeWithoutTransaction { database in
                // To change where temporary things are drops them, and the log of changes with them: the next write
                // begins it anew.
                defer {
                    try? database.execute(sql: "PRAGMA temp_store = MEMORY")
                    isLogging.withLock { $0 = false }
                }
                // A database of any size is not for memory.
                try database.execute(sql: "PRAGMA temp_store = FILE")
                try database.execute(sql: "VACUUM")
                _ = try database.checkpoint(.truncate)
                log.wasEmptied()
            }
        }
    }

    private static func translatingErrors<T>(_ path: String, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw DocumentError(error, index: path)
        }
    }
}

extension DocumentError {
    fileprivate init(_ error: DatabaseError, index path: String) {
        let detail = "SQLite \(error.extendedResultCode.rawValue): \(error.message ?? "no message")"
        // What the log's other file lacks room for has a code of its own.
        let isFull = error.resultCode == .SQLITE_FULL || error.extendedResultCode == .SQLITE_IOERR_SHMSIZE
        switch error.resultCode {
        case _ where isFull:
            self.init(
                .localStorage,
                "The index could not be written: \(Self.diskIsFull)",
                detail: detail)
        case .SQLITE_IOERR:
            self.init(
                .localStorage, "The index \(path) could not be read or written: check the disk.", detail: detail)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            self.init(
                .localStorage,
                "The index \(path) is damaged: stop the host, move that file away, and start it again; documents stay where they are.",
                detail: detail)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(
                .busy, "The index \(path) is locked by another program: close it and try again.", detail: detail)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM:
            self.init(
                .localStorage, "The index \(path) could not be opened for writing: check its folder.", detail: detail)
        default:
            self.init(.internal, "The index refused an operation.", detail: detail)
        }
    }
}
