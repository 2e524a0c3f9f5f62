import DocumentHost
import DocumentModel
import DocumentWire
import Glibc

/// What a well-behaved provider with a few documents answers.
struct WellKnownDocuments: Sendable {
    static let provider = "org.example.test"
    private static let known: [(id: String, name: String, parent: String, kind: ItemKind)] = [
        ("a", "a.txt", "/", .document), ("f", "f", "/", .folder), ("b", "b.txt", "f", .document),
        ("away", "away.txt", "/", .document),
    ]

    /// The document that comes part by part. File systems tell of holes by the page, so that parts are no smaller.
    private static let large = "b"
    static let parts: PartwiseFetch.Limits = {
        var parts = PartwiseFetch.Limits()
        parts.smallest = 8192
        parts.partSize = 4096
        parts.firstRun = 4096
        parts.longestRun = 8192
        return parts
    }()

    /// A document's, long enough that half of it is told from the whole.
    static func contents(of id: ItemIdentifier) -> [UInt8] {
        Array("contents of \(id.rawValue) ".utf8)
            + [UInt8](repeating: UInt8(ascii: "."), count: id.rawValue == large ? 3 * 4096 : 40)
    }

    /// The same as ``answer(_:)``, and the error for what is not there.
    func checkedAnswer(_ call: ProviderCall) throws -> ProviderReply {
        switch call {
        case .item(let id), .startProviding(let id, _, _), .providePlaceholder(let id):
            guard Self.known.contains(where: { $0.id == id.rawValue }) || id == .root else {
                throw DocumentError(.noSuchItem, "There is no item “\(id)”.", itemID: id)
            }
        case .provideRange(let call):
            guard Self.known.contains(where: { $0.id == call.id.rawValue }) else {
                throw DocumentError(.noSuchItem, "There is no item “\(call.id)”.", itemID: call.id)
            }
        default: break
        }
        return answer(call)
    }

    func answer(_ call: ProviderCall) -> ProviderReply {
        switch call {
        case .identity: .identity(Self.identifier, version: "1")
        case .item(let id): .item(item(id))
        case .enumerate(let container, _, _):
            .enumerate(
                ItemPage(
                    items: Self.known.filter { $0.parent == container.rawValue }.compactMap {
                        (try? ItemIdentifier($0.id)).map(item)
                    }))
        case .providePlaceholder: .providePlaceholder
        case .startProviding(let id, _, _): .startProviding(ProvidedContents(item(id)))
        case .itemChanged: .itemChanged
        case .stopProviding: .stopProviding
        case .identifierForPath: .identifierForPath(nil)
        case .pathForIdentifier: .pathForIdentifier(nil)
        case .create(let call): .create(made(call))
        case .modify(let call): .modify(changed(call))
        case .delete: .delete
        case .currentAnchor: .currentAnchor(Self.anchor)
        case .changesSince(let anchor, _): .changesSince(ItemChanges(updated: [], deleted: [], anchor: anchor))
        case .provideRange(let call): .provideRange(item(call.id))
        case .preparePicker: .preparePicker(PickerPresentation())
        case .validateChoice: .validateChoice
        case .endPicker: .endPicker
        case .thumbnails(let call): .thumbnails(call.items.map { ProvidedThumbnail($0.id, .missing) })
        case .listVersions: .listVersions([])
        case .provideVersion(let call): .provideVersion(ProvidedVersion(id: call.versionID, role: .conflict))
        case .keepVersion(let call): .keepVersion(ProvidedVersion(id: call.operation, role: call.role))
        case .removeVersion: .removeVersion
        case .quota: .quota(.unknown)
        }
    }

    private func item(_ id: ItemIdentifier) -> Item {
        guard let known = Self.known.first(where: { $0.id == id.rawValue }) else {
            let isRoot = id == .root
            return Item(
                id: id, parentID: isRoot ? nil : .root, name: isRoot ? nil : try? ItemName("other"),
                kind: isRoot ? .folder : .document, size: isRoot ? nil : Int64(Self.contents(of: id).count),
                version: Self.version(isRoot ? [] : [1]))
        }
        return Item(
            id: id, parentID: try? ItemIdentifier(known.parent), name: try? ItemName(known.name), kind: known.kind,
            size: known.kind == .document ? Int64(Self.contents(of: id).count) : nil,
            version: Self.version(known.kind == .document ? [1] : []))
    }

    private func made(_ call: ProviderCall.CreateCall) -> Item {
        Item(
            id: (try? ItemIdentifier("made \(call.operation.prefix(40))")) ?? .root, parentID: call.parentID,
            name: call.name, kind: call.kind, size: call.contentsPath.flatMap(size),
            version: Self.version(call.kind == .folder ? [] : [2]))
    }

    private func changed(_ call: ProviderCall.ModifyCall) -> Item {
        var item = item(call.id)
        if let name = call.name { item.name = name }
        if let parentID = call.parentID { item.parentID = parentID }
        if let path = call.contentsPath {
            item.size = size(path)
            item.version = Self.version(Array(call.operation.utf8.prefix(40)))
        }
        return item
    }

    private func size(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    private static let identifier: ProviderIdentifier = {
        guard let identifier = try? ProviderIdentifier(provider) else { preconditionFailure("“\(provider)”") }
        return identifier
    }()

    private static let anchor: SyncAnchor = {
        guard let anchor = try? SyncAnchor([1]) else { preconditionFailure("one byte") }
        return anchor
    }()

    private static func version(_ content: [UInt8]) -> ItemVersion {
        guard let version = try? ItemVersion(content: content, metadata: [1]) else { preconditionFailure("short") }
        return version
    }
}
