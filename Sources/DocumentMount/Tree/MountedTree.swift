import DocumentClient
import DocumentModel
import DocumentTransport
import Glibc
import Synchronization
import SystemPackage

/// Answers the kernel: names and attributes from what the host knows, contents from the files in the storage root.
///
/// What can wait is answered in a task of its own, so that a document that does not come keeps nobody else waiting.
final class MountedTree: KernelHandler {
    let link: HostLink
    let address: HostAddress
    let policy: DownloadPolicy
    /// Whether others of a folder may be fetched ahead of a program that opens its documents one after the other.
    let readsAhead: Bool
    let nodes = Mutex(NodeTable())
    let changes: NameChanges
    let files = HandleTable<OpenFile>()
    let writers: Writers
    let readers = Readers()
    let directly = DirectFiles()
    let folders = HandleTable<OpenFolder>()
    /// Of which file the kernel may have pages.
    let pages = Mutex<[UInt64: KeptPages]>([:])
    /// Of documents that programs have opened.
    let told = ToldAttributes()
    /// Which folders' names the kernel may keep.
    let listings = Mutex(ListingTable())
    let freshness = Freshness()
    let notices = KernelNotices()
    /// Who waits for contents.
    let queue = ContentsQueue()
    /// For calls that touch the disk.
    let disk = BlockingPool(threads: 4, name: "docent-mount")
    private let started = Timestamp(seconds: Int64(time(nil)))
    private let explain: DocumentMount.Explanation?

    init(
        link: HostLink, address: HostAddress, policy: DownloadPolicy, readsAhead: Bool = true,
        explain: DocumentMount.Explanation? = nil
    ) {
        self.readsAhead = readsAhead
        self.explain = explain
        self.link = link
        changes = NameChanges(patience: link.patience)
        writers = Writers(on: link.loop)
        self.policy = policy
        self.address = address
    }

    /// Ends all that programs have open, and returns when the host has recorded it.
    func closeAll() async {
        readers.closeAll()
        for file in files.removeAll() { await file.close() }
        _ = folders.removeAll()
        await writers.endAll()
    }

    /// A program gets a number; whoever wants to know more, the sentence.
    func refuse(_ request: KernelRequest, _ error: any Error) {
        if let explain, let error = error as? DocumentError, !ErrorNumber.isPlain(error) { explain(error) }
        request.fail(ErrorNumber.of(error))
    }

    /// The same for an item that the kernel knows already: where it is gone, the kernel looks its name up again, and goes by what it
    /// finds. So a name that was removed past the mount can be made anew at once: who opens one to make it has its attributes
    /// asked for first, where the kernel knows them no more.
    func refuseKnown(_ request: KernelRequest, _ error: any Error) {
        guard ErrorNumber.of(error) == .noSuchFileOrDirectory else { return refuse(request, error) }
        request.fail(.staleNFSFileHandle)
    }

    // MARK: Names and attributes

    func lookUp(_ name: String, in folder: UInt64, _ request: KernelRequest) {
        guard name.utf8.count <= ItemName.maximumLength else { return request.fail(.fileNameTooLong) }
        guard let name = try? ItemName(name), let location = nodes.withLock({ $0.location(of: name, in: folder) })
        else { return request.fail(.noSuchFileOrDirectory) }
        request.answer { [self] request in
            do {
                try await following(name, in: folder, from: location) { location in
                    try await reply(name, in: folder, location, request)
                }
            } catch {
                refuse(request, error)
            }
        }
    }

    /// Tells the kernel of a name, and counts that.
    private func reply(
        _ name: ItemName, in folder: UInt64, _ location: Location, _ request: KernelRequest
    ) async throws {
        // A program may change it meanwhile.
        for _ in 0..<Self.mostLooks {
            let (look, changes) = (freshness.look(), nodes.withLock { $0.changes })
            let (attributes, identity, path) = try await self.look(at: location)
            let left = nodes.withLock { $0.number(of: name, in: folder) }.flatMap { node in
                isReadElsewhere(node, attributes, at: path) ? node : nil
            }
            let known = try nodes.withLock { nodes in
                guard nodes.location(of: name, in: folder) == location else { throw Errno.noSuchFileOrDirectory }
                if let left, nodes.changes == changes, nodes.number(of: name, in: folder) == left {
                    nodes.remove(left)
                }
                return nodes.lookUp(name, in: folder, as: identity, inode: attributes.number, at: changes)
            }
            guard let known else { continue }
            told.forget(known.number)
            var entry = KernelEntry(
                node: known.number, attributes: shown(attributes, of: known.number, at: path), lifetime: 0)
            entry.attributes.number = known.inode
            let isTaken = freshness.answer(look, of: location) { lifetime in
                entry.lifetime = lifetime
                return request.reply(entry: entry)
            }
            if !isTaken { forget(known.number, 1) }
            return
        }
        throw Errno.staleNFSFileHandle
    }

