import CDocentShims
import DocumentClient
import DocumentModel
import DocumentTransport
import Glibc
import Synchronization
import SystemPackage

/// Documents that programs write: into the file in the storage root, under a claim that lasts until a while after they have
/// closed it. Should this process die, or the host, what was written is there, and is found.
extension MountedTree {
    func create(_ name: String, in folder: UInt64, _ flags: OpenFlags, _ request: KernelRequest) {
        make(name, in: folder, isExclusive: flags.isExclusive, request) { [self] file, made, request in
            reply(file, made, request)
        }
    }

    func makeDocument(_ name: String, in folder: UInt64, _ request: KernelRequest) {
        make(name, in: folder, isExclusive: true, request) { [self] file, made, request in
            defer { Task(executorPreference: link.loop) { await file.close() } }
            let look = freshness.look()
            guard let attributes = file.attributes else { return request.fail(.ioError) }
            let isTaken = freshness.answer(look, of: nil) { lifetime in
                request.reply(entry: KernelEntry(node: made.number, attributes: attributes, lifetime: lifetime))
            }
            if !isTaken { forget(made.number, 1) }
        }
    }

    /// - Parameter reply: answers with what was made.
    private func make(
        _ name: String, in folder: UInt64, isExclusive: Bool, _ request: KernelRequest,
        _ reply: @escaping @Sendable (OpenFile, (number: UInt64, inode: UInt64), KernelRequest) -> Void
    ) {
        guard name.utf8.count <= ItemName.maximumLength else { return request.fail(.fileNameTooLong) }
        guard let name = try? ItemName(name) else { return request.fail(.invalidArgument) }
        guard nodes.withLock({ $0.location(of: name, in: folder) })?.isRoot == false else {
            return request.fail(.notPermitted)
        }
        request.answer { [self] request in
            do {
                let (file, made) = try await changingNames(in: folder) { try await make(name, in: folder) }
                reply(file, made, request)
            } catch {
                var number = ErrorNumber.of(error)
                // The kernel looks again, and finds what has come there meanwhile; what only resembles the name it would not find.
                if number == .fileExists, !isExclusive, await isThere(name, in: folder) {
                    number = .staleNFSFileHandle
                }
                request.fail(number)
            }
        }
    }

    private func make(
        _ name: ItemName, in folder: UInt64
    ) async throws -> (file: OpenFile, made: (number: UInt64, inode: UInt64)) {
        let location = try place(of: name, in: folder)
        let hold = try await holdNew(location)
        let writer = try await open(hold)
        guard let status = hold.status else { throw Errno.ioError }
        let inode = NodeAttributes.number(of: status.item.id, in: location.domain)
        let made = nodes.withLock {
            $0.made(name, in: folder, as: NodeTable.Identity(status), inode: inode)
        }
        namesChanged(in: folder)
        guard let made else {
            await writer.close()
            throw Errno.staleNFSFileHandle
        }
        keep(made.number, for: writer)
        return (opened(try await writers.use(made.number) { writer }, made.number), made)
    }

    private func isThere(_ name: ItemName, in folder: UInt64) async -> Bool {
        guard let location = try? place(of: name, in: folder) else { return false }
        return (try? await knownIfPresent(at: location)) != nil
    }

    private func holdNew(_ location: Location) async throws -> AccessHold {
        try await link.with {
            try await $0.hold(location, .creating, within: $0.patience)
        } ifDone: { refusal in
            // The kernel asks for documents where it has found nothing; this one nobody has written yet.
            guard refusal.code == .destinationExists else { return nil }
            let there = try await known(at: location)
            guard there.item.kind == .document, there.item.size ?? 0 == 0 else { return nil }
            return try await link.with { try await $0.hold(location, .writing, within: $0.patience) }
        }
    }

    private func reply(_ file: OpenFile, _ made: (number: UInt64, inode: UInt64), _ request: KernelRequest) {
        let session = request.session
        let look = freshness.look()
        guard let attributes = file.attributes else {
            Task(executorPreference: link.loop) { await file.close() }
            return request.fail(.ioError)
        }
        // Its number is new: nobody has anything else open under it.
        _ = directly.open(file, for: .watching, .new, session)
        let handle = files.insert(file)
        let isTaken = freshness.answer(look, of: nil) { lifetime in
            let entry = KernelEntry(node: made.number, attributes: attributes, lifetime: lifetime)
            return request.reply(created: entry, opened: handle)
        }
        if isTaken { return }
        forget(made.number, 1)
        files.remove(handle)
        directly.close(file.node, session)
        Task(executorPreference: link.loop) { await file.close() }
    }

