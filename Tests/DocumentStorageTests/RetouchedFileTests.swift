import CDocentShims
import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

/// Files of which somebody has set attributes only, and files whose time of modification was set back after they were written.
struct RetouchedFileTests {
    private static let stamp = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)

    private func fixture() throws -> (StorageFixture, Item, FilePath) {
        let storage = try StorageFixture()
        var item = try storage.item("a", "a.txt", contents: "one")
        item.modified = Self.stamp
        try storage.tell(item)
        try storage.provide(item, "one")
        return (storage, item, storage.tree.path(of: try storage.location("a.txt")))
    }

    private func tag(_ path: FilePath, _ value: String = "holiday") throws {
        let file = try FileDescriptor.open(path, .readOnly)
        let result = try file.closeAfter {
            docent_fsetxattr(file.rawValue, "user.xdg.tags", value, value.utf8.count, 0)
        }
        guard result == 0 else { throw Errno(rawValue: -result) }
    }

    private func setBack(_ path: FilePath) throws {
        let time = timespec(tv_sec: Int(Self.stamp.seconds), tv_nsec: 0)
        guard utimensat(AT_FDCWD, path.string, [time, time], 0) == 0 else { throw Errno(rawValue: errno) }
    }

    @Test(
        "COORD-20: a write in which nothing but attributes was set leaves nothing to be sent, and no other contents kept"
    )
    func attributesOnly() throws {
        let (storage, item, path) = try fixture()
        for value in ["holiday", "work"] {
            let change = try storage.store.expectChange(of: item.id, in: storage.domain)
            try tag(path, value)
            let now = try storage.store.recordChange(change)
            #expect(now.state == .materialised)
            // Whoever looks next finds it as it is recorded.
            #expect(try storage.tree.file(at: storage.location("a.txt")) == now.local)
            #expect(try storage.store.recordChange(of: item.id, in: storage.domain).state == .materialised)
            #expect(try storage.index.read { try $0.keptVersions(of: item.id, in: storage.domain) }.isEmpty)
            #expect(try storage.index.read { try $0.journal() }.isEmpty)
        }
    }

    @Test(
        "A write that sets the time of modification back is an edit all the same, in a coordinated write or outside of one"
    )
    func timeSetBack() throws {
        for isCoordinated in [true, false] {
            let (storage, item, path) = try fixture()
            let change = try isCoordinated ? storage.store.expectChange(of: item.id, in: storage.domain) : nil
            try storage.write("two", to: path)
            try setBack(path)
            let now =
                try change.map { try storage.store.recordChange($0) }
                ?? storage.store.recordChange(of: item.id, in: storage.domain)
            #expect(now.state == .changed, "coordinated: \(isCoordinated)")
        }
    }

    @Test(
        "What had been changed unseen before a write began is found at its end, though nothing but attributes was set in it"
    )
    func changedBefore() throws {
        let (storage, item, path) = try fixture()
        try storage.write("two", to: path)
        try setBack(path)
        let change = try storage.store.expectChange(of: item.id, in: storage.domain)
        try tag(path)
        #expect(try storage.store.recordChange(change).state == .changed)
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        #expect(try storage.read(sending.snapshot.path) == "two")
    }

    @Test(
        "VER-13: what was changed unseen before a write began is not kept as what that began from; what was only touched is",
        arguments: [true, false])
    func baseAfterTouching(isChanged: Bool) throws {
        let (storage, item, path) = try fixture()
        if isChanged { try storage.write("two", to: path) } else { try tag(path) }
        try setBack(path)
        let change = try storage.store.expectChange(of: item.id, in: storage.domain)
        try storage.write("three", to: path)
        #expect(try storage.store.recordChange(change).state == .changed)
        let kept = try storage.index.read { try $0.keptVersions(of: item.id, in: storage.domain) }
        let contents = try kept.map { try storage.read(storage.root.versions.path(of: $0.kept)) }
        #expect(contents == (isChanged ? [] : ["one"]))
    }

    @Test(
        "VER-7: what was saved without asking just before something is put in its place is an older version, looked at or not",
        arguments: [true, false])
    func replacedBeforeALook(isSetBack: Bool) throws {
        let (storage, item, path) = try fixture()
        try storage.write(isSetBack ? "two" : "twice", to: path)
        if isSetBack { try setBack(path) }
        let change = try storage.store.expectChange(of: item.id, in: storage.domain, replacing: true)
        try storage.save("three", to: path)
        #expect(try storage.store.recordChange(change).state == .changed)
        let kept = try storage.index.read { try $0.keptVersions(of: item.id, in: storage.domain) }
        #expect(kept.map(\.role) == [.older] && kept.map(\.version) == [.none])
        let contents = try kept.map { try storage.read(storage.root.versions.path(of: $0.kept)) }
        #expect(contents == [isSetBack ? "two" : "twice"])
    }

    @Test(
        "Attributes that are set while contents are sent are no edit of them; other contents of the same size and time are"
    )
    func touchedWhileSent() throws {
        for isEdited in [false, true] {
            let (storage, item, path) = try fixture()
            try storage.edit("a", "two")
            let sending = try storage.store.beginSending(item.id, in: storage.domain)
            let sent = try #require(sending.snapshot.source).modified
            if isEdited { try storage.write("six", to: path) } else { try tag(path) }
            let time = timespec(tv_sec: Int(sent.seconds), tv_nsec: Int(sent.nanoseconds))
            #expect(utimensat(AT_FDCWD, path.string, [time, time], 0) == 0)
            var answer = item
            answer.version = try ItemVersion(content: [2])
            let now = try storage.store.finish(sending, as: answer)
            #expect(now.state == (isEdited ? .changed : .materialised))
            #expect(try isEdited || storage.tree.file(at: storage.location("a.txt")) == now.local)
        }
    }

    @Test("What is copied to be sent is older than the file system's clock, so that a later write bears a later time")
    func copiedOnceItsTimeIsPast() throws {
        let (storage, item, path) = try fixture()
        for round in 0..<20 {
            try storage.edit("a", "two \(round)")
            try storage.write("new \(round)", to: path)
            let sending = try storage.store.beginSending(item.id, in: storage.domain)
            var now = timespec()
            clock_gettime(CLOCK_REALTIME_COARSE, &now)
            let written = try #require(sending.snapshot.source).changed
            #expect(Timestamp(seconds: Int64(now.tv_sec), nanoseconds: UInt32(now.tv_nsec)) > written)
            try storage.store.abandon(sending, because: nil)
        }
    }

    // MARK: Without asking

    @Test(
        "COORD-28: a mode, a time or an attribute that is set without asking is no edit of the contents, nor is saving what was there",
        arguments: Touching.allCases)
    func touchedUnasked(_ touching: Touching) throws {
        let (storage, item, path) = try fixture()
        try touching.touch(path, storage)
        let now = try storage.store.recordChange(of: item.id, in: storage.domain)
        #expect(now.state == .materialised)
        #expect(try storage.tree.file(at: storage.location("a.txt")) == now.local)
        #expect(try storage.tree.stamp(at: storage.location("a.txt"))?.isOf(item.id, in: storage.domain) == true)
        #expect(try storage.index.read { try $0.keptVersions(of: item.id, in: storage.domain) }.isEmpty)
        #expect(try storage.store.evict(item.id, in: storage.domain).state == .placeholder)
    }

    @Test(
        "COORD-28: so it is when no host ran meanwhile, after a coordinated write, and with newer contents on the remote",
        arguments: Touching.allCases)
    func touchedOtherwise(_ touching: Touching) throws {
        var (storage, item, path) = try fixture()
        try touching.touch(path, storage)
        try storage.reopen()
        #expect(try storage.store.reconcile().changed == 0)
        #expect(try storage.indexed("a").state == .materialised)

        (storage, item, path) = try fixture()
        let change = try storage.store.expectChange(of: item.id, in: storage.domain)
        try touching.touch(path, storage)
        #expect(try storage.store.recordChange(change).state == .materialised)

        item.version = try ItemVersion(content: [2])
        try storage.tell(item)
        try touching.touch(path, storage)
        #expect(try storage.store.recordChange(of: item.id, in: storage.domain).state == .outdated)
    }

    @Test("Other contents are an edit, whatever their size, their time and their mode")
    func edited() throws {
        for isReplaced in [true, false] {
            let (storage, item, path) = try fixture()
            try isReplaced ? storage.save("two", to: path) : storage.write("two", to: path)
            try setBack(path)
            #expect(chmod(path.string, 0o600) == 0)
            #expect(try storage.store.recordChange(of: item.id, in: storage.domain).state == .changed)
        }
    }

    @Test(
        "VER-13: what is changed so that only reading it tells lacks what it began from, which is brought before it is sent",
        arguments: [true, false])
    func changedUnseen(isUnseen: Bool) throws {
        let (storage, item, path) = try fixture()
        try storage.write("two", to: path)
        if isUnseen { try setBack(path) }
        let changed = try storage.store.recordChange(of: item.id, in: storage.domain)
        #expect(changed.state == .changed)
        #expect(try storage.store.lacksBase(of: changed, upTo: 1_000) == isUnseen)
        guard isUnseen else { return }
        #expect(try !storage.store.lacksBase(of: changed, upTo: 2))

        let room = try storage.store.makeRoomForRemoteVersion(in: storage.domain)
        defer { try? room.request.remove() }
        try storage.write("one", to: room.file.path)
        let stamp = ItemStamp(
            domain: storage.domain, id: item.id, contentVersion: item.version.content, size: 3,
            modified: item.modified)
        let theirs = try room.request.verify(room.file, size: 3, sha256: nil, stamp: stamp)
        try storage.store.keepBase(theirs, as: item, of: changed)
        #expect(try !storage.store.lacksBase(of: changed, upTo: 1_000))
        var answer = item
        answer.version = try ItemVersion(content: [2])
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        #expect(try storage.store.finish(sending, as: answer).state == .materialised)
        let kept = try storage.index.read { try $0.keptVersions(of: item.id, in: storage.domain) }
        #expect(kept.map(\.role) == [.older])
        #expect(try kept.map { try storage.read(storage.root.versions.path(of: $0.kept)) } == ["one"])
    }

    @Test("What was sent is known by its contents, too: to touch it afterwards is no edit")
    func touchedAfterSending() throws {
        let (storage, item, path) = try fixture()
        try storage.edit("a", "two")
        var answer = item
        answer.version = try ItemVersion(content: [2])
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        #expect(try storage.store.finish(sending, as: answer).state == .materialised)
        #expect(chmod(path.string, 0o640) == 0)
        #expect(try storage.store.recordChange(of: item.id, in: storage.domain).state == .materialised)
        try storage.write("six", to: path)
        #expect(try storage.store.recordChange(of: item.id, in: storage.domain).state == .changed)
    }

    @Test(
        "VER-10: newer contents do not replace what was written at the last moment, with its time set back; attributes do not matter"
    )
    func replaced() throws {
        for isEdited in [true, false] {
            var (storage, item, path) = try fixture()
            item.version = try ItemVersion(content: [2])
            try storage.tell(item)
            let coming = try storage.store.beginMaterialising(item.id, in: storage.domain)
            try storage.write("new", to: coming.file.path)
            if isEdited { try storage.write("two", to: path) } else { try tag(path) }
            try setBack(path)
            if isEdited {
                let error = #expect(throws: DocumentError.self) { try storage.store.finish(coming, as: item) }
                #expect(error?.code == .unsyncedEdits)
                try storage.store.abandon(coming, because: error)
                #expect(try storage.store.recordChange(of: item.id, in: storage.domain).state == .changed)
            } else {
                #expect(try storage.store.finish(coming, as: item).state == .materialised)
            }
            #expect(try storage.document("a.txt") == (isEdited ? "two" : "new"))
        }
    }
}

/// What programs do to a file and leave its contents as they are.
enum Touching: CaseIterable {
    case mode, time, savedAnew, linked

    func touch(_ path: FilePath, _ storage: StorageFixture) throws {
        switch self {
        case .mode:
            #expect(chmod(path.string, 0o640) == 0)
        case .time:
            #expect(utimensat(AT_FDCWD, path.string, nil, 0) == 0)
        case .savedAnew:
            try storage.save(try #require(try storage.read(path)), to: path)
        case .linked:
            let other = storage.folder.appending("other-name")
            try FileSystemMoves.hardLink(path, other)
            #expect(unlink(other.string) == 0)
        }
    }
}
