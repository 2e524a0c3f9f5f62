import DocumentModel
import Testing

struct ItemTests {
    @Test("an item's type is told from kind and name unless it is given")
    func contentType() throws {
        func item(_ name: String, _ kind: ItemKind, _ type: ContentType? = nil) throws -> ContentType {
            Item(
                id: try ItemIdentifier("i"), parentID: .root, name: try ItemName(name), kind: kind, contentType: type,
                version: .none
            ).contentType
        }
        #expect(try item("a.txt", .document) == .plainText)
        #expect(try item("a.txt", .folder) == .folder)
        #expect(try item("a.txt", .document, .data) == .data)
        #expect(Item(id: .root, parentID: nil, name: nil, kind: .folder, version: .none).contentType == .folder)
    }

    @Test("read-only items can be read and nothing else")
    func capabilities() {
        #expect(ItemCapabilities.readOnly == [.read])
        #expect(ItemCapabilities.all.isSuperset(of: [.read, .write, .rename, .move, .delete]))
        #expect(!ItemCapabilities.readOnly.contains(.delete))
    }
}
