internal import CFuse
import DocumentModel
import Glibc
import Synchronization
import SystemPackage

/// The mount, as the kernel sees it: libfuse's session, its threads, and the requests that are being answered.
///
/// libfuse's session is made for many threads; the rest is locked or constant.
final class KernelSession: @unchecked Sendable {
    private struct Pending {
        var task: Task<Void, Never>?
        /// Before there was a task.
        var isInterrupted = false
    }

    private struct State {
        var pending: [UInt: Pending] = [:]
        var last: UInt = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    let handler: any KernelHandler
    let passthrough: KernelPassthrough
    private let executor: any TaskExecutor
    private let session: OpaquePointer
    private let mountPoint: String
    private let state = Mutex(State())
    /// As the kernel's table had it when it was mounted.
    private var mounted: MountTable.Entry?
    /// Readable when the session is to end.
    private let stopping = FileDescriptor(rawValue: eventfd(0, Int32(EFD_CLOEXEC)))

    /// Mounts.
    ///
    /// - Parameters:
    ///   - passesThrough: whether the kernel is to read documents' files by itself, where it can.
    ///   - executor: runs what takes its time.
    /// - Throws: ``DocumentError``: `localStorage` when the kernel, or the rights of the user, do not allow it.
    init(
        at mountPoint: String, readOnly: Bool, passesThrough: Bool, executor: any TaskExecutor,
        handler: any KernelHandler
    ) throws(DocumentError) {
        self.handler = handler
        self.executor = executor
        passthrough = KernelPassthrough(isWanted: passesThrough)
        self.mountPoint = mountPoint
        let options =
            "fsname=\(MountServer.own().source),subtype=docent,default_permissions,noatime,nosuid,nodev"
            + (readOnly ? ",ro" : "")
        KernelLog.begin()
        var arguments = fuse_args()
        defer { fuse_opt_free_args(&arguments) }
        for word in ["docent", "-o", options] { fuse_opt_add_arg(&arguments, word) }
        var operations = KernelOperations.make()
        let identity = UnsafeMutablePointer<Unmanaged<KernelSession>?>.allocate(capacity: 1)
        identity.initialize(to: nil)
        guard
            let session = fuse_session_new(
                &arguments, &operations, MemoryLayout<fuse_lowlevel_ops>.size, identity)
        else {
            identity.deallocate()
            throw Self.refused(mountPoint)
        }
        self.session = session
        self.identity = identity
        identity.pointee = .passUnretained(self)
        guard stopping.rawValue >= 0 else { throw Self.refused(mountPoint) }
        guard fuse_session_mount(session, mountPoint) == 0 else { throw Self.refused(mountPoint) }
        passthrough.begin(session)
        mounted = try? MountTable.now().entry(at: FilePath(mountPoint))
        // Several threads wait for requests: the one that finds none goes on waiting.
        let device = fuse_session_fd(session)
        _ = fcntl(device, F_SETFL, fcntl(device, F_GETFL) | O_NONBLOCK)
    }

    /// What libfuse hands back with each request.
    private let identity: UnsafeMutablePointer<Unmanaged<KernelSession>?>

    deinit {
        fuse_session_unmount(session)
        fuse_session_destroy(session)
        identity.deallocate()
        try? stopping.close()
    }

    static func of(_ data: UnsafeMutableRawPointer?) -> KernelSession {
        guard let own = data?.assumingMemoryBound(to: Unmanaged<KernelSession>?.self).pointee else {
            preconditionFailure("A request came before its session was made.")
        }
        return own.takeUnretainedValue()
    }

