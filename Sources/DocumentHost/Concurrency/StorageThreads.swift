package import DocumentModel
package import DocumentStorage
package import DocumentTransport

/// The way to the storage root from tasks: its calls block, so they run on threads of their own.
package struct StorageThreads: Sendable {
    package let store: DocumentStore
    private let pool: BlockingPool

    package init(store: DocumentStore, threads: Int = 8, steppedBy stepping: SteppedWork? = nil) {
        self.store = store
        pool = BlockingPool(threads: threads, name: "docent-storage", steppedBy: stepping)
    }

    /// Runs calls that write, flush or copy.
    package func run<Value: Sendable>(
        _ body: @escaping @Sendable (DocumentStore) throws -> Value
    ) async throws(DocumentError) -> Value {
        let store = store
        do {
            return try await pool.run {
                do {
                    return try body(store)
                } catch let error as DocumentError where error.isOutOfSpace {
                    // Whoever tries again may find room.
                    _ = try? store.makeRoomInTrash()
                    throw error
                }
            }
        } catch {
            throw DocumentError(wrapping: error)
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

    package func shutdown() {
        pool.shutdown()
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
