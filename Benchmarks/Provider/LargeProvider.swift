import DocumentProvider
import Synchronization

/// What a large remote is in the measurements: this program once more, as a provider. Folders of a thousand documents of a
/// few bytes, which are there without taking any room; each change takes as long as a request to a server near by.
struct LargeProvider: ModifyingProvider {
    static let folderSize = 1_000

    private struct State {
        var changed: [ItemIdentifier: Item] = [:]
        var inFlight = 0
        var mostInFlight = 0
    }

    private final class Remote: Sendable {
        let state = Mutex(State())
    }

    private let remote = Remote()
    private let context: ProviderContext
    private let documents: Int
    private let delay: Duration

    init(context: ProviderContext) async throws {
        self.context = context
        documents = context.settings["documents"].flatMap { Int($0) } ?? Self.folderSize
        delay = .milliseconds(context.settings["delay"].flatMap { Int($0) } ?? 0)
    }

    /// How many changes were under way at once, at most: told by a file, as an item of its own would be an answer of the host.
    static func mostInFlight(in stateFolder: FilePath) throws -> Int {
        let file = try FileDescriptor.open(stateFolder.appending("in-flight"), .readOnly)
        return try file.closeAfter {
            try withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) {
                let count = try file.read(into: $0)
                return Int(String(decoding: $0.prefix(count), as: UTF8.self)) ?? 0
            }
        }
    }

    // MARK: What is there

    func item(for id: ItemIdentifier) throws -> Item {
        if let changed = remote.state.withLock({ $0.changed[id] }) { return changed }
        if id == .root { return .root }
        let numbers = id.rawValue.split(separator: "-").compactMap { Int($0) }
        guard let folder = numbers.first, folder * Self.folderSize < documents, numbers.count <= 2 else {
            throw DocumentError(.noSuchItem, "There is no “\(id)”.")
        }
        guard numbers.count == 2 else {
            return Item(
                id: id, parentID: .root, name: try ItemName("Folder \(folder)"), kind: .folder,
                version: try ItemVersion(content: [], metadata: [1]))
        }
        return Item(
            id: id, parentID: try ItemIdentifier("\(folder)"), name: try ItemName("Document number \(numbers[1]).txt"),
            kind: .document, size: Int64(id.rawValue.utf8.count),
            modified: Timestamp(seconds: 1_700_000_000 + Int64(numbers[1])),
            version: try ItemVersion(content: [1], metadata: [1]))
    }

    func items(in container: ItemIdentifier, page: PageToken?, suggestedCount: Int) throws -> ItemPage {
        let isRoot = container == .root
        let count = isRoot ? (documents + Self.folderSize - 1) / Self.folderSize : Self.folderSize
        let first = page.flatMap { Int(String(decoding: $0.bytes, as: UTF8.self)) } ?? 0
        let numbers = first..<min(first + suggestedCount, count)
        return ItemPage(
            items: try numbers.map {
                try item(for: ItemIdentifier(isRoot ? "\($0)" : "\(container.rawValue)-\($0)"))
            },
            next: numbers.upperBound < count ? try PageToken(Array("\(numbers.upperBound)".utf8)) : nil)
    }

    func providePlaceholder(for id: ItemIdentifier) async throws { try await context.writePlaceholder(item(for: id)) }

    func startProvidingItem(
        _ id: ItemIdentifier, at stagingFile: FilePath, contentVersion: [UInt8], transfer: Transfer
    ) throws -> Item {
        try transfer.write(Array(id.rawValue.utf8), to: stagingFile)
        return try item(for: id)
    }

    func itemChanged(_ id: ItemIdentifier) {}
    func stopProvidingItem(_ id: ItemIdentifier) {}

    // MARK: What is changed

    func modifyItem(_ change: ItemModification, transfer: Transfer) async throws -> Item {
        try begin()
        defer { remote.state.withLock { $0.inFlight -= 1 } }
        try await Task.sleep(for: delay)
        var item = try item(for: change.id)
        guard item.version.satisfies(change.baseVersion), let contents = change.contents else {
            throw DocumentError(.versionNoLongerAvailable, "“\(item.id)” was changed meanwhile.")
        }
        item.size = Int64(try transfer.read(contents).count)
        let state = Array(change.operation.utf8)
        item.version = try ItemVersion(content: state, metadata: state)
        if let modified = change.modified { item.modified = modified }
        remote.state.withLock { $0.changed[item.id] = item }
        return item
    }

    func createItem(_ creation: ItemCreation, transfer: Transfer) throws -> Item {
        throw DocumentError(.notPermitted, "Nothing is made here.")
    }

    func deleteItem(_ deletion: ItemDeletion) throws {
        throw DocumentError(.notPermitted, "Nothing is removed here.")
    }

    private func begin() throws {
        let most = remote.state.withLock { state -> Int? in
            state.inFlight += 1
            guard state.inFlight > state.mostInFlight else { return nil }
            state.mostInFlight = state.inFlight
            return state.inFlight
        }
        guard let most else { return }
        let file = try FileDescriptor.open(
            context.stateFolder.appending("in-flight"), .writeOnly, options: [.create, .truncate],
            permissions: .ownerReadWrite)
        _ = try file.closeAfter { try file.writeAll("\(most)".utf8) }
    }
}
