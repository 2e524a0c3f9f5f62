import DocumentModel
import Foundation
import Glibc
import Synchronization
import Testing

@testable import DocumentClient

/// Bookmarks, through the daemon and over its life.
@Suite(.serialized) struct BookmarkTests {
    private func withDocuments(_ body: (Machine) async throws -> Void) async throws {
        try await Machine.with { machine async throws in
            for name in ["a.txt", "b.txt", "letter.txt"] {
                try machine.write("from \(name)", to: machine.remote + "/" + name)
            }
            try FileManager.default.createDirectory(atPath: machine.remote + "/f", withIntermediateDirectories: false)
            try machine.write("inside", to: machine.remote + "/f/inside.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try await body(machine)
        }
    }

    private func word(_ text: String) -> String { text.trimmingCharacters(in: .whitespacesAndNewlines) }

    /// The code of what is thrown.
    private func code(_ body: () async throws -> some Any) async -> DocumentError.Code? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? DocumentError)?.code
        }
    }

    private func text(_ path: FilePath) throws -> String { try String(contentsOfFile: path.string, encoding: .utf8) }

    @Test(
        "BOOK-1, BOOK-3: a bookmark finds its document after a rename, a move, an eviction and a restart, and says that it is stale"
    )
    func finding() async throws {
        try await withDocuments { machine async throws in
            let bookmark = word(try machine.succeed("bookmark", "create", "d:/a.txt"))
            #expect(bookmark.hasPrefix("docent-bookmark:"))
            let fresh = try machine.docent("bookmark", "resolve", bookmark)
            #expect((fresh.status, fresh.output, fresh.errors) == (0, "d:/a.txt\n", ""))

            try machine.succeed("rename", "d:/a.txt", "d:/renamed.txt")
            let renamed = try machine.docent("bookmark", "resolve", bookmark)
            #expect(renamed.output == "d:/renamed.txt\n")
            #expect(renamed.errors == "docent: The item has moved since the bookmark was made; make a new one of it.\n")

            // By somebody else, on the remote.
            let (old, new) = (machine.remote + "/renamed.txt", machine.remote + "/f/moved.txt")
            try FileManager.default.moveItem(atPath: old, toPath: new)
            #expect(
                try Machine.eventually {
                    try machine.docent("bookmark", "resolve", bookmark).output == "d:/f/moved.txt\n"
                })

            try machine.succeed("download", "d:/f/moved.txt")
            try machine.succeed("evict", "d:/f/moved.txt")
            try machine.succeed("host", "stop")
            #expect(machine.daemon == nil)
            #expect(try machine.succeed("bookmark", "resolve", bookmark) == "d:/f/moved.txt\n")
            let contents = try await machine.client { client async throws in
                try await client.coordinate(readingItemOf: Bookmark(text: bookmark)) { path, item in
                    #expect(item.location == (try Location("d:/f/moved.txt")))
                    return try text(path)
                }
            }
            #expect(contents == "from a.txt")

            let fromFile = try machine.docent("bookmark", "resolve", "-", "--json", input: bookmark + "\n")
            let json = try JSONSerialization.jsonObject(with: Data(fromFile.output.utf8)) as? [String: Any]
            #expect(json?["stale"] as? Bool == true && json?["rights"] as? String == "readWrite")
            #expect(fromFile.errors == "")
        }
    }

    @Test(
        "BOOK-2: resolving gives no access; starting does, until it was stopped as often; and the connection's end ends it"
    )
    func balance() async throws {
        try await withDocuments { machine async throws in
            let bookmark = try Bookmark(text: word(try machine.succeed("bookmark", "create", "d:/a.txt")))
            let location = try Location("d:/a.txt")
            try await machine.client { client async throws in
                func read() async throws -> DocumentError.Code? {
                    await code { try await client.coordinate(readingItemOf: bookmark) { _, _ in } }
                }
                #expect(try await client.resolve(bookmark).item.location == location)
                #expect(await code { try await client.stopAccessing(bookmark) } == .invalidArgument)
                for _ in 1...2 { #expect(try await client.startAccessing(bookmark)) }
                // One that balances itself leaves those as they are.
                #expect(try await read() == nil)
                for _ in 1...2 { try await client.stopAccessing(bookmark) }
                #expect(await code { try await client.stopAccessing(bookmark) } == .invalidArgument)
                #expect(try await client.startAccessing(bookmark))
            }
            #expect(
                Machine.eventually {
                    machine.read(machine.log)?.contains(
                        "a tool ended with accesses by bookmarks that it had not stopped")
                        == true
                })
            try await machine.client { client async throws in
                #expect(await code { try await client.stopAccessing(bookmark) } == .invalidArgument)
            }
        }
    }

    @Test("BOOK-2: what is started stays so when the document is sent for the first time")
    func sentMeanwhile() async throws {
        try await withDocuments { machine async throws in
            let location = try Location("d:/fresh.txt")
            try await machine.client { client async throws in
                let bookmark = try await FileCoordinator(client).coordinate(creatingItemAt: location) { path, _ in
                    try "fresh".write(toFile: path.string, atomically: false, encoding: .utf8)
                    let bookmark = try await client.bookmark(of: location)
                    #expect(try await client.startAccessing(bookmark))
                    return bookmark
                }
                try await client.waitUntilSent(location)
                var request = AccessRequest(location: location, intent: .reading)
                request.bookmark = bookmark
                let started = request
                #expect(await code { try await client.withAccess(started, nil) { _ in } } == nil)
            }
        }
    }

    @Test(
        "BOOK-2, BOOK-5: an access by a bookmark that is resolved and not started is refused, and one to anything but its item"
    )
    func scope() async throws {
        try await withDocuments { machine async throws in
            try await machine.client { client async throws in
                let document = try await client.bookmark(of: Location("d:/a.txt"))
                let folder = try await client.bookmark(of: Location("d:/f"))
                func access(_ location: String, by bookmark: Bookmark) async -> DocumentError.Code? {
                    await code {
                        var request = AccessRequest(location: try Location(location), intent: .reading)
                        request.bookmark = bookmark
                        try await client.withAccess(request, nil) { _ in }
                    }
                }
                _ = try await client.resolve(document)
                #expect(await access("d:/a.txt", by: document) == .notPermitted)
                #expect(try await client.startAccessing(document))
                #expect(await access("d:/a.txt", by: document) == nil)
                #expect(await access("d:/b.txt", by: document) == .notPermitted)
                #expect(await access("d:/f/inside.txt", by: document) == .notPermitted)
                // What a folder's bookmark allows, it allows for what is in the folder.
                #expect(try await client.startAccessing(folder))
                #expect(await access("d:/f/inside.txt", by: folder) == nil)
                #expect(await access("d:/a.txt", by: folder) == .notPermitted)
                // It is bound to the item: another one in its place is not it.
                try await client.rename(itemAt: Location("d:/a.txt"), to: Location("d:/f/a.txt"))
                try await client.rename(itemAt: Location("d:/b.txt"), to: Location("d:/a.txt"))
                #expect(await access("d:/a.txt", by: document) == .notPermitted)
                #expect(await access("d:/f/a.txt", by: document) == nil)
                try await client.stopAccessing(document)
                #expect(await access("d:/f/a.txt", by: document) == .notPermitted)
            }
        }
    }

    @Test("BOOK-2: a tool that leaks its accesses is told so, and gets no more until it connects anew")
    func leaking() async throws {
        try await withDocuments { machine async throws in
            let bookmark = try Bookmark(text: word(try machine.succeed("bookmark", "create", "d:/a.txt")))
            try await machine.client { client async throws in
                for _ in 1...1_000 { #expect(try await client.startAccessing(bookmark)) }
                #expect(try await !client.startAccessing(bookmark))
                do {
                    try await client.beginAccessing(bookmark)
                    Issue.record("it got access")
                } catch {
                    #expect("\(error)".contains("has started 1000 accesses by bookmarks and not stopped them"))
                }
                do {
                    try await client.coordinate(readingItemOf: bookmark) { _, _ in }
                    Issue.record("it got access")
                } catch {
                    #expect("\(error)".contains("has started 1000 accesses by bookmarks and not stopped them"))
                }
                try await client.stopAccessing(bookmark)
                #expect(try await !client.startAccessing(bookmark))
            }
            try await machine.client { client async throws in #expect(try await client.startAccessing(bookmark)) }
        }
    }

    @Test(
        "BOOK-1, QUERY-8: a document that is here is read by its bookmark at once while its provider hangs, whether or not that tells of changes",
        arguments: [true, false])
    func hangingProvider(hasFeed: Bool) async throws {
        try await Machine.with { machine async throws in
            try machine.addRemoteTree("d", hasFeed: hasFeed, isWritable: true)
            try machine.provide(
                RemoteTree(items: ["f": ["/", "Folder", nil], "a": ["f", "a.txt", "alpha\n"]]), in: "d")
            try machine.succeed("refresh", "d:/")
            #expect(try machine.succeed("cat", "d:/Folder/a.txt") == "alpha\n")
            try await machine.client { client async throws in
                let place = try Location("d:/Folder/a.txt")
                let bookmark = try await client.bookmark(of: place)
                let provider = try #require(machine.processes(named: "remote-tree").first)
                kill(provider, SIGSTOP)
                defer { kill(provider, SIGCONT) }
                // The usual read, which is granted at once; and one that has to ask somebody.
                for isPresented in [false, true] {
                    let presenter = Onlooker(place)
                    if isPresented { try await client.addPresenter(presenter) }
                    let began = ContinuousClock.now
                    let contents = try await client.coordinate(readingItemOf: bookmark) { path, item in
                        #expect(item.location == place)
                        return try text(path)
                    }
                    #expect(contents == "alpha\n")
                    #expect(ContinuousClock.now - began < .seconds(2))
                    if isPresented { try await client.removePresenter(presenter) }
                }
            }
        }
    }

    private final class Onlooker: FilePresenter {
        let presentedItemLocation: Location?
        init(_ location: Location) { presentedItemLocation = location }
    }

    @Test("BOOK-1, BOOK-2: a read by a bookmark finds its document also while that is renamed again and again")
    func renamedMeanwhile() async throws {
        try await withDocuments { machine async throws in
            try await machine.client { client async throws in
                let bookmark = try await client.bookmark(of: try Location("d:/a.txt"))
                let names = [try Location("d:/a.txt"), try Location("d:/f/moved.txt")]
                let renames = Mutex((count: 0, errors: [String]()))
                let renaming = Task {
                    while !Task.isCancelled {
                        let count = renames.withLock { $0.count }
                        do {
                            _ = try await client.rename(itemAt: names[count % 2], to: names[(count + 1) % 2])
                            renames.withLock { $0.count += 1 }
                        } catch {
                            renames.withLock { $0.errors.append("\(error)") }
                            try? await Task.sleep(for: .milliseconds(50))
                        }
                    }
                }
                var reads = 0
                while reads < 60 || (renames.withLock { $0.count } < 5 && reads < 1_000) {
                    reads += 1
                    let (contents, location) = try await client.coordinate(readingItemOf: bookmark) { path, item in
                        (try text(path), item.location)
                    }
                    #expect(contents == "from a.txt" && names.contains(location))
                }
                renaming.cancel()
                await renaming.value
                #expect(renames.withLock { $0.count } > 3, "\(renames.withLock { $0.errors })")
            }
        }
    }

    @Test("BOOK-3: through a read-only bookmark writes are refused, and nothing is changed")
    func readOnly() async throws {
        try await withDocuments { machine async throws in
            let bookmark = try Bookmark(
                text: word(try machine.succeed("bookmark", "create", "--read-only", "d:/a.txt")))
            let folder = try Bookmark(text: word(try machine.succeed("bookmark", "create", "d:/f")))
            try await machine.client { client async throws in
                #expect(try await client.resolve(bookmark).rights == .readOnly)
                #expect(
                    try await client.coordinate(readingItemOf: bookmark) { path, _ in try text(path) } == "from a.txt")
                var ran = false
                #expect(
                    await code { try await client.coordinate(writingItemOf: bookmark) { _, _ in ran = true } }
                        == .notPermitted)
                #expect(!ran)

                // The other form may write.
                let writable = try await client.bookmark(of: Location("d:/b.txt"))
                try await client.coordinate(writingItemOf: writable) { path, _ in
                    try machine.write("changed", to: path.string)
                }
                #expect(Machine.eventually { machine.read(machine.remote + "/b.txt") == "changed" })
                #expect(try await client.resolve(folder).item.location == (try Location("d:/f")))
            }
            #expect(machine.read(machine.remote + "/a.txt") == "from a.txt")
        }
    }

    @Test("BOOK-3: a document-scoped bookmark resolves only relative to its document, also when that has moved")
    func documentScoped() async throws {
        try await withDocuments { machine async throws in
            let bookmark = word(
                try machine.succeed("bookmark", "create", "d:/a.txt", "--relative-to", "d:/letter.txt"))
            let alone = try machine.docent("bookmark", "resolve", bookmark)
            #expect(alone.status == 1 && alone.errors.contains("is bound to a document"), "\(alone.errors)")
            #expect(try machine.docent("bookmark", "resolve", bookmark, "--relative-to", "d:/b.txt").status == 1)
            #expect(
                try machine.succeed("bookmark", "resolve", bookmark, "--relative-to", "d:/letter.txt") == "d:/a.txt\n")
            try machine.succeed("rename", "d:/letter.txt", "d:/f/letter.txt")
            try await machine.client { client async throws in
                let (mark, letter) = (try Bookmark(text: bookmark), try Location("d:/f/letter.txt"))
                #expect(
                    try await client.coordinate(readingItemOf: mark, relativeTo: letter) { path, _ in try text(path) }
                        == "from a.txt")
                #expect(try await !client.startAccessing(mark))
                #expect(try await !client.startAccessing(mark, relativeTo: Location("d:/b.txt")))
            }
        }
    }

    @Test("BOOK-4: a bookmark of what nobody may open in its place, or of nothing, is refused")
    func outside() async throws {
        try await withDocuments { machine async throws in
            for (name, modes) in [("box", "\"export\""), ("copies", "\"import\"")] {
                let bundle = machine.folder + "/bin/providers/" + name
                try FileManager.default.copyItem(
                    atPath: machine.folder + "/bin/providers/MemoryProvider", toPath: bundle)
                try machine.write(
                    """
                    identifier = "org.example.\(name)"
                    name = "\(name)"
                    executable = "MemoryProvider"
                    modes = [\(modes)]
                    capabilities = ["modifying", "ranges"]
                    """, to: bundle + "/provider.toml")
                try machine.succeed("domain", "add", name, "--provider", "org.example.\(name)")
                let result = try machine.docent("bookmark", "create", "\(name):/Welcome.md")
                #expect(result.status == 1 && result.output == "")
                #expect(result.errors.contains("cannot be bookmarked"), "\(result.errors)")
            }
            let missing = try machine.docent("bookmark", "create", "d:/missing.txt")
            #expect(missing.status == 1 && missing.errors.contains("There is no d:/missing.txt"))
        }
    }

    @Test("BOOK-5: a bookmark with a changed byte is refused by the host, wherever it is used")
    func changed() async throws {
        try await withDocuments { machine async throws in
            let bookmark = try Bookmark(text: word(try machine.succeed("bookmark", "create", "d:/a.txt")))
            try await machine.client { client async throws in
                for index in bookmark.bytes.indices {
                    var bytes = bookmark.bytes
                    bytes[index] ^= 1 << (index % 8)
                    let changed = try Bookmark(bytes: bytes)
                    #expect(await code { try await client.resolve(changed) } == .notPermitted)
                    #expect(await code { try await client.startAccessing(changed) } == .notPermitted)
                    #expect(await code { try await client.stopAccessing(changed) } == .notPermitted)
                    #expect(
                        await code { try await client.coordinate(readingItemOf: changed) { _, _ in } } == .notPermitted)
                }
            }
        }
    }

    @Test("BOOK-5: a revoked bookmark gives nothing at once, also where it is started, and is on no list")
    func revoking() async throws {
        try await withDocuments { machine async throws in
            let bookmark = try Bookmark(text: word(try machine.succeed("bookmark", "create", "d:/a.txt")))
            let listed = try #require(try machine.json("bookmark", "list") as? [[String: Any]])
            let number = try #require(listed.first?["number"] as? String)
            #expect(listed.count == 1 && listed[0]["location"] as? String == "d:/a.txt")
            #expect(try machine.succeed("bookmark", "list").contains("\(number)"))
            try await machine.client { client async throws in
                #expect(try await client.startAccessing(bookmark))
                try machine.succeed("bookmark", "revoke", number)
                #expect(try await !client.startAccessing(bookmark))
                #expect(await code { try await client.resolve(bookmark) } == .notPermitted)
                // The start from before is still there to be stopped, once.
                try await client.stopAccessing(bookmark)
                #expect(await code { try await client.stopAccessing(bookmark) } == .invalidArgument)
                #expect(try await client.bookmarks() == [])
            }
            #expect(try machine.succeed("bookmark", "list") == "There are no bookmarks.\n")
            #expect(try machine.docent("bookmark", "revoke", number).status == 1)
        }
    }

    @Test("BOOK-1: the bookmark of a document that is gone says so")
    func gone() async throws {
        try await withDocuments { machine async throws in
            let bookmark = word(try machine.succeed("bookmark", "create", "d:/a.txt"))
            try machine.succeed("rm", "d:/a.txt")
            let result = try machine.docent("bookmark", "resolve", bookmark)
            #expect(result.status == 1)
            #expect(result.errors.contains("which was d:/a.txt, is gone"), "\(result.errors)")
            #expect(try machine.succeed("bookmark", "list").contains("d:/a.txt (gone)"))
        }
    }
}