    /// One more user of a document that is written.
    ///
    /// - Parameters:
    ///   - emptying: nothing that was in it is wanted: then it need not be brought.
    ///   - bringing: whether contents may be brought for it.
    ///   - isOpened: whether a program opens it; else other tools are not waited for for long.
    func writer(
        of node: UInt64, at location: Location, emptying: Bool = false, bringing: Bool, isOpened: Bool = true
    ) async throws -> Writer {
        told.forget(node)
        return try await writers.use(node) { [self] in
            for attempt in 0... {
                do {
                    let writer = try await open(
                        node, at: location, emptying: emptying, bringing: bringing, isOpened: isOpened)
                    keep(node, for: writer)
                    return writer
                } catch let error as Errno where error == .fileExists && attempt < Self.mostLooks {
                    // Its contents have come meanwhile, for a program that reads it.
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            throw Errno.staleNFSFileHandle
        }
    }

    private func open(
        _ node: UInt64, at location: Location, emptying: Bool, bringing: Bool, isOpened: Bool
    ) async throws -> Writer {
        var isReplacing = false
        if emptying || !bringing {
            let status = try await known(at: location)
            // Of what is outdated the newest version is replaced, and brought for that.
            isReplacing = emptying && status.state == .placeholder
            if !bringing, !isReplacing, !status.hasCurrentContents { throw Errno.notPermitted }
        }
        let hold = try await link.with { session in
            let patience = isOpened ? nil : session.patience
            return isReplacing
                ? try await session.hold(location, .replacing, within: patience)
                : try await self.hold(location, .writing, within: patience, session)
        }
        do {
            try check(hold, of: node, at: location)
        } catch {
            await hold.endAndWait()
            throw error
        }
        return try await open(hold, making: isReplacing)
    }

    /// The kernel may forget a file that no program has open any more. Until what was written is recorded, it is to find it
    /// under the same number, with the size that it has by now.
    private func keep(_ node: UInt64, for writer: Writer) {
        nodes.withLock { $0.keep(node) }
        writers.opened(writer, as: node)
        writer.onClose { [self, writer = ObjectIdentifier(writer)] in
            writers.closed(writer, of: node)
            forget(node, 1)
        }
    }

    private func open(_ hold: AccessHold, making: Bool = false) async throws -> Writer {
        do {
            return Writer(
                file: try await openFile(hold.path, .readWrite, making: making), hold: hold, on: link.loop)
        } catch {
            await hold.endAndWait()
            throw error
        }
    }

    /// - Parameter joined: it is only read.
    func opened(_ writer: Writer, _ node: UInt64, joined: Bool = false) -> OpenFile {
        let inode = nodes.withLock { $0.inode(of: node) } ?? node
        return OpenFile(node: node, file: writer.file, writer: writer, number: inode, isWritable: true) { [self] in
            writers.leave(node, joined: joined)
        }
    }

    // MARK: What is done with one that is open

    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, _ flags: OpenFlags, _ handle: UInt64,
        _ request: KernelRequest
    ) {
        guard let file = files[handle], let writer = file.writer else { return request.fail(.badFileDescriptor) }
        let offset = flags.appends ? end(of: writer, file.node, supposed: offset) : offset
        if writer.isLive { return write(bytes, at: offset, writer, request) }
        let bytes = Array(bytes)
        request.answer { [self] request in
            do {
                try await revive(writer, file.node)
                try await disk.run { bytes.withUnsafeBytes { self.write($0, at: offset, writer, request) } }
            } catch {
                refuse(request, error)
            }
        }
    }

    /// Where the file ends. The kernel goes by the size that it was told last, and newer contents may have come since, with
    /// the open that is appended through.
    private func end(of writer: Writer, _ node: UInt64, supposed offset: Int64) -> Int64 {
        guard let size = FileState(writer.file)?.facts.size, size != offset else { return offset }
        notices.add(.contents(of: node))
        return size
    }

    private func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, _ writer: Writer, _ request: KernelRequest
    ) {
        do throws(Errno) {
            try writer.write(bytes, at: offset)
            request.reply(written: bytes.count)
        } catch {
            request.fail(error)
        }
    }

    /// The host has ended since, and another one does not know that the document is being written.
    ///
    /// - Throws: `ESTALE` when something else has taken the file's place meanwhile: what would be written, nobody would see.
    private func revive(_ writer: Writer, _ node: UInt64) async throws {
        guard case .item(let location)? = nodes.withLock({ $0.place(of: node) }) else {
            throw Errno.staleNFSFileHandle
        }
        try await following(node, from: location) { location in
            let hold = try await link.with { try await $0.hold(location, .writing) }
            let path = hold.path.string
            guard try await disk.run({ writer.isAt(path) }) else {
                await hold.endAndWait()
                throw Errno.staleNFSFileHandle
            }
            writer.take(hold).end()
        }
    }