    static let mostLooks = 20

    func forget(_ node: UInt64, _ count: UInt64) {
        guard nodes.withLock({ $0.forget(node, count) }) else { return }
        pages.withLock { $0[node] = nil }
        told.forget(node)
        listings.withLock { $0.forget(node) }
        readers.close([node])
    }

    func attributes(of node: UInt64, handle: UInt64?, _ request: KernelRequest) {
        let look = freshness.look()
        let (place, changes) = nodes.withLock { ($0.place(of: node), $0.changes) }
        if let attributes = openAttributes(of: node, handle) {
            return reply(attributes, of: node, at: place?.location, look, request)
        }
        guard let place else {
            // It has no name any more, and is read on.
            guard let opening = opening(of: node) else { return request.fail(.staleNFSFileHandle) }
            return reply(opening, of: node, at: nil, look, request)
        }
        guard let location = place.location else { return request.reply(top, lifetime: Freshness.short) }
        request.answer { [self] request in
            do {
                try await following(node, from: location) { location in
                    var (attributes, identity, path) = try await self.look(at: location)
                    let own = attributes.number
                    // It may have been opened meanwhile, and written to.
                    attributes = openAttributes(of: node, handle) ?? shown(attributes, of: node, at: path)
                    attributes.number = nodes.withLock { $0.found(node, as: identity, inode: own, at: changes) }
                    reply(attributes, of: node, at: location, look, request)
                }
            } catch {
                guard ErrorNumber.of(error) == .noSuchFileOrDirectory, let opening = opening(of: node) else {
                    return refuseKnown(request, error)
                }
                reply(opening, of: node, at: nil, look, request)
            }
        }
    }

    /// Of what programs read while it comes, as it was when they opened it.
    private func opening(of node: UInt64) -> NodeAttributes? {
        files.first { $0.node == node && $0.opening != nil }?.opening
    }

    private func reply(
        _ attributes: NodeAttributes, of node: UInt64, at location: Location?, _ look: Freshness.Look,
        _ request: KernelRequest
    ) {
        // What programs write the kernel knows before it is told.
        let isRead = !writers.isOpen(node) && pages.withLock { $0[node] != nil }
        freshness.answer(look, of: location) { lifetime in
            if isRead { told.tell(node, attributes, lifetime: lifetime) }
            request.reply(attributes, lifetime: lifetime)
        }
    }

    /// Of what a program has open: as its file is now.
    func openAttributes(of node: UInt64, _ handle: UInt64?) -> NodeAttributes? {
        handle.flatMap { files[$0] }?.attributes ?? writtenAttributes(of: node)
            ?? files.first { $0.node == node }?.attributes ?? readers.attributes(of: node)
    }

    /// Of what programs write, or have written just now: until that is recorded, the host knows what was there before.
    private func writtenAttributes(of node: UInt64) -> NodeAttributes? {
        guard let facts = writers.facts(of: node) else { return nil }
        return NodeAttributes(
            ofFile: facts, number: nodes.withLock { $0.inode(of: node) } ?? node, isWritable: true)
    }

    /// What the kernel is told of a number, where this was found under its name. What it takes for the file's size, it cuts off
    /// what programs have written, or read, behind.
    ///
    /// - Parameter path: of what was found, where its file stands for it.
    private func shown(_ found: NodeAttributes, of node: UInt64, at path: String?) -> NodeAttributes {
        if let written = writtenAttributes(of: node) { return written }
        guard let read = files.first(where: { $0.node == node && $0.opening != nil }), let opening = read.opening,
            !isFile(of: read, at: path)
        else { return found }
        return opening
    }

    /// What programs have open: what is told of it by name is looked at.
    func openNodes() -> Set<UInt64> { writers.nodes.union(files.values.map(\.node)) }

