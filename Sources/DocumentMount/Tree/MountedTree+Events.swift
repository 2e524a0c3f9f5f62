import DocumentClient
import DocumentModel
import DocumentTransport
import Synchronization
import SystemPackage

/// What happens underneath: the kernel lets go of what is not right any more.
extension MountedTree {
    /// - Parameter event: nil: the host has ended, and nobody tells of anything until there is another one.
    func happened(_ event: ItemEvent?) async {
        freshness.happened(at: event?.places, isTold: event != nil)
        switch event {
        case nil, .lost: forgetEverything()
        case .appeared(let status):
            namesChanged(around: status.location)
            await changed(status)
        case .changed(let status): await changed(status)
        case .moved(let status, let origin):
            namesChanged(around: origin)
            namesChanged(around: status.location)
            await left(origin)
            await changed(status)
        case .removed(let location):
            namesChanged(around: location)
            await left(location)
        case .domain: listings.withLock { $0.changed(NodeTable.top) }
        case .domainRemoved(let name):
            listings.withLock { $0.changed(NodeTable.top) }
            await left(Location(domain: name))
        }
    }

    /// What the kernel knows of the names in the folder around an item is not right any more.
    private func namesChanged(around location: Location) {
        guard let around = location.parent, let folder = nodes.withLock({ $0.number(of: around) }) else { return }
        listings.withLock { $0.changed(folder) }
    }

    private func changed(_ status: ItemStatus) async {
        if status.state == .nameClash {
            namesChanged(around: status.location)
            return await left(status.location)
        }
        guard let node = nodes.withLock({ $0.number(of: status.location) }) else {
            // It may have had no name here until now.
            return namesChanged(around: status.location)
        }
        if !status.hasCurrentContents {
            readers.close([node])
            // Who looks at the name is to find the newer one; who reads what there was reads on.
            if isReadElsewhere(node, NodeAttributes(status, file: nil), at: nil),
                let around = nodes.withLock({ $0.folder(around: node) })
            {
                notices.add(.uncertain(around.name, in: around.folder))
            }
        }
        // What programs write here the kernel knows, and nobody else writes meanwhile.
        guard !writers.isOpen(node), let before = pages.withLock({ $0[node]?.file }) else {
            told.forget(node)
            return notices.add(.attributes(of: node))
        }
        // What is read while it comes is of a file that has no name there yet.
        let isComing = self.isComing(node)
        let now = try? await disk.run { FileState(at: status.path) }
        let facts = status.hasCurrentContents ? now?.facts : nil
        let isSame = now == before || isComing
        if isSame, told.knows(NodeAttributes(status, file: facts), of: node) { return }
        told.forget(node)
        guard !isSame else { return notices.add(.attributes(of: node)) }
        pages.withLock { $0[node] = now.map { KeptPages(file: $0, isLeft: true) } }
        notices.add(.contents(of: node))
    }

    /// Whether programs may wait for pages of a document. The kernel lets go of those when they have them, and not before: who
    /// tells it to waits as long.
    private func isComing(_ node: UInt64) -> Bool { files.first { $0.node == node && $0.isComing } != nil }

    /// What was there is not there any more; something else may be. What has which number is not changed here: a program may
    /// be in the middle of it, and what is found next under the name says more.
    private func left(_ location: Location) async {
        guard let known = nodes.withLock({ nodes in nodes.number(of: location).map { ($0, nodes.folder(around: $0)) } })
        else { return }
        let (node, around) = known
        readers.close(nodes.withLock { $0.subtree(of: node) })
        let look = freshness.look()
        do {
            _ = try await self.look(at: location)
            told.forget(node)
            notices.add(writers.isOpen(node) || isComing(node) ? .attributes(of: node) : .contents(of: node))
        } catch {
            guard ErrorNumber.of(error) == .noSuchFileOrDirectory, let around else { return }
            let isStill = freshness.isStill(look, of: location)
            notices.add(isStill ? .name(around.name, in: around.folder) : .uncertain(around.name, in: around.folder))
        }
    }

    private func forgetEverything() {
        listings.withLock { $0.changedEverywhere() }
        told.forgetEverything()
        let known = nodes.withLock { nodes in nodes.numbers.map { ($0, nodes.folder(around: $0)) } }
        readers.closeAll()
        for (node, around) in known {
            notices.add(isComing(node) ? .attributes(of: node) : .contents(of: node))
            if let around { notices.add(.uncertain(around.name, in: around.folder)) }
        }
    }
}

extension ItemEvent {
    /// Where something has happened; nil: anywhere.
    fileprivate var places: [Location]? {
        switch self {
        case .lost, .domain: nil
        case .appeared(let status), .changed(let status): [status.location]
        case .moved(let status, let origin): [status.location, origin]
        case .removed(let location): [location]
        case .domainRemoved(let name): [Location(domain: name)]
        }
    }
}
