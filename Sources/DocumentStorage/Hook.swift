/// A closure that is kept behind a lock, to be called now and then.
///
/// Kept by itself in something generic, as `Mutex<(@Sendable () -> Void)?>` is, a closure is wrapped in two more whenever the
/// lock is taken, and the wrapped one is put back: each call takes longer than the one before, and more of the stack, until
/// there is none left. A structure is handed through as it is.
package struct Hook<Argument>: Sendable {
    private let body: @Sendable (Argument) -> Void

    package init(_ body: @escaping @Sendable (Argument) -> Void) {
        self.body = body
    }

    package func callAsFunction(_ argument: Argument) { body(argument) }
}
