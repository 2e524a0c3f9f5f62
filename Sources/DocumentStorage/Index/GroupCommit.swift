internal import Dispatch
internal import GRDB
internal import Synchronization

/// Transactions that several threads want at once are committed as one: its beginning and its end cost more than what is mostly
/// done in between, and no thread waits for another one's end.
///
/// Each is still all or nothing by itself: what one that throws has written is taken back alone.
final class GroupCommit: Sendable {
    /// What one thread wants to be committed.
    final class Part: @unchecked Sendable {  // Handed over by locks and semaphores.
        /// Both are gone before the thread that they came from goes on.
        fileprivate var body: ((SQLConnection) throws -> Void)?
        fileprivate var committed: (() -> Void)?
        fileprivate let isServed = DispatchSemaphore(value: 0)
        /// Nil until it was run.
        fileprivate var result: Result<Void, any Error>?

        fileprivate init(_ body: @escaping (SQLConnection) throws -> Void, _ committed: @escaping () -> Void) {
            self.body = body
            self.committed = committed
        }
    }

    private struct Line {
        var waiting: [Part] = []
        /// Whether some thread commits, or is about to.
        var isLed = false
    }

    /// Those behind it wait for all of a group.
    private static let mostTogether = 16

    private let line = Mutex(Line())

    /// Returns when what the body has written is committed.
    ///
    /// - Parameters:
    ///   - writer: gives the connection that writes; nobody else has it meanwhile.
    ///   - body: is run once, on some thread that waits here.
    ///   - committed: is called after the commit and before the next one, in the order of the bodies.
    /// - Throws: what the body throws, or what kept it from being committed.
    func run(
        on writer: ((SQLConnection) throws -> Void) throws -> Void, _ body: (SQLConnection) throws -> Void,
        committed: () -> Void
    ) throws {
        try withoutActuallyEscaping(body) { body in
            try withoutActuallyEscaping(committed) { committed in
                let part = Part(body, committed)
                let isLeader = line.withLock { line in
                    line.waiting.append(part)
                    defer { line.isLed = true }
                    return !line.isLed
                }
                if !isLeader { part.isServed.wait() }
                if part.result == nil { lead(on: writer) }
                try part.result?.get()
            }
        }
    }

    /// How many wait to be committed, and are not run yet.
    var waitingCount: Int { line.withLock { $0.waiting.count } }

    /// Commits the first group of those that wait, and lets the next one lead.
    private func lead(on writer: ((SQLConnection) throws -> Void) throws -> Void) {
        let group = line.withLock { line in
            let group = Array(line.waiting.prefix(Self.mostTogether))
            line.waiting.removeFirst(group.count)
            return group
        }
        do {
            try writer { try Self.commit(group, on: $0) }
        } catch {
            // Nothing of it is committed: what could be run is undone with the others.
            for part in group where !part.hasFailed { part.result = .failure(error) }
        }
        for part in group { (part.body, part.committed) = (nil, nil) }
        // The first one is this thread's own.
        for part in group.dropFirst() { part.isServed.signal() }
        let next = line.withLock { line in
            line.isLed = !line.waiting.isEmpty
            return line.waiting.first
        }
        next?.isServed.signal()
    }

    private static func commit(_ group: [Part], on sql: SQLConnection) throws {
        try sql.transaction("BEGIN IMMEDIATE") {
            guard group.count > 1 else { return try group.first?.body?(sql) ?? () }
            for part in group {
                part.result = Result { try sql.savepoint { try part.body?(sql) } }
                // A full disk takes all of a transaction back.
                if case .failure(let error) = part.result, !sql.isInsideTransaction { throw error }
            }
        }
        for part in group where !part.hasFailed {
            part.result = .success(())
            part.committed?()
        }
    }
}

extension GroupCommit.Part {
    fileprivate var hasFailed: Bool {
        if case .failure = result { true } else { false }
    }
}
