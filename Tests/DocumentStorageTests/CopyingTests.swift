import DocumentModel
import DocumentTestSupport
import SystemPackage
import Testing

@testable import DocumentStorage

/// Contents in conflict that become a document beside the other.
struct CopyingTests {
    private let storage: StorageFixture

    init() throws { storage = try StorageFixture() }

    private func begin(
        _ contents: String, as name: String, attempt: Int = 1, of kept: [String]
    ) throws -> Export {
        let source = storage.folder.appending("side")
        try storage.write(contents, to: source)
        return try storage.store.beginCopy(
            of: source, beside: storage.indexed("a"), in: .root, as: ItemName(name), attempt: attempt, of: kept)
    }

    @Test("VER-5, INV-2: a copy whose answer was lost is asked for by the same name again, and no other copy is")
    func names() throws {
        _ = try storage.tell(storage.item("a", "a.txt", contents: "one"))
        let first = try begin("two", as: "a (conflict).txt", of: ["k"])
        try storage.store.abandon(first)
        let again = try begin("two", as: "a (conflict).txt", of: ["k"])
        #expect(again.operation == first.operation)
        let others = [
            try begin("three", as: "a (conflict).txt", of: ["k"]),
            try begin("two", as: "a (conflict) 2.txt", of: ["k"]),
            try begin("two", as: "a (conflict).txt", of: ["l"]),
            try begin("two", as: "a (conflict).txt", attempt: 2, of: ["k"]),
        ]
        #expect(Set(others.map(\.operation) + [first.operation]).count == 5)
    }

    @Test("VER-5: what the remote has of the copy's name may be that copy, and is not in its way")
    func isThere() throws {
        let copy = try storage.item("c", "a (conflict).txt", contents: "two")
        _ = try storage.tell(storage.item("a", "a.txt", contents: "one"), copy)
        let export = try begin("two", as: "a (conflict).txt", of: ["k"])
        #expect(try storage.store.finish(export, as: copy).id == copy.id)
        #expect(try storage.index.read { try $0.journal() } == [])
        // It differs by case: nothing is made that would not be shown.
        #expect { try begin("two", as: "A (conflict).txt", of: ["k"]) } throws: {
            ($0 as? DocumentError)?.code == .nameClash
        }
    }
}
