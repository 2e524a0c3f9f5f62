import DocumentStorage
import DocumentTestSupport
import Synchronization

/// Lets something else happen once, in the middle of an action.
final class Meanwhile: StepObserver {
    private let step: JournalStep
    private let body = Mutex<(@Sendable () throws -> Void)?>(nil)

    init(at step: JournalStep, _ body: @escaping @Sendable () throws -> Void) {
        self.step = step
        self.body.withLock { $0 = body }
    }

    func reached(_ step: JournalStep) throws {
        guard step == self.step else { return }
        let next = body.withLock { body in
            defer { body = nil }
            return body
        }
        try next?()
    }
}
