import DocumentModel
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentStorage

/// An item is looked at by two at once, or changes between the look at it and what is written down of that.
struct RacingLooksTests {
    private static let rounds = 15

    private func item(_ round: Int, _ storage: StorageFixture) throws -> (Item, FilePath) {
        let item = try storage.item("a\(round)", "a\(round).txt", contents: "one")
        try storage.tell(item)
        try storage.provide(item, "one")
        return (item, storage.tree.path(of: try storage.location("a\(round).txt")))
    }

    private func answer(to item: Item) throws -> Item {
        var answer = item
        answer.version = try ItemVersion(content: Array("2".utf8))
        return answer
    }

    private func bases(_ item: Item, _ storage: StorageFixture) throws -> [String?] {
        try storage.index.read { try $0.keptVersions(of: item.id, in: storage.domain) }.filter { $0.role == .base }
            .map { try storage.read(storage.root.versions.path(of: $0.kept)) }
    }

    @Test("Of two who find a file gone, the later does not take away what came since")
    func missing() async throws {
        let storage = try StorageFixture()
        for round in 0..<Self.rounds {
            let (item, path) = try item(round, storage)
            #expect(unlink(path.string) == 0)
            let (store, domain) = (storage.store, storage.domain)
            try await Race.run {
                _ = try store.recordChange(of: item.id, in: domain)
                let coming = try store.beginMaterialising(item.id, in: domain)
                try TemporaryFile.write("one", to: coming.file.path)
                _ = try store.finish(coming, as: item)
            } _: {
                for _ in 0..<20 { _ = try? store.recordChange(of: item.id, in: domain) }
            }
            let now = try storage.indexed(item.id.rawValue)
            #expect(now.state == .materialised, "round \(round)")
            #expect(now.local != nil)
            #expect(try storage.document("a\(round).txt") == "one")
        }
    }

    @Test("VER-10: unsent changes are not given up by one look that finds no file, where an editor may just be saving")
    func gap() throws {
        let storage = try StorageFixture()
        let (item, path) = try item(0, storage)
        try storage.edit("a0", "mine")
        #expect(unlink(path.string) == 0)
        let gap = try storage.store.recordChange(of: item.id, in: storage.domain, givingUp: false)
        #expect(gap.state == .changed && gap.local != nil)
        try storage.write("saved anew", to: path)
        #expect(try storage.store.recordChange(of: item.id, in: storage.domain, givingUp: false).state == .changed)
        #expect(unlink(path.string) == 0)
        #expect(try storage.store.recordChange(of: item.id, in: storage.domain).state == .placeholder)
    }

    @Test("VER-13: contents that nobody has touched since they were sent are no edit, whoever looks meanwhile")
    func unchanged() async throws {
        let storage = try StorageFixture()
        for round in 0..<Self.rounds {
            let (item, _) = try item(round, storage)
            try storage.edit(item.id.rawValue, "two")
            let sending = try storage.store.beginSending(item.id, in: storage.domain)
            let (store, domain, acknowledged) = (storage.store, storage.domain, try answer(to: item))
            try await Race.run {
                _ = try store.finish(sending, as: acknowledged)
            } _: {
                for _ in 0..<20 { _ = try store.recordChange(of: item.id, in: domain) }
            }
            let now = try storage.indexed(item.id.rawValue)
            #expect(now.state == .materialised, "round \(round)")
            #expect(try store.recordChange(of: item.id, in: domain).state == .materialised)
        }
    }

    @Test("VER-13: the base of an edit is kept that begins while an earlier one is acknowledged")
    func baseOfNext() async throws {
        let storage = try StorageFixture()
        for round in 0..<Self.rounds {
            let (item, path) = try item(round, storage)
            try storage.edit(item.id.rawValue, "two")
            let sending = try storage.store.beginSending(item.id, in: storage.domain)
            let (store, domain, acknowledged) = (storage.store, storage.domain, try answer(to: item))
            try await Race.run {
                _ = try store.finish(sending, as: acknowledged)
            } _: {
                let change = try store.expectChange(of: item.id, in: domain)
                try TemporaryFile.write("three", to: path)
                _ = try store.recordChange(change)
            }
            #expect(try storage.indexed(item.id.rawValue).state == .changed)
            #expect(try bases(item, storage) == ["two"], "round \(round)")
        }
    }

    @Test("VER-13: the base of an edit is kept that begins while another ends that changed nothing")
    func baseOfOther() async throws {
        let storage = try StorageFixture()
        for round in 0..<Self.rounds {
            let (item, path) = try item(round, storage)
            let first = try storage.store.expectChange(of: item.id, in: storage.domain)
            let (store, domain) = (storage.store, storage.domain)
            try await Race.run {
                _ = try store.recordChange(first)
            } _: {
                let change = try store.expectChange(of: item.id, in: domain)
                try TemporaryFile.write("two", to: path)
                _ = try store.recordChange(change)
            }
            #expect(try storage.indexed(item.id.rawValue).state == .changed)
            #expect(try bases(item, storage) == ["one"], "round \(round)")
        }
    }

    @Test("VER-13: who ends a write that changed nothing leaves the base to those who still write")
    func baseOfThoseWhoStillWrite() throws {
        let storage = try StorageFixture()
        let (item, path) = try item(0, storage)
        let first = try storage.store.expectChange(of: item.id, in: storage.domain)
        let second = try storage.store.expectChange(of: item.id, in: storage.domain)
        _ = try storage.store.recordChange(first)
        #expect(try bases(item, storage) == ["one"])
        try storage.write("two", to: path)
        _ = try storage.store.recordChange(second)
        #expect(try bases(item, storage) == ["one"])
    }

    @Test("VER-13: an edit recorded while an earlier one was sent is to be sent, also when an editor is just saving")
    func savingWhileAcknowledged() throws {
        let storage = try StorageFixture()
        let (item, path) = try item(0, storage)
        try storage.edit("a0", "two")
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        try storage.edit("a0", "three")
        let beside = storage.folder.appending("beside")
        try FileSystemMoves.rename(path, beside)
        let now = try storage.store.finish(sending, as: answer(to: item))
        #expect(now.state == .changed)
        #expect(now.synced?.content == Array("2".utf8))
        #expect(try bases(item, storage) == ["two"])
        try FileSystemMoves.rename(beside, path)
        #expect(try storage.store.recordChange(of: item.id, in: storage.domain).state == .changed)
    }

    @Test("What is found gone in the moment in which it is to be sent is not being sent")
    func goneBeforeSending() async throws {
        let storage = try StorageFixture()
        for round in 0..<Self.rounds {
            let (item, path) = try item(round, storage)
            try storage.edit(item.id.rawValue, "two")
            #expect(unlink(path.string) == 0)
            let (store, domain) = (storage.store, storage.domain)
            try await Race.run {
                #expect(throws: DocumentError.self) { try store.beginSending(item.id, in: domain) }
            } _: {
                _ = try store.recordChange(of: item.id, in: domain)
            }
            let now = try storage.indexed(item.id.rawValue)
            #expect(now.state == .placeholder && now.local == nil, "round \(round): \(now.state)")
        }
    }
}
