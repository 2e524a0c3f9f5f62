import DocumentModel
import DocumentStorage
import DocumentTransport
import DocumentWire
import Logging
import ProviderLauncher
import SystemPackage

extension DocumentStore {
    func keepLocal(_ id: ItemIdentifier, in domain: DomainName) throws {}
    func keepRemote(_ id: ItemIdentifier, in domain: DomainName) throws {}
    func removeDomain(_ name: DomainName, discardingEdits: Bool) throws {}
    func finish(_ sending: Sending, asNew item: Item) throws -> IndexedItem { sending.item }
    func recordConflict(_ sending: Sending, remote: Item, contents: StagedFile, because: DocumentError) throws
        -> IndexedItem
    { sending.item }
    func beginReplacing(
        _ id: ItemIdentifier, with source: FilePath, in domain: DomainName, removingSource: Bool
    ) throws -> Export { throw DocumentError(.internal, "") }
}
extension Export {
    var replaces: (id: ItemIdentifier, version: ItemVersion)? { nil }
}
extension Staging {
    func haveSameContents(_ one: StagedFile, _ other: StagedFile) throws -> Bool { false }
}
extension IndexReader {
    func listedFolders(of domain: DomainName) throws -> [ItemIdentifier] { [] }
}
final class ProviderSupervisor: Sendable {
    struct Status { var state: ProviderState; var problem: DocumentError?; var processID: Int32? }
    var status: Status { Status(state: .idle, problem: nil, processID: nil) }
    var sessionNumber: UInt64? { nil }
    func session() async throws(DocumentError) -> ProviderSession { throw DocumentError(.internal, "") }
    func end() async {}
}
struct ProviderSession: Sendable {
    let number: UInt64
    let rootID: ItemIdentifier
    let capabilities: Set<ProviderCapability>
    func item(_ id: ItemIdentifier) async throws(DocumentError) -> Item { throw DocumentError(.internal, "") }
    func enumerate(_ id: ItemIdentifier, page: PageToken?, suggestedCount: Int) async throws(DocumentError) -> ItemPage
    {
        throw DocumentError(.internal, "")
    }
    func providePlaceholder(_ id: ItemIdentifier) async throws(DocumentError) {}
    func itemChanged(_ id: ItemIdentifier) async throws(DocumentError) {}
    func stopProviding(_ id: ItemIdentifier) async throws(DocumentError) {}
    func startProviding(
        _ id: ItemIdentifier, stagingPath: String, contentVersion: [UInt8],
        onProgress: @escaping @Sendable (TransferProgress?) -> Void
    ) async throws(DocumentError) -> Item { throw DocumentError(.internal, "") }
    func identifier(forPath: String) async throws(DocumentError) -> ItemIdentifier? { nil }
    func currentAnchor() async throws(DocumentError) -> SyncAnchor { throw DocumentError(.internal, "") }
    func changes(since: SyncAnchor, suggestedCount: Int) async throws(DocumentError) -> ItemChanges {
        throw DocumentError(.internal, "")
    }
    func create(
        _ call: ProviderCall.CreateCall, onProgress: @escaping @Sendable (TransferProgress?) -> Void
    ) async throws(DocumentError) -> Item { throw DocumentError(.internal, "") }
    func modify(
        _ call: ProviderCall.ModifyCall, onProgress: @escaping @Sendable (TransferProgress?) -> Void = { _ in }
    ) async throws(DocumentError) -> Item { throw DocumentError(.internal, "") }
    func delete(_ call: ProviderCall.DeleteCall) async throws(DocumentError) {}
}
