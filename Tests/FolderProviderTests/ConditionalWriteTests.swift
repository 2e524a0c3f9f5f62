import DocumentModel
import DocumentProvider
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import FolderProvider

@Suite("Conditional writes")
struct ConditionalWriteTests {
    let fixture: FolderFixture
    let provider: FolderProvider

    init() async throws {
        fixture = try FolderFixture()
        provider = try await fixture.provider()
    }

    @Test("PROV-20: new contents replace the current version, under the same identifier")
    func replace() async throws {
        try fixture.write("old", to: "a")
        try fixture.call(chmod(fixture.path("a"), 0o640))
        let before = try await provider.item(at: "a")
        let after = try await provider.replace(before, try fixture.contents("new"))
        #expect(after.id == before.id)
        #expect(after.version.content != before.version.content)
        #expect(after.size == 3)
        #expect(try fixture.read("a") == "new")
        #expect(try fixture.names() == ["a"])
        #expect(try await provider.item(for: after.id) == after)
        var status = stat()
        try fixture.call(stat(fixture.path("a"), &status))
        #expect(status.st_mode & 0o7777 == 0o640)
    }

    @Test("New items are as open to others as the folder around them", arguments: [0o755, 0o700, 0o2775])
    func modeOfNewItems(_ mode: UInt32) async throws {
        try fixture.call(chmod(fixture.folder.string, mode))
        _ = try await provider.create("document", try fixture.contents("x"))
        _ = try await provider.create("folder", nil)
        var (document, folder) = (stat(), stat())
        try fixture.call(stat(fixture.path("document"), &document))
        try fixture.call(stat(fixture.path("folder"), &folder))
        #expect(document.st_mode & 0o7777 == mode & 0o666)
        #expect(folder.st_mode & 0o7777 == mode)
    }

    @Test("A stale base version is refused and changes nothing")
    func staleBase() async throws {
        try fixture.write("one", to: "a")
        let first = try await provider.item(at: "a")
        try fixture.write("two", to: "a")
        await expect(.versionNoLongerAvailable) { _ = try await provider.replace(first, try fixture.contents("mine")) }
        await expect(.versionNoLongerAvailable) { try await provider.delete(first) }
        let refusal = await #expect(throws: DocumentError.self) { _ = try await provider.rename(first, to: "b") }
        #expect(refusal?.message.contains("list its folder again, and try again") == true)
        #expect(try fixture.read("a") == "two")
        #expect(try fixture.names() == ["a"])
    }

    @Test("Of many writers with one base version exactly one wins", arguments: [1, 2])
    func race(instances: Int) async throws {
        try fixture.write("start", to: "a")
        var providers = [provider]
        for number in 1..<instances {
            providers.append(try await fixture.provider(state: try fixture.otherState("state\(number)")))
        }
        for round in 0..<20 {
            var attempts: [(FolderProvider, Item, FilePath)] = []
            for writer in 0..<8 {
                let provider = providers[writer % instances]
                attempts.append(
                    (provider, try await provider.item(at: "a"), try fixture.contents("\(round)/\(writer)")))
            }
            let winners = await withTaskGroup(of: String?.self) { group in
                for (provider, item, contents) in attempts {
                    group.addTask {
                        do {
                            _ = try await provider.replace(item, contents)
                            return try String(decoding: fixture.readPath(contents.string), as: UTF8.self)
                        } catch let error as DocumentError {
                            #expect(error.code == .versionNoLongerAvailable, "\(error)")
                        } catch {
                            Issue.record("\(error)")
                        }
                        return nil
                    }
                }
                return await group.reduce(into: [String]()) { if let winner = $1 { $0.append(winner) } }
            }
            #expect(winners.count == 1)
            #expect(try fixture.read("a") == winners.first)
        }
        #expect(try fixture.names() == ["a"])
    }

