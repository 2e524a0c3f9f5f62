package import DocumentClient
package import DocumentModel
import DocumentTransport

/// Documents as files: a mounted tree with a folder for each domain, for programs that know nothing of us.
package struct DocumentMount: Sendable {
    private let point: MountPoint
    private let address: HostAddress
    private let start: HostStart
    private let policy: DownloadPolicy
    private let isReadOnly: Bool
    private let passesThrough: Bool
    private let readsAhead: Bool
    private let patience: Duration
    private let explain: Explanation?

    /// Gets what a program was refused with a number only. On any thread; must not block.
    package typealias Explanation = @Sendable (DocumentError) -> Void

    /// - Parameters:
    ///   - point: where the documents appear.
    ///   - policy: for whom documents are brought.
    ///   - isReadOnly: whether programs may change nothing.
    ///   - passesThrough: whether the kernel reads documents that are here from their files by itself, where it can.
    ///   - readsAhead: whether further small documents of a folder are fetched for a program that opens one after the other.
    ///   - patience: how long a program that removes, renames, replaces or makes something, or changes attributes, waits for
    ///     other tools that use it: it keeps others from the folder around it meanwhile.
    ///   - start: whether a host is started when none runs, also later.
    ///   - explain: is told why programs were refused something, unless the number says it all.
    package init(
        at point: MountPoint, policy: DownloadPolicy = DownloadPolicy(), isReadOnly: Bool = false,
        passesThrough: Bool = true, readsAhead: Bool = true, patience: Duration = .seconds(5),
        start: HostStart = .ifNeeded(), explain: Explanation? = nil
    ) throws(DocumentError) {
        self.point = point
        self.policy = policy
        self.isReadOnly = isReadOnly
        self.passesThrough = passesThrough
        self.readsAhead = readsAhead
        self.patience = patience
        self.start = start
        self.explain = explain
        address = try HostAddress.ofThisProcess()
    }

    /// Mounts, and serves until the mount is taken away. What programs have open then ends in good order.
    ///
    /// - Parameters:
    ///   - ending: returns when the mount is to end, or its task is cancelled.
    ///   - onReady: called once, when programs can use it.
    package func run(
        until ending: @escaping @Sendable () async -> Void, onReady: @escaping @Sendable () throws -> Void
    ) async throws {
        OpenFileLimit.raise()
        // Tasks that wait for the host run where its answers come: a way to another thread and back costs more than most of them.
        let loop = EventLoop(name: "docent-client")
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(
                try await withTaskExecutorPreference(loop) { try await run(on: loop, until: ending, onReady: onReady) })
        } catch {
            outcome = .failure(error)
        }
        await loop.end()
        try outcome.get()
    }

    private func run(
        on loop: EventLoop, until ending: @escaping @Sendable () async -> Void,
        onReady: @escaping @Sendable () throws -> Void
    ) async throws {
        let link = HostLink(start: start, patience: patience, loop: loop)
        let tree = MountedTree(link: link, address: address, policy: policy, readsAhead: readsAhead, explain: explain)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await link.run { await tree.happened($0) } }
            defer { link.close() }
            // Ends with this.
            async let _ = policy.follow()
            // A host that cannot be had is told at once, and not by each file.
            try await link.with { _ in }
            try await serve(tree, ending, onReady)
        }
    }

    private func serve(
        _ tree: MountedTree, _ ending: @escaping @Sendable () async -> Void, _ onReady: @Sendable () throws -> Void
    ) async throws {
        let (point, address, isReadOnly, passesThrough) = (point, address, isReadOnly, passesThrough)
        let provided = try await tree.link.with { host in
            try await ProvidedFolders(of: host.client.domains(), by: host.client.providers().providers)
        }
        try await provided.check(point.path)
        let session = try await tree.disk.run {
            try point.prepare(storageRoot: address.root)
            return try KernelSession(
                at: point.path.string, readOnly: isReadOnly, passesThrough: passesThrough, executor: tree.link.loop,
                handler: tree)
        }
        tree.notices.begin(session)
        do { try onReady() } catch { session.stop() }
        await withTaskGroup(of: Void.self) { group in
            let threads = BlockingPool(threads: Self.threads, name: "docent-fuse")
            for _ in 0..<Self.threads { group.addTask { try? await threads.run { session.serve() } } }
            group.addTask { await tree.notices.run() }
            group.addTask { await tree.readers.run() }
            group.addTask {
                await ending()
                await Self.endNotices(of: tree, session)
                session.stop()
            }
            // The first thread that ends has ended the others.
            await group.next()
            group.cancelAll()
        }
        // First from its place: whoever looks there from now on finds a folder, and does not wait for us.
        // It may have been taken away, and another one be there by now. To look would be a question to ourselves, and nobody
        // answers any more: the kernel's table says it.
        if !session.isGone { try? await tree.disk.run { if point.isServedHere { try point.detach() } } }
        await session.drain()
        session.leave()
        await tree.closeAll()
    }

    /// While programs are still answered: the kernel, which is being told of something, may wait for one that waits for us. Once
    /// nobody takes what it asks, that would be for ever.
    private static func endNotices(of tree: MountedTree, _ session: KernelSession) async {
        // Not a child: it goes on also where the mount's own task is cancelled.
        let cancelling = Task {
            repeat { session.cancelAnswers() } while (try? await Task.sleep(for: .milliseconds(100))) != nil
        }
        await tree.notices.end()
        cancelling.cancel()
    }

    /// A few, so that a file that is read from a slow disk does not keep others waiting.
    private static let threads = 6
}
