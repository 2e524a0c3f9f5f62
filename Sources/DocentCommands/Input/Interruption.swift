import Dispatch
import Glibc
import Synchronization

/// While a document is brought, an interrupt (Ctrl-C) gives that up: who only goes away leaves it to the host, which goes on.
/// Elsewhere it ends the program, as usual.
enum Interruption {
    /// Where the signal's handler tells of it; what a handler can reach.
    private static let line = Atomic<Int32>(-1)
    private static let hasCome = Atomic(false)

    /// Runs what an interrupt cancels while it is between ``begin()`` and ``end()``.
    ///
    /// - Returns: what the closure did. After an interrupt that it did not succeed in spite of, this ends the program by the
    ///   signal, so that a shell stops as well.
    static func run(_ body: @escaping @Sendable () async -> Int32) async -> Int32 {
        let task = Task { await body() }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return await task.value }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let source = DispatchSource.makeReadSource(fileDescriptor: ends[0], queue: .global())
        source.setEventHandler { task.cancel() }
        source.activate()
        line.store(ends[1], ordering: .sequentiallyConsistent)
        let status = await task.value
        source.cancel()
        if status != 0, wasAsked {
            signal(SIGINT, SIG_DFL)
            kill(getpid(), SIGINT)
        }
        return status
    }

    /// Whether it was interrupted.
    static var wasAsked: Bool { hasCome.load(ordering: .sequentiallyConsistent) }

    static func begin() {
        guard line.load(ordering: .sequentiallyConsistent) >= 0 else { return }
        let before = signal(SIGINT) { _ in
            // Who is in a hurry interrupts again.
            signal(SIGINT, SIG_DFL)
            Interruption.hasCome.store(true, ordering: .sequentiallyConsistent)
            var byte: UInt8 = 0
            _ = write(Interruption.line.load(ordering: .sequentiallyConsistent), &byte, 1)
        }
        // Where a shell has it ignored, as for what runs beside a script, it stays so.
        if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(SIGINT, SIG_IGN) }
    }

    static func end() {
        var now = sigaction()
        guard sigaction(SIGINT, nil, &now) == 0,
            unsafeBitCast(now.__sigaction_handler.sa_handler, to: Int.self)
                != unsafeBitCast(SIG_IGN, to: Int.self)
        else { return }
        signal(SIGINT, SIG_DFL)
    }
}
