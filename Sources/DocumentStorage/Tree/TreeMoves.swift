import Synchronization

/// One move at a time changes the tree on disk and then the index. In between a document's file is not where the index has
/// it: who does not find it there waits for the move's end before he says that it is gone. Nor are placeholders made by the
/// index's word while a folder moves or goes.
final class TreeMoves: Sendable {
    private let isMoving = Mutex(())

    func exclusively<Value>(_ body: () throws -> Value) rethrows -> Value {
        try isMoving.withLock { _ in try body() }
    }
}
