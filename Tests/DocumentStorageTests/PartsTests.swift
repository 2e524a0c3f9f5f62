import DocumentModel
import DocumentTestSupport
import SystemPackage
import Testing

@testable import DocumentStorage

/// DOWN-10: contents that come part by part.
struct PartsTests {
    private static let whole = "aaaabbbbccccdd"
    private static let size = Int64(whole.utf8.count)

    private func prepared() throws -> (StorageFixture, Item) {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: Self.whole)
        try storage.tell(item)
        return (storage, item)
    }

    private func begin(_ storage: StorageFixture, version: String = "1", now: Int64 = 1000) throws -> Materialisation {
        try storage.store.beginMaterialising(
            ItemIdentifier("a"), in: storage.domain, version: Array(version.utf8), size: Self.size, partSize: 4,
            now: now)
    }

    /// As a provider does.
    private func fill(_ coming: Materialisation, _ part: Int, _ text: String? = nil) throws {
        let start = part * 4
        let bytes = text.map { Array($0.utf8) } ?? Array(Array(Self.whole.utf8)[start..<min(start + 4, Int(Self.size))])
        let file = try FileDescriptor.open(coming.file.path, .writeOnly)
        _ = try file.closeAfter { try file.writeAll(toAbsoluteOffset: Int64(start), bytes) }
    }

    private func bring(_ parts: Range<Int>, _ coming: Materialisation, _ storage: StorageFixture) throws {
        for part in parts { try fill(coming, part) }
        try storage.store.record(parts: parts, of: coming, now: 1000)
    }

    private func requests(_ storage: StorageFixture) throws -> Int {
        try storage.index.read { try $0.partialRequests().count }
    }

    @Test("DOWN-10: what has come stays when a transfer is interrupted, and the next one goes on")
    func goesOn() throws {
        let (storage, item) = try prepared()
        let first = try begin(storage)
        try bring(0..<2, first, storage)
        try storage.store.interrupt(first, because: nil)
        #expect(try storage.indexed("a").state == .placeholder)
        #expect(try storage.document("a.txt") == nil)

        let second = try begin(storage)
        #expect(second.partial.map { Set($0.digests.keys) } == [0, 1])
        #expect(second.file.path == first.file.path)
        try bring(2..<4, second, storage)
        let done = try storage.store.finish(second, as: item)
        #expect(done.state == .materialised)
        #expect(try storage.document("a.txt") == Self.whole)
        #expect(try requests(storage) == 0)
    }

    @Test("DOWN-10: what the disk has no room for is told before anything of it comes, with how much it needs")
    func noRoom() throws {
        let (storage, item) = try prepared()
        #expect(try storage.store.lackOfRoom(for: item.id, in: storage.domain, size: Self.size) == nil)
        let refusal = try #require(
            try storage.store.lackOfRoom(for: item.id, in: storage.domain, size: 1 << 60))
        #expect(refusal.isOutOfSpace && refusal.code == .localStorage)
        #expect(refusal.message.contains("a.txt needs 1152921504607 MB of this machine's disk"))
        #expect(try storage.indexed("a").state == .placeholder)
        #expect(try requests(storage) == 0)
    }

    @Test("DOWN-10: the same over a restart of the host, whatever state it was in")
    func overRestarts() throws {
        let (storage, item) = try prepared()
        let first = try begin(storage)
        try bring(1..<3, first, storage)
        // The host dies; nothing was said of it.
        try storage.reopen()
        _ = try storage.store.reconcile()
        #expect(try storage.indexed("a").state == .placeholder)
        let second = try begin(storage)
        #expect(second.partial.map { Set($0.digests.keys) } == [1, 2])
        try bring(0..<1, second, storage)
        try bring(3..<4, second, storage)
        _ = try storage.store.finish(second, as: item)
        #expect(try storage.document("a.txt") == Self.whole)
    }

    @Test("DOWN-10: after a restart of the machine parts count only if they are what they were")
    func overReboots() throws {
        let (storage, _) = try prepared()
        let first = try begin(storage)
        try bring(0..<3, first, storage)
        try fill(first, 1, "bbXb")
        try DatabaseEdits.execute(
            "UPDATE partial SET boot = 'another'", on: storage.rootPath.appending(".docent").appending("index.sqlite"))
        try storage.reopen()
        _ = try storage.store.reconcile()
        let unsure = try begin(storage)
        #expect(unsure.partial?.digests == [:])
        let lost = try [0, 1, 2].filter { try !storage.store.isAsRecorded(part: $0, of: unsure) }
        #expect(lost == [1])
        let second = try storage.store.keep(all: unsure, but: Set(lost))
        #expect(second.partial.map { Set($0.digests.keys) } == [0, 2])
        try storage.store.interrupt(second, because: nil)
        #expect(try begin(storage).partial.map { Set($0.digests.keys) } == [0, 2])
    }

    @Test("WIRE-22: a part that was changed after it had come is found before it is a document")
    func changedAfterwards() throws {
        let (storage, item) = try prepared()
        let coming = try begin(storage)
        try bring(0..<3, coming, storage)
        try fill(coming, 1, "bXbb")
        try fill(coming, 3)
        // It comes fast, and has no digest.
        try storage.store.record(parts: 3..<4, of: coming, now: 1000, digesting: false)
        let settled = try #require(try storage.store.settle(coming))
        #expect(settled.digests.keys.sorted() == [0, 1, 2])
        for part in [0, 2, 3] { try storage.store.verify(part: part, in: settled, of: coming) }
        let error = #expect(throws: DocumentError.self) {
            try storage.store.verify(part: 1, in: settled, of: coming)
        }
        #expect(error?.code == .contractBroken)
        #expect(error?.message.contains("was changed after its parts were given") == true)
        // As it was given, and then written to while the parts were being looked at.
        try fill(coming, 1)
        let again = try #require(try storage.store.settle(coming))
        for part in 0..<4 { try storage.store.verify(part: part, in: again, of: coming) }
        try fill(coming, 0, "Xaaa")
        let late = #expect(throws: DocumentError.self) {
            try storage.store.finish(coming, as: item, since: again)
        }
        #expect(late?.code == .contractBroken)
        #expect(try storage.document("a.txt") == nil)
    }

    @Test("WIRE-22: parts are not taken while somebody can still write to them")
    func stillOpen() throws {
        let (storage, item) = try prepared()
        let coming = try begin(storage)
        try bring(0..<4, coming, storage)
        let open = try FileDescriptor.open(coming.file.path, .writeOnly)
        let error = #expect(throws: DocumentError.self) { try storage.store.settle(coming) }
        #expect(error?.code == .contractBroken)
        try open.close()
        let settled = try storage.store.settle(coming)
        _ = try storage.store.finish(coming, as: item, since: settled)
        #expect(try storage.document("a.txt") == Self.whole)
    }

    @Test("DOWN-10: what programs read while it comes in parts is not copied, whether or not those have digests")
    func readOn() throws {
        for digesting in [true, false] {
            let (storage, item) = try prepared()
            let coming = try begin(storage)
            for part in 0..<4 { try fill(coming, part) }
            try storage.store.record(parts: 0..<4, of: coming, now: 1000, digesting: digesting)
            let reader = try FileDescriptor.open(coming.file.path, .readOnly)
            defer { try? reader.close() }
            let settled = try storage.store.settle(coming)
            #expect((settled != nil) == digesting)
            let done = try storage.store.finish(coming, as: item, since: settled)
            #expect(done.local?.inode == coming.file.identity.inode)
        }
    }

    @Test("DOWN-10: parts without a digest count until the machine's life ends")
    func withoutDigests() throws {
        let (storage, _) = try prepared()
        let first = try begin(storage)
        try fill(first, 0)
        try storage.store.record(parts: 0..<1, of: first, now: 1000, digesting: false)
        try storage.store.interrupt(first, because: nil)
        let second = try begin(storage)
        #expect(second.partial.map { Set($0.digests.keys) } == [0])
        try storage.store.interrupt(second, because: nil)
        try DatabaseEdits.execute(
            "UPDATE partial SET boot = 'another'", on: storage.rootPath.appending(".docent").appending("index.sqlite"))
        let third = try begin(storage)
        #expect(try !storage.store.isAsRecorded(part: 0, of: third))
    }

    @Test("DOWN-10: parts of another version are dropped, and so are those of what is gone")
    func otherVersions() throws {
        let (storage, _) = try prepared()
        let first = try begin(storage)
        try bring(0..<1, first, storage)
        try storage.store.interrupt(first, because: nil)
        try storage.tell(try storage.item("a", "a.txt", contents: Self.whole, version: "2"))
        let second = try begin(storage, version: "2")
        #expect(second.partial?.digests == [:])
        try bring(0..<1, second, storage)
        try storage.store.interrupt(second, because: nil)
        #expect(try requests(storage) == 1)
        try storage.tell(try storage.item("a", "a.txt", contents: Self.whole, version: "3"))
        try storage.store.dropNeedlessParts()
        #expect(try requests(storage) == 0)
        #expect(try storage.root.staging.request(named: second.file.request) == nil)
    }

    @Test("What has come of a document, or of what is in a folder, goes with it when the remote has removed it")
    func goneWithItsItem() throws {
        for gone in ["a", "f"] {
            let storage = try StorageFixture()
            try storage.tell(storage.item("f", "f", kind: .folder))
            try storage.tell(storage.item("a", "a.txt", in: "f", contents: Self.whole))
            let coming = try begin(storage)
            try bring(0..<1, coming, storage)
            try storage.store.interrupt(coming, because: nil)
            #expect(try requests(storage) == 1)
            try storage.store.recordGone(ItemIdentifier(gone), in: storage.domain)
            #expect(try requests(storage) == 0)
            #expect(try storage.root.staging.request(named: coming.file.request) == nil)
        }
    }

    @Test("What is coming just now is not dropped, whatever its provider has by now")
    func underWay() throws {
        let (storage, item) = try prepared()
        let first = try begin(storage)
        try bring(0..<4, first, storage)
        try storage.tell(try storage.item("a", "a.txt", contents: Self.whole, version: "2"))
        try storage.store.dropNeedlessParts(before: .max)
        #expect(try requests(storage) == 1)
        #expect(try storage.store.finish(first, as: item).state == .outdated)
        #expect(try requests(storage) == 0)
    }

    @Test("What comes as a whole, and what is evicted, leaves no parts behind")
    func noRest() throws {
        let (storage, item) = try prepared()
        let first = try begin(storage)
        try bring(0..<2, first, storage)
        try storage.store.interrupt(first, because: nil)
        // Not while it comes.
        let again = try begin(storage)
        try storage.store.dropParts(of: item.id, in: storage.domain)
        #expect(try requests(storage) == 1)
        try storage.store.interrupt(again, because: nil)
        try storage.store.dropParts(of: item.id, in: storage.domain)
        #expect(try requests(storage) == 0)
        #expect(try storage.root.staging.request(named: first.file.request) == nil)

        let second = try begin(storage)
        try bring(0..<2, second, storage)
        try storage.store.interrupt(second, because: nil)
        let whole = try storage.store.beginMaterialising(item.id, in: storage.domain)
        let file = try FileDescriptor.open(whole.file.path, .writeOnly)
        _ = try file.closeAfter { try file.writeAll(Self.whole.utf8) }
        #expect(try storage.store.finish(whole, as: item).state == .materialised)
        #expect(try requests(storage) == 0)
        #expect(try storage.root.staging.request(named: second.file.request) == nil)
    }

    @Test("What nobody has gone on with for long is dropped; what has just been tried stays")
    func expiry() throws {
        let (storage, _) = try prepared()
        let first = try begin(storage, now: 1000)
        try bring(0..<1, first, storage)
        try storage.store.interrupt(first, because: nil)
        try storage.store.interrupt(try begin(storage, now: 2000), because: nil)
        try storage.store.dropNeedlessParts(before: 2000)
        #expect(try requests(storage) == 1)
        try storage.store.dropNeedlessParts(before: 2001)
        #expect(try requests(storage) == 0)
    }

    @Test("DOWN-10: a transfer that ends before its first part leaves its file, which the next one goes on with")
    func nothing() throws {
        let (storage, item) = try prepared()
        let first = try begin(storage)
        try storage.store.interrupt(first, because: DocumentError(.serverUnreachable, "No server."))
        #expect(try storage.indexed("a").problem?.code == .serverUnreachable)
        #expect(try storage.indexed("a").state == .placeholder)
        #expect(try storage.document("a.txt") == nil)

        let second = try begin(storage)
        #expect(second.partial?.digests == [:])
        #expect(second.file.path == first.file.path)
        #expect(second.file.identity.inode == first.file.identity.inode)
        try bring(0..<4, second, storage)
        #expect(try storage.store.finish(second, as: item).state == .materialised)
        #expect(try storage.document("a.txt") == Self.whole)
        #expect(try requests(storage) == 0)
    }

    @Test(
        "DOWN-10: a file of which nothing had come is the same over restarts; what comes then is of the machine's new life"
    )
    func nothingOverRestarts() throws {
        let (storage, _) = try prepared()
        let first = try begin(storage)
        try storage.store.interrupt(first, because: nil)
        try DatabaseEdits.execute(
            "UPDATE partial SET boot = 'another'", on: storage.rootPath.appending(".docent").appending("index.sqlite"))
        try storage.reopen()
        _ = try storage.store.reconcile()
        let second = try begin(storage)
        #expect(second.file.path == first.file.path)
        #expect(second.file.identity.inode == first.file.identity.inode)
        try fill(second, 0)
        // Without a digest it counts in this life only.
        try storage.store.record(parts: 0..<1, of: second, now: 1000, digesting: false)
        try storage.store.interrupt(second, because: nil)
        #expect(try begin(storage).partial.map { Set($0.digests.keys) } == [0])
    }

    @Test("A file of which nothing has come is dropped as parts are: when it is old, of another version, or let go of")
    func nothingIsDropped() throws {
        for reason in ["old", "another version", "let go of"] {
            let (storage, item) = try prepared()
            let coming = try begin(storage, now: 1000)
            try storage.store.interrupt(coming, because: nil)
            try storage.store.dropNeedlessParts(before: 1000)
            #expect(try requests(storage) == 1)
            switch reason {
            case "old": try storage.store.dropNeedlessParts(before: 1001)
            case "another version":
                try storage.tell(try storage.item("a", "a.txt", contents: Self.whole, version: "2"))
                try storage.store.dropNeedlessParts()
            default: try storage.store.dropParts(of: item.id, in: storage.domain)
            }
            #expect(try requests(storage) == 0, "\(reason)")
            #expect(try storage.root.staging.request(named: coming.file.request) == nil, "\(reason)")
        }
    }

    @Test(
        "WIRE-39: a part that leaves a hole, changes the size, or comes in another file is no part",
        arguments: ["hole", "shorter", "longer", "other file"])
    func brokenParts(_ deed: String) throws {
        let storage = try StorageFixture()
        let size: Int64 = 3 << 20
        let item = try storage.item("a", "a.bin", size: size)
        try storage.tell(item)
        let coming = try storage.store.beginMaterialising(
            item.id, in: storage.domain, version: item.version.content, size: size, partSize: 1 << 20, now: 1)
        let file = try FileDescriptor.open(coming.file.path, .writeOnly)
        try file.closeAfter {
            let bytes = [UInt8](repeating: 7, count: deed == "hole" ? 4096 : 1 << 20)
            _ = try file.writeAll(toAbsoluteOffset: 1 << 20, bytes)
            if deed == "shorter" { try file.resize(to: size - 1) }
            if deed == "longer" { try file.resize(to: size + 1) }
        }
        if deed == "other file" { try storage.save(String(repeating: "x", count: Int(size)), to: coming.file.path) }
        let error = #expect(throws: DocumentError.self) {
            try storage.store.record(parts: 1..<2, of: coming, now: 1000)
        }
        #expect(error?.code == .contractBroken)
        #expect(try storage.index.read { try $0.partialContents(of: item.id, in: storage.domain) }?.digests == [:])
    }

    @Test("A domain that is signed out, or removed, leaves no parts")
    func signOut() throws {
        let (storage, _) = try prepared()
        let coming = try begin(storage)
        try bring(0..<1, coming, storage)
        try storage.store.interrupt(coming, because: nil)
        _ = try storage.store.removeDomain(storage.domain, discardingEdits: false)
        #expect(try requests(storage) == 0)
        #expect(try storage.root.staging.request(named: coming.file.request) == nil)
    }
}