    /// Whether what is found under a name is told of with the number of what is open: not while that is something else. Of that
    /// the kernel asks.
    func isTold(_ found: NodeAttributes, of node: UInt64) -> Bool {
        shown(found, of: node, at: nil) == found && !isReadElsewhere(node, found, at: nil)
    }

    /// Whether programs read another file under a number than is found under its name by now: the newer one gets a number of its
    /// own, so that they read theirs to its end.
    func isReadElsewhere(_ node: UInt64, _ found: NodeAttributes, at path: String?) -> Bool {
        guard !found.isFolder else { return false }
        if writers.isOpen(node) { return path.map { isReplaced(node, at: $0) } ?? false }
        guard let read = files.first(where: { $0.node == node }), let own = read.attributes ?? read.opening,
            (own.size, own.modified) != (found.size, found.modified)
        else { return false }
        return !isFile(of: read, at: path)
    }

    /// Whether programs have a file open to write that something else has replaced since the host has ended: what they write is
    /// refused, and who opens the document by now gets the other one.
    func isReplaced(_ node: UInt64, at path: String) -> Bool {
        guard let writer = writers.writer(of: node), !writer.isLive else { return false }
        return !writer.isAt(path)
    }

    private func isFile(of read: OpenFile, at path: String?) -> Bool {
        guard let path, let there = FileState(at: path), let own = FileState(read.file) else { return false }
        return own.isFile(of: there)
    }

    /// From what is known on this machine.
    ///
    /// - Returns: with the path of its file, where that stands for it.
    func look(
        at location: Location
    ) async throws -> (attributes: NodeAttributes, identity: NodeTable.Identity, path: String?) {
        if location.isRoot {
            let domains = try await link.with { try await $0.client.domains() }
            guard domains.contains(where: { $0.name == location.domain }) else { throw Errno.noSuchFileOrDirectory }
            return (attributes(ofDomain: location.domain), NodeTable.Identity(id: .root, isFolder: true), nil)
        }
        var status = try await known(at: location)
        var attributes = try await attributes(of: [status])[0]
        // Its file was moved in between: it is somewhere else by now.
        for _ in 0..<Self.mostLooks where attributes == nil {
            try await Task.sleep(for: .milliseconds(5))
            status = try await known(at: location)
            attributes = try await self.attributes(of: [status])[0]
        }
        return (
            attributes ?? NodeAttributes(status, file: nil), NodeTable.Identity(status),
            status.hasCurrentContents ? status.path : nil
        )
    }

    /// Waits for an access that a document's contents may have to be brought for.
    ///
    /// - Parameter patience: how long others are waited for, where nothing has to be brought; nil: as long as it takes.
    func hold(
        _ location: Location, _ kind: AccessHold.Kind, within patience: Duration? = nil, _ session: HostSession
    ) async throws -> AccessHold {
        let isHere = { try await session.client.knownItem(at: location).hasCurrentContents }
        return try await queue.with(location.domain, unless: isHere) {
            var limit: Duration?
            // What is brought takes its time.
            if let patience, try await isHere() { limit = patience }
            return try await session.hold(location, kind, within: limit)
        }
    }

    func known(at location: Location) async throws -> ItemStatus {
        let status = try await link.with { try await $0.knownItem(at: location) }
        guard status.state != .nameClash else { throw Errno.noSuchFileOrDirectory }
        return status
    }

    /// - Returns: nil for what has contents here, and no file where it was said to be.
    func attributes(of statuses: [ItemStatus]) async throws -> [NodeAttributes?] {
        guard statuses.contains(where: \.hasCurrentContents) else {
            return statuses.map { NodeAttributes($0, file: nil) }
        }
        return try await disk.run {
            statuses.map { status in
                // What is outdated is brought anew when it is opened: who compares sizes and times is to see that.
                guard status.hasCurrentContents else { return NodeAttributes(status, file: nil) }
                return FileState(at: status.path).map { NodeAttributes(status, file: $0.facts) }
            }
        }
    }

    /// Told without asking its provider, so that the folder of all domains is always there.
    func attributes(ofDomain domain: DomainName) -> NodeAttributes {
        NodeAttributes(
            number: NodeAttributes.number(of: .root, in: domain), isFolder: true, modified: started, isWritable: true)
    }

    var top: NodeAttributes { NodeAttributes(number: NodeTable.top, isFolder: true, modified: started) }

    func fileSystem(_ request: KernelRequest) { request.reply(fileSystemOf: address.root) }
}
