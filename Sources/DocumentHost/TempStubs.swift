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
