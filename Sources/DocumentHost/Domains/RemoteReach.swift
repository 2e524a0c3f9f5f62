import DocumentModel
import Synchronization

/// Why a domain's remote could not be asked when that was tried last: what people see of it here may be old then, and nobody else
/// tells them where nothing waits to be sent or brought.
final class RemoteReach: Sendable {
    private let last = Mutex<DocumentError?>(nil)
    private let changed: @Sendable () -> Void

    /// - Parameter changed: called when it cannot be asked any more, or can again. Must not block.
    init(changed: @escaping @Sendable () -> Void) {
        self.changed = changed
    }

    /// Nil when it could be asked, or was not asked yet.
    var problem: DocumentError? { last.withLock { $0 } }

    /// A question of its contents was answered so.
    func refused(_ error: DocumentError) {
        guard error.code == .serverUnreachable else { return }
        set(error)
    }

    /// What is new could not be read: also where it answers other questions.
    func unreadable(_ error: DocumentError) {
        guard error.code == .serverUnreachable || error.code == .contractBroken else { return }
        set(error)
    }

    /// It answers, or its provider says that it can be reached.
    func answered() { clear { $0.code == .serverUnreachable } }

    /// All that is new was read.
    func caughtUp() { clear { _ in true } }

    private func set(_ error: DocumentError) {
        let isNew = last.withLock { last in
            defer { last = error }
            return last?.code != error.code
        }
        if isNew { changed() }
    }

    private func clear(_ isOver: (DocumentError) -> Bool) {
        let isNew = last.withLock { last in
            guard let error = last, isOver(error) else { return false }
            last = nil
            return true
        }
        if isNew { changed() }
    }
}
