import CDocentShims
import DocumentModel
import Glibc
import Synchronization
import SystemPackage

/// A document that programs write: its file, and the access under which they do.
final class Writer: Sendable {
    private struct State {
        var hold: AccessHold
        /// It has no name any more: what is written is its writers' own.
        var isUnlinked = false
        var closing: Task<Void, Never>?
        var isClosed = false
        var onClose: @Sendable () -> Void = {}
    }

    /// For reading and writing. What several programs write goes through one.
    let file: FileDescriptor
    private let state: Mutex<State>
    private let executor: any TaskExecutor

    /// - Parameter executor: where it is closed.
    init(file: FileDescriptor, hold: AccessHold, on executor: any TaskExecutor) {
        self.file = file
        self.executor = executor
        state = Mutex(State(hold: hold))
    }

    /// Has something done when the file is closed.
    func onClose(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onClose = body } }

    /// Whether what is written now is seen by the host: false when that has ended since.
    var isLive: Bool { state.withLock { $0.isUnlinked || !$0.hold.isOver } }

    /// What the file is; nil when it is closed.
    var facts: NodeAttributes.FileFacts? { state.withLock { $0.isClosed ? nil : FileState(file)?.facts } }

    func unlink() { state.withLock { $0.isUnlinked = true } }

    /// - Returns: the access until now, which is to be ended.
    func take(_ hold: AccessHold) -> AccessHold {
        state.withLock { state in
            defer { state.hold = hold }
            return state.hold
        }
    }

    /// Whether a path is this file's.
    func isAt(_ path: String) -> Bool {
        guard let own = FileState(file), let there = FileState(at: path) else { return false }
        return own.isFile(of: there)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        let result = docent_pwrite_all(file.rawValue, start, bytes.count, offset)
        guard result >= 0 else { throw Errno(rawValue: Int32(-result)) }
    }

    func truncate(to size: Int64) throws(Errno) { try check(docent_ftruncate(file.rawValue, size)) }

    /// The contents only.
    func flush() throws(Errno) { try check(docent_fsync(file.rawValue)) }

    /// The document, with what the host knows of it; one that has no name any more is nobody else's.
    func flushDocument() async throws {
        while true {
            let (hold, isUnlinked) = state.withLock { ($0.hold, $0.isUnlinked) }
            if isUnlinked { return }
            do {
                return try await hold.flush()
            } catch {
                // It has taken another document's place meanwhile, or was removed.
                guard state.withLock({ $0.isUnlinked || $0.hold !== hold }) else { throw error }
            }
        }
    }

    /// - Parameter time: nil: now.
    func setModified(_ time: Timestamp?) throws(Errno) {
        var now: (seconds: Int64, nanoseconds: UInt32) = (0, 0)
        docent_file_clock(&now.seconds, &now.nanoseconds)
        let (seconds, nanoseconds) = (time?.seconds ?? now.seconds, time?.nanoseconds ?? now.nanoseconds)
        try check(docent_set_modified(file.rawValue, seconds, nanoseconds))
    }

    func allocate(_ size: Int64, at offset: Int64, mode: Int32) throws(Errno) {
        // Room that is not seen, and holes, there are none of.
        guard mode == 0 else { throw .notSupported }
        let result = posix_fallocate(file.rawValue, off_t(offset), off_t(size))
        guard result == 0 else { throw Errno(rawValue: result) }
    }

    /// Returns when the host has recorded what was written, and the file is closed; to whomever asks.
    func close() async {
        let closing = state.withLock { state in
            if let closing = state.closing { return closing }
            let closing = Task(executorPreference: executor) { [self, hold = state.hold, onClose = state.onClose] in
                await hold.endAndWait()
                self.state.withLock { state in
                    state.isClosed = true
                    try? file.close()
                }
                onClose()
            }
            state.closing = closing
            return closing
        }
        await closing.value
    }

    private func check(_ result: Int32) throws(Errno) {
        guard result == 0 else { throw Errno(rawValue: -result) }
    }
}
