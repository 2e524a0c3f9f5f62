import CDocentShims
import DocumentTransport
import Foundation
import Glibc
import Synchronization
import SystemPackage

/// Stands between the host and the provider, in the provider's process, and passes on what they say, damaged where the
/// mistake is one of frames. Two threads that block, one for each direction.
final class FrameRelay: Sendable {
    /// Of the provider.
    let input: FileDescriptor
    let output: FileDescriptor

    private let fromHost: FileDescriptor
    private let toHost: FileDescriptor
    private let toProvider: FileDescriptor
    private let fromProvider: FileDescriptor
    private let damage: Mutex<FrameDamage>
    private let hasEnded = Mutex(false)
    /// Held by whoever says something to the host: frames do not mix.
    private let speaking = Mutex(())

    /// - Parameter mistake: one that is made before the hello has come.
    init(fromHost: FileDescriptor, toHost: FileDescriptor, mistake: Mistake?) throws {
        damage = Mutex(FrameDamage(mistake: mistake))
        self.fromHost = fromHost
        self.toHost = toHost
        (input, toProvider) = try FileDescriptor.pipe()
        (fromProvider, output) = try FileDescriptor.pipe()
    }

    var mistake: Mistake? { damage.withLock { $0.mistake } }

    func start() {
        Thread.detachNewThread { self.passIn() }
        Thread.detachNewThread { self.passOut() }
    }

    /// Waits until all that the provider said has gone out.
    func finish() async {
        while !hasEnded.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(2)) }
    }

    private func passIn() {
        while let bytes = read(fromHost), !bytes.isEmpty {
            var (passed, owed) = damage.withLock { ($0.received(bytes), $0.takeOwed()) }
            if damage.withLock({ $0.waitsForMore }), wait(fromHost, Int16(POLLIN), 200), let more = read(fromHost) {
                passed += damage.withLock { $0.received(more) }
                owed += damage.withLock { $0.takeOwed() }
            }
            if !owed.isEmpty {
                guard speaking.withLock({ _ in write(owed, to: toHost) }) else { break }
            }
            if mistake == .lingers { signal(SIGTERM, SIG_IGN) }
            guard write(passed, to: toProvider) else { break }
        }
        damage.withLock { $0.ended() }
        guard !damage.withLock({ $0.staysWithoutHost }) else { return }
        try? toProvider.close()
        // The host has gone; work that is stuck does not keep the process.
        sleep(4)
        _exit(0)
    }

    private func passOut() {
        while let bytes = read(fromProvider), !bytes.isEmpty {
            let isOut = speaking.withLock { _ in write(damage.withLock { $0.sent(bytes) }, to: toHost) }
            guard isOut else { break }
        }
        try? fromProvider.close()
        if mistake == .endsWithFailure { _exit(7) }
        hasEnded.withLock { $0 = true }
    }

    /// - Returns: nil when it failed.
    private func read(_ descriptor: FileDescriptor) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor.rawValue, &buffer, buffer.count)
            if count >= 0 { return Array(buffer.prefix(count)) }
            guard errno == EINTR || errno == EAGAIN else { return nil }
            wait(descriptor, Int16(POLLIN))
        }
    }

    private func write(_ bytes: [UInt8], to descriptor: FileDescriptor) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor.rawValue, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else {
                guard errno == EINTR || errno == EAGAIN else { return false }
                wait(descriptor, Int16(POLLOUT))
            }
        }
        return true
    }

    /// Waits for a descriptor that the host made non-blocking.
    ///
    /// - Returns: false when nothing came within so many milliseconds; -1 is for ever.
    @discardableResult
    private func wait(_ descriptor: FileDescriptor, _ events: Int16, _ milliseconds: Int32 = -1) -> Bool {
        var poll = pollfd(fd: descriptor.rawValue, events: events, revents: 0)
        return Glibc.poll(&poll, 1, milliseconds) > 0
    }
}
