import DocumentModel
import DocumentStorage
import DocumentTestSupport
import SystemPackage
import Testing

@testable import DocumentHost

/// What was done here, and is told to its provider later.
extension EmbeddedHostTests {
    @Test("VER-15: a removal of which nobody knows the version takes nothing from the remote: what that has comes back")
    func removedInNoVersion() async throws {
        try await withHost { host, remote in
            let (file, location) = (remote.appending("a.txt"), try Location("d:/a.txt"))
            try TemporaryFile.write("theirs", to: file)
            let item = try await host.item(at: location).item
            let store = host.storage.store
            var entry = try #require(try store.drop(item.id, in: location.domain, discardingEdits: false))
            // As one that another host has left.
            entry.payload.base = ItemVersion.none
            let left = entry
            let open = try store.root.index.write { try $0.advance(left, to: left.step) }
            host.backlog.add([open], of: location.domain)
            for _ in 0..<1_000 where host.backlog.count(of: location.domain) > 0 {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(host.backlog.count(of: location.domain) == 0)
            #expect(try host.storage.read { try $0.droppedItems(in: location.domain) }.isEmpty)
            #expect(try TemporaryFile.read(file) == "theirs")
            #expect(try await host.item(at: location).state == .placeholder)
        }
    }

    @Test("VER-15: what is removed here just as its provider has been told of everything else is told all the same")
    func addedAtTheEnd() async throws {
        try await withHost { host, remote in
            let (file, location) = (remote.appending("a.txt"), try Location("d:/a.txt"))
            try TemporaryFile.write("theirs", to: file)
            let item = try await host.item(at: location).item
            // A round that has found nothing more to do, and is not over yet.
            let (isBegun, isOver) = (Flag(), Flag())
            let ending = Task {
                while !isBegun.isSet {
                    try await host.backlog.rounds.join(location.domain, onProgress: nil) { _ throws(DocumentError) in
                        isBegun.set()
                        while !isOver.isSet, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
                    }
                }
            }
            while !isBegun.isSet { try await Task.sleep(for: .milliseconds(5)) }
            let entry = try #require(
                try host.storage.store.drop(item.id, in: location.domain, discardingEdits: false))
            host.backlog.add([entry], of: location.domain)
            // Whoever tells of it has joined that one by now.
            try await Task.sleep(for: .milliseconds(200))
            isOver.set()
            try await ending.value
            for _ in 0..<1_000 where host.backlog.count(of: location.domain) > 0 {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(host.backlog.count(of: location.domain) == 0)
            #expect((try? TemporaryFile.read(file)) == nil)
        }
    }
}