    @Test("No save of a program that renames its files into place is lost to a conditional write")
    func raceWithForeignSaves() async throws {
        try fixture.write("0", to: "a")
        let isDone = Mutex(false)
        let saves = Mutex(0)
        let editor = Task.detached { [fixture] in
            // Like an editor that saves on and on: each save over whatever is there.
            for number in 1...300 {
                try fixture.write("editor \(number)", to: "a.tmp")
                try fixture.rename("a.tmp", to: "a")
                saves.withLock { $0 = number }
                // Pauses for thought: without them nobody else may ever be quick enough.
                if number % 10 == 5 { try await Task.sleep(for: .milliseconds(20)) }
            }
            isDone.withLock { $0 = true }
        }
        while !isDone.withLock({ $0 }) {
            await Task.yield()
            let item = try await provider.item(at: "a")
            let base = try fixture.read("a")
            let contents = try fixture.contents("ours over [\(base)]")
            if let after = try? await provider.replace(item, contents) {
                #expect(after.id == item.id)
            }
        }
        try await editor.value
        // The last save is there, or we knew it when we wrote.
        let text = try fixture.read("a")
        #expect(text.contains("editor 300"), "\(text)")
        // How many of ours came through is the machine's affair; once nobody else writes, one does.
        let last = try await provider.replace(try await provider.item(at: "a"), try fixture.contents("ours alone"))
        #expect(last.id == (try await provider.item(at: "a")).id)
        #expect(try fixture.read("a") == "ours alone")
        let names = try fixture.names()
        #expect(names == ["a"])
    }

    @Test("A document that another program has open for writing is not replaced under it")
    func openForWriting() async throws {
        try fixture.write("one", to: "a")
        let item = try await provider.item(at: "a")
        let writer = try fixture.call(open(fixture.path("a"), O_WRONLY | O_APPEND))
        await expect(.busy) { _ = try await provider.replace(item, try fixture.contents("mine")) }
        await expect(.busy) { try await provider.delete(item) }
        #expect(try fixture.read("a") == "one")
        #expect(Glibc.write(writer, "!", 1) == 1)
        close(writer)
        #expect(try fixture.read("a") == "one!")
        #expect(try fixture.names() == ["a"])
        let now = try await provider.item(for: item.id)
        _ = try await provider.replace(now, try fixture.contents("mine"))
        #expect(try fixture.read("a") == "mine")
    }

    @Test("A create does not replace what is there, whatever that is")
    func createCollision() async throws {
        try fixture.write("theirs", to: "a")
        try fixture.makeFolder("f")
        try fixture.call(symlink("/etc/passwd", fixture.path("s")))
        for name in ["a", "f", "s"] {
            await expect(.nameCollision) { _ = try await provider.create(name, try fixture.contents("mine")) }
            await expect(.nameCollision) { _ = try await provider.create(name, nil) }
        }
        #expect(try fixture.read("a") == "theirs")
        #expect(try fixture.names() == ["a", "f", "s"])
    }

