package import DocumentModel
package import DocumentStorage
package import DocumentTransport

/// The way to the storage root from tasks: its calls block, so they run on threads of their own.
package struct StorageThreads: Sendable {
    package let store: DocumentStore
    private let pool: BlockingPool
    /// Nil in simulations, where all that blocks is carried out in turns.
    private let outside: UnboundedCalls?
    /// For what nobody waits for: however much of that gives no answer, it is in nobody's way.
    private let aside: UnboundedCalls?
    private let executor: (any TaskExecutor)?

    /// - Parameter executor: where what must go on when whoever asks is cancelled does so.
    package init(
        store: DocumentStore, threads: Int = 8, executor: (any TaskExecutor)? = nil,
        steppedBy stepping: SteppedWork? = nil
    ) {
        self.store = store
        self.executor = executor
        outside =
            stepping == nil
            ? UnboundedCalls(name: "docent-copy", mostAtOnce: 16, mostHanging: 16, executor: executor) : nil
        aside =
            stepping == nil
            ? UnboundedCalls(name: "docent-aside", mostAtOnce: 4, mostLong: 16, mostHanging: 16, executor: executor)
            : nil
        pool = BlockingPool(threads: threads, name: "docent-storage", steppedBy: stepping)
    }

    /// Runs calls that write, flush or copy.
    package func run<Value: Sendable>(
        _ body: @escaping @Sendable (DocumentStore) throws -> Value
    ) async throws(DocumentError) -> Value {
        let store = store
        do {
            return try await pool.run { try Self.carryOut(body, with: store) }
        } catch {
            throw DocumentError(wrapping: error)
        }
    }

    /// Runs calls that copy or remove what lies outside of the storage root, wherever people say: perhaps on a disk or a network
    /// that is gone. None takes a thread from what documents need. So many run at once, and the others wait for that; what takes
    /// long keeps nobody waiting. When the task is cancelled, it is waited for a while still; then it is given up, and left to end
    /// when it can.
    ///
    /// - Parameters:
    ///   - isAside: nobody waits for it: it takes no place from what somebody waits for.
    ///   - patience: how long it is waited for when the task is cancelled.
    ///   - late: takes what the body returns when it was given up by then.
    ///   - body: is told whether it was given up.
    /// - Throws: `busy` when too much gives no answer, and what the body throws.
    package func runOutside<Value: Sendable>(
        isAside: Bool = false, afterCancellation patience: Duration = .seconds(10),
        late: @escaping @Sendable (DocumentStore, Value) -> Void = { _, _ in },
        _ body: @escaping @Sendable (DocumentStore, _ isGivenUp: () -> Bool) throws -> Value
    ) async throws(DocumentError) -> Value {
        guard let outside = isAside ? aside : outside else {
            return try await run { store in try body(store) { false } }
        }
        let store = store
        let value: Value?
        do {
            value = try await outside.run(afterCancellation: patience, late: { late(store, $0) }) { isGivenUp in
                try Self.carryOut({ try body($0, isGivenUp) }, with: store)
            }
        } catch {
            throw DocumentError(wrapping: error)
        }
        if let value { return value }
        if Task.isCancelled { throw DocumentError(wrapping: CancellationError()) }
        throw DocumentError(
            .busy,
            "Too much is being copied that gives no answer. Look whether the disks and networks that it is on are there, and try again."
        )
    }

    private static func carryOut<Value>(
        _ body: (DocumentStore) throws -> Value, with store: DocumentStore
    ) throws -> Value {
        do {
            return try body(store)
        } catch let error as DocumentError where error.isOutOfSpace {
            // Whoever tries again may find room.
            _ = try? store.makeRoomInTrash()
            throw error
        }
    }

    /// Looks something up, here and now: a few pages of the index, which are in memory.
    package func read<Value>(_ body: (IndexReader) throws -> Value) throws(DocumentError) -> Value {
        do {
            return try store.root.index.read(body)
        } catch {
            throw DocumentError(wrapping: error)
        }
    }

    /// Whether a document's file is just what was recorded, its times included. Looked at here and now, as the index is:
    /// one entry of one folder, which was used a moment ago.
    package func isAsRecorded(_ item: IndexedItem, at place: Location) -> Bool {
        item.local != nil && (try? store.root.tree.file(at: place)) == item.local
    }

    /// Whether nothing lies in the place of a document that has contents here. Looked at here and now, too.
    package func isFileMissing(_ item: IndexedItem) -> Bool { (try? store.isFileMissing(item)) == true }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (IndexTransaction) throws -> Value
    ) async throws(DocumentError) -> Value {
        try await run { try $0.root.index.write(body) }
    }

    /// Ends the threads, after what was asked for.
    package func shutdown() {
        pool.shutdown()
    }

    /// The same. What hangs is not waited for any longer: it is left to end when it can, and finds the index closed then.
    ///
    /// - Parameter limit: how long what is copied is waited for, and then the threads.
    /// - Returns: whether all of it has ended.
    package func shutdown(within limit: Duration) async -> Bool {
        let calls = [outside, aside].compactMap(\.self)
        guard !calls.isEmpty else {
            pool.shutdown()
            return true
        }
        // Not a child: whoever ends is cancelled.
        return await Task(executorPreference: executor) { [pool] in
            let end = ContinuousClock.now + limit
            while calls.contains(where: \.isAwaited), ContinuousClock.now < end {
                try? await Task.sleep(for: .milliseconds(10))
            }
            let ended: Bool? = try? await UnboundedCalls(name: "docent-ending").run(within: limit) {
                pool.shutdown()
                return true
            }
            return ended == true && !calls.contains(where: \.isBusy)
        }.value
    }
}

extension DocumentError {
    /// What was thrown, as it is when it is one of ours; else as an error of this machine.
    init(wrapping error: any Error) {
        switch error {
        case let error as DocumentError: self = error
        case is CancellationError: self.init(.cancelled, "The operation was cancelled.")
        default: self.init(.internal, "Something went wrong in the host; its log has more.", detail: "\(error)")
        }
    }
}
