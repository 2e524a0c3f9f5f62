internal import CFuse
import Glibc
import Synchronization
import SystemPackage

/// Has the kernel go to documents' files by itself, where it can: from Linux 6.9 on, and for a mount that root serves. libfuse of
/// Debian 12 knows nothing of that, so that the kernel's first question is answered with one word more.
final class KernelPassthrough: Sendable {
    private enum State {
        /// The kernel was not asked, or cannot.
        case off
        /// Its first question is being answered, which offers it.
        case offered(question: UInt64)
        case on
    }

    /// Of the kernel's interface: INIT, and the flags of its answer.
    private static let initialisation: UInt32 = 26
    private static let extendedFlags: UInt32 = 1 << 30
    /// In the upper half of the flags.
    private static let passthrough: UInt32 = 1 << 5
    /// Files of file systems that lie on others are left to us.
    private static let depth: UInt32 = 1

    private let state: Mutex<State> = Mutex(.off)
    private let isWanted: Bool

    /// - Parameter isWanted: whether it is offered to the kernel.
    init(isWanted: Bool) { self.isWanted = isWanted && Self.isAllowed }

    /// Whether the kernel lets this process name files to it: who administers the machine.
    private static var isAllowed: Bool {
        guard let file = try? FileDescriptor.open("/proc/self/status", .readOnly, options: .closeOnExec),
            let text = try? file.closeAfter({
                try withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 1) {
                    String(decoding: $0.prefix(try file.read(into: $0)), as: UTF8.self)
                }
            }),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("CapEff:") }),
            let capabilities = UInt64(line.dropFirst("CapEff:".count).drop { $0 == "\t" || $0 == " " }, radix: 16)
        else { return false }
        let administration: UInt64 = 1 << 21
        return capabilities & administration != 0
    }

    // MARK: The kernel's first question

    /// What libfuse reads and writes goes through here; to be called between mounting and serving.
    ///
    /// - Parameter session: whose user data leads to a ``KernelSession``.
    func begin(_ session: OpaquePointer) {
        guard isWanted else { return }
        var calls = fuse_custom_io(
            writev: { device, parts, count, data in
                KernelSession.of(data).passthrough.answer(UnsafeBufferPointer(start: parts, count: Int(count)))
                return writev(device, parts, count)
            },
            read: { device, buffer, size, data in
                let count = Glibc.read(device, buffer, size)
                if count > 0 {
                    KernelSession.of(data).passthrough.question(UnsafeRawBufferPointer(start: buffer, count: count))
                }
                return count
            },
            splice_receive: docent_fuse_splice, splice_send: docent_fuse_splice)
        fuse_session_custom_io(session, &calls, fuse_session_fd(session))
    }

    /// A question of the kernel's: a header of length, kind and number, and what is asked.
    private func question(_ bytes: UnsafeRawBufferPointer) {
        let flags = 56..<60
        guard bytes.count >= flags.upperBound,
            bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self) == Self.initialisation,
            bytes.loadUnaligned(fromByteOffset: 52, as: UInt32.self) & Self.extendedFlags != 0,
            bytes.loadUnaligned(fromByteOffset: flags.lowerBound, as: UInt32.self) & Self.passthrough != 0
        else { return }
        let number = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        state.withLock { $0 = .offered(question: number) }
    }

    /// An answer of ours: a header of length, error and number, and what is answered.
    private func answer(_ parts: UnsafeBufferPointer<iovec>) {
        state.withLock { state in
            guard case .offered(let question) = state, parts.count == 2, parts[0].iov_len == 16, parts[1].iov_len >= 40,
                let header = parts[0].iov_base, let body = parts[1].iov_base,
                header.loadUnaligned(fromByteOffset: 8, as: UInt64.self) == question,
                header.loadUnaligned(fromByteOffset: 4, as: Int32.self) == 0
            else { return }
            let flags = body.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
            body.storeBytes(of: flags | Self.extendedFlags, toByteOffset: 12, as: UInt32.self)
            let upper = flags & Self.extendedFlags == 0 ? 0 : body.loadUnaligned(fromByteOffset: 32, as: UInt32.self)
            body.storeBytes(of: upper | Self.passthrough, toByteOffset: 32, as: UInt32.self)
            body.storeBytes(of: Self.depth, toByteOffset: 36, as: UInt32.self)
            state = .on
        }
    }

    // MARK: Files

    /// Has the kernel know a file by a name.
    ///
    /// - Returns: nil when it does not take it; where it says that it takes none, it is not asked again.
    func share(_ file: FileDescriptor, _ session: OpaquePointer) -> Int32? {
        guard state.withLock({ if case .on = $0 { true } else { false } }) else { return nil }
        let name = docent_fuse_open_backing(fuse_session_fd(session), file.rawValue)
        if name > 0 { return name }
        if Self.saysNever(Errno(rawValue: -name)) { state.withLock { $0 = .off } }
        return nil
    }

    /// Whether an error is about all files: what the kernel does not know, does not let this process do, or not on this file
    /// system. Others, as of memory or numbers that have run out, are about one.
    static func saysNever(_ error: Errno) -> Bool {
        [
            .notPermitted, .noFunction, .inappropriateIOCTLForDevice, .invalidArgument, .notSupported,
            .tooManySymbolicLinkLevels,
        ]
        .contains(error)
    }

    func forget(_ name: Int32, _ session: OpaquePointer) {
        docent_fuse_close_backing(fuse_session_fd(session), name)
    }
}
