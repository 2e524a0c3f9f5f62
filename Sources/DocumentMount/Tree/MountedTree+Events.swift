import DocumentClient
import DocumentModel
import DocumentTransport
import Synchronization
import SystemPackage

/// What happens underneath: the kernel lets go of what is not right any more.
extension MountedTree {
    /// - Parameter event: nil: the host has ended, and nobody tells of anything until there is another one.
    func happened(_ event: ItemEvent?) async {
        freshness.happened(isTold: event != nil)
        switch event {
        case nil, .lost: forgetEverything()
        case .appeared(let status), .changed(let status): await changed(status)
        case .moved(let status, let origin):
            await left(origin)
            await changed(status)
        case .removed(let location): await left(location)
        case .domain: break
        case .domainRemoved(let name): await left(Location(domain: name))
        }
    }

    private func changed(_ status: ItemStatus) async {
        if status.state == .nameClash { return await left(status.location) }
        guard let node = nodes.withLock({ $0.number(of: status.location) }) else { return }
        // What programs write here the kernel knows, and nobody else writes meanwhile.
        guard !writers.isOpen(node), let before = pages.withLock({ $0[node] }) else {
            return notices.add(.attributes(of: node))
        }
        let now = try? await disk.run { FileState(at: status.path) }
        notices.add(now == before ? .attributes(of: node) : .contents(of: node))
    }

    /// What was there is not there any more; something else may be. What has which number is not changed here: a program may
    /// be in the middle of it, and what is found next under the name says more.
    private func left(_ location: Location) async {
        guard let known = nodes.withLock({ nodes in nodes.number(of: location).map { ($0, nodes.folder(around: $0)) } })
        else { return }
        let (node, around) = known
        let look = freshness.look()
        do {
            _ = try await self.look(at: location)
            notices.add(writers.isOpen(node) ? .attributes(of: node) : .contents(of: node))
        } catch {
            guard ErrorNumber.of(error) == .noSuchFileOrDirectory, let around else { return }
            let isStill = freshness.isStill(look)
            notices.add(isStill ? .name(around.name, in: around.folder) : .uncertain(around.name, in: around.folder))
        }
    }

    private func forgetEverything() {
        let known = nodes.withLock { nodes in nodes.numbers.map { ($0, nodes.folder(around: $0)) } }
        for (node, around) in known {
            notices.add(.contents(of: node))
            if let around { notices.add(.uncertain(around.name, in: around.folder)) }
        }
    }
}
