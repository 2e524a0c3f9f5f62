package import DocumentModel
import DocumentTransport
import Glibc
import Synchronization
import SystemPackage

/// The signals that end a mount in good order. Made once in a process.
package final class EndingSignals: Sendable {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]
    /// Where a signal's handler, which can be handed nothing, leaves its mark; 0 before there is one.
    private static let mark = Atomic<Int32>(0)

    private let pool = BlockingPool(threads: 1, name: "docent-signals")
    private let input: FileDescriptor
    private let output: FileDescriptor

    /// From now on they are not the process's end.
    package init() throws(DocumentError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw DocumentError(.localStorage, "No pipe can be had (\(Errno(rawValue: errno))): end other programs.")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (input, output) = (FileDescriptor(rawValue: ends[0]), FileDescriptor(rawValue: ends[1]))
        Self.mark.store(ends[1], ordering: .sequentiallyConsistent)
        for number in Self.numbers {
            signal(number) { _ in
                let before = errno
                var byte: UInt8 = 1
                _ = write(EndingSignals.mark.load(ordering: .sequentiallyConsistent), &byte, 1)
                errno = before
            }
        }
    }

    /// Returns when one has come, or the task is cancelled.
    package func wait() async {
        let (input, output) = (input, output)
        await withTaskCancellationHandler {
            try? await pool.run {
                // Whoever has started the program may have blocked them.
                var wanted = sigset_t()
                sigemptyset(&wanted)
                for number in Self.numbers { sigaddset(&wanted, number) }
                pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
                var byte: UInt8 = 0
                while read(input.rawValue, &byte, 1) < 0, errno == EINTR {}
            }
        } onCancel: {
            var byte: UInt8 = 0
            _ = write(output.rawValue, &byte, 1)
        }
    }
}
