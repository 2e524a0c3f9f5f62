import DocumentModel
import DocumentProvider
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import FolderProvider

@Suite("Listings")
struct ListingTests {
    let fixture: FolderFixture

    init() throws {
        fixture = try FolderFixture()
    }

    @Test("PROV-21: 100,000 items come in pages, each item once, also when the folder changes between the pages")
    func manyItems() async throws {
        let count = 100_000
        let folder = try fixture.call(open(fixture.folder.string, O_RDONLY | O_DIRECTORY))
        for number in 0..<count { close(try fixture.call(openat(folder, "n\(number)", O_CREAT | O_WRONLY, 0o644))) }
        close(folder)
        let domain = try fixture.domain()
        var seen: Set<ItemIdentifier> = []
        var names: Set<String> = []
        var token: PageToken?
        var pages = 0
        repeat {
            let page = try domain.items(in: .root, page: token, suggestedCount: 1000)
            #expect(page.items.count <= 1000)
            for item in page.items {
                #expect(seen.insert(item.id).inserted)
                names.insert(item.name?.rawValue ?? "")
            }
            token = page.next
            pages += 1
            if pages % 10 == 5 {
                // Items come, go and are renamed while it is listed.
                try fixture.write("", to: "new\(pages)")
                try fixture.unlink("n\(pages)")
                try fixture.rename("n\(count - pages)", to: "renamed\(pages)")
            }
        } while token != nil
        let touched = stride(from: 5, through: pages, by: 10).flatMap { [$0, count - $0] }
        let untouched = Set((0..<count).filter { !touched.contains($0) }.map { "n\($0)" })
        #expect(untouched.isSubset(of: names))
        // An item that was renamed was there all along, under one name or the other.
        #expect(seen.count >= count - touched.count / 2)
        #expect(residentMegabytes() < 600)
    }

    @Test("A page token is good after a restart; one of nobody has expired")
    func pageToken() async throws {
        for number in 0..<10 { try fixture.write("", to: "n\(number)") }
        var domain: FolderDomain? = try fixture.domain()
        let first = try #require(try domain?.items(in: .root, page: nil, suggestedCount: 4))
        domain = nil
        let again = try fixture.domain()
        let rest = try again.items(in: .root, page: first.next, suggestedCount: 100)
        #expect(first.items.count == 4 && rest.items.count == 6 && rest.next == nil)
        #expect(Set((first.items + rest.items).map(\.id)).count == 10)
        await expect(.pageExpired) { _ = try again.items(in: .root, page: try PageToken([9, 9]), suggestedCount: 4) }
    }

