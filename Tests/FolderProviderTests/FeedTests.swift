import DocumentModel
import DocumentProvider
import DocumentTestSupport
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import FolderProvider

@Suite("The feed of changes")
struct FeedTests {
    /// More of them by the environment, to look for rare cases.
    static let seeds: ClosedRange<UInt64> = 1...(getenv("DOCENT_SEEDS").flatMap { UInt64(String(cString: $0)) } ?? 12)

    @Test(
        "PROV-21: applying the feed always leads to what a fresh listing shows",
        arguments: TestShare.of(FeedTests.seeds))
    func mirror(seed: UInt64) async throws {
        let fixture = try FolderFixture()
        var running: FolderProvider? = try await fixture.provider()
        var world = RandomFolder(fixture: fixture, seed: seed)
        for _ in 0..<20 { try world.step() }
        var mirror = Mirror(try #require(try await running?.currentAnchor()))
        try await mirror.list(try #require(running))
        for round in 0..<25 {
            for _ in 0..<(1 + Int(world.random.next() % 12)) { try world.step() }
            if round % 8 == 7 {
                // The folder changes while no provider looks.
                running = nil
                for _ in 0..<6 { try world.step() }
                running = try await fixture.provider()
            }
            let provider = try #require(running)
            try await mirror.follow(provider, by: 1 + Int(world.random.next() % 5))
            let fresh = Mirror.comparable(try await provider.tree())
            #expect(mirror.tree() == fresh, "seed \(seed), round \(round): \(world.history.suffix(14))")
            #expect(Set(fresh.keys) == (try world.paths()), "seed \(seed), round \(round)")
        }
    }

    @Test(
        "PROV-21: the feed leads to the same also when it is followed while the folder changes",
        arguments: TestShare.of(UInt64(1)...6))
    func mirrorOfARestlessFolder(seed: UInt64) async throws {
        let fixture = try FolderFixture()
        let provider = try await fixture.provider()
        var mirror = Mirror(try await provider.currentAnchor())
        let isDone = Mutex(false)
        let people = Task.detached {
            defer { isDone.withLock { $0 = true } }
            var world = RandomFolder(fixture: fixture, seed: seed)
            for _ in 0..<400 { try world.step() }
        }
        while !isDone.withLock({ $0 }) {
            try await mirror.follow(provider, by: 10)
            // Else the calls, which block, keep all threads from the task that changes the folder.
            await Task.yield()
        }
        try await people.value
        try await mirror.follow(provider, by: 10)
        let fresh = Mirror.comparable(try await provider.tree())
        #expect(mirror.tree() == fresh, "seed \(seed)")
        #expect(Set(fresh.keys) == (try RandomFolder(fixture: fixture, seed: seed).paths()), "seed \(seed)")
        // Hardly anything that is there was ever told to be gone: only when the system told of a move too late, which
        // a busy machine does more often.
        #expect(mirror.returned < 20)
    }

    @Test("PROV-21: an anchor is good after a restart, and tells what changed meanwhile")
    func restart() async throws {
        let fixture = try FolderFixture()
        try fixture.write("1", to: "kept")
        try fixture.write("2", to: "removed")
        try fixture.write("3", to: "renamed")
        var provider: FolderProvider? = try await fixture.provider()
        let before = try #require(try await provider?.tree())
        let anchor = try #require(try await provider?.currentAnchor())
        provider = nil
        try fixture.unlink("removed")
        try fixture.rename("renamed", to: "new name")
        try fixture.write("4", to: "made")
        let after = try await fixture.provider()
        let changes = try await after.changes(since: anchor, suggestedCount: 100)
        #expect(changes.deleted == [before["removed"]?.id])
        #expect(Set(changes.updated.compactMap { $0.name?.rawValue }) == ["new name", "made"])
        #expect(changes.updated.contains { $0.id == before["renamed"]?.id })
        #expect(!changes.more)
        let last = try await after.changes(since: changes.anchor, suggestedCount: 100)
        #expect(last.updated.isEmpty && last.deleted.isEmpty && last.anchor == changes.anchor)
    }

    @Test("PROV-21: anchors of a lost memory, of the future and of nobody have expired")
    func expired() async throws {
        let fixture = try FolderFixture()
        var provider: FolderProvider? = try await fixture.provider()
        let anchor = try #require(try await provider?.currentAnchor())
        let point = try #require(FeedPoint(anchor))
        for bad in [
            try FeedPoint(epoch: point.epoch, sequence: point.sequence + 1).anchor,
            try FeedPoint(epoch: point.epoch ^ 1, sequence: point.sequence).anchor, try SyncAnchor([1, 2, 3]),
        ] {
            await expect(.anchorExpired) { _ = try await provider?.changes(since: bad, suggestedCount: 10) }
        }
        provider = nil
        try fixture.write(
            Array("docent folder state 1\nnonsense nonsense".utf8), toPath: fixture.state.appending("state").string)
        let fresh = try await fixture.provider()
        await expect(.anchorExpired) { _ = try await fresh.changes(since: anchor, suggestedCount: 10) }
    }

    @Test("PROV-21: a feed that has forgotten an anchor says so")
    func forgotten() throws {
        let fixture = try FolderFixture()
        var pace = FolderSettings.Pace()
        pace.feedCapacity = 20
        let domain = try fixture.domain(pace: pace)
        let anchor = try domain.currentAnchor()
        for round in 0..<10 {
            for file in 0..<10 { try fixture.write("\(round)", to: "f\(round)-\(file)") }
            _ = try domain.currentAnchor()
        }
        #expect(throws: DocumentError.self) { try domain.changes(since: anchor, suggestedCount: 10) }
    }

    @Test("The host is told of changes, and not of its own")
    func signal() async throws {
        let fixture = try FolderFixture()
        let provider = try await fixture.provider()
        let anchor = try await provider.currentAnchor()
        let made = try await provider.create("own", try fixture.contents("own"))
        _ = try await provider.replace(made, try fixture.contents("own too"))
        try await Task.sleep(for: .milliseconds(200))
        #expect(fixture.host.signals == 0)
        try fixture.write("foreign", to: "foreign")
        try await fixture.eventually { fixture.host.signals > 0 }
        let changes = try await provider.changes(since: anchor, suggestedCount: 100)
        #expect(Set(changes.updated.compactMap { $0.name?.rawValue }) == ["own", "foreign"])
    }

    @Test("Where not all folders can be watched, everything is looked at from time to time, and a person is told")
    func watchLimit() async throws {
        let fixture = try FolderFixture()
        for folder in ["a", "b", "c"] { try fixture.makeFolder(folder) }
        try fixture.write("x", to: "c/x")
        var pace = FolderSettings.Pace()
        pace.watchLimit = 2
        pace.rescan = 50
        let domain = try fixture.domain(pace: pace)
        let anchor = try domain.currentAnchor()
        let x = try #require(try domain.persistentIdentifier(forItemAt: "c/x"))
        try fixture.rename("c/x", to: "b/y")
        try fixture.write("z", to: "a/z")
        let changes = try withExtendedLifetime(FolderWatcher(domain)) {
            for _ in 0..<200 {
                let changes = try domain.changes(since: anchor, suggestedCount: 100)
                if changes.updated.count >= 2 { return changes }
                usleep(20_000)
            }
            return try domain.changes(since: anchor, suggestedCount: 100)
        }
        #expect(changes.deleted.isEmpty)
        #expect(Set(changes.updated.compactMap { $0.name?.rawValue }) == ["y", "z"])
        #expect(try domain.path(for: x) == "b/y")
        #expect(fixture.log.text.contains("max_user_watches"))
    }

    @Test("PROV-22: a top folder that is gone, or another one, is unreachable; nothing counts as deleted")
    func vanishedTopFolder() async throws {
        let fixture = try FolderFixture()
        try fixture.write("x", to: "a")
        let provider = try await fixture.provider()
        let item = try await provider.item(at: "a")
        let anchor = try await provider.currentAnchor()
        let away = fixture.base.appending("away").string
        try fixture.call(Glibc.rename(fixture.folder.string, away))
        let calls: [() async throws -> Void] = [
            { _ = try await provider.item(for: item.id) }, { _ = try await provider.list() },
            { _ = try await provider.changes(since: anchor, suggestedCount: 10) },
            { _ = try await provider.currentAnchor() }, { try await provider.delete(item) },
            { _ = try await provider.path(for: item.id) },
            { _ = try await provider.create("b", try fixture.contents("b")) },
            { _ = try await provider.contents(of: item.id, fixture) },
        ]
        for call in calls { await expect(.serverUnreachable, call) }
        try fixture.call(mkdir(fixture.folder.string, 0o755))
        for call in calls { await expect(.serverUnreachable, call) }
        try fixture.call(rmdir(fixture.folder.string))
        try fixture.call(Glibc.rename(away, fixture.folder.string))
        #expect(try await provider.item(for: item.id) == item)
        let changes = try await provider.changes(since: anchor, suggestedCount: 10)
        #expect(changes.deleted.isEmpty && changes.updated.isEmpty)
    }

    @Test("PROV-22: a top folder that comes back resolves the errors, also when it was away at the start")
    func returningTopFolder() async throws {
        let fixture = try FolderFixture()
        try fixture.write("x", to: "a")
        var domain: FolderDomain? = try fixture.domain()
        let item = try #require(try domain?.persistentIdentifier(forItemAt: "a"))
        domain = nil
        let away = fixture.base.appending("away").string
        try fixture.call(Glibc.rename(fixture.folder.string, away))
        let provider = try await fixture.provider()
        await expect(.serverUnreachable) { _ = try await provider.item(for: item) }
        try fixture.call(Glibc.rename(away, fixture.folder.string))
        try await fixture.eventually { fixture.host.resolved == [[.serverUnreachable]] }
        #expect(try await provider.item(for: item).name?.rawValue == "a")
    }

    @Test("PROV-22: what is in a folder that cannot be looked into is not gone")
    func hiddenFolder() async throws {
        let fixture = try FolderFixture()
        try fixture.makeFolder("sub")
        try fixture.write("x", to: "sub/x")
        var domain: FolderDomain? = try fixture.domain()
        let anchor = try #require(try domain?.currentAnchor())
        let x = try #require(try domain?.persistentIdentifier(forItemAt: "sub/x"))
        domain = nil
        // Another file system over it, where one may be mounted.
        guard mount("none", fixture.path("sub"), "tmpfs", 0, nil) == 0 else { return }
        defer { umount(fixture.path("sub")) }
        let mounted = try fixture.domain()
        #expect(try mounted.changes(since: anchor, suggestedCount: 10).deleted.isEmpty)
        #expect(try mounted.path(for: x) != nil)
        #expect(throws: DocumentError.self) {
            try mounted.provide(x, at: try fixture.emptyStagingFile(), contentVersion: [], .none)
        }
    }
}

/// What a host makes of the feed.
struct Mirror {
    private var items: [ItemIdentifier: Item] = [:]
    private var anchor: SyncAnchor
    private var gone: Set<ItemIdentifier> = []
    /// How many items came back after they were told to be gone.
    private(set) var returned = 0