    /// Takes the kernel's requests until the mount is gone, or ``stop()``. Blocks: for threads of its own, several at once.
    func serve() {
        defer { stop() }
        let device = fuse_session_fd(session)
        let poller = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard poller >= 0 else { return }
        defer { close(poller) }
        // Of several threads that wait, a request wakes one.
        var wanted = epoll_event(events: EPOLLIN.rawValue | 1 << 28, data: epoll_data_t(fd: device))
        guard epoll_ctl(poller, EPOLL_CTL_ADD, device, &wanted) == 0 else { return }
        wanted = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: stopping.rawValue))
        guard epoll_ctl(poller, EPOLL_CTL_ADD, stopping.rawValue, &wanted) == 0 else { return }
        var buffer = fuse_buf()
        defer { free(buffer.mem) }
        while fuse_session_exited(session) == 0 {
            var event = epoll_event()
            guard epoll_wait(poller, &event, 1, -1) > 0 || errno == EINTR else { return }
            if event.data.fd == stopping.rawValue { return }
            let count = fuse_session_receive_buf(session, &buffer)
            if count == -EINTR || count == -EAGAIN { continue }
            guard count > 0 else { return }
            fuse_session_process_buf(session, &buffer)
        }
    }

    /// Whether the mount was taken away by others.
    var isGone: Bool { fuse_session_exited(session) != 0 }

    /// What programs still have open there fails from now on. After it was taken from its place, and answered all that it was
    /// asked: another mount may have that place by then.
    func leave() {
        // libfuse unmounts whatever is at the place by then, unless it finds that the connection has ended.
        mounted?.abort()
        fuse_session_unmount(session)
    }

    /// Has ``serve()`` return. What programs ask of the mount from then on waits until the session is gone, and fails.
    func stop() {
        var mark: UInt64 = 1
        _ = write(stopping.rawValue, &mark, MemoryLayout<UInt64>.size)
    }

    // MARK: Answers that take their time

    /// Answers a request in a task, which is cancelled when the program that waits is interrupted.
    func answer(_ request: KernelRequest, _ body: @escaping @Sendable () async -> Void) {
        let number = state.withLock { state in
            state.last += 1
            state.pending[state.last] = Pending()
            return state.last
        }
        fuse_req_interrupt_func(
            request.raw,
            { raw, number in
                guard let raw else { return }
                KernelSession.of(fuse_req_userdata(raw)).interrupt(UInt(bitPattern: number))
            }, UnsafeMutableRawPointer(bitPattern: number))
        let task = Task(executorPreference: executor) {
            await body()
            self.end(number)
        }
        let isInterrupted = state.withLock { state in
            state.pending[number]?.task = task
            return state.pending[number]?.isInterrupted ?? false
        }
        if isInterrupted { task.cancel() }
    }

    private func interrupt(_ number: UInt) {
        // On a disk, a program's signals interrupt nothing: what is done soon is done first.
        Task {
            try? await Task.sleep(for: Self.grace)
            let task = state.withLock { state in
                state.pending[number]?.isInterrupted = true
                return state.pending[number]?.task
            }
            task?.cancel()
        }
    }

    private static let grace = Duration.milliseconds(300)

    private func end(_ number: UInt) {
        let waiters = state.withLock { state in
            state.pending[number] = nil
            guard state.pending.isEmpty else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Cancels what is being answered just now.
    func cancelAnswers() {
        for task in state.withLock({ $0.pending.values.compactMap(\.task) }) { task.cancel() }
    }

    /// Cancels what is being answered, and waits until it is.
    func drain() async {
        cancelAnswers()
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if !state.pending.isEmpty { state.waiters.append(continuation) }
                return state.pending.isEmpty
            }
            if isIdle { continuation.resume() }
        }
    }

    // MARK: Files that the kernel reads by itself

    /// Has the kernel know a file by a name; nil when it does not take it.
    func share(_ file: FileDescriptor) -> Int32? { passthrough.share(file, session) }

    /// The kernel need not know a file by its name any more.
    func unshare(_ name: Int32) { passthrough.forget(name, session) }

    // MARK: What the kernel is told unasked

    /// Returns when the kernel has let go of it, for which it may wait for answers of ours: not on a thread that gives them.
    func tell(_ notice: KernelNotice) {
        switch notice {
        case .attributes(let node): fuse_lowlevel_notify_inval_inode(session, node, -1, 0)
        case .contents(let node): fuse_lowlevel_notify_inval_inode(session, node, 0, 0)
        case .name(let name, let folder):
            fuse_lowlevel_notify_inval_entry(session, folder, name.rawValue, name.rawValue.utf8.count)
        case .uncertain(let name, let folder):
            // Older kernels cannot, and ask when the lifetime is over.
            fuse_lowlevel_notify_expire_entry(
                session, folder, name.rawValue, name.rawValue.utf8.count, FUSE_LL_EXPIRE_ONLY)
        }
    }

    private static func refused(_ mountPoint: String) -> DocumentError {
        let said = KernelLog.end()
        let isThere = access("/dev/fuse", F_OK) == 0
        let reason =
            isThere
            ? "install the Debian package fuse3, and check that the folder is yours and may be used for a mount"
            : "this kernel has no /dev/fuse: load its module (modprobe fuse), or let the container have the device"
        return DocumentError(.localStorage, "Nothing can be mounted at \(mountPoint): \(reason).", causes: said)
    }
}
