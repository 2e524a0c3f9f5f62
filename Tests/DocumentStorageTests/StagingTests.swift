import DocumentModel
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentStorage

struct StagingTests {
    private struct Prepared {
        let storage: StorageFixture
        let request: StagingRequest
        let file: StagedFile
        let stamp: ItemStamp

        init() throws {
            storage = try StorageFixture()
            request = try storage.root.staging.makeRequest()
            file = try request.makeFile()
            stamp = ItemStamp(
                domain: storage.domain, id: try ItemIdentifier("a"), contentVersion: [1, 2],
                size: 0, modified: Timestamp(seconds: 1_234_567_890, nanoseconds: 42))
        }

        func refused(size: Int64? = 5, sha256: [UInt8]? = nil, _ reason: String) {
            let error = #expect(throws: DocumentError.self) {
                try request.verify(file, size: size, sha256: sha256, stamp: stamp)
            }
            #expect(error?.code == .contractBroken)
            #expect(error?.message.contains(reason) == true, "\(error?.message ?? "no error")")
        }
    }

    @Test("What was filled gets its time and its stamp")
    func verified() throws {
        let it = try Prepared()
        #expect(try FileSystemMoves.mode(of: it.file.path) == 0o600)
        try it.storage.write("hello", to: it.file.path)
        let done = try it.request.verify(it.file, size: 5, stamp: it.stamp)
        #expect(done.identity.modified == it.stamp.modified)
        _ = try it.storage.tree.publish(done, at: it.storage.location("a.txt"), replacing: nil)
        let stamp = try #require(try it.storage.tree.stamp(at: it.storage.location("a.txt")))
        #expect(stamp.isOf(try ItemIdentifier("a"), in: it.storage.domain))
        #expect(try !stamp.isOf(ItemIdentifier("b"), in: it.storage.domain))
        #expect(stamp.contentVersion == [1, 2])
        #expect(stamp.matches(done.identity))
    }

    @Test("PH-7: fewer or more bytes than promised are refused")
    func wrongSize() throws {
        let it = try Prepared()
        try it.storage.write("hell", to: it.file.path)
        it.refused("has 4 bytes where the provider says 5")
        #expect(try it.request.verify(it.file, size: nil, stamp: it.stamp).identity.size == 4)
    }

    @Test("Holes are refused, at the end too", arguments: [0, 1 << 20])
    func holes(offset: Int64) throws {
        let it = try Prepared()
        let file = try FileDescriptor.open(it.file.path, .writeOnly)
        if offset > 0 { try file.writeAll(toAbsoluteOffset: 0, [UInt8](repeating: 1, count: Int(offset))) }
        guard ftruncate(file.rawValue, 8 << 20) == 0 else { throw Errno(rawValue: errno) }
        try file.close()
        it.refused(size: 8 << 20, "has a hole at byte \(offset)")
    }

    @Test("A file that is still open for writing is refused")
    func stillOpen() throws {
        let it = try Prepared()
        let file = try FileDescriptor.open(it.file.path, .writeOnly)
        try file.writeAll("hello".utf8)
        it.refused("is still open for writing")
        try file.close()
        #expect(try it.request.verify(it.file, size: 5, stamp: it.stamp).identity.size == 5)
    }

    @Test("Who still has a file open for reading sees nothing of what is written into the document later")
    func stillRead() throws {
        let it = try Prepared()
        try it.storage.write("hello", to: it.file.path)
        let reader = try FileDescriptor.open(it.file.path, .readOnly)
        defer { try? reader.close() }
        let done = try it.request.verify(it.file, size: 5, stamp: it.stamp)
        #expect(done.identity.inode != it.file.identity.inode)
        #expect(done.identity.modified == it.stamp.modified)
        let location = try it.storage.location("a.txt")
        let published = try it.storage.tree.publish(done, at: location, replacing: nil)
        #expect(try it.storage.tree.stamp(at: location)?.matches(published) == true)
        #expect(try it.storage.document("a.txt") == "hello")
        try it.storage.write("later", to: it.storage.tree.path(of: location))
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = try buffer.withUnsafeMutableBytes { try reader.read(fromAbsoluteOffset: 0, into: $0) }
        #expect(String(decoding: buffer.prefix(count), as: UTF8.self) == "hello")
    }

    @Test("A link, a second name, another file, or nothing in its place is refused")
    func replaced() throws {
        let it = try Prepared()
        try it.storage.write("hello", to: it.file.path)
        try FileSystemMoves.hardLink(it.file.path, it.storage.folder.appending("second"))
        it.refused("was given a second name")
        TemporaryFolder.remove(it.storage.folder.appending("second"))
        try it.storage.save("hello", to: it.file.path)
        it.refused("was replaced by another file")
        TemporaryFolder.remove(it.file.path)
        it.refused("is gone")
        try FileSystemMoves.link("/etc/hostname", it.file.path)
        it.refused("was replaced by a symbolic link")
        TemporaryFolder.remove(it.file.path)
        try FileSystemMoves.makeFolder(it.file.path)
        it.refused("is not a regular file")
    }

    @Test("PH-7: contents that do not have the digest given are refused")
    func digest() throws {
        let it = try Prepared()
        try it.storage.write("hello", to: it.file.path)
        var sha256 = [UInt8](
            hex: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
        #expect(try it.request.verify(it.file, size: 5, sha256: sha256, stamp: it.stamp).identity.size == 5)
        sha256[0] ^= 1
        it.refused(sha256: sha256, "does not have the digest")
    }

    @Test("A stamp comes back as it was written, whatever the identifier's length", arguments: [1, 200, 201, 4096])
    func stamps(length: Int) throws {
        let id = try ItemIdentifier(String(repeating: "i", count: length))
        let stamp = ItemStamp(
            domain: try DomainName("work"), id: id, contentVersion: [UInt8](repeating: 9, count: 128), size: .max,
            modified: Timestamp(seconds: -1, nanoseconds: 999_999_999))
        #expect(stamp.bytes.count < 480)
        #expect(ItemStamp(bytes: stamp.bytes) == stamp)
        #expect(ItemStamp(bytes: stamp.bytes)?.isOf(id, in: try DomainName("work")) == true)
        for count in 0..<stamp.bytes.count { #expect(ItemStamp(bytes: Array(stamp.bytes[..<count])) == nil) }
        #expect(ItemStamp(bytes: stamp.bytes + [0]) == nil)
    }

    @Test("A snapshot has the document's bytes and time, and says what it was made of")
    func snapshot() throws {
        let it = try Prepared()
        let source = it.storage.folder.appending("source")
        let text = String(repeating: "0123456789", count: 300_000)
        try it.storage.write(text, to: source)
        let request = try it.storage.root.staging.makeRequest()
        let copy = try it.storage.root.staging.snapshot(ofFileAt: source, in: request)
        #expect(try it.storage.read(copy.path) == text)
        #expect(copy.identity.modified == copy.source?.modified)
        #expect(copy.identity.inode != copy.source?.inode)
    }

    @Test("Only files have snapshots, and not what the kernel makes up at each reading")
    func notFiles() throws {
        let it = try Prepared()
        let others: [FilePath] = ["/dev/zero", "/proc/self/mem", "/proc/self/environ"]
        for path in [it.storage.folder, it.storage.folder.appending("missing")] + others {
            let request = try it.storage.root.staging.makeRequest()
            let error = #expect(throws: DocumentError.self) {
                try it.storage.root.staging.snapshot(ofFileAt: path, in: request)
            }
            #expect(error?.code == .invalidArgument)
        }
        let empty = it.storage.folder.appending("empty")
        try it.storage.write("", to: empty)
        let copy = try it.storage.root.staging.snapshot(ofFileAt: empty, in: try it.storage.root.staging.makeRequest())
        #expect(try it.storage.read(copy.path) == "")
    }

    @Test("Sweeping removes all but what is still needed, links themselves and not what they lead to")
    func sweep() throws {
        let it = try Prepared()
        try FileSystemMoves.link(it.storage.folder.string, it.request.path.appending("link"))
        try FileSystemMoves.makeFolder(it.request.path.appending("folder"))
        let kept = try it.storage.root.staging.makeRequest()
        #expect(try it.storage.root.staging.sweep(keeping: [kept.name]) == 1)
        #expect(throws: Errno.self) { try FileSystemMoves.mode(of: it.request.path) }
        #expect(try FileSystemMoves.mode(of: kept.path) == 0o700)
        #expect(try FileSystemMoves.mode(of: it.storage.rootPath) == 0o700)
    }

    #if DEBUG
        @Test("A full disk while copying is an error that says so, and leaves nothing", arguments: [ENOSPC, EDQUOT])
        func fullDisk(error number: Int32) throws {
            let storage = try StorageFixture()
            let item = try storage.item("a", "a.txt", contents: "hello")
            try storage.tell(item)
            try storage.provide(item, "hello")
            try storage.edit("a", "changed")
            let plan = FaultPlan()
            plan.fail(.clone, with: EOPNOTSUPP)
            plan.fail(.copyRange, with: number)
            let error = FaultPlan.$current.withValue(plan) {
                #expect(throws: DocumentError.self) {
                    try storage.store.beginSending(item.id, in: storage.domain)
                }
            }
            #expect(error?.code == .localStorage)
            #expect(error?.message.contains("the disk is full") == true)
            #expect(try storage.indexed("a").state == .changed)
            #expect(try storage.root.staging.sweep() == 0)
            #expect(try storage.index.read { try $0.journal() }.isEmpty)
        }

        @Test("Where the kernel cannot copy within itself, the bytes are copied by hand")
        func copiedByHand() throws {
            let it = try Prepared()
            let source = it.storage.folder.appending("source")
            try it.storage.write("by hand", to: source)
            let plan = FaultPlan()
            plan.fail(.clone, with: EOPNOTSUPP)
            plan.fail(.copyRange, with: EXDEV)
            try FaultPlan.$current.withValue(plan) {
                let request = try it.storage.root.staging.makeRequest()
                let copy = try it.storage.root.staging.snapshot(ofFileAt: source, in: request)
                #expect(try it.storage.read(copy.path) == "by hand")
            }
        }

        @Test(
            "PH-7: an error of the disk while contents come leaves a placeholder, and nothing in staging",
            arguments: [SystemCall.setAttribute, .flush, .rename, .setTimes, .seekHole, .status])
        func diskErrorWhileMaterialising(call: SystemCall) throws {
            let storage = try StorageFixture()
            let item = try storage.item("a", "a.txt", contents: "hello")
            try storage.tell(item)
            let coming = try storage.store.beginMaterialising(item.id, in: storage.domain)
            try storage.write("hello", to: coming.file.path)
            let plan = FaultPlan()
            plan.fail(call, with: EIO, times: 1)
            let error = FaultPlan.$current.withValue(plan) {
                #expect(throws: DocumentError.self) { try storage.store.finish(coming, as: item) }
            }
            #expect(error?.code == .localStorage)
            try storage.store.abandon(coming, because: error)
            #expect(try storage.indexed("a").state == .placeholder)
            #expect(try storage.indexed("a").problem?.code == .localStorage)
            #expect(try storage.document("a.txt") == nil)
            #expect(try storage.root.staging.sweep() == 0)
            // And once the disk is well again:
            #expect(try storage.provide(item, "hello").problem == nil)
        }
    #endif
}

extension [UInt8] {
    fileprivate init(hex: String) {
        self = stride(from: 0, to: hex.count, by: 2).compactMap { offset in
            UInt8(hex.dropFirst(offset).prefix(2), radix: 16)
        }
    }
}