    @Test("Names are kept byte by byte: both Unicode forms of a name are two items")
    func unicodeForms() async throws {
        let (composed, decomposed) = ("\u{E4}.txt", "a\u{308}.txt")
        try fixture.write("composed", to: composed)
        try fixture.write("decomposed", to: decomposed)
        let provider = try await fixture.provider()
        let items = try await provider.list()
        #expect(
            Set(items.compactMap { $0.name.map { Array($0.rawValue.utf8) } }) == [
                Array(composed.utf8), Array(decomposed.utf8),
            ])
        for (name, text) in [(composed, "composed"), (decomposed, "decomposed")] {
            let id = try #require(try await provider.persistentIdentifier(forItemAt: name))
            #expect(try await provider.contents(of: id, fixture).1 == text)
        }
        let made = try await provider.create("o\u{308}", try fixture.contents("x"))
        _ = try await provider.create("\u{F6}", try fixture.contents("y"))
        #expect(try await provider.contents(of: made.id, fixture).1 == "x")
        #expect(try fixture.names().count == 4)
    }

    @Test("Symlinks, pipes and what has a name of ours are left out, and counted in the log; hidden files are not")
    func leftOut() async throws {
        try fixture.call(symlink("/etc", fixture.path("link")))
        try fixture.call(symlink("a", fixture.path("link to a")))
        try fixture.call(mkfifo(fixture.path("pipe"), 0o600))
        try fixture.makeFolder(".docent-placeholders")
        try fixture.write("x", to: ".docent-tmp-1-2")
        try fixture.write("a", to: "a")
        try fixture.write("h", to: ".hidden")
        let provider = try await fixture.provider()
        #expect(Set(try await provider.list().compactMap { $0.name?.rawValue }) == ["a", ".hidden"])
        #expect(fixture.log.text.contains("left out"))
        for count in ["entries.links\": 2", "entries.special\": 1", "entries.unnameable\": 1"] {
            let text = fixture.log.text
            #expect(text.contains(count) || text.contains(count.replacing("\"", with: "")), "\(count): \(text)")
        }
        for path in ["link", "link/passwd", "pipe", ".docent-tmp-1-2"] {
            #expect(try await provider.persistentIdentifier(forItemAt: path) == nil)
        }
    }

    @Test("People are told how much is left out, and anew when links come and go")
    func leftOutTold() throws {
        let told = Mutex<[String]>([])
        try fixture.write("a", to: "a")
        try fixture.makeFolder("sub")
        try fixture.call(symlink("a", fixture.path("sub/link")))
        let domain = try fixture.domain(tellLeftOut: { text in told.withLock { $0.append(text) } })
        let watcher = FolderWatcher(domain)
        defer { withExtendedLifetime(watcher) { domain.stop() } }
        func isTold(_ text: String) -> Bool {
            for _ in 0..<1_000 {
                if told.withLock({ $0.last?.contains(text) == true || text.isEmpty && $0.last == "" }) { return true }
                usleep(10_000)
            }
            return false
        }
        #expect(isTold("1 symbolic link; the first of them in “/sub”."))
        try fixture.call(symlink("b", fixture.path("another")))
        #expect(isTold("2 symbolic links; the first of them in “/”."))
        try fixture.call(unlink(fixture.path("another")))
        #expect(isTold("1 symbolic link; the first of them in “/sub”."))
        try fixture.call(unlink(fixture.path("sub/link")))
        #expect(isTold(""))
    }

    @Test("Nothing outside the folder is reached, also when a folder is replaced by a symlink")
    func symlinkEscape() async throws {
        let outside = fixture.base.appending("outside").string
        try fixture.call(mkdir(outside, 0o755))
        try fixture.write(Array("secret".utf8), toPath: outside + "/x")
        try fixture.makeFolder("sub")
        try fixture.write("x", to: "sub/x")
        let provider = try await fixture.provider()
        let sub = try await provider.item(at: "sub")
        let x = try await provider.item(at: "sub/x")
        try fixture.rename("sub", to: "old")
        try fixture.call(symlink(outside, fixture.path("sub")))
        #expect(try await provider.path(for: x.id) == "old/x")
        #expect(FolderFixture.remove(fixture.path("old")) == 0)
        await expect(.noSuchItem) { _ = try await provider.contents(of: x.id, fixture) }
        await expect(.noSuchItem) { _ = try await provider.create("y", try fixture.contents("y"), in: sub.id) }
        await expect(.noSuchItem) { _ = try await provider.replace(x, try fixture.contents("y")) }
        try await provider.delete(x)
        #expect(try fixture.readPath(outside + "/x") == Array("secret".utf8))
        #expect(access(outside + "/y", F_OK) != 0)
    }

    @Test("The host's own folders are not provided when they lie in the folder; a folder in the storage is refused")
    func hostFolders() async throws {
        let state = fixture.base.appending("root/.docent/providers/outer")
        try fixture.call(mkdir(state.string, 0o700))
        try fixture.write("x", to: "a")
        let provider = try await fixture.provider(state: state, settings: ["folder": fixture.base.string])
        let paths = try await provider.tree().keys
        #expect(paths.contains("folder/a"))
        #expect(!paths.contains { $0.starts(with: "root/.docent") || $0.starts(with: "root/documents") })
        await expect(.notConfigured) {
            _ = try await fixture.provider(settings: ["folder": fixture.storageRoot.appending("x").string])
        }
    }

    @Test("Settings that make no sense are refused with what to do")
    func settings() async throws {
        let bad: [[String: String]] = [
            ["folder": ""], ["folder": "relative"], ["folder": fixture.path("missing")], ["read-only": "perhaps"],
        ]
        for settings in bad {
            await expect(.notConfigured) { _ = try await fixture.provider(settings: settings) }
        }
        try fixture.write("x", to: "file")
        await expect(.notConfigured) { _ = try await fixture.provider(settings: ["folder": fixture.path("file")]) }
    }

    @Test("A folder that is not there is named with what helps: a domain's settings stay as they are")
    func missingFolder() async throws {
        let missing = fixture.path("missing")
        let new = await #expect(throws: DocumentError.self) {
            _ = try await fixture.provider(settings: ["folder": missing])
        }
        let refusal = try #require(new)
        #expect(refusal.message.contains("“\(missing)” is not there"))
        #expect(refusal.message.hasSuffix("or add the domain with another one: --set folder=…"))
        let domain = try fixture.domain()
        try fixture.call(Glibc.rename(fixture.folder.string, fixture.base.appending("away").string))
        let gone = #expect(throws: DocumentError.self) { _ = try domain.currentAnchor() }
        #expect(gone?.code == .serverUnreachable)
        let sentence = try #require(gone).message
        #expect(sentence.hasSuffix("to have another one, remove the domain and add it again."))
    }

    @Test("A second process with the same state waits, then says that it is in use")
    func stateInUse() async throws {
        let domain = try fixture.domain()
        await expect(.busy) { _ = try fixture.domain() }
        _ = domain
    }

    @Test("PROV-7: a placeholder is written with the item's metadata")
    func placeholder() async throws {
        try fixture.write("abc", to: "a.txt")
        let provider = try await fixture.provider()
        let item = try await provider.item(at: "a.txt")
        try await provider.providePlaceholder(for: item.id)
        #expect(fixture.host.placeholders == [item])
        #expect(item.size == 3 && item.contentType == .plainText && item.capabilities == .all)
    }

    @Test("What is read-only says so", .enabled(if: geteuid() != 0, "root may write everything"))
    func permissions() async throws {
        try fixture.write("x", to: "a")
        try fixture.call(chmod(fixture.path("a"), 0o444))
        let provider = try await fixture.provider()
        #expect(try await provider.item(at: "a").capabilities == [.read, .rename, .move, .delete])
    }
}

/// Of this process, as the kernel counts it.
func residentMegabytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, 256, file) != nil else { return 0 }
    let fields = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
        separator: " ")
    return (Int(fields[1]) ?? 0) * 4096 >> 20
}

extension FolderFixture {
    func write(_ contents: String, toPath folder: String, name: [UInt8]) throws {
        let path = (Array(folder.utf8) + name).map { CChar(bitPattern: $0) } + [0]
        let file = try call(open(path, O_WRONLY | O_CREAT, 0o644))
        try call(Glibc.write(file, contents, contents.utf8.count))
        close(file)
    }
}
