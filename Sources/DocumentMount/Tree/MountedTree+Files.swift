import DocumentClient
import DocumentModel
import DocumentTransport
import Glibc
import Synchronization
import SystemPackage

/// Documents: opening one has its contents brought, under a claim that lasts until it is closed.
extension MountedTree {
    func open(_ node: UInt64, _ flags: OpenFlags, _ request: KernelRequest) {
        guard case .item(let location)? = nodes.withLock({ $0.place(of: node) }) else {
            return request.fail(.staleNFSFileHandle)
        }
        if !flags.isWriting, !writers.isOpen(node), openKnown(node, request) { return }
        let isDenied = policy.denies(request.process, user: request.user)
        let program = AskingProcess.program(request.process)
        request.answer { [self] request in
            do {
                let file = try await OnBehalf.$current.withValue(program) {
                    try await following(node, from: location) { location in
                        try await leaveReplaced(node, at: location)
                        guard flags.isWriting else {
                            return try await openJoining(location, node, bringing: !isDenied)
                        }
                        let writer = try await writer(
                            of: node, at: location, emptying: flags.truncates, bringing: !isDenied)
                        return opened(writer, node)
                    }
                }
                if flags.isWriting, flags.truncates {
                    do {
                        try await disk.run { try file.writer?.truncate(to: 0) }
                    } catch {
                        await file.close()
                        throw error
                    }
                }
                let use: PassthroughTable<FileState.Identity>.Use =
                    flags.isWriting || file.coming != nil ? .watching : .reading
                if !reply(opened: file, for: use, await keptPages(of: file), request) { await file.close() }
            } catch {
                refuseKnown(request, error)
            }
        }
    }

    /// - Throws: `ESTALE` where programs write a file that is not the document's any more: the kernel looks the name up again, and
    ///   finds what is there now under a number of its own.
    private func leaveReplaced(_ node: UInt64, at location: Location) async throws {
        guard let writer = writers.writer(of: node), !writer.isLive else { return }
        // What is not known is looked for by whoever opens it.
        guard let path = try? await known(at: location).path, try await disk.run({ self.isReplaced(node, at: path) })
        else { return }
        nodes.withLock { $0.remove(node) }
        throw Errno.staleNFSFileHandle
    }

    /// Answers an open.
    ///
    /// - Returns: false when the kernel has not taken it: then it is to be closed.
    private func reply(
        opened file: OpenFile, for use: PassthroughTable<FileState.Identity>.Use, _ pages: KernelRequest.Pages,
        _ request: KernelRequest
    ) -> Bool {
        let session = request.session
        guard let pages = directly.open(file, for: use, pages, session) else {
            // The kernel looks the name up again, and finds what is there now under a number of its own.
            nodes.withLock { $0.remove(file.node) }
            request.fail(.staleNFSFileHandle)
            return false
        }
        let handle = files.insert(file)
        if request.reply(opened: handle, pages) { return true }
        files.remove(handle)
        directly.close(file.node, session)
        return false
    }

    /// What was read just now is opened without a question and without a pause.
    ///
    /// - Returns: false when it has to be opened as others are.
    private func openKnown(_ node: UInt64, _ request: KernelRequest) -> Bool {
        guard let reader = readers.join(node) else { return false }
        // Who may not have anything brought is not to read on what comes.
        guard reader.coming == nil || !policy.denies(request.process, user: request.user) else {
            reader.leave()
            return false
        }
        let before = pages.withLock { $0[node] }
        guard let before, !before.isLeft, FileState(reader.file) == before.file else {
            reader.leave()
            return false
        }
        if !reply(opened: opened(reader), for: reader.coming == nil ? .reading : .watching, .kept, request) {
            reader.leave()
        }
        return true
    }

    /// Whether the kernel's pages of a file are still right. Where they are not, its size may be another one, too.
    private func keptPages(of file: OpenFile) async -> KernelRequest.Pages {
        let now = FileState(file.file)
        let before = pages.withLock { pages in
            defer { pages[file.node] = now.map { KeptPages(file: $0) } }
            return pages[file.node]
        }
        if let now, let before, !before.isLeft, now == before.file { return .kept }
        told.forget(file.node)
        await notices.tell(.attributes(of: file.node))
        return .new
    }

    /// What is being written is read from the same file.
    private func openJoining(_ location: Location, _ node: UInt64, bringing: Bool) async throws -> OpenFile {
        for attempt in 0... {
            if let writer = try await writers.join(node) { return opened(writer, node, joined: true) }
            do {
                return try await openForReading(location, node, bringing: bringing)
            } catch let error as DocumentError where error.code == .destinationExists && attempt < Self.mostLooks {
                // A program has begun to write it anew while its contents came, which have no place any more.
                try await Task.sleep(for: Self.moment)
            }
        }
        throw Errno.staleNFSFileHandle
    }

    /// - Parameter bringing: whether contents may be brought for it; else it gets what is here and current.
    private func openForReading(_ location: Location, _ node: UInt64, bringing: Bool) async throws -> OpenFile {
        if let reader = readers.join(node) {
            if bringing || reader.coming == nil { return opened(reader) }
            reader.leave()
        }
        return try await link.with { session in
            for attempt in 0... {
                let hold =
                    bringing
                    ? try await hold(location, .reading(ahead: readsAhead), session)
                    : try await session.hold(location, .keeping)
                let isComing = hold.status?.hasCurrentContents != true
                do {
                    try check(hold, of: node, at: location)
                    guard bringing || !isComing else { throw Errno.notPermitted }
                    return opened(try await reader(of: node, at: location, hold, isComing: isComing, session))
                } catch let error as Errno where error == .noSuchFileOrDirectory && isComing {
                    // The rest has come meanwhile, and the document is about to be in its place.
                    await hold.endAndWait()
                    // For a program, what does not exist is to be made.
                    guard attempt < Self.mostMoments else { throw Errno.staleNFSFileHandle }
                    try await Task.sleep(for: Self.moment)
                } catch {
                    await hold.endAndWait()
                    throw error
                }
            }
            throw Errno.staleNFSFileHandle
        }
    }

