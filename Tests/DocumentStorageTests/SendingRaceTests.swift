import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Testing

/// A provider's answer is recorded on one thread while what a program wrote meanwhile is recorded on another.
struct SendingRaceTests {
    @Test("VER-13: an edit that is recorded while an earlier one is sent stays recorded")
    func recordedMeanwhile() throws {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: "one")
        try storage.tell(item)
        try storage.provide(item, "one")
        try storage.edit("a", "two")
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        try storage.edit("a", "three and more")
        let edited = try storage.indexed("a").local
        var answer = item
        answer.version = try ItemVersion(content: Array("2".utf8))
        #expect(try storage.store.finish(sending, as: answer).state == .changed)
        #expect(try storage.indexed("a").local == edited)
        let next = try storage.store.beginSending(item.id, in: storage.domain)
        #expect(try storage.read(next.snapshot.path) == "three and more")
        try storage.store.abandon(next, because: nil)
    }

    @Test(
        "VER-13: an edit that ends in the moment in which an earlier one is acknowledged is still to be sent",
        arguments: [false, true])
    func editAndAnswer(isNew: Bool) async throws {
        let storage = try StorageFixture()
        for round in 0..<50 {
            let (id, name) = ("a\(round)", "a\(round).txt")
            let item = try storage.item(id, name, contents: "one")
            try storage.tell(item)
            try storage.provide(item, "one")
            try storage.edit(id, "two")
            let sending = try storage.store.beginSending(item.id, in: storage.domain)
            let change = try storage.store.expectChange(of: item.id, in: storage.domain)
            let place = storage.tree.path(of: try storage.location(name))
            var answer = isNew ? try storage.item("new\(round)", name, contents: "two") : item
            answer.version = try ItemVersion(content: Array("2".utf8))
            let (store, acknowledged) = (storage.store, answer)
            try await Race.run {
                if isNew {
                    _ = try store.finish(sending, asNew: acknowledged)
                } else {
                    _ = try store.finish(sending, as: acknowledged)
                }
            } _: {
                try TemporaryFile.write("three and more", to: place)
                _ = try store.recordChange(change)
            }
            let now = try storage.indexed(acknowledged.id.rawValue)
            #expect(now.state == .changed, "round \(round): \(now.state) with “three” in its place")
            #expect(now.synced?.content == Array("2".utf8))
            let base = try storage.index.read { try $0.keptVersions(of: acknowledged.id, in: storage.domain) }
                .first { $0.role == .base }
            #expect(try base.map { try storage.read(storage.root.versions.path(of: $0.kept)) } == "two")
            guard now.state == .changed else { return }
            let next = try storage.store.beginSending(acknowledged.id, in: storage.domain)
            #expect(try storage.read(next.snapshot.path) == "three and more")
            try storage.store.abandon(next, because: nil)
        }
    }
}
