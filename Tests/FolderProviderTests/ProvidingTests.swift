import DocumentModel
import DocumentProvider
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import FolderProvider

@Suite("Providing contents")
struct ProvidingTests {
    let fixture: FolderFixture

    init() throws {
        fixture = try FolderFixture()
    }

    @Test("PROV-8, PROV-17: the staging file has the whole document, and the answer is its version")
    func provide() async throws {
        try fixture.write("hello", to: "a")
        let provider = try await fixture.provider()
        let item = try await provider.item(at: "a")
        let (provided, text) = try await provider.contents(of: item.id, fixture)
        #expect(provided == item && text == "hello")
        #expect(try await provider.contents(of: item.id, fixture, version: item.version.content).1 == "hello")
        try fixture.write("other", to: "a")
        await expect(.versionNoLongerAvailable) {
            _ = try await provider.contents(of: item.id, fixture, version: item.version.content)
        }
        let refusal = await #expect(throws: DocumentError.self) {
            _ = try await provider.contents(of: item.id, fixture, version: item.version.content)
        }
        #expect(refusal?.message.contains("open it again") == true)
        await expect(.invalidArgument) { _ = try await provider.contents(of: .root, fixture) }
        await expect(.noSuchItem) {
            _ = try await provider.contents(of: try ItemIdentifier("0000000000001"), fixture)
        }
    }

    @Test("PROV-12, PROV-19: the calls for an item may come in any order and be repeated")
    func anyOrder() async throws {
        try fixture.write("hello", to: "a")
        let provider = try await fixture.provider()
        let id = try await provider.item(at: "a").id
        for _ in 0..<2 {
            try await provider.stopProvidingItem(id)
            #expect(try await provider.contents(of: id, fixture).1 == "hello")
            try await provider.itemChanged(id)
            try await provider.providePlaceholder(for: id)
            try await provider.stopProvidingItem(id)
        }
    }

    @Test("A file of 1 GiB is copied with progress and without memory; holes stay holes")
    func largeFile() throws {
        let size: Int64 = 1 << 30
        let file = try fixture.call(open(fixture.path("large"), O_RDWR | O_CREAT, 0o644))
        let block = [UInt8](repeating: 7, count: 1 << 20)
        // 64 MiB of data, in pieces; the rest are holes, one at the end too.
        for piece in 0..<64 {
            try fixture.call(pwrite(file, block, block.count, (piece * 15) << 20))
        }
        try fixture.call(ftruncate(file, Int(size)))
        close(file)
        let domain = try fixture.domain()
        let id = try #require(try domain.persistentIdentifier(forItemAt: "large"))
        let staging = try fixture.emptyStagingFile()
        let reports = Mutex<[Int64]>([])
        let before = residentMegabytes()
        let monitor = TransferMonitor(
            report: { done, _ in reports.withLock { $0.append(done) } }, checkCancellation: {})
        let item = try domain.provide(id, at: staging, contentVersion: [], monitor)
        #expect(residentMegabytes() - before < 40)
        #expect(item.size == size)
        let told = reports.withLock { $0 }
        #expect(told.count > 60 && told == told.sorted() && told.last == size)
        var status = stat()
        try fixture.call(stat(staging.string, &status))
        #expect(Int64(status.st_size) == size)
        #expect(Int64(status.st_blocks) * 512 < 100 << 20)
        let copy = try fixture.call(open(staging.string, O_RDONLY))
        defer { close(copy) }
        var byte: UInt8 = 0
        for piece in 0..<64 {
            for (offset, expected) in [(0, 7), ((1 << 20) - 1, 7), (1 << 20, 0)] {
                try fixture.call(pread(copy, &byte, 1, ((piece * 15) << 20) + offset))
                #expect(byte == UInt8(expected))
            }
        }
    }

    @Test("A cancelled transfer ends soon, and a cancelled upload leaves nothing behind")
    func cancel() async throws {
        let file = try fixture.call(open(fixture.path("large"), O_RDWR | O_CREAT, 0o644))
        let block = [UInt8](repeating: 7, count: 1 << 20)
        for _ in 0..<64 { try fixture.call(Glibc.write(file, block, block.count)) }
        close(file)
        let domain = try fixture.domain()
        let id = try #require(try domain.persistentIdentifier(forItemAt: "large"))
        let done = Mutex<Int64>(0)
        let monitor = TransferMonitor(
            report: { bytes, _ in done.withLock { $0 = bytes } },
            checkCancellation: { if done.withLock({ $0 }) >= 16 << 20 { throw CancellationError() } })
        #expect(throws: CancellationError.self) {
            try domain.provide(id, at: try fixture.emptyStagingFile(), contentVersion: [], monitor)
        }
        #expect(done.withLock { $0 } < 32 << 20)
        done.withLock { $0 = 0 }
        #expect(throws: CancellationError.self) {
            try domain.create(
                ItemCreation(
                    parentID: .root, name: try ItemName("copy"), kind: .document,
                    contents: FilePath(fixture.path("large")), modified: nil, operation: fresh()), monitor)
        }
        #expect(try fixture.names() == ["large"])
    }

    @Test("PROV-8: contents that change while they are copied are copied again, until they hold still")
    func changesDuringCopy() throws {
        let letters = Array("abcdefgh".utf8)
        @Sendable func fill(_ letter: UInt8) throws {
            try fixture.write([UInt8](repeating: letter, count: 20 << 20), toPath: fixture.path("a"))
        }
        try fill(letters[0])
        let domain = try fixture.domain()
        let id = try #require(try domain.persistentIdentifier(forItemAt: "a"))
        let staging = try fixture.emptyStagingFile()
        let round = Mutex(0)
        let monitor = TransferMonitor(
            report: { done, _ in
                guard done > 0, done < 20 << 20 else { return }
                let number = round.withLock { number in
                    number += 1
                    return number
                }
                if number <= 2 { try? fill(letters[number]) }
            }, checkCancellation: {})
        let item = try domain.provide(id, at: staging, contentVersion: [], monitor)
        let bytes = try fixture.readPath(staging.string)
        #expect(Set(bytes).count == 1 && bytes.count == 20 << 20)
        #expect(try domain.item(for: id).version.content == item.version.content)
        let restless = TransferMonitor(
            report: { done, _ in if done > 0 { try? fixture.write("\(done)", to: "a") } }, checkCancellation: {})
        #expect(throws: DocumentError.self) {
            try domain.provide(id, at: staging, contentVersion: [], restless)
        }
    }
}

