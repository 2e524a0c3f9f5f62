import DocumentModel
import DocumentTestSupport
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import DocumentStorage

/// What the system tells of folders of the tree, and where contents are.
struct FolderWatcherTests {
    private func prepared() throws -> (StorageFixture, FolderWatcher, Int32) {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: "hello")
        try storage.tell(item)
        try storage.provide(item, "hello")
        let watcher = try FolderWatcher(of: storage.tree)
        guard case .watched(let watch) = try watcher.watch(Location(domain: storage.domain)) else {
            throw DocumentError(.internal, "The top folder is not watched.")
        }
        return (storage, watcher, watch)
    }

    /// The kinds of what was told of a name; inotify tells before the call that it tells of returns.
    private func kinds(_ watcher: FolderWatcher, of name: String?) -> [FolderEvent.Kind] {
        watcher.events().filter { $0.name == name }.map(\.kind)
    }

    @Test("COORD-40: writing in place, saving by rename, cutting off, removing and moving in are told")
    func told() throws {
        let (storage, watcher, _) = try prepared()
        let path = try storage.tree.path(of: storage.location("a.txt"))
        try storage.write("longer contents", to: path)
        #expect(kinds(watcher, of: "a.txt").contains(.written))
        try storage.save("saved", to: path)
        #expect(kinds(watcher, of: "a.txt") == [.movedHere])
        #expect(truncate(path.string, 2) == 0)
        #expect(kinds(watcher, of: "a.txt") == [.written])
        let outside = storage.folder.appending("outside")
        try FileSystemMoves.rename(path, outside)
        #expect(kinds(watcher, of: "a.txt") == [.movedAway])
        try FileSystemMoves.rename(outside, path)
        #expect(kinds(watcher, of: "a.txt") == [.movedHere])
        #expect(unlink(path.string) == 0)
        #expect(kinds(watcher, of: "a.txt") == [.removed])
    }

    @Test("COORD-40: a file that is open is told as written, and as closed at the end")
    func closing() throws {
        let (storage, watcher, watch) = try prepared()
        let path = try storage.tree.path(of: storage.location("a.txt"))
        let file = try FileDescriptor.open(path, .writeOnly)
        _ = try file.writeAll("x".utf8)
        #expect(watcher.events() == [FolderEvent(watch: watch, .written, "a.txt")])
        try file.close()
        #expect(watcher.events() == [FolderEvent(watch: watch, .closed, "a.txt")])
        // Reading is no change.
        _ = try storage.read(path)
        #expect(watcher.events() == [])
    }

    @Test("COORD-40: a watch follows its folder, says when that moved, and ends with it")
    func folder() throws {
        let (storage, watcher, _) = try prepared()
        let sub = Location(domain: storage.domain, components: [try ItemName("sub")])
        #expect(try watcher.watch(sub) == .missing)
        try storage.tree.makeFolder(at: sub)
        guard case .watched(let watch) = try watcher.watch(sub) else {
            Issue.record("not watched")
            return
        }
        #expect(try watcher.watch(sub) == .watched(watch))
        _ = watcher.events()
        let elsewhere = storage.rootPath.appending("documents/work/elsewhere")
        try FileSystemMoves.rename(storage.tree.path(of: sub), elsewhere)
        #expect(watcher.events().contains(FolderEvent(watch: watch, .folderMoved)))
        #expect(rmdir(elsewhere.string) == 0)
        #expect(watcher.events().contains(FolderEvent(watch: watch, .ended)))
        watcher.unwatch(watch)
    }

    #if DEBUG
        @Test("COORD-40: the system's limits are told apart from a folder that is not there")
        func limits() throws {
            let (storage, watcher, _) = try prepared()
            let plan = FaultPlan()
            plan.fail(.watch, with: ENOSPC)
            let outcome = try FaultPlan.$current.withValue(plan) {
                try watcher.watch(Location(domain: storage.domain))
            }
            #expect(outcome == .limitReached)
            let none = FaultPlan()
            none.fail(.watch, with: EMFILE)
            let error = FaultPlan.$current.withValue(none) {
                #expect(throws: DocumentError.self) { try FolderWatcher(of: storage.tree) }
            }
            #expect(error?.message.contains("max_user_instances") == true)
        }
    #endif

    @Test("COORD-40: the index tells of folders into which contents come, and from which they go")
    func presence() throws {
        let storage = try StorageFixture()
        let told = Told()
        storage.index.observePresence { told.add($0) }
        let folder = try storage.item("f", "f", kind: .folder)
        let item = try storage.item("a", "a.txt", in: "f", contents: "hello")
        try storage.tell(folder, item)
        #expect(told.take() == [])
        try storage.provide(item, "hello")
        #expect(told.take() == [PresenceNews(domain: storage.domain, folder: folder.id, isHere: true)])
        #expect(try storage.index.read { try $0.foldersWithContents(in: storage.domain) } == [folder.id])
        #expect(try storage.index.read { try $0.contents(of: folder.id, in: storage.domain).map(\.id) } == [item.id])
        #expect(
            try storage.index.read {
                try $0.contents(named: ItemName("a.txt"), in: folder.id, of: storage.domain)?.id
            } == item.id)

        // Moved, it is in another folder, on disk as well when that is told.
        var moved = item
        moved.parentID = try ItemIdentifier("/")
        try storage.tell(moved)
        #expect(told.take() == [PresenceNews(domain: storage.domain, folder: try ItemIdentifier("/"), isHere: true)])
        #expect(try storage.document("a.txt") == "hello")

        _ = try storage.store.evict(item.id, in: storage.domain)
        #expect(told.take() == [PresenceNews(domain: storage.domain, folder: try ItemIdentifier("/"), isHere: false)])
        #expect(try !storage.index.read { try $0.hasContents(ItemIdentifier("/"), in: storage.domain) })
    }

    @Test("INV-8: what nobody has touched does not differ; what somebody has does, even with its time set back")
    func differing() throws {
        let (storage, _, _) = try prepared()
        for id in ["b", "c"] {
            let item = try storage.item(id, "\(id).txt", contents: "hello")
            try storage.tell(item)
            try storage.provide(item, "hello")
        }
        let root = try ItemIdentifier("/")
        let recorded = try storage.index.read { try $0.contents(of: root, in: storage.domain) }
            .compactMap { item in item.item.name.flatMap { name in item.local.map { (name: name, file: $0) } } }
        let top = Location(domain: storage.domain)
        #expect(recorded.count == 3)
        #expect(try storage.tree.differing(in: top, from: recorded) == [])
        try storage.overwriteKeepingTime("HELLO", storage.tree.path(of: storage.location("a.txt")))
        #expect(unlink(try storage.tree.path(of: storage.location("c.txt")).string) == 0)
        #expect(
            try storage.tree.differing(in: top, from: recorded) == [
                DifferingFile(name: try ItemName("a.txt"), isMissing: false),
                DifferingFile(name: try ItemName("c.txt"), isMissing: true),
            ])
        let nowhere = Location(domain: storage.domain, components: [try ItemName("nowhere")])
        #expect(try storage.tree.differing(in: nowhere, from: recorded).map(\.isMissing) == [true, true, true])
    }
}

/// What was told.
private final class Told: Sendable {
    private let news = Mutex<Set<PresenceNews>>([])

    func add(_ more: Set<PresenceNews>) { news.withLock { $0.formUnion(more) } }

    func take() -> Set<PresenceNews> {
        news.withLock { news in
            defer { news = [] }
            return news
        }
    }
}

extension StorageFixture {
    /// Other contents of the same length, and the time of modification set back: only the inode's own time tells.
    func overwriteKeepingTime(_ text: String, _ path: FilePath) throws {
        var before = stat()
        guard stat(path.string, &before) == 0 else { throw Errno(rawValue: errno) }
        let file = try FileDescriptor.open(path, .writeOnly)
        _ = try file.closeAfter { try file.writeAll(text.utf8) }
        var times = [before.st_atim, before.st_mtim]
        guard utimensat(AT_FDCWD, path.string, &times, 0) == 0 else { throw Errno(rawValue: errno) }
    }
}
