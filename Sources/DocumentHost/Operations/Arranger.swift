import DocumentModel
import DocumentStorage
import DocumentWire
import FileCoordination
import ProviderLauncher

/// Items that get another place, or go away.
struct Arranger: Sendable {
    let storage: StorageThreads
    let broker: CoordinationBroker
    let locks: KeyedLock<ItemKey>
    let resolver: ItemResolver
    let follower: ChangeFollower
    let exporter: Exporter
    let owner: ClaimOwner

    func rename(_ location: Location, to destination: Location, on domain: Domain) async throws(DocumentError)
        -> IndexedItem
    {
        guard location.domain == destination.domain else {
            throw DocumentError(
                .invalidArgument,
                "\(location) cannot be renamed into another domain; use docent import and docent export.")
        }
        try domain.requireModifying(location)
        try await follower.freshen(domain)
        let item = try await resolver.resolve(location, in: domain)
        guard let name = destination.name, !location.isRoot else {
            throw DocumentError(.invalidArgument, "The domain \(domain.name) itself cannot be renamed or replaced.")
        }
        if location == destination { return item }
        let parent = try await exporter.folder(of: destination, in: domain)
        if let existing = try await resolver.resolveIfPresent(destination, in: domain), existing.id != item.id {
            throw Exporter.exists(destination)
        }
        let wanted: ItemCapabilities = parent.id == item.item.parentID ? .rename : .move
        guard item.item.capabilities.contains(wanted) else {
            throw DocumentError(.notPermitted, "\(location) cannot be renamed or moved on the remote.")
        }
        let claim = try await broker.claim(
            try storage.read { try $0.coordinated(item) }, for: .writing(.forMoving), by: owner)
        defer { broker.end(claim) }
        let session = domain.provider
        return try await locks.withLock(item.key) { () async throws(DocumentError) -> IndexedItem in
            let change = try await storage.run { store in
                try store.beginRenaming(item.id, in: domain.name, to: parent.id, name: name)
            }
            do throws(DocumentError) {
                let renamed = try await session.modify(
                    ProviderCall.ModifyCall(
                        id: item.id, baseVersion: .none, name: name == item.item.name ? nil : name,
                        parentID: parent.id == item.item.parentID ? nil : parent.id, operation: change.operation))
                return try await storage.run { try $0.finish(change, as: renamed) }
            } catch {
                try await storage.run { try $0.abandon(change) }
                if error.code == .nameCollision { throw Exporter.exists(destination) }
                throw error.wrapped("\(location) was not renamed: \(error.message)")
            }
        }
    }

    func remove(
        _ location: Location, recursive: Bool, discardingUnsent: Bool, on domain: Domain
    ) async throws(DocumentError) {
        try domain.requireModifying(location)
        try await follower.freshen(domain)
        let item = try await resolver.resolve(location, in: domain)
        guard !location.isRoot else {
            throw DocumentError(
                .invalidArgument, "The domain itself cannot be removed so; use: docent domain remove \(domain.name)")
        }
        guard item.item.capabilities.contains(.delete) else {
            throw DocumentError(.deletionRejected, "\(location) cannot be removed on the remote.")
        }
        let claim = try await broker.claim(
            try storage.read { try $0.coordinated(item) }, for: .writing(.forDeleting), by: owner)
        defer { broker.end(claim) }
        let session = domain.provider
        try await locks.withLock(item.key) { () async throws(DocumentError) in
            let change = try await storage.run { store in
                try store.beginRemoving(item.id, in: domain.name, discardingEdits: discardingUnsent)
            }
            do throws(DocumentError) {
                let base = item.item.kind == .document ? item.item.version.contentOnly : .none
                try await session.delete(
                    ProviderCall.DeleteCall(
                        id: item.id, baseVersion: base, recursive: recursive, operation: change.operation))
                try await storage.run { try $0.finishRemoving(change) }
            } catch {
                try await storage.run { try $0.abandon(change) }
                switch error.code {
                case .directoryNotEmpty:
                    throw error.wrapped(
                        "\(location) is not empty; remove it with what is in it: docent rm -r \(location)")
                case .versionNoLongerAvailable:
                    throw error.wrapped(
                        "\(location) was changed on the remote since you saw it; look at it again first.")
                default: throw error.wrapped("\(location) was not removed: \(error.message)")
                }
            }
        }
    }
}