@Suite("Versions of contents")
struct VersionTests {
    let fixture: FolderFixture
    let provider: FolderProvider

    init() async throws {
        fixture = try FolderFixture()
        provider = try await fixture.provider()
    }

    @Test("A rewrite of the same size changes the version, at once and every time")
    func rapidRewrites() async throws {
        var versions: Set<[UInt8]> = []
        for round in 0..<200 {
            try fixture.write(String(round % 10), to: "a")
            versions.insert(try await provider.item(at: "a").version.content)
        }
        #expect(versions.count == 200)
    }

    @Test("A rewrite that sets the time of modification back changes the version")
    func timeSetBack() async throws {
        try fixture.write("one", to: "a")
        let before = try await provider.item(at: "a")
        let times = [
            timespec(tv_sec: Int(before.modified.seconds), tv_nsec: Int(before.modified.nanoseconds)),
            timespec(tv_sec: Int(before.modified.seconds), tv_nsec: Int(before.modified.nanoseconds)),
        ]
        try fixture.write("two", to: "a")
        try fixture.call(utimensat(AT_FDCWD, fixture.path("a"), times, 0))
        let after = try await provider.item(at: "a")
        #expect(after.modified == before.modified && after.size == before.size)
        #expect(after.version.content != before.version.content)
    }

    @Test("Renaming, moving, changing permissions and linking leave the content version as it is")
    func metadataOnly() async throws {
        try fixture.write("one", to: "a")
        try fixture.makeFolder("f")
        let before = try await provider.item(at: "a")
        let changes: [() throws -> Void] = [
            { try fixture.rename("a", to: "b") }, { try fixture.call(chmod(fixture.path("b"), 0o600)) },
            { try fixture.rename("b", to: "f/b") },
            { try fixture.call(link(fixture.path("f/b"), fixture.path("other"))) },
            { try fixture.rename("f", to: "g") },
        ]
        for change in changes {
            try change()
            #expect(try await provider.item(for: before.id).version.content == before.version.content)
        }
        let after = try await provider.item(for: before.id)
        #expect(after.version.metadata != before.version.metadata)
        _ = try await provider.rename(after, to: "c")
        #expect(try await provider.item(for: before.id).version.content == before.version.content)
    }

    @Test("A document that is added to a folder leaves the folder's version as it is")
    func folderVersion() async throws {
        let folder = try await provider.create("f", nil)
        try fixture.write("x", to: "f/x")
        #expect(try await provider.item(for: folder.id).version == folder.version)
        #expect(folder.version.content.isEmpty)
    }

    @Test("PROV-21: versions are at most 128 bytes")
    func length() async throws {
        try fixture.write("x", to: String(repeating: "n", count: 255))
        let item = try #require(try await provider.list().first)
        #expect(item.version.content.count <= 128 && item.version.metadata.count <= 128)
    }
}