    func flush(_ handle: UInt64, _ request: KernelRequest) {
        guard let file = files[handle] else { return request.fail(.badFileDescriptor) }
        request.answer { [self] request in
            do {
                // What others have written since it was opened for reading is flushed, too.
                var joined: Writer?
                if file.writer == nil { joined = try await writers.join(file.node) }
                defer { if joined != nil { writers.leave(file.node, joined: true) } }
                guard let writer = file.writer ?? joined else {
                    // Who closed it last may be just ending, with what was written not recorded as yet.
                    try await settle(file.node)
                    return request.succeed()
                }
                if !writer.isLive { try await revive(writer, file.node) }
                try await disk.run { try writer.flush() }
                do {
                    try await writer.flushDocument()
                } catch let error as DocumentError where error.code == .hostUnavailable {
                    // It has ended in this moment.
                    try await revive(writer, file.node)
                    try await writer.flushDocument()
                }
                request.succeed()
            } catch {
                refuse(request, error)
            }
        }
    }

    /// Returns when those who have closed a document are through with it: what is recorded is on the disk. Who waits for that
    /// can be interrupted.
    private func settle(_ node: UInt64) async throws {
        let (end, ending) = AsyncStream<Never>.makeStream()
        Task(executorPreference: link.loop) { [self] in
            await writers.settle(node)
            ending.finish()
        }
        for await _ in end {}
        try Task.checkCancellation()
    }

    /// The names in a folder, as far as programs have been told that they are there, or gone.
    func flushFolder(_ node: UInt64, _ request: KernelRequest) {
        guard let place = nodes.withLock({ $0.place(of: node) }) else { return request.succeed() }
        // The folder of all domains has only names that the host has written down.
        guard case .item(let location) = place else { return request.succeed() }
        request.answer { [self] request in
            do {
                try await following(node, from: location) { location in
                    try await link.with { try await $0.flushFolder(at: location) }
                }
                request.succeed()
            } catch {
                refuse(request, error)
            }
        }
    }

    func allocate(_ size: Int64, at offset: Int64, mode: Int32, _ handle: UInt64, _ request: KernelRequest) {
        guard let file = files[handle], let writer = file.writer else { return request.fail(.badFileDescriptor) }
        request.answer { [self] request in
            do {
                if !writer.isLive { try await revive(writer, file.node) }
                try await disk.run { try writer.allocate(size, at: offset, mode: mode) }
                request.succeed()
            } catch {
                refuse(request, error)
            }
        }
    }

    // MARK: Attributes

    func set(_ changes: AttributeChanges, of node: UInt64, handle: UInt64?, _ request: KernelRequest) {
        guard changes.owner ?? getuid() == getuid(), changes.group ?? getgid() == getgid() else {
            return request.fail(.notPermitted)
        }
        let isTime = changes.modified != nil || changes.isModifiedNow
        let place = nodes.withLock { $0.place(of: node) }
        let open = handle.flatMap { files[$0] } ?? files.first { $0.node == node && $0.writer != nil }
        guard changes.size != nil || isTime else { return attributes(of: node, handle: handle, request) }
        let isDenied = policy.denies(request.process, user: request.user)
        let program = AskingProcess.program(request.process)
        request.answer { [self] request in
            do {
                if let writer = open?.writer {
                    if !writer.isLive { try await revive(writer, node) }
                    try await apply(changes, to: writer)
                } else {
                    guard case .item(let location)? = place else { throw Errno.staleNFSFileHandle }
                    try await OnBehalf.$current.withValue(program) {
                        try await following(node, from: location) { location in
                            try await apply(changes, to: node, at: location, bringing: !isDenied)
                        }
                    }
                }
                freshness.changed()
                attributes(of: node, handle: handle, request)
            } catch {
                refuse(request, error)
            }
        }
    }

    private func apply(
        _ changes: AttributeChanges, to node: UInt64, at location: Location, bringing: Bool
    ) async throws {
        // Those of folders are the provider's.
        guard !location.isRoot, try await known(at: location).item.kind == .document else { return }
        let writer = try await writer(
            of: node, at: location, emptying: changes.size == 0, bringing: bringing, isOpened: false)
        defer { writers.leave(node) }
        if !writer.isLive { try await revive(writer, node) }
        try await apply(changes, to: writer)
    }

    private func apply(_ changes: AttributeChanges, to writer: Writer) async throws {
        try await disk.run {
            if let size = changes.size { try writer.truncate(to: size) }
            if changes.modified != nil || changes.isModifiedNow { try writer.setModified(changes.modified) }
        }
    }
}
