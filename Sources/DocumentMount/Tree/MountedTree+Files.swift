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
        let isDenied = policy.denies(request.process)
        let program = DownloadPolicy.program(request.process)
        request.answer { [self] request in
            do {
                if isDenied, try await !known(at: location).hasCurrentContents { throw Errno.notPermitted }
                let file = try await OnBehalf.$current.withValue(program) {
                    if flags.isWriting { return opened(try await writer(of: node, at: location), node) }
                    if let writer = try await writers.join(node) { return opened(writer, node) }
                    return try await openForReading(location, node)
                }
                if flags.isWriting, flags.truncates {
                    do {
                        try await disk.run { try file.writer?.truncate(to: 0) }
                    } catch {
                        await file.close()
                        throw error
                    }
                }
                let keepsPages = await hasPages(of: file)
                let handle = files.insert(file)
                guard !request.reply(opened: handle, keepsPages: keepsPages) else { return }
                files.remove(handle)
                await file.close()
            } catch {
                refuse(request, error)
            }
        }
    }

    /// Whether the kernel's pages of a file are still right. Where they are not, its size may be another one, too.
    private func hasPages(of file: OpenFile) async -> Bool {
        let now = FileState(file.file)
        let before = pages.withLock { pages in
            defer { pages[file.node] = now }
            return pages[file.node]
        }
        if let now, now == before { return true }
        await notices.tell(.attributes(of: file.node))
        return false
    }

    private func openForReading(_ location: Location, _ node: UInt64) async throws -> OpenFile {
        let hold = try await link.with { try await $0.hold(location, .reading) }
        do {
            let path = hold.path
            let file = try await disk.run {
                try FileDescriptor.open(path, .readOnly, options: [.noFollow, .closeOnExec])
            }
            let item = hold.status?.item
            return OpenFile(
                node: node, file: file, writer: nil, number: number(of: node, item, in: location.domain),
                isWritable: item?.capabilities.contains(.write) ?? false
            ) {
                try? file.close()
                await hold.endAndWait()
            }
        } catch {
            await hold.endAndWait()
            throw error
        }
    }

    private func number(of node: UInt64, _ item: Item?, in domain: DomainName) -> UInt64 {
        nodes.withLock { $0.inode(of: node) } ?? item.map { NodeAttributes.number(of: $0.id, in: domain) } ?? node
    }

    func read(_ handle: UInt64, at offset: Int64, count: Int, _ request: KernelRequest) {
        guard let file = files[handle] else { return request.fail(.badFileDescriptor) }
        request.reply(from: file.file, at: offset, count: count)
    }

    func close(_ handle: UInt64, _ request: KernelRequest) {
        let file = files.remove(handle)
        request.succeed()
        guard let file else { return }
        // Nobody waits for it, but the end of the mount.
        Task { await file.close() }
    }
}
