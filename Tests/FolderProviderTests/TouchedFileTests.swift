import DocumentModel
import DocumentProvider
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import FolderProvider

/// Files of which somebody has set attributes only, and files whose time of modification was set back after they were written.
@Suite struct TouchedFileTests {
    private let fixture: FolderFixture

    init() throws {
        fixture = try FolderFixture()
        try fixture.write("one", to: "a")
    }

    /// The document in "a", with contents that the host has got.
    private func brought(_ domain: FolderDomain) throws -> Item {
        let id = try #require(try domain.persistentIdentifier(forItemAt: "a"))
        return try domain.provide(id, at: try fixture.emptyStagingFile(), contentVersion: [], .none)
    }

    private func replacing(_ item: Item, _ text: String) throws -> ItemModification {
        ItemModification(
            id: item.id, baseVersion: item.version, contents: try fixture.contents(text), operation: fresh())
    }

    @Test(
        "An attribute that was set is no other version of contents that the host has, and nothing that the feed tells",
        arguments: Touching.allCases)
    func touched(_ touching: Touching) throws {
        let domain = try fixture.domain()
        let item = try brought(domain)
        let anchor = try domain.currentAnchor()
        for _ in 0..<2 {
            try touching.touch("a", fixture)
            #expect(try domain.item(for: item.id).version == item.version)
        }
        #expect(try domain.changes(since: anchor, suggestedCount: 10).updated.isEmpty)
        let again = try domain.provide(
            item.id, at: try fixture.emptyStagingFile(), contentVersion: item.version.content, .none)
        #expect(again.version == item.version)
    }

    @Test(
        "Other contents are another version, whatever their size and time are, and whatever else was changed",
        arguments: Hiding.allCases)
    func rewritten(_ hiding: Hiding) throws {
        let domain = try fixture.domain()
        let item = try brought(domain)
        try fixture.rewriteUnseen("two", "a")
        try hiding.hide("a", fixture)
        let now = try domain.item(for: item.id)
        #expect(now.modified == item.modified && now.size == item.size)
        #expect(now.version.content != item.version.content)
        expectRefused { _ = try domain.modify(try replacing(item, "mine"), .none) }
        let staging = try fixture.emptyStagingFile()
        #expect(try domain.provide(item.id, at: staging, contentVersion: [], .none).version == now.version)
        #expect(try fixture.readPath(staging.string) == Array("two".utf8))
    }

