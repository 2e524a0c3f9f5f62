import DocumentHost
import DocumentModel
import Glibc
import SystemPackage

/// What becomes of folders with all that is in them.
extension HostSimulation {
    private static let folderNames = ["folder0", "folder1", "folder2", "a.txt"]

    /// Somebody's, through the host or past it.
    ///
    /// - Parameter sight: what the host shows.
    func perform(
        _ step: HostScenario.Step, onFoldersOf sight: Sight, _ host: DocumentHost, _ machine: Int
    ) async throws {
        let folders = sight.shown.filter { $0.item.kind == .folder }.map(\.location)
        guard !folders.isEmpty else { return }
        let folder = folders[step.pick % folders.count]
        let around = ([Location(domain: Self.domainName)] + folders)[step.other % (folders.count + 1)]
        let place = around.appending(try ItemName(Self.folderNames[step.other % Self.folderNames.count]))
        switch step.action {
        case .moveFolder: _ = try await host.rename(folder, to: place, atOnce: step.other % 3 == 0)
        case .removeFolder: try await removeFolder(folder, seenAs: sight, host, machine)
        case .moveFolderPast:
            let (from, to) = (Self.path(folder, host), Self.path(place, host))
            asPerson { if access(to, F_OK) != 0 { _ = Glibc.rename(from, to) } }
        default: break
        }
    }

    /// - Parameter sight: what the host shows. Who could not look into all of it removes nothing of which they know nothing.
    func removeFolder(
        _ folder: Location, seenAs sight: Sight, _ host: DocumentHost, _ machine: Int
    ) async throws {
        guard sight.isWhole(in: folder) else { return }
        let all = sight.shown
        let removed = all.filter { $0.location == folder }.map(\.item.id)
        let documents = all.filter { $0.item.kind == .document && $0.location.isBelow(folder) }
        for document in documents { pins = pins.filter { $0.key.id != document.item.id } }
        let seen = documents.reduce(into: Set<Int>()) { $0.formUnion(self.seen(of: $1, host)) }
        try await whileRemoving(seen, of: removed, on: machine, isWhole: true) {
            try await host.remove(folder, recursive: true, discardingUnsent: false, atOnce: false)
        }
    }

    /// Others', at the provider's own place.
    ///
    /// - Parameter folders: the top one first.
    func performThere(_ step: HostScenario.Step, onFolders folders: [ItemIdentifier]) throws {
        let around = folders[step.other % folders.count]
        let name = try ItemName(Self.folderNames[step.other % Self.folderNames.count])
        if step.action == .makeFolderThere {
            _ = try remote.create(name, in: around, contents: nil, modified: date, savedBy: nil, operation: nil)
            return
        }
        guard folders.count > 1 else { return }
        let folder = folders[1 + step.pick % (folders.count - 1)]
        if step.action == .moveFolderThere {
            _ = try remote.modify(folder, base: .none, name: name, parent: around)
        } else {
            try removeThere(folder)
        }
    }

    func removeThere(_ folder: ItemIdentifier) throws {
        for (id, entry) in remote.entries where remote.isInside(id, folder) {
            if let there = entry.contents.flatMap(ledger.number) { ledger.remove(there) }
        }
        try remote.delete(folder, base: .none, recursive: true)
    }
}

extension Location {
    func isBelow(_ folder: Location) -> Bool {
        components.count > folder.components.count && components.starts(with: folder.components)
    }
}
