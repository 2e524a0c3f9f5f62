internal import CDocentShims
package import DocumentTransport
internal import Glibc
package import Logging
internal import Synchronization

/// The children of a program that starts nothing but providers, and adopts whatever of them loses its parents.
///
/// A provider's shepherd leaves nothing behind. Should it be killed itself, what it watched over comes to this process,
/// which is the next subreaper above, and is killed and taken in here: every child that was not launched is a stranger.
/// That is why a program that starts processes of its own must not have one.
package final class ProcessFamily: Sendable {
    private struct State {
        /// Between the fork and the moment when its process id is known, a child looks like a stranger.
        var launching = 0
        var launched: Set<Int32> = []
        var isSweepWanted = false

        /// - Returns: whether a sweep was waiting for it.
        mutating func launchEnded() -> Bool {
            launching -= 1
            guard launching == 0, isSweepWanted else { return false }
            isSweepWanted = false
            return true
        }
    }

    private let state = Mutex(State())
    private let blocking: BlockingPool
    private let patience: Duration
    private let logger: Logger

    /// Makes this process the one that its orphaned descendants come to.
    ///
    /// - Parameters:
    ///   - patience: how long a sweep waits for what it has killed.
    ///   - logger: is told of what cannot be swept up.
    /// - Returns: nil when the kernel does not allow it.
    package init?(blocking: BlockingPool, patience: Duration = .seconds(5), logger: Logger) {
        guard docent_adopt_orphans() == 0 else { return nil }
        self.blocking = blocking
        self.patience = patience
        self.logger = logger
    }

    func willLaunch() { state.withLock { $0.launching += 1 } }

    func launched(_ child: Int32) async {
        let isSweepDue = state.withLock { state in
            state.launched.insert(child)
            return state.launchEnded()
        }
        if isSweepDue { await sweep() }
    }

    func launchFailed() async {
        if state.withLock({ $0.launchEnded() }) { await sweep() }
    }

    /// A child was taken in. What it left, if anything, is swept away.
    func ended(_ child: Int32) async {
        let mayBeSwept = state.withLock { state in
            state.launched.remove(child)
            guard state.launching > 0 else { return true }
            state.isSweepWanted = true
            return false
        }
        if mayBeSwept { await sweep() }
    }

    private func sweep() async {
        do {
            try await blocking.run { self.sweepNow() }
        } catch {
            // Only when the program is about to end.
            logger.warning("what providers left was not looked for", metadata: ["error": "\(error)"])
        }
    }

    /// Blocks. Kills and takes in every stranger, and the strangers that come when those are gone.
    private func sweepNow() {
        let end = ContinuousClock.now + patience
        while ContinuousClock.now < end {
            let strangers = strangers
            if strangers.isEmpty { return }
            for stranger in strangers {
                _ = docent_kill_child(stranger)
                _ = docent_take_in_child(stranger)
            }
            usleep(1_000)
        }
        let left = strangers
        guard !left.isEmpty else { return }
        logger.warning(
            "processes that a provider left cannot be ended: they may wait for a disk or a network that is gone; the next provider that ends has them looked at again",
            metadata: ["processes": "\(left.map { String($0) }.joined(separator: ", "))"])
    }

    private var strangers: [Int32] {
        let children = Self.children
        return state.withLock { state in
            guard state.launching == 0 else {
                state.isSweepWanted = true
                return []
            }
            return children.filter { !state.launched.contains($0) }
        }
    }

    /// Of all threads of this process.
    private static var children: [Int32] {
        guard let folder = opendir("/proc/self/task") else { return [] }
        defer { closedir(folder) }
        var children: [Int32] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let thread = Int32(name) { children += ProcessChildren.of(getpid(), thread: thread) }
        }
        return children
    }
}
