import DocumentModel
import DocumentTestSupport
import SystemPackage
import Testing

@testable import DocumentStorage

/// By which name a provider is asked to take a copy.
struct ExportNameTests {
    @Test("RS-5: what is copied once more for the same reason is asked for by the same name, all else by another one")
    func names() throws {
        let storage = try StorageFixture()
        let source = storage.folder.appending("source")
        try storage.write("text", to: source)
        func name(_ reason: String?) throws -> String {
            let export = try storage.store.beginExport(
                of: source, to: .root, name: ItemName("copy.txt"), kind: .document, in: storage.domain,
                removingSource: false, because: reason)
            // The answer was lost.
            try storage.store.abandon(export)
            return export.operation
        }
        let once = try name("the side 1")
        #expect(try name("the side 1") == once)
        #expect(once.count == 32)
        #expect(try name("the side 2") != once)
        #expect(try name(nil) != name(nil))
    }
}