    init(_ anchor: SyncAnchor) {
        self.anchor = anchor
    }

    mutating func list(_ provider: FolderProvider) async throws {
        for item in try await provider.tree().values { items[item.id] = item }
    }

    mutating func follow(_ provider: FolderProvider, by count: Int) async throws {
        var more = true
        while more {
            let changes = try await provider.changes(since: anchor, suggestedCount: count)
            for item in changes.updated where item.parentID != nil {
                // A folder is told before what is in it.
                #expect(item.parentID == .root || item.parentID.flatMap { items[$0] } != nil)
                items[item.id] = item
                if gone.contains(item.id) { returned += 1 }
            }
            for id in changes.deleted {
                items[id] = nil
                gone.insert(id)
            }
            anchor = changes.anchor
            more = changes.more
        }
    }

    func tree() -> [FilePath: Item] {
        var tree: [FilePath: Item] = [:]
        for item in items.values {
            var path = item.name?.rawValue ?? ""
            var next = item.parentID
            while let id = next, id != .root {
                guard let parent = items[id] else { break }
                path = (parent.name?.rawValue ?? "") + "/" + path
                next = parent.parentID
            }
            tree[FilePath(path)] = item
        }
        return Self.comparable(tree)
    }

    /// A folder's times change with what is in it, and are not told for that.
    static func comparable(_ tree: [FilePath: Item]) -> [FilePath: Item] {
        tree.mapValues { item in
            var item = item
            if item.kind == .folder { item.modified = .zero }
            return item
        }
    }
}

/// Does what people and programs do to a folder.
struct RandomFolder {
    let fixture: FolderFixture
    var random: SeededGenerator
    var history: [String] = []

