internal import CDocentShims
internal import DocumentModel
internal import Glibc
internal import Synchronization
internal import SystemPackage

/// The index's write-ahead log, flushed beside SQLite and not by it: commits of several threads that are to be durable are
/// flushed together, and nobody else waits for that to write.
///
/// SQLite flushes the log itself before it takes commits over into the database, so that all of them are on disk once the log
/// is.
final class CommitLog: Sendable {
    private let descriptor: Int32
    private let path: String
    private let flushes = GroupedFlush()
    /// How often a flush was put off, and up to which time that was made up for.
    private let deferred = Atomic<UInt64>(0)
    private let settled = Atomic<UInt64>(0)
    /// After an error nobody knows what is on disk, and the next flush would not say so.
    private let hasFailedOnce = Atomic<Bool>(false)
    private let reserve = Mutex(LogReserve())

    /// - Parameter path: of the database, which has been written to in its present mode.
    init(of path: String) throws {
        self.path = path + "-wal"
        let result = Int(docent_openat2(Int32(DOCENT_AT_FDCWD), self.path, UInt64(O_RDWR), 0, 0))
        guard result >= 0 else {
            throw DocumentError.system(result, "The index's log \(self.path) could not be opened")
        }
        descriptor = Int32(result)
        // Its name is new, perhaps.
        try DirectoryHandle(trusting: FilePath(path).removingLastComponent().string).flush()
        reserve.withLock { growReserve(&$0) }
    }

    var hasFailed: Bool { hasFailedOnce.load(ordering: .acquiring) }

    deinit { _ = docent_close(descriptor) }

    /// - Throws: once it could not be flushed, always: until the next start, which compares the index with what is there.
    func check() throws {
        guard !hasFailed else { throw failed }
    }

    /// Returns when everything that was committed before is on disk.
    func flush() throws {
        try check()
        try flushes.run {
            try check()
            let all = deferred.load(ordering: .acquiring)
            // When it was written last is nobody's concern, and its size is flushed where it has grown.
            guard kernel(.flushLog, { docent_fdatasync(descriptor) }) >= 0 else {
                hasFailedOnce.store(true, ordering: .releasing)
                throw failed
            }
            settled.store(all, ordering: .releasing)
        }
    }

    /// Something was written: room is set aside again once there is some.
    func wrote() {
        reserve.withLock { reserve in
            if reserve.wrote() { growReserve(&reserve) }
        }
    }

    /// The log was begun anew with nothing in it, and what was set aside for it went.
    func wasEmptied() {
        reserve.withLock { reserve in
            reserve.lost()
            growReserve(&reserve)
        }
    }

    private func growReserve(_ reserve: inout LogReserve) {
        var found = docent_file_system()
        guard kernel(.fileSystem, { docent_fstatfs(descriptor, &found) }) >= 0 else { return }
        let available = found.available_blocks.multipliedReportingOverflow(by: found.block_size).partialValue
        guard let size = reserve.next(available: Int64(clamping: available)) else { return }
        switch kernel(.reserve, { docent_reserve(descriptor, size) }) {
        case 0...: reserve.given(size)
        case -Int(EOPNOTSUPP), -Int(ENOSYS): reserve.impossible()
        default: break
        }
    }

    /// What was committed before is flushed later, with other things.
    func deferFlush() { deferred.add(1, ordering: .acquiringAndReleasing) }

    /// Whether something is not flushed yet for which that was put off.
    var owesFlush: Bool { settled.load(ordering: .acquiring) < deferred.load(ordering: .acquiring) }

    private var failed: DocumentError {
        DocumentError(
            .localStorage,
            "The index's log \(path) could not be written to disk: check the disk, then stop the host and start it again."
        )
    }
}