    private static let moment = Duration.milliseconds(20)
    /// A large document is flushed before it is in its place: a minute is waited for that at least, and nobody waits for ever.
    private static let mostMoments = 3_000

    private func reader(
        of node: UInt64, at location: Location, _ hold: AccessHold, isComing: Bool, _ session: HostSession
    ) async throws -> Reader {
        let file = try await openFile(hold.path, .readOnly)
        let reader = Reader(
            node: node, file: file, hold: hold,
            coming: isComing ? coming(node, file, size: hold.status?.item.size ?? 0) : nil,
            number: number(of: node, hold.status?.item, in: location.domain), location: location, session: session
        ) { [readers] in readers.discard($0) }
        readers.insert(reader)
        return reader
    }

    /// - Throws: `tooManyOpenFiles` when programs have all of them open.
    func openFile(
        _ path: FilePath, _ mode: FileDescriptor.AccessMode, making: Bool = false
    ) async throws -> FileDescriptor {
        // What lies there already is nobody's that this is about.
        let options: FileDescriptor.OpenOptions = making ? [.create, .exclusiveCreate] : []
        for attempt in 0... {
            do {
                return try await disk.run {
                    try FileDescriptor.open(
                        path, mode, options: options.union([.noFollow, .closeOnExec]),
                        permissions: making ? .ownerReadWrite : nil)
                }
            } catch let error as Errno where error == .tooManyOpenFiles && attempt < Self.mostLooks {
                readers.closeIdle()
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        throw Errno.tooManyOpenFiles
    }

    private func opened(_ reader: Reader) -> OpenFile {
        OpenFile(
            node: reader.node, file: reader.file, writer: nil, coming: reader.coming, opening: reader.opening,
            number: reader.number, isWritable: reader.isWritable
        ) { reader.leave() }
    }

    private func number(of node: UInt64, _ item: Item?, in domain: DomainName) -> UInt64 {
        nodes.withLock { $0.inode(of: node) } ?? item.map { NodeAttributes.number(of: $0.id, in: domain) } ?? node
    }

    func read(_ handle: UInt64, at offset: Int64, count: Int, _ request: KernelRequest) {
        guard let file = files[handle] else { return request.fail(.badFileDescriptor) }
        let range = offset..<offset + Int64(count)
        guard let coming = file.coming, !coming.has(range) else {
            return request.reply(from: file.file, at: offset, count: count)
        }
        request.answer { [self] request in
            do {
                try await coming.bring(range)
                request.reply(from: file.file, at: offset, count: count)
            } catch {
                refuse(request, error)
            }
        }
    }

    /// What is read while it comes. Each time under an access of its own; what is read has to be of the file that was opened.
    private func coming(_ node: UInt64, _ file: FileDescriptor, size: Int64) -> ComingContents {
        ComingContents(size: size) { [self] range in
            guard case .item(let location)? = nodes.withLock({ $0.place(of: node) }) else {
                throw Errno.staleNFSFileHandle
            }
            do {
                return try await following(node, from: location) { try await bring(range, of: file, at: $0) }
            } catch let error as DocumentError where error.code == .noSuchItem {
                // It was removed meanwhile, and what has not come does not come any more.
                throw Errno.staleNFSFileHandle
            }
        }
    }

    /// - Returns: whether all of it has come.
    private func bring(
        _ range: Range<Int64>, of file: FileDescriptor, at location: Location
    ) async throws -> Bool {
        try await link.with { session in
            while true {
                // All of it has come: nobody is to be waited for, also when there is something newer by now.
                if try isFile(file, at: try await session.client.knownItem(at: location).path) == true {
                    return true
                }
                let isWhole = try await queue.with(location.domain) { () async throws -> Bool? in
                    let hold = try await session.hold(location, .reading(ahead: false))
                    defer { hold.end() }
                    let isWhole = hold.status?.hasCurrentContents == true
                    if let isSame = try isFile(file, at: hold.path.string) {
                        guard isSame else { throw Errno.staleNFSFileHandle }
                        if !isWhole { try await awaitContents(range, under: hold) }
                        return isWhole
                    }
                    guard !isWhole else { throw Errno.staleNFSFileHandle }
                    return nil
                }
                if let isWhole { return isWhole }
                // The rest has come meanwhile, and the document is about to be in its place.
                try await Task.sleep(for: Self.moment)
            }
        }
    }

    private func awaitContents(_ range: Range<Int64>, under hold: AccessHold) async throws {
        do {
            try await hold.awaitContents(range)
        } catch let error where error.code == .destinationExists {
            // It is being written anew.
            throw Errno.staleNFSFileHandle
        }
    }

    /// - Returns: nil when nothing is there.
    private func isFile(_ file: FileDescriptor, at path: String) throws -> Bool? {
        guard let own = FileState(file) else { throw Errno.staleNFSFileHandle }
        return FileState(at: path).map(own.isFile)
    }

    func close(_ handle: UInt64, _ request: KernelRequest) {
        let file = files.remove(handle)
        if let file { directly.close(file.node, request.session) }
        request.succeed()
        guard let file else { return }
        // Nobody waits for it, but the end of the mount.
        Task(executorPreference: link.loop) { await file.close() }
    }
}
