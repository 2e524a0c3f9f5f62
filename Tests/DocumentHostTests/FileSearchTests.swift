import DocumentModel
import DocumentStorage
import DocumentTestSupport
import DocumentTransport
import Glibc
import SystemPackage
import Testing

@testable import DocumentHost

/// How often a domain is looked through for documents' files that are gone, and who waits for it.
@Suite(.timeLimit(.minutes(1))) final class FileSearchTests {
    private let storage: StorageFixture
    private let threads: StorageThreads
    private let search: FileSearch
    private static let folders = 12

    /// Folders with a document each that has changes which were not sent, and one that has none; and much else, so that a look
    /// takes its time.
    init() throws {
        storage = try StorageFixture()
        threads = StorageThreads(store: storage.store)
        search = FileSearch(storage: threads, loop: EventLoop(name: "searching"), restraint: 100, patience: .zero)
        for number in 0..<Self.folders {
            try storage.tell(storage.item("f\(number)", "F\(number)", kind: .folder))
            for kind in ["changed", "clean"] {
                let item = try storage.item(
                    "\(kind)\(number)", "\(kind).txt", in: "f\(number)", contents: "one")
                try storage.tell(item)
                try storage.provide(item, "one")
            }
            try storage.edit("changed\(number)", "two")
        }
        let beside = storage.tree.path(of: try storage.location("beside"))
        try #require(mkdir(beside.string, 0o700) == 0)
        for number in 0..<500 { try TemporaryFile.write("", to: beside.appending("\(number)")) }
    }

    deinit { threads.shutdown() }

    private func removeAll() throws {
        for number in 0..<Self.folders {
            for kind in ["changed", "clean"] {
                let place = storage.tree.path(of: try storage.location("F\(number)/\(kind).txt"))
                try #require(unlink(place.string) == 0)
            }
        }
    }

    @Test(
        "Many folders with unsent changes that are removed at once cost one look, and one more before they are given up"
    )
    func looksForMany() async throws {
        try removeAll()
        let items = try (0..<Self.folders).map { try storage.indexed("changed\($0)") }
        for after in [nil, MonotonicTime.now()] {
            let before = search.count
            try await withThrowingTaskGroup(of: MovedFile?.self) { [search] group in
                for item in items { group.addTask { try await search.file(of: item, after: after) } }
                for try await file in group { #expect(file == nil) }
            }
            #expect(search.count == before + 1)
        }
    }

    @Test(
        "What was found before somebody asked does not count for who wants to be sure; a file that came meanwhile is found"
    )
    func sure() async throws {
        try removeAll()
        let item = try storage.indexed("changed3")
        #expect(try await search.file(of: storage.indexed("changed2")) == nil)
        // Somebody puts another one's back, elsewhere.
        let place = storage.tree.path(of: try storage.location("beside/back.txt"))
        try storage.write("one more", to: place)
        #expect(try await search.file(of: item) == nil)
        let count = search.count
        #expect(try await search.file(of: item, after: .now()) == nil)
        #expect(search.count == count + 1)
    }

    @Test("Nobody waits for where the file is by now of a document whose contents the remote has")
    func withoutWaiting() async throws {
        try removeAll()
        _ = try await search.file(of: storage.indexed("clean0"))
        #expect(search.count == 1)
        // It was looked through just now: for a while nobody does again, but for what would be lost.
        #expect(try await search.file(of: storage.indexed("clean1")) == nil)
        #expect(search.count == 1)
        let unsent = try storage.indexed("changed1")
        let waiting = Task { [search] in try await search.file(of: unsent, after: .now()) }
        #expect(try await search.file(of: storage.indexed("clean2")) == nil)
        #expect(search.count == 1)
        #expect(try await waiting.value == nil)
        #expect(search.count == 2)
    }

    @Test(
        "It is waited for where that is short, or others are found to have moved meanwhile: the document is to follow its file",
        arguments: [false, true])
    func followed(isShort: Bool) async throws {
        let search = FileSearch(
            storage: threads, loop: EventLoop(name: "searching"), restraint: 100,
            patience: isShort ? .seconds(30) : .zero)
        let item = try storage.indexed("clean3")
        let other = storage.tree.path(of: try storage.location("F0/clean.txt"))
        try #require(unlink(other.string) == 0)
        #expect(try await search.file(of: storage.indexed("clean0")) == nil)
        let left = storage.tree.path(of: try storage.location("F3/clean.txt"))
        let place = storage.tree.path(of: try storage.location("beside/clean.txt"))
        try #require(rename(left.string, place.string) == 0)
        let file = try await search.file(of: item, after: .now(), isAmongOthers: !isShort)
        #expect(file?.location == (try storage.location("beside/clean.txt")))
    }

    @Test("There is no look while nothing is gone")
    func nothingGone() async throws {
        for id in ["changed0", "clean0"] { #expect(try await search.file(of: storage.indexed(id)) == nil) }
        #expect(search.count == 0)
    }
}
