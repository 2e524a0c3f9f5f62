import DocumentModel
import DocumentTestSupport
import Foundation
import SystemPackage
import Testing

@testable import DocumentStorage

/// What looks for a document's file while a move has it somewhere else.
struct MovesUnderWayTests {
    private let storage: StorageFixture
    private let item: IndexedItem

    init() throws {
        storage = try StorageFixture()
        let folder = try storage.item("f", "Folder", kind: .folder)
        let document = try storage.item("a", "a.txt", in: "f", contents: "one")
        try storage.tell(folder, document)
        item = try storage.provide(document, "one")
    }

    /// Runs a body while the folder is away, as in the middle of a move; it comes back when the body waits for that.
    private func whileFolderIsAway(_ body: () throws -> Void) throws {
        let here = storage.tree.path(of: try storage.location("Folder"))
        let away = storage.folder.appending("away")
        let (moves, isAway, isBack) = (storage.root.moves, DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            moves.exclusively {
                try? FileSystemMoves.rename(here, away)
                isAway.signal()
                // Long enough for whoever does not wait.
                usleep(200_000)
                try? FileSystemMoves.rename(away, here)
            }
            isBack.signal()
        }
        isAway.wait()
        defer { isBack.wait() }
        try body()
    }

    @Test("What is flushed while a folder around it is moved is flushed when it is there")
    func flush() throws {
        let change = try storage.store.expectChange(of: item.id, in: storage.domain)
        try storage.write("two", to: storage.tree.path(of: try storage.location("Folder/a.txt")))
        let plan = FaultPlan()
        try whileFolderIsAway { try FaultPlan.$current.withValue(plan) { try storage.store.flushChange(change) } }
        #expect(plan.calls.contains(.flush))
    }

    @Test("A document that is removed with its unsent edits while a folder around it is moved does not stay behind")
    func discard() throws {
        try storage.edit("a", "two")
        let removal = try storage.store.beginRemoving(item.id, in: storage.domain, discardingEdits: true)
        try whileFolderIsAway { try storage.store.finishRemoving(removal) }
        #expect(try storage.document("Folder/a.txt") == nil)
        #expect(throws: DocumentError.self) { try storage.indexed("a") }
    }
}
