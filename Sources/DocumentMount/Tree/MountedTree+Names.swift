import CDocentShims
import DocumentClient
import DocumentModel
import DocumentTransport
import Glibc
import Synchronization
import SystemPackage

/// Names that programs make, change and remove.
///
/// The kernel asks for one change of a folder at a time; what is entered into ``NodeTable`` is so before it is answered.
extension MountedTree {
    func makeFolder(_ name: String, in folder: UInt64, _ request: KernelRequest) {
        guard name.utf8.count <= ItemName.maximumLength else { return request.fail(.fileNameTooLong) }
        guard let name = try? ItemName(name) else { return request.fail(.invalidArgument) }
        guard nodes.withLock({ $0.location(of: name, in: folder) })?.isRoot == false else {
            return request.fail(.notPermitted)
        }
        request.answer { [self] request in
            do {
                let (location, attributes, made) = try await changingNames(in: folder) {
                    try await makeFolder(name, in: folder)
                }
                var entry = KernelEntry(node: made.number, attributes: attributes, lifetime: 0)
                entry.attributes.number = made.inode
                let isTaken = freshness.answer(freshness.look(), of: location) { lifetime in
                    entry.lifetime = lifetime
                    return request.reply(entry: entry)
                }
                if !isTaken { forget(made.number, 1) }
            } catch {
                refuse(request, error)
            }
        }
    }

    private func makeFolder(
        _ name: ItemName, in folder: UInt64
    ) async throws -> (Location, NodeAttributes, made: (number: UInt64, inode: UInt64)) {
        let location = try place(of: name, in: folder)
        let status = try await make(location)
        let attributes = NodeAttributes(status, file: nil)
        let made = nodes.withLock {
            $0.made(name, in: folder, as: NodeTable.Identity(status), inode: attributes.number)
        }
        namesChanged(in: folder)
        guard let made else { throw Errno.staleNFSFileHandle }
        return (location, attributes, made)
    }

    func place(of name: ItemName, in folder: UInt64) throws(Errno) -> Location {
        guard let location = nodes.withLock({ $0.location(of: name, in: folder) }) else {
            throw .noSuchFileOrDirectory
        }
        return location
    }

    private func make(_ location: Location) async throws -> ItemStatus {
        try await link.with {
            try await $0.client.makeFolder(at: location, atOnce: true)
        } ifDone: { refusal in
            // The kernel asks for folders where it has found nothing.
            guard [.destinationExists, .nameCollision].contains(refusal.code) else { return nil }
            let there = try await known(at: location)
            guard there.item.kind == .folder, try await isEmpty(location) else { return nil }
            return there
        }
    }

    func remove(_ name: String, in folder: UInt64, isFolder: Bool, _ request: KernelRequest) {
        guard let name = try? ItemName(name), let location = nodes.withLock({ $0.location(of: name, in: folder) })
        else { return request.fail(.noSuchFileOrDirectory) }
        guard !location.isRoot else { return request.fail(.notPermitted) }
        request.answer { [self] request in
            do {
                try await changingNames(in: folder) {
                    let location = try place(of: name, in: folder)
                    if isFolder, try await !isEmpty(location) { throw Errno.directoryNotEmpty }
                    try await remove(location, node(name, folder))
                    await removed(name, in: folder)
                }
                request.succeed()
            } catch {
                refuse(request, error)
            }
        }
    }

    private func remove(_ location: Location, _ node: UInt64?) async throws {
        if let node, writers.isOpen(node) {
            let status = try await known(at: location)
            // What its provider knows it may refuse to remove: nobody is to find the file missing meanwhile.
            if !nodes.withLock({ $0.isNew(node, as: status.item.id) }) { await writers.end(node) }
            if writers.isOpen(node) { return try await remove(location, withFileAt: status.path) }
        }
        // One that is just being closed, be it only since this has begun, still has the file open, and the host would not
        // remove that.
        if let node { await writers.settle(node) }
        try await removeUnused(location)
    }

    private func removeUnused(_ location: Location) async throws {
        try await link.with {
            try await $0.remove(location)
        } ifDone: { refusal in
            refusal.code == .noSuchItem ? () : nil
        }
    }

    private func move(_ origin: Location, to destination: Location) async throws {
        try await link.with {
            try await $0.move(origin, to: destination)
        } ifDone: { refusal in
            guard [.noSuchItem, .destinationExists, .nameCollision].contains(refusal.code) else { return nil }
            guard try await knownIfPresent(at: origin) == nil else { return nil }
            return try await knownIfPresent(at: destination).map { _ in () }
        }
    }

    private func removed(_ name: ItemName, in folder: UInt64) async {
        let node = nodes.withLock { nodes in
            let node = nodes.number(of: name, in: folder)
            nodes.removed(name, in: folder)
            return node
        }
        namesChanged(in: folder)
        if let node { await writers.unlink(node) }
    }

    /// - Throws: `deadlineExceeded` for a folder that was never listed, when its provider does not answer soon.
    private func isEmpty(_ location: Location) async throws -> Bool {
        try await link.with { session in
            try await session.client.knownItemPage(in: location, suggestedCount: 1, within: session.patience)
        }.items.isEmpty
    }

