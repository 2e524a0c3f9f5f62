import ArgumentParser
import Dispatch
import Foundation
import Glibc

/// The signals by which people and build servers end a run: the first is an interruption, which the run answers in good
/// order; the second ends the program.
///
/// A thread of its own lets them in: whoever has started the program may have blocked them, and so do the threads that
/// tasks run on.
enum Interruption {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// Runs something that is cancelled when a signal comes: it cleans up behind itself.
    ///
    /// - Throws: what the body throws; `ExitCode` 1 after a word about it when it was interrupted.
    static func ending<Result: Sendable>(
        with interruptions: AsyncStream<Void>, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                for await _ in interruptions { break }
                return nil
            }
            let first = await group.nextResult()
            group.cancelAll()
            if case .success(let result?)? = first { return result }
            if case .failure(let error)? = first { throw error }
            while await group.nextResult() != nil {}
            ToolOutput.complain("The replay was interrupted.")
            throw ExitCode(1)
        }
    }

    /// From when this returns, the first signal is an element. To be called once.
    static func stream() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return stream }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        interruptions = ends[1]
        let input = ends[0]
        let isReady = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            var wanted = sigset_t()
            sigemptyset(&wanted)
            for number in signals {
                sigaddset(&wanted, number)
                signal(number) { _ in
                    let error = errno
                    var mark: UInt8 = 1
                    _ = write(interruptions, &mark, 1)
                    errno = error
                }
            }
            pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
            isReady.signal()
            var isFirst = true
            var mark: UInt8 = 0
            while true {
                let count = read(input, &mark, 1)
                guard count == 1 else {
                    if count < 0, errno == EINTR { continue }
                    return
                }
                // 128 and the number of SIGINT, as shells tell it.
                guard isFirst else { _exit(130) }
                isFirst = false
                continuation.yield()
            }
        }
        isReady.wait()
        return stream
    }
}

/// Where a signal's handler, which can be handed nothing, leaves its mark. Set before there is a handler.
private nonisolated(unsafe) var interruptions: Int32 = -1
