import Glibc

/// A thread for what blocks, which nobody waits for.
package enum DetachedThread {
    package static func start(_ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let started = pthread_create(
            &thread, nil,
            { raw in
                raw.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().body() }
                return nil
            }, box.toOpaque())
        if started == 0 { pthread_detach(thread) } else { box.release() }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