    func rename(
        _ name: String, in folder: UInt64, to newName: String, in newFolder: UInt64, flags: UInt32,
        _ request: KernelRequest
    ) {
        // Both at once, and what else there may be.
        guard flags & ~UInt32(DOCENT_RENAME_NOREPLACE) == 0 else { return request.fail(.invalidArgument) }
        guard newName.utf8.count <= ItemName.maximumLength else { return request.fail(.fileNameTooLong) }
        guard let newName = try? ItemName(newName) else { return request.fail(.invalidArgument) }
        let places = nodes.withLock { nodes in
            (try? ItemName(name)).flatMap { nodes.location(of: $0, in: folder) }.flatMap { origin in
                nodes.location(of: newName, in: newFolder).map { (origin, $0) }
            }
        }
        guard let (origin, destination) = places, let name = origin.name ?? (try? ItemName(name)) else {
            return request.fail(.noSuchFileOrDirectory)
        }
        guard !origin.isRoot, !destination.isRoot else { return request.fail(.notPermitted) }
        guard origin.domain == destination.domain else { return request.fail(.improperLink) }
        let isDenied = policy.denies(request.process, user: request.user)
        let program = AskingProcess.program(request.process)
        request.answer { [self] request in
            do {
                try await changingNames(in: folder, newFolder, moving: node(name, folder)) {
                    let (origin, destination) = try (place(of: name, in: folder), place(of: newName, in: newFolder))
                    let replaced = try await OnBehalf.$current.withValue(program) {
                        try await rename(
                            origin, node(name, folder), to: destination, node(newName, newFolder),
                            replacing: flags == 0, isDenied: isDenied)
                    }
                    let gone = nodes.withLock { nodes in
                        let gone = nodes.number(of: newName, in: newFolder)
                        nodes.renamed(name, in: folder, to: newName, in: newFolder, replacing: replaced)
                        return gone
                    }
                    namesChanged(in: folder, newFolder)
                    if let gone { await writers.unlink(gone) }
                }
                request.succeed()
            } catch {
                refuse(request, error)
            }
        }
    }

    /// Programs have changed something: before they are told so, and the kernel goes by it.
    func namesChanged(in folders: UInt64...) {
        freshness.changed()
        listings.withLock { listings in for folder in folders { listings.changed(folder) } }
    }

    private func node(_ name: ItemName, _ folder: UInt64) -> UInt64? {
        nodes.withLock { $0.number(of: name, in: folder) }
    }

    /// - Returns: the identifier of the document that has got the contents of the renamed one; nil when it took a free place.
    private func rename(
        _ origin: Location, _ node: UInt64?, to destination: Location, _ replaced: UInt64?, replacing: Bool,
        isDenied: Bool
    ) async throws -> ItemIdentifier? {
        guard let there = try await knownIfPresent(at: destination) else {
            try await move(origin, to: destination)
            return nil
        }
        guard replacing else { throw Errno.fileExists }
        guard there.item.kind == .document else {
            guard try await isEmpty(destination) else { throw Errno.directoryNotEmpty }
            try await replaceFolder(at: destination, by: origin)
            return nil
        }
        guard let node else { throw Errno.noSuchFileOrDirectory }
        if there.marks.ignoredBy != nil, try await !isNew(node, at: origin) {
            // That is here alone: the document itself gets its name, so that the remote still has it.
            try await displace(destination, replaced, by: origin)
            return nil
        }
        // What is replaced is brought, to be kept as a version.
        if isDenied, !there.hasCurrentContents { throw Errno.notPermitted }
        try await replace(there, at: destination, with: origin, node, bringing: !isDenied)
        return there.item.id
    }

    /// Gives an item the place of an empty folder. Should it not come there, a folder is there as before.
    private func replaceFolder(at destination: Location, by origin: Location) async throws {
        // What was begun is ended, or taken back, also when the program is interrupted.
        try await Task(executorPreference: link.loop) { [self] in
            try await removeUnused(destination)
            do {
                try await move(origin, to: destination)
            } catch {
                _ = try? await make(destination)
                throw error
            }
        }.value
    }

    /// The remote has not got it, as far as is known.
    private func isNew(_ node: UInt64, at location: Location) async throws -> Bool {
        let id = try await known(at: location).item.id
        return nodes.withLock { $0.isNew(node, as: id) }
    }

    /// Gives an item the place of a document that is here alone, and goes only when the other one has come.
    private func displace(_ there: Location, _ node: UInt64?, by origin: Location) async throws {
        guard let folder = there.parent else { throw Errno.notPermitted }
        let name = ".nfs.docent-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        let aside = folder.appending(try ItemName(name))
        // What was begun is ended, or taken back, also when the program is interrupted.
        try await Task(executorPreference: link.loop) { [self] in
            try await move(there, to: aside)
            do {
                try await move(origin, to: there)
            } catch {
                try? await move(aside, to: there)
                throw error
            }
            // The name is the other one's by now, whatever becomes of this.
            try? await remove(aside, node)
        }.value
    }

    func knownIfPresent(at location: Location) async throws -> ItemStatus? {
        do {
            return try await known(at: location)
        } catch {
            guard ErrorNumber.of(error) == .noSuchFileOrDirectory else { throw error }
            return nil
        }
    }
}
