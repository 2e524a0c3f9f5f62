import DocumentModel
import Synchronization
import SystemPackage

/// The host knows items by their locations, and programs have them by numbers: what is done with one goes where that is, also when
/// it, or a folder around it, is given another place meanwhile.
extension MountedTree {
    /// Changes names in folders, which stay where they are until that is done.
    ///
    /// - Parameter moved: what gets another place by it.
    func changingNames<Value>(
        in folders: UInt64..., moving moved: UInt64? = nil, _ body: () async throws -> Value
    ) async throws -> Value {
        let change = NameTurns.Change(in: folders, moving: moved)
        return try await changes.during(change, around: { folder in nodes.withLock { $0.around(folder) } }, body)
    }

    /// Does something at the place of a number; once more where it is not there any more, but somewhere else.
    func following<Value>(
        _ node: UInt64, from location: Location, _ body: (Location) async throws -> Value
    ) async throws -> Value {
        try await follow(node, from: location, { nodes.withLock { $0.place(of: node) }?.location }, body)
    }

    /// The same at the place of a name in a folder.
    func following<Value>(
        _ name: ItemName, in folder: UInt64, from location: Location, _ body: (Location) async throws -> Value
    ) async throws -> Value {
        try await follow(folder, from: location, { nodes.withLock { $0.location(of: name, in: folder) } }, body)
    }

    private func follow<Value>(
        _ node: UInt64, from location: Location, _ locate: () -> Location?, _ body: (Location) async throws -> Value
    ) async throws -> Value {
        var location = location
        for _ in 0..<Self.mostLooks {
            do {
                return try await body(location)
            } catch {
                guard [.noSuchFileOrDirectory, .staleNFSFileHandle].contains(ErrorNumber.of(error)) else { throw error }
                // Who is just moving it, or what is around it, is to be through with that.
                try? await changingNames(in: node) {}
                guard let now = locate(), now != location else { throw error }
                location = now
            }
        }
        throw Errno.staleNFSFileHandle
    }

    /// Another one may have come to the place that an item has left. Whoever asked is to look where the item is by now.
    func check(_ hold: AccessHold, of node: UInt64, at location: Location) throws(Errno) {
        guard let id = hold.status?.item.id else { return }
        let isOther = nodes.withLock { $0.place(of: node)?.location != location && !$0.isKnown(node, as: id) }
        if isOther { throw .staleNFSFileHandle }
    }
}
