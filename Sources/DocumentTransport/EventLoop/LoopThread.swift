import CDocentShims
import Glibc

/// A thread of our own, with a name and with all signals blocked: they are for the main thread.
struct LoopThread: @unchecked Sendable {  // `pthread_t` is a number or a pointer that is never looked into.
    private let handle: pthread_t

    /// - Returns: nil when the system does not give another thread.
    static func start(name: String, _ body: @escaping @Sendable () -> Void) -> LoopThread? {
        var everything = sigset_t()
        var before = sigset_t()
        sigfillset(&everything)
        pthread_sigmask(SIG_SETMASK, &everything, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        let context = Unmanaged.passRetained(
            Body {
                docent_thread_name(String(decoding: name.utf8.prefix(15), as: UTF8.self))
                body()
            })
        var handle = pthread_t()
        let result = pthread_create(
            &handle, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard result == 0 else {
            context.release()
            return nil
        }
        return LoopThread(handle: handle)
    }

    var isCurrent: Bool { pthread_equal(handle, pthread_self()) != 0 }

    /// Waits for the end of the thread. Once only.
    func join() {
        pthread_join(handle, nil)
    }

    /// Nobody waits for its end. Instead of ``join()``.
    func detach() {
        pthread_detach(handle)
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
