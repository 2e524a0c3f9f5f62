import DocumentModel
import DocumentProvider
import SystemPackage

/// The shipped SDK's side of a connection, over the one remote of a simulation. What it conforms to besides is what it can do.
protocol SimulatedProvider: ModifyingProvider {
    var link: SimulatedLink { get }

    init(link: SimulatedLink)
}

struct SimulatedLink: Sendable {
    let context: ProviderContext
    let simulation: HostSimulation
}

struct SimplestSimulatedProvider: SimulatedFeedProvider { let link: SimulatedLink }
struct SideKeepingSimulatedProvider: SimulatedFeedProvider, SimulatedVersionsProvider { let link: SimulatedLink }
struct PartwiseSimulatedProvider: SimulatedFeedProvider, SimulatedRangeProvider { let link: SimulatedLink }
struct AbleSimulatedProvider: SimulatedFeedProvider, SimulatedVersionsProvider, SimulatedRangeProvider {
    let link: SimulatedLink
}

struct SimplestListedProvider: SimulatedListedProvider { let link: SimulatedLink }
struct SideKeepingListedProvider: SimulatedListedProvider, SimulatedVersionsProvider { let link: SimulatedLink }
struct PartwiseListedProvider: SimulatedListedProvider, SimulatedRangeProvider { let link: SimulatedLink }
struct AbleListedProvider: SimulatedListedProvider, SimulatedVersionsProvider, SimulatedRangeProvider {
    let link: SimulatedLink
}

extension HostScenario {
    var provider: any SimulatedProvider.Type {
        switch (hasFeed, keepsSides, givesParts) {
        case (true, false, false): SimplestSimulatedProvider.self
        case (true, true, false): SideKeepingSimulatedProvider.self
        case (true, false, true): PartwiseSimulatedProvider.self
        case (true, true, true): AbleSimulatedProvider.self
        case (false, false, false): SimplestListedProvider.self
        case (false, true, false): SideKeepingListedProvider.self
        case (false, false, true): PartwiseListedProvider.self
        case (false, true, true): AbleListedProvider.self
        }
    }

    /// As a manifest names it.
    var capabilities: [String] {
        ["modifying"] + (hasFeed ? ["changes"] : []) + (keepsSides ? ["versions"] : [])
            + (givesParts ? ["ranges"] : [])
    }
}

extension SimulatedProvider {
    var context: ProviderContext { link.context }
    var simulation: HostSimulation { link.simulation }
    var remote: SimulatedRemote { simulation.remote }

    init(context: ProviderContext) async throws {
        guard let simulation = HostSimulation.current else {
            throw DocumentError(.notConfigured, "Nothing is simulated.")
        }
        self.init(link: SimulatedLink(context: context, simulation: simulation))
        simulation.connected(context)
    }

    /// Has a call take its time, or fail, before and after it is carried out.
    func call<Value>(_ name: String, _ body: () throws -> Value) async throws -> Value {
        try await simulation.request(name, by: context.deviceName)
        let value: Value
        do {
            value = try body()
            simulation.note("\(context.deviceName) \(name): done")
        } catch {
            simulation.note(
                "\(context.deviceName) \(name): \((error as? DocumentError)?.code.description ?? "\(error)")")
            throw error
        }
        try await simulation.answer(name, by: context.deviceName)
        return value
    }

    func item(for id: ItemIdentifier) async throws -> Item {
        let item = try await call("item \(id)") { try remote.item(id) }
        simulation.looked(by: context.deviceName)
        return item
    }

    func items(in container: ItemIdentifier, page: PageToken?, suggestedCount: Int) async throws -> ItemPage {
        try await call("list \(container)") {
            _ = try remote.item(container)
            let all = remote.children(of: container).filter(remote.isTold)
            guard let size = simulation.scenario.pageSize else { return ItemPage(items: try all.map(remote.item)) }
            // Whatever comes and goes meanwhile, nothing that stays is left out.
            let last = try page.map { try ItemIdentifier(String(decoding: $0.bytes, as: UTF8.self)) } ?? .root
            let rest = page == nil ? all : all.filter { $0 > last }
            let isLast = rest.count <= size || remote.mistake == .forgetsPages
            return ItemPage(
                items: try rest.prefix(size).map(remote.item),
                next: isLast ? nil : try PageToken(Array(rest[size - 1].rawValue.utf8)))
        }
    }

    func providePlaceholder(for id: ItemIdentifier) async throws {
        try await context.writePlaceholder(call("placeholder \(id)") { try remote.item(id) })
    }

    func startProvidingItem(
        _ id: ItemIdentifier, at stagingFile: FilePath, contentVersion: [UInt8], transfer: Transfer
    ) async throws -> Item {
        try await call("fetch \(id)") {
            let item = try remote.item(id)
            guard var bytes = remote.entries[id]?.contents,
                item.version.satisfies(try ItemVersion(content: contentVersion))
            else { throw DocumentError(.versionNoLongerAvailable, "There are no such contents.") }
            if remote.mistake != .vouchesForNothing { transfer.vouch(forContentsWith: simulation.digest(of: bytes)) }
            if simulation.flipsBit(), !bytes.isEmpty { bytes[bytes.count / 2] ^= 4 }
            try transfer.write(bytes, to: stagingFile)
            return item
        }
    }

    func itemChanged(_ id: ItemIdentifier) {}
    func stopProvidingItem(_ id: ItemIdentifier) {}

    func createItem(_ new: ItemCreation, transfer: Transfer) async throws -> Item {
        simulation.asks(try? new.contents.map(transfer.read), by: context.deviceName, for: new.operation)
        return try await call("create \(new.name) in \(new.parentID)") {
            let contents = try new.contents.map(transfer.read)
            let item = try giving(contents, to: nil, for: new.operation) {
                try remote.create(
                    new.name, in: new.parentID, contents: contents, isPackage: new.kind == .package,
                    modified: new.modified ?? simulation.date, savedBy: context.deviceName, operation: new.operation)
            }
            if contents != nil { simulation.made(item.id, for: new.operation) }
            return item
        }
    }

    func modifyItem(_ change: ItemModification, transfer: Transfer) async throws -> Item {
        let what = (change.contents == nil ? "" : " contents") + (change.name.map { " name \($0)" } ?? "")
        return try await call("modify \(change.id)\(what)") {
            let contents = try change.contents.map(transfer.read)
            return try giving(contents, to: change.id, for: change.operation) {
                try remote.modify(
                    change.id, base: change.baseVersion, contents: contents, name: change.name,
                    parent: change.parentID, modified: change.modified, savedBy: context.deviceName,
                    operation: change.operation)
            }
        }
    }

    /// Has contents taken, and looks whether they were taken before.
    private func giving(
        _ contents: [UInt8]?, to item: ItemIdentifier?, for operation: String, _ take: () throws -> Item
    ) throws -> Item {
        let (before, changes) = (item.flatMap { remote.entries[$0]?.contents }, remote.changes.count)
        let taken = try take()
        guard let contents, remote.changes.count > changes else { return taken }
        simulation.checkEmpty(contents, by: context.deviceName)
        if before != contents { simulation.checkGiven(contents, by: context.deviceName, to: item, for: operation) }
        simulation.gave(contents, by: context.deviceName, as: taken.id, for: operation)
        return taken
    }

    func deleteItem(_ deletion: ItemDeletion) async throws {
        try await call("delete \(deletion.id)") {
            let base = remote.mistake == .deletesAnyVersion ? .none : deletion.baseVersion
            try remote.delete(deletion.id, base: base, recursive: deletion.recursive)
        }
    }
}