    init(fixture: FolderFixture, seed: UInt64) {
        self.fixture = fixture
        random = SeededGenerator(seed: seed)
    }

    mutating func step() throws {
        let all = try paths().map(\.string).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let folders = [""] + all.filter { isFolder($0) }.map { $0 + "/" }
        let files = all.filter { !isFolder($0) }
        // Few names, so that they clash often.
        let place = pick(folders) + pick(["a", "b", "c", "ä", "a\u{308}", "a~", "b.tmp"])
        switch random.next() % 12 {
        case 0, 1, 2:
            guard !isFolder(place) else { return }
            history.append("write \(place)")
            try fixture.write("\(random.next() % 1000)", to: place)
        case 3:
            history.append("mkdir \(place)")
            try? fixture.makeFolder(place)
        case 4, 5, 6, 7:
            guard !all.isEmpty else { return }
            let from = pick(all)
            history.append("rename \(from) \(place)")
            try? fixture.rename(from, to: place)
        case 8:
            guard !files.isEmpty else { return }
            let file = pick(files)
            history.append("save \(file)")
            do {
                try fixture.write("saved \(random.next() % 1000)", to: file + ".new")
                try fixture.rename(file + ".new", to: file)
            }
        case 9:
            guard !files.isEmpty else { return }
            let file = pick(files)
            history.append("unlink \(file)")
            try? fixture.unlink(file)
        case 10:
            guard !all.isEmpty else { return }
            let item = pick(all)
            history.append("remove \(item)")
            _ = FolderFixture.remove(fixture.path(item))
        default:
            guard files.count > 1 else { return }
            let (one, other) = (pick(files), pick(files))
            history.append("exchange \(one) \(other)")
            do {
                try? fixture.rename(one, to: "x.swap")
                try? fixture.rename(other, to: one)
                try? fixture.rename("x.swap", to: other)
            }
        }
    }

    /// Everything that is there.
    func paths(_ below: FilePath = "") throws -> Set<FilePath> {
        var paths: Set<FilePath> = []
        for name in try fixture.names(in: below.string) {
            let path = below.appending(name.string)
            paths.insert(path)
            if isFolder(path.string) { paths.formUnion(try self.paths(path)) }
        }
        return paths
    }

    private func isFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(fixture.path(path), &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private mutating func pick(_ choices: [String]) -> String {
        choices[Int(random.next() % UInt64(choices.count))]
    }
}

/// SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
