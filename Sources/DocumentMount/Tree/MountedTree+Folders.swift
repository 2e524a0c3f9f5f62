import DocumentClient
import DocumentModel
import Synchronization
import SystemPackage

/// Folders: what is in them is read once, as it is known on this machine.
extension MountedTree {
    func openFolder(_ node: UInt64, _ request: KernelRequest) {
        let opening = listings.withLock { $0.open(node, at: .now) }
        let handle = folders.insert(OpenFolder(isKept: opening != .plain))
        if !request.reply(openedFolder: handle, opening) { close(handle, node) }
    }

    func closeFolder(_ handle: UInt64, node: UInt64, _ request: KernelRequest) {
        close(handle, node)
        request.succeed()
    }

    private func close(_ handle: UInt64, _ node: UInt64) {
        if folders.remove(handle)?.isKept == true { listings.withLock { $0.close(node) } }
    }

    func readFolder(_ handle: UInt64, node: UInt64, from position: Int, _ listing: KernelListing) {
        guard let folder = folders[handle] else { return listing.request.fail(.badFileDescriptor) }
        // From the beginning again: as it is now.
        if position > 0, let names = folder.names { return reply(names, folder, node, from: position, listing) }
        listing.request.answer { [self] request in
            do {
                let (look, changes) = (freshness.look(), nodes.withLock { $0.changes })
                let names = OpenFolder.Names(
                    entries: try await names(in: node), location: nodes.withLock { $0.place(of: node) }?.location,
                    look: look, changes: changes)
                folder.hold(names)
                reply(names, folder, node, from: position, listing)
            } catch {
                refuse(request, error)
            }
        }
    }

    private func reply(
        _ names: OpenFolder.Names, _ folder: OpenFolder, _ node: UInt64, from position: Int, _ listing: KernelListing
    ) {
        let rest = names.entries[names.index(behind: position)...]
        let open = openNodes()
        freshness.answer(names.look, of: names.location) { lifetime in
            if folder.isKept {
                let end = ContinuousClock.now + .seconds(lifetime)
                listings.withLock {
                    $0.told(node, isStill: lifetime == Freshness.longest, isEnd: rest.isEmpty, until: end)
                }
            }
            listing.reply(rest, lifetime: lifetime) { entry in
                // The folder itself and the one around it are not looked up, and nothing when something has happened since.
                guard let identity = entry.identity, let name = try? ItemName(entry.name), lifetime > 0 else {
                    return nil
                }
                if !open.isEmpty, let known = nodes.withLock({ $0.number(of: name, in: node) }), open.contains(known),
                    !isTold(entry.attributes, of: known)
                {
                    return nil
                }
                let known = nodes.withLock {
                    $0.lookUp(
                        name, in: node, as: identity, inode: entry.own, at: names.changes)
                }
                if let known { told.forget(known.number) }
                return known
            } forget: { counted in
                for node in counted { forget(node, 1) }
            }
        }
    }

    private func names(in node: UInt64) async throws -> [OpenFolder.Entry] {
        guard let place = nodes.withLock({ $0.place(of: node) }) else { throw Errno.staleNFSFileHandle }
        let own = NodeAttributes(number: NodeTable.top, isFolder: true)
        var names = [".", ".."].map {
            OpenFolder.Entry(
                name: $0, position: OpenFolder.position(of: $0), attributes: own, own: own.number, identity: nil)
        }
        switch place {
        case .top:
            for domain in try await link.with({ try await $0.client.domains() }) {
                let attributes = attributes(ofDomain: domain.name)
                names.append(
                    OpenFolder.Entry(
                        name: domain.name.rawValue, position: OpenFolder.position(of: domain.name.rawValue),
                        attributes: attributes, own: attributes.number,
                        identity: NodeTable.Identity(id: .root, isFolder: true)))
            }
        case .item(let location):
            let items = try await following(node, from: location) { try await knownItems(in: $0) }
            let found = zip(items, try await attributes(of: items)).compactMap { item, known in
                item.item.name.map { (name: $0, item: item, known: known) }
            }
            let own = found.map { (name: $0.name, inode: ($0.known ?? NodeAttributes($0.item, file: nil)).number) }
            let shown = nodes.withLock { $0.inodes(of: own, in: node) }
            for ((name, item, known), (own, shown)) in zip(found, zip(own, shown)) {
                var attributes = known ?? NodeAttributes(item, file: nil)
                attributes.number = shown
                names.append(
                    OpenFolder.Entry(
                        name: name.rawValue, position: OpenFolder.position(of: name.rawValue),
                        attributes: attributes, own: own.inode,
                        // Where its size is not known, the kernel is to ask for it.
                        identity: known.map { _ in NodeTable.Identity(item) }))
            }
        }
        return OpenFolder.ordered(names)
    }

    private func knownItems(in location: Location) async throws -> [ItemStatus] {
        try await link.with { session in
            var items: [ItemStatus] = []
            var page: PageToken?
            repeat {
                let next = try await session.knownItemPage(in: location, after: page, suggestedCount: 1000)
                items += next.items
                page = next.next
            } while page != nil
            return items.filter { $0.state != .nameClash && $0.item.name != nil }
        }
    }
}