    @Test("Of many creates of one name exactly one wins")
    func createRace() async throws {
        let other = try await fixture.provider(state: try fixture.otherState("other"))
        for round in 0..<20 {
            let winners = await withTaskGroup(of: Bool.self) { group in
                for writer in 0..<8 {
                    let provider = writer % 2 == 0 ? provider : other
                    group.addTask {
                        do {
                            _ = try await provider.create("n\(round)", try fixture.contents("\(writer)"))
                            return true
                        } catch let error as DocumentError {
                            #expect(error.code == .nameCollision, "\(error)")
                        } catch {
                            Issue.record("\(error)")
                        }
                        return false
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(winners == 1)
        }
        #expect(try fixture.names().count == 20)
    }

    @Test("A repeated operation answers with what the first one made")
    func repeated() async throws {
        let operation = fresh()
        let contents = try fixture.contents("text")
        let first = try await provider.create("a", contents, operation: operation)
        #expect(try await provider.create("a", contents, operation: operation) == first)
        let change = fresh()
        let changed = try await provider.replace(first, try fixture.contents("other"), operation: change)
        #expect(try await provider.replace(first, try fixture.contents("other"), operation: change) == changed)
        let move = fresh()
        let moved = try await provider.rename(changed, to: "b", operation: move)
        #expect(try await provider.rename(changed, to: "b", operation: move) == moved)
        #expect(moved.version.content == changed.version.content)
        let removal = fresh()
        try await provider.delete(moved, operation: removal)
        try await provider.delete(moved, operation: removal)
        try await provider.delete(moved)
        #expect(try fixture.names().isEmpty)
    }

    @Test("A repeated operation is known after a restart")
    func repeatedAfterRestart() async throws {
        let other = try FolderFixture()
        var provider: FolderProvider? = try await other.provider()
        let contents = try other.contents("text")
        let first = try #require(try await provider?.create("a", contents, operation: "op"))
        provider = nil
        try other.rename("a", to: "b")
        let again = try await other.provider().create("a", contents, operation: "op")
        #expect(again.id == first.id)
        #expect(try other.names() == ["b"])
    }

    @Test("Renaming and moving never replace; moving a folder into itself is refused")
    func renameAndMove() async throws {
        let folder = try await provider.create("folder", nil)
        let inner = try await provider.create("inner", nil, in: folder.id)
        let a = try await provider.create("a", try fixture.contents("A"))
        let b = try await provider.create("b", try fixture.contents("B"))
        await expect(.nameCollision) { _ = try await provider.rename(a, to: "b") }
        await expect(.invalidArgument) { _ = try await provider.rename(folder, in: inner.id) }
        let moved = try await provider.rename(a, to: "b", in: inner.id)
        #expect(moved.id == a.id && moved.parentID == inner.id && moved.name?.rawValue == "b")
        #expect(moved.version.content == a.version.content)
        #expect(try fixture.read("folder/inner/b") == "A")
        #expect(try fixture.read("b") == "B")
        await expect(.versionNoLongerAvailable) { _ = try await provider.rename(a, to: "c") }
        _ = try await provider.rename(b, to: "B")
        #expect(try fixture.names() == ["folder", "B"])
    }

    @Test("Contents and name change together, or not at all")
    func contentsAndName() async throws {
        let a = try await provider.create("a", try fixture.contents("A"))
        _ = try await provider.create("b", try fixture.contents("B"))
        var modification = ItemModification(
            id: a.id, baseVersion: a.version, contents: try fixture.contents("new"), name: try ItemName("b"),
            modified: Timestamp(seconds: 1_000_000, nanoseconds: 5), operation: fresh())
        await expect(.nameCollision) { _ = try await provider.modifyItem(modification, transfer: Transfer()) }
        #expect(try fixture.read("a") == "A")
        modification.name = try ItemName("c")
        modification.operation = fresh()
        let changed = try await provider.modifyItem(modification, transfer: Transfer())
        #expect(changed.id == a.id && changed.name?.rawValue == "c")
        #expect(changed.modified == Timestamp(seconds: 1_000_000, nanoseconds: 5))
        #expect(try fixture.read("c") == "new")
        #expect(try fixture.names() == ["b", "c"])
    }

    @Test("A folder with items is removed only when asked for with all that is in it; symlinks are not followed")
    func deleteFolder() async throws {
        let folder = try await provider.create("folder", nil)
        try fixture.write("keep", to: "outside")
        try fixture.makeFolder("folder/deep")
        try fixture.write("x", to: "folder/deep/x")
        try fixture.call(symlink(fixture.path(""), fixture.path("folder/deep/link")))
        try fixture.call(mkfifo(fixture.path("folder/pipe"), 0o600))
        await expect(.directoryNotEmpty) { try await provider.delete(folder) }
        try await provider.delete(folder, recursive: true)
        #expect(try fixture.names() == ["outside"])
        #expect(try fixture.read("outside") == "keep")
        await expect(.noSuchItem) { _ = try await provider.item(for: folder.id) }
    }

    @Test("A folder deeper than a path may be long is removed with few descriptors")
    func deleteDeepFolder() async throws {
        let folder = try await provider.create("folder", nil)
        var place = try fixture.call(open(fixture.path("folder"), O_RDONLY | O_DIRECTORY))
        let name = String(repeating: "d", count: 100)
        for _ in 0..<100 {
            try fixture.call(mkdirat(place, name, 0o755))
            let next = try fixture.call(openat(place, name, O_RDONLY | O_DIRECTORY))
            close(place)
            place = next
        }
        close(place)
        #expect(try await provider.list(folder.id).count == 1)
        try await provider.delete(folder, recursive: true)
        #expect(try fixture.names().isEmpty)
    }

    @Test("A read-only domain refuses every change")
    func readOnly() async throws {
        try fixture.write("x", to: "a")
        let provider = try await fixture.provider(
            state: try fixture.otherState("ro"), settings: ["read-only": "true"])
        let item = try await provider.item(at: "a")
        #expect(item.capabilities == .readOnly)
        await expect(.notPermitted) { _ = try await provider.create("b", nil) }
        await expect(.notPermitted) { _ = try await provider.replace(item, try fixture.contents("y")) }
        await expect(.notPermitted) { try await provider.delete(item) }
        #expect(try fixture.names() == ["a"])
    }
}
