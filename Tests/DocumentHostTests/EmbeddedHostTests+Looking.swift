import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentHost

/// What programs do to files without asking, looked at as soon as nobody works on them.
extension EmbeddedHostTests {
    @Test(
        "COORD-40: two who wait for a document to be free look at it, and do not wait for each other for good",
        .timeLimit(.minutes(1)))
    func lookedAtByTwo() async throws {
        try await withHost { host, remote in
            let location = try Location("d:/a.txt")
            try TemporaryFile.write("theirs", to: remote.appending("a.txt"))
            try await host.download(location)
            let key = try #require(try host.storage.read { try $0.item(at: location) }).key
            let worker = Task {
                try await host.locks.withLock(key) { () async throws(DocumentError) in
                    try? await Task.sleep(for: .milliseconds(300))
                }
            }
            while !host.locks.isHeld(key) { try await Task.sleep(for: .milliseconds(1)) }
            try TemporaryFile.write("ours", to: host.root.tree.path(of: location))
            async let first: Void = host.disk.lookWhenFree(key)
            async let second: Void = host.disk.lookWhenFree(key)
            _ = try await (first, second)
            try await worker.value
            try await host.waitUntilSent(location)
            #expect(try TemporaryFile.read(remote.appending("a.txt")) == "ours")
        }
    }

    @Test("COORD-40: documents that others are at work on keep no other from being looked at, however many they are")
    func lookedAtBesideBusy() async throws {
        try await withHost { host, remote in
            let names = (0..<10).map { "\($0).txt" } + ["other.txt"]
            for name in names { try TemporaryFile.write("theirs", to: remote.appending(name)) }
            try await host.refresh(Location("d:/"))
            let places = try names.map { try Location("d:/\($0)") }
            for place in places { try await host.download(place) }
            let keys = try places.map { place in
                try #require(try host.storage.read { try $0.item(at: place) }).key
            }
            let busy = keys.dropLast()
            let isOver = Flag()
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { isOver.set() }
                for key in busy {
                    group.addTask {
                        try await host.locks.withLock(key) { () async throws(DocumentError) in
                            while !isOver.isSet { try? await Task.sleep(for: .milliseconds(5)) }
                        }
                    }
                }
                while !busy.allSatisfy({ host.locks.isHeld($0) }) { try await Task.sleep(for: .milliseconds(5)) }
                let tree = host.root.tree
                for place in places.dropLast() { try TemporaryFile.write("ours", to: tree.path(of: place)) }
                // As many of them are waited for as are looked at at once.
                for _ in 0..<1_000 where busy.count(where: { host.locks.isAwaited($0) }) < 8 {
                    try await Task.sleep(for: .milliseconds(10))
                }
                try TemporaryFile.write("ours", to: tree.path(of: places[10]))
                let file = remote.appending("other.txt")
                for _ in 0..<1_000 where (try? TemporaryFile.read(file)) != "ours" {
                    try await Task.sleep(for: .milliseconds(10))
                }
                #expect(try TemporaryFile.read(file) == "ours")
                isOver.set()
                try await group.waitForAll()
            }
            // Those are looked at when nobody is at work on them any more.
            for name in names {
                let file = remote.appending(name)
                for _ in 0..<1_000 where (try? TemporaryFile.read(file)) != "ours" {
                    try await Task.sleep(for: .milliseconds(10))
                }
                #expect(try TemporaryFile.read(file) == "ours")
            }
        }
    }

    @Test(
        "DOWN-3: a document whose file a program moves while somebody may write it follows it, also with the folder around it",
        arguments: ["g/a.txt", "f/b.txt"], [false, true])
    func movedWhileWritten(to place: String, isWritten: Bool) async throws {
        try await withHost { host, remote in
            try #require(mkdir(remote.appending("f").string, 0o700) == 0)
            try TemporaryFile.write("theirs", to: remote.appending("f").appending("a.txt"))
            for folder in ["d:/", "d:/f"] {
                _ = try await host.items(in: Location(folder), page: nil, suggestedCount: 10, refreshing: true)
            }
            let (from, to) = (try Location("d:/f/a.txt"), try Location("d:/" + place))
            try await host.download(from)
            let id = try await host.item(at: from).item.id
            let tool = host.connect(tool: "one")
            defer { host.disconnect(tool) }
            let access = try await host.beginAccess(AccessRequest(location: from, intent: .writing), for: tool)
            if isWritten { try TemporaryFile.write("ours", to: FilePath(access.items[0].path)) }
            let tree = host.root.tree
            let (old, new) =
                to.name == from.name ? (try Location("d:/f"), try Location("d:/g")) : (from, to)
            try #require(rename(tree.path(of: old).string, tree.path(of: new).string) == 0)
            try await host.endAccess(access.number, of: tool)
            let contents = isWritten ? "ours" : "theirs"
            let there = remote.appending(FilePath(place).components)
            for _ in 0..<500 where (try? TemporaryFile.read(there)) != contents {
                try await Task.sleep(for: .milliseconds(20))
            }
            try await host.waitUntilSent(Location("d:/"))
            #expect(try TemporaryFile.read(there) == contents)
            let item = try await host.item(at: to)
            #expect(item.state == .materialised && item.item.id == id)
            #expect(try TemporaryFile.read(tree.path(of: to)) == contents)
        }
    }

    @Test("DOWN-3: what the remote has put in the place of a document that it moved does not follow that one's file")
    func anotherInItsPlace() async throws {
        try await withHost { host, remote in
            let (place, free) = (try Location("d:/a.txt"), try Location("d:/c.txt"))
            try TemporaryFile.write("first", to: remote.appending("a.txt"))
            try await host.download(place)
            let id = try await host.item(at: place).item.id
            try #require(rename(remote.appending("a.txt").string, remote.appending("moved.txt").string) == 0)
            try TemporaryFile.write("another", to: remote.appending("a.txt"))
            var isAnother = false
            while !isAnother {
                try await Task.sleep(for: .milliseconds(20))
                try await host.refresh(Location("d:/"))
                let there = try host.storage.read { try $0.item(at: place) }
                isAnother = there.map { $0.id != id } ?? false
            }
            let error = await #expect(throws: DocumentError.self) {
                _ = try await host.rename(place, to: free, atOnce: false, within: nil, expecting: id)
            }
            #expect(error?.code == .noSuchItem)
            #expect(try TemporaryFile.read(remote.appending("a.txt")) == "another")
            let moved = try Location("d:/moved.txt")
            _ = try await host.rename(moved, to: free, atOnce: false, within: nil, expecting: id)
            #expect(try TemporaryFile.read(remote.appending("c.txt")) == "first")
        }
    }
}