    @Test("So it is with what is changed while no provider runs", arguments: [true, false])
    func whileAway(isRewritten: Bool) throws {
        var domain: FolderDomain? = try fixture.domain()
        let item = try brought(try #require(domain))
        domain = nil
        if isRewritten { try fixture.rewriteUnseen("two", "a") }
        try Touching.mode.touch("a", fixture)
        let now = try fixture.domain().item(for: item.id)
        #expect((now.version.content == item.version.content) == !isRewritten)
    }

    @Test("What the host has sent is known, too, and by its new name and time", arguments: Touching.allCases)
    func sent(_ touching: Touching) throws {
        let domain = try fixture.domain()
        let item = try brought(domain)
        let sent = try domain.modify(try replacing(item, "newer"), .none)
        try touching.touch("a", fixture)
        #expect(try domain.item(for: item.id).version == sent.version)
        let moved = try domain.modify(
            ItemModification(
                id: item.id, baseVersion: sent.version, name: try ItemName("b"),
                modified: Timestamp(seconds: 1_700_000_000), operation: fresh()), .none)
        try touching.touch("b", fixture)
        #expect(try domain.item(for: item.id).version == moved.version)
        let made = try domain.create(
            ItemCreation(
                parentID: .root, name: try ItemName("c"), kind: .document, contents: try fixture.contents("made"),
                modified: nil, operation: fresh()), .none)
        try touching.touch("c", fixture)
        #expect(try domain.item(for: made.id).version == made.version)
    }

    @Test("VER-10: an attribute that is set while newer contents come from the host is no conflict with them")
    func touchedWhileSent() throws {
        let fixture = self.fixture
        let domain = try fixture.domain { step in
            if step == .staged || step == .planned { try Touching.mode.touch("a", fixture) }
        }
        let item = try brought(domain)
        #expect(try domain.modify(try replacing(item, "newer"), .none).id == item.id)
        #expect(try fixture.read("a") == "newer" && fixture.names() == ["a"])
    }

    @Test(
        "VER-10: what was written in the moment of a change, with its time set back, is neither replaced nor removed",
        arguments: [(true, ChangeStep.planned), (false, .planned), (false, .staged)])
    func rewrittenMeanwhile(isDelete: Bool, _ when: ChangeStep) throws {
        let fixture = self.fixture
        let domain = try fixture.domain { step in
            if step == when { try fixture.rewriteUnseen("two", "a") }
        }
        let item = try brought(domain)
        expectRefused { try change(domain, item, isDelete: isDelete) }
        #expect(try fixture.read("a") == "two" && fixture.names() == ["a"])
        #expect(try domain.item(for: item.id).version.content != item.version.content)
        expectRefused { try change(domain, item, isDelete: isDelete) }
    }

    @Test("So it is when the process ends before it has looked at what it took away", arguments: [true, false])
    func rewrittenInTheCrash(isDelete: Bool) throws {
        let fixture = self.fixture
        var domain: FolderDomain? = try fixture.domain { step in
            if step == .planned { try fixture.rewriteUnseen("two", "a") }
            if step == .placed { throw SimulatedCrash() }
        }
        let item = try brought(try #require(domain))
        #expect(throws: SimulatedCrash.self) { try change(try #require(domain), item, isDelete: isDelete) }
        domain = nil
        let restarted = try fixture.domain()
        let now = try restarted.item(for: item.id)
        #expect(try fixture.read("a") == "two" && fixture.names() == ["a"])
        #expect(now.version.content != item.version.content)
    }

    @Test(
        "VER-10: what is written into a document as soon as it has its place, with its time set back, is another version",
        arguments: [true, false])
    func rewrittenAtOnce(isNew: Bool) throws {
        let fixture = self.fixture
        let name = isNew ? "new" : "a"
        let domain = try fixture.domain { step in
            guard step == .flushed else { return }
            try fixture.rewriteUnseen("theirs", name)
            try fixture.call(chmod(fixture.path(name), 0o600))
        }
        let sent =
            try isNew
            ? domain.create(
                ItemCreation(
                    parentID: .root, name: try ItemName(name), kind: .document,
                    contents: try fixture.contents("ours.."),
                    modified: nil, operation: fresh()), .none)
            : domain.modify(try replacing(try brought(domain), "ours.."), .none)
        let now = try domain.item(for: sent.id)
        #expect(now.size == sent.size && now.modified == sent.modified)
        #expect(now.version.content != sent.version.content)
        expectRefused { _ = try domain.modify(try replacing(sent, "mine"), .none) }
        #expect(try fixture.read(name) == "theirs")
    }

    @Test(
        "VER-10: so is what is written into it while it has its place for a moment, also where the disk gives it no name then"
    )
    func rewrittenForAMoment() throws {
        let fixture = self.fixture
        let renames = Mutex(0)
        let names = FolderNames { call in
            guard case .rename = call else { return nil }
            let number = renames.withLock { count in
                count += 1
                return count
            }
            // Exchanged, and exchanged back; then it has only its temporary name.
            return number == 3 ? -EIO : nil
        }
        let domain = try fixture.domain(names: names) { step in
            if step == .planned { try fixture.rewriteUnseen("two", "a") }
            if step == .placed { try fixture.rewriteUnseen("theirs", "a") }
        }
        let item = try brought(domain)
        expectRefused { _ = try domain.modify(try replacing(item, "ours.."), .none) }
        #expect(renames.withLock { $0 } == 3)
        _ = try domain.item(for: item.id)
        #expect(try fixture.names() == ["a", "a (recovered)"])
        #expect(try fixture.read("a") == "two" && fixture.read("a (recovered)") == "theirs")
    }

    @Test("VER-10: what a change has left behind and cannot be put back is read once, and again when it is written")
    func leftBehind() throws {
        let fixture = self.fixture
        let isStuck = Mutex(true)
        let names = FolderNames { call in
            guard case .rename(let flags) = call, flags != 0 else { return nil }
            return isStuck.withLock { $0 } ? -EIO : nil
        }
        let domain = try fixture.domain(names: names) { step in
            if step == .planned { try fixture.rewriteUnseen("two", "a") }
        }
        let item = try brought(domain)
        expectRefused { try change(domain, item, isDelete: true) }
        let reads = Mutex(0)
        let onComparing: @Sendable () -> Void = { reads.withLock { $0 += 1 } }
        domain.mirror.withLock { $0.onComparing = onComparing }
        for _ in 0..<3 { _ = try domain.currentAnchor() }
        #expect(reads.withLock { $0 } == 1)
        let left = try #require(try fixture.names().first { $0.string.hasPrefix(".docent-tmp-") })
        try fixture.rewriteUnseen("six", left.string)
        for _ in 0..<3 { _ = try domain.currentAnchor() }
        #expect(reads.withLock { $0 } == 2)
        isStuck.withLock { $0 = false }
        _ = try domain.currentAnchor()
        #expect(try fixture.names() == ["a"] && fixture.read("a") == "six")
    }

    @Test("So it is when the process ended meanwhile: the operation comes to what was sent", arguments: [true, false])
    func rewrittenAfterTheCrash(isRewritten: Bool) throws {
        var domain: FolderDomain? = try fixture.domain { if $0 == .flushed { throw SimulatedCrash() } }
        let item = try brought(try #require(domain))
        let change = try replacing(item, "ours..")
        #expect(throws: SimulatedCrash.self) { _ = try #require(domain).modify(change, .none) }
        domain = nil
        if isRewritten { try fixture.rewriteUnseen("theirs", "a") }
        let restarted = try fixture.domain()
        let sent = try restarted.modify(change, .none)
        let now = try restarted.item(for: item.id)
        #expect((now.version.content == sent.version.content) == !isRewritten)
        #expect(try fixture.read("a") == (isRewritten ? "theirs" : "ours.."))
        guard !isRewritten else { return }
        try Touching.mode.touch("a", fixture)
        #expect(try restarted.item(for: item.id).version == sent.version)
    }

    @Test("What is too large to be read each time is another version when it may be, unless its mode explains it")
    func large() throws {
        try fixture.call(truncate(fixture.path("a"), Int(ContentDigest.largest) + 1))
        let domain = try fixture.domain()
        let item = try brought(domain)
        try fixture.call(chmod(fixture.path("a"), 0o600))
        #expect(try domain.item(for: item.id).version.content == item.version.content)
        try Touching.mode.touch("a", fixture)
        #expect(try domain.item(for: item.id).version.content != item.version.content)
        try fixture.call(truncate(fixture.path("a"), Int(ContentDigest.largest)))
        let smaller = try brought(domain)
        try Touching.mode.touch("a", fixture)
        #expect(try domain.item(for: item.id).version == smaller.version)
    }

    @Test("A digest is the SHA-256 of all of a file, and of no other length than is expected")
    func digest() throws {
        let expected: [UInt8] = [
            0xBA, 0x78, 0x16, 0xBF, 0x8F, 0x01, 0xCF, 0xEA, 0x41, 0x41, 0x40, 0xDE, 0x5D, 0xAE, 0x22, 0x23, 0xB0, 0x03,
            0x61, 0xA3, 0x96, 0x17, 0x7A, 0x9C, 0xB4, 0x10, 0xFF, 0x61, 0xF2, 0x00, 0x15, 0xAD,
        ]
        try fixture.write("abc", to: "a")
        let file = try OpenFile.openAbsolute(FilePath(fixture.path("a")), .document)
        for size in Int64(0)..<6 {
            let digest = ContentDigest.of(file, size: size)
            #expect(digest == (size == 3 ? expected : nil))
        }
        let large = ContentDigest.of(file, size: ContentDigest.largest + 1)
        #expect(large == nil)
        // A byte more than a buffer holds, of which each is told from others.
        var seen: Set<[UInt8]> = []
        for place in [0, 63, 64, 262_143, 262_144] {
            var bytes = [UInt8](repeating: 7, count: 262_145)
            bytes[place] = 8
            try fixture.write(bytes, toPath: fixture.path("b"))
            let other = try OpenFile.openAbsolute(FilePath(fixture.path("b")), .document)
            let digest = ContentDigest.of(other, size: 262_145)
            seen.insert(try #require(digest))
        }
        #expect(seen.count == 5)
    }

    private func change(_ domain: FolderDomain, _ item: Item, isDelete: Bool) throws {
        if isDelete {
            try domain.delete(
                ItemDeletion(id: item.id, baseVersion: item.version, recursive: false, operation: fresh()))
        } else {
            _ = try domain.modify(try replacing(item, "mine"), .none)
        }
    }

    private func expectRefused(_ body: () throws -> Void) {
        let error = #expect(throws: DocumentError.self) { try body() }
        #expect(error?.code == .versionNoLongerAvailable)
    }
}

/// What leaves a file as it was but for the time of change.
enum Touching: CaseIterable {
    case mode, time, linked

    /// Until the time of change is another: it advances in ticks.
    func touch(_ name: String, _ fixture: FolderFixture) throws {
        let before = try fixture.status(name)
        repeat {
            try touch(fixture.path(name), as: before, fixture)
        } while try fixture.status(name).changed == before.changed
    }

    private func touch(_ path: String, as before: FileStatus, _ fixture: FolderFixture) throws {
        switch self {
        case .mode:
            try fixture.call(chmod(path, before.mode ^ 0o100))
            try fixture.call(chmod(path, before.mode))
        case .time:
            try fixture.call(utimensat(AT_FDCWD, path, [before.modified, before.modified], 0))
        case .linked:
            try fixture.call(link(path, path + "-other"))
            try fixture.call(unlink(path + "-other"))
        }
    }
}

/// What else is done to a file that was written, and had its time set back.
enum Hiding: CaseIterable {
    case nothing, mode, link, name

    func hide(_ name: String, _ fixture: FolderFixture) throws {
        switch self {
        case .nothing: break
        case .mode: try fixture.call(chmod(fixture.path(name), 0o600))
        case .link: try fixture.call(Glibc.link(fixture.path(name), fixture.path("other")))
        case .name: try fixture.rename(name, to: "renamed")
        }
    }
}

/// Of a file, as these tests need it.
private struct FileStatus {
    var mode: UInt32
    var modified: timespec
    var changed: [Int]
}

extension FolderFixture {
    fileprivate func status(_ relative: String) throws -> FileStatus {
        var status = stat()
        try call(stat(path(relative), &status))
        return FileStatus(
            mode: status.st_mode & 0o7777, modified: status.st_mtim,
            changed: [status.st_ctim.tv_sec, status.st_ctim.tv_nsec])
    }

    /// Writes other contents of the same size, and sets the time of modification back.
    func rewriteUnseen(_ contents: String, _ relative: String) throws {
        let time = try status(relative).modified
        try write(contents, to: relative)
        try call(utimensat(AT_FDCWD, path(relative), [time, time], 0))
    }
}
