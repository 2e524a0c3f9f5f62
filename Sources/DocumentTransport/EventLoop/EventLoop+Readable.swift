import Glibc
import Synchronization
package import SystemPackage

extension EventLoop {
    /// Waits until a descriptor can be read without blocking, or its stream has ended. A process descriptor "can be
    /// read" once its process has ended. Several tasks may wait for one descriptor.
    ///
    /// - Returns: false when the task was cancelled first.
    package func waitUntilReadable(_ descriptor: FileDescriptor) async -> Bool {
        // A descriptor of its own, so that waits do not meet, and none is left behind when the caller closes his.
        let own = FileDescriptor(rawValue: fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 0))
        guard own.rawValue >= 0 else { return await pollUntilReadable(descriptor) }
        defer { try? own.close() }
        let wait = ReadableWait(descriptor: own, loop: self)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { wait.begin($0) }
        } onCancel: {
            wait.end(.cancelled)
        }
        switch outcome {
        case .readable: return true
        case .cancelled: return false
        case .unwatchable: return await pollUntilReadable(own)
        }
    }

    /// Waits, also in a task that is cancelled, and when the loop has ended.
    package func pause(_ duration: Duration) async {
        await sleep(until: .now() + duration)
    }

    /// Waits, and no longer than until the task is cancelled; also when the loop has ended.
    package func pauseUnlessCancelled(_ duration: Duration) async {
        let pause = Pause()
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                guard pause.begin(continuation) else { return continuation.resume() }
                guard let key = scheduleInAnyCase(at: .now() + duration, { pause.end() }) else { return }
                if !pause.mayBeCancelled(by: { [weak self] in self?.cancel(key) }) { cancel(key) }
            }
        } onCancel: {
            pause.end()
        }
    }

    /// In a process that has no descriptor left, and for what epoll does not take.
    private func pollUntilReadable(_ descriptor: FileDescriptor) async -> Bool {
        var entry = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, 0) == 0 {
            guard (try? await Task.sleep(for: .milliseconds(20))) != nil else { return false }
        }
        return true
    }
}

private final class ReadableWait: LoopEventHandler {
    enum Outcome: Sendable {
        case readable, cancelled, unwatchable
    }

    private enum State {
        case new
        /// With the outcome, if it was there before the registration's key.
        case registering(CheckedContinuation<Outcome, Never>, Outcome?)
        case waiting(CheckedContinuation<Outcome, Never>, key: UInt64)
        case over(Outcome)
    }

    private let descriptor: FileDescriptor
    private let loop: EventLoop
    private let state = Mutex(State.new)

    init(descriptor: FileDescriptor, loop: EventLoop) {
        self.descriptor = descriptor
        self.loop = loop
    }

    func begin(_ continuation: CheckedContinuation<Outcome, Never>) {
        let early: Outcome? = state.withLock { state in
            if case .over(let outcome) = state { return outcome }
            state = .registering(continuation, nil)
            return nil
        }
        if let early { return continuation.resume(returning: early) }
        let key: UInt64? =
            switch loop.register(descriptor.rawValue, .reading, self) {
            case .success(let key): key
            case .failure: nil
            }
        let outcome: Outcome? = state.withLock { state in
            guard case .registering(let continuation, let early) = state else { return nil }
            if early == nil, let key {
                state = .waiting(continuation, key: key)
                return nil
            }
            let outcome = early ?? .unwatchable
            state = .over(outcome)
            return outcome
        }
        guard let outcome else { return }
        if let key { loop.unregister(descriptor.rawValue, key) }
        continuation.resume(returning: outcome)
    }

    func ready(_ readiness: Poller.Readiness) {
        end(.readable)
    }

    func end(_ outcome: Outcome) {
        let waiting: (continuation: CheckedContinuation<Outcome, Never>, key: UInt64)? = state.withLock { state in
            switch state {
            case .new:
                state = .over(outcome)
            case .registering(let continuation, let early):
                state = .registering(continuation, early ?? outcome)
            case .waiting(let continuation, let key):
                state = .over(outcome)
                return (continuation, key)
            case .over:
                break
            }
            return nil
        }
        guard let waiting else { return }
        loop.unregister(descriptor.rawValue, waiting.key)
        waiting.continuation.resume(returning: outcome)
    }
}

/// A wait that ends once: with its time, or earlier.
private final class Pause: Sendable {
    private enum State {
        case waiting(UnsafeContinuation<Void, Never>?, @Sendable () -> Void)
        case ended
    }

    private let state = Mutex(State.waiting(nil, {}))

    /// - Returns: false when it has ended by now.
    func begin(_ continuation: UnsafeContinuation<Void, Never>) -> Bool {
        state.withLock { state in
            guard case .waiting = state else { return false }
            state = .waiting(continuation, {})
            return true
        }
    }

    /// - Parameter cancelTimer: is called with its end.
    /// - Returns: false when it has ended by now.
    func mayBeCancelled(by cancelTimer: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard case .waiting(let continuation, _) = state else { return false }
            state = .waiting(continuation, cancelTimer)
            return true
        }
    }

    func end() {
        let last = state.withLock { state in
            defer { state = .ended }
            return state
        }
        guard case .waiting(let continuation, let cancelTimer) = last else { return }
        cancelTimer()
        continuation?.resume()
    }
}
