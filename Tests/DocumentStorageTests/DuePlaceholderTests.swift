import DocumentModel
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentStorage

/// Placeholders of what a listing brings are made behind it.
struct DuePlaceholderTests {
    private func list(
        _ items: [Item], of folder: ItemIdentifier = .root, _ storage: StorageFixture
    ) throws {
        let generation = try storage.store.beginListing(of: folder, in: storage.domain)
        _ = try storage.store.apply(
            ItemPage(items: items), of: folder, in: storage.domain, generation: generation, leavingWork: true)
    }

    private func items(_ numbers: ClosedRange<Int>, _ storage: StorageFixture) throws -> [Item] {
        try numbers.map { try storage.item("p\($0)", "placeholder \($0).txt", size: 10) }
    }

    @Test("A listing leaves placeholders to be made, also over the end of the host; then nothing is due")
    func left() throws {
        let storage = try StorageFixture()
        try list(try items(1...25, storage), storage)
        #expect(try storage.placeholder("placeholder 1.txt") == nil)
        try storage.reopen()
        #expect(try storage.store.writeDuePlaceholders(limit: 10))
        #expect(try storage.placeholder("placeholder 10.txt") != nil)
        #expect(try storage.placeholder("placeholder 25.txt") == nil)
        try storage.reopen()
        while try storage.store.writeDuePlaceholders(limit: 10) {}
        for number in 1...25 { #expect(try storage.placeholder("placeholder \(number).txt") != nil) }
        #expect(try storage.index.read { try $0.duePlaceholders(limit: 10) } == nil)
        #expect(try storage.store.mendPlaceholders(of: .root, in: storage.domain) == 0)
    }

    @Test("What another listing brings while some are made is not forgotten")
    func meanwhile() throws {
        let storage = try StorageFixture()
        try list(try items(1...5, storage), storage)
        let due = try #require(try storage.index.read { try $0.duePlaceholders(limit: 10) })
        #expect(due.next == nil)
        try list(try items(1...8, storage), storage)
        try storage.index.write { try $0.settle(due) }
        while try storage.store.writeDuePlaceholders(limit: 3) {}
        #expect(try storage.placeholder("placeholder 8.txt") != nil)
    }

    @Test("A number that was given to another item before counts, too")
    func numbersUsedAgain() throws {
        let storage = try StorageFixture()
        try list(try items(1...20, storage), storage)
        _ = try storage.store.writeDuePlaceholders(limit: 15)
        let before = try #require(try storage.index.read { try $0.duePlaceholders(limit: 1) }).first
        try list([], storage)
        try list(try items(31...33, storage), storage)
        #expect(try #require(try storage.index.read { try $0.duePlaceholders(limit: 1) }).first < before)
        while try storage.store.writeDuePlaceholders() {}
        for number in 31...33 { #expect(try storage.placeholder("placeholder \(number).txt") != nil) }
    }

    @Test("What a full disk did not take stays due, from where that began")
    func fullDisk() throws {
        let storage = try StorageFixture()
        try list(try items(1...20, storage), storage)
        let plan = FaultPlan()
        plan.fail(.write, with: ENOSPC, passing: 12)
        FaultPlan.$current.withValue(plan) {
            #expect(throws: Never.self) { try storage.store.writeDuePlaceholders(limit: 10) }
            #expect(throws: DocumentError.self) { try storage.store.writeDuePlaceholders(limit: 10) }
        }
        while try storage.store.writeDuePlaceholders(limit: 10) {}
        for number in 1...20 { #expect(try storage.placeholder("placeholder \(number).txt") != nil) }
        #expect(try storage.index.read { try $0.duePlaceholders(limit: 10) } == nil)
    }

    @Test("What has contents by then, has gone, or lies in a folder that is about to go gets none")
    func notAnyMore() throws {
        let storage = try StorageFixture()
        let document = try storage.item("d", "d.txt", contents: "here")
        let folder = try storage.item("f", "Folder", kind: .folder)
        try list([document, folder, try storage.item("x", "x.txt", size: 1)], storage)
        try list([try storage.item("i", "inside.txt", in: "f", size: 1)], of: folder.id, storage)
        try storage.provide(document, "here")
        try list([document], storage)
        while try storage.store.writeDuePlaceholders() {}
        for place in ["d.txt", "x.txt", "Folder/inside.txt"] {
            #expect(try storage.placeholder(place) == nil, "\(place)")
        }
        #expect(throws: Errno.self) { try FileSystemMoves.mode(of: storage.tree.path(of: storage.location("Folder"))) }
    }
}
