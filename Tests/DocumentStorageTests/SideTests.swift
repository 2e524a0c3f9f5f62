import DocumentModel
import DocumentStorage
import DocumentTestSupport
import SystemPackage
import Testing

/// Sides of conflicts that the remote keeps: this device's own, and others' (VER-2).
struct SideTests {
    private let storage: StorageFixture
    private let item: Item

    init() throws {
        storage = try StorageFixture()
        item = try storage.item("a", "a.txt", contents: "one")
        try storage.tell(item)
        try storage.provide(item, "one")
    }

    private func conflict() throws {
        try storage.edit("a", "ours")
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        var remote = item
        remote.version = try ItemVersion(content: Array("2".utf8))
        _ = try storage.store.recordConflict(
            sending, remote: remote, because: DocumentError(.inConflict, "Both."))
    }

    private func keep(_ name: String, sha256: [UInt8]? = nil) throws -> SideKeeping? {
        guard let keeping = try storage.store.beginKeepingSide(of: item.id, in: storage.domain) else { return nil }
        let version = ProvidedVersion(id: name, role: .conflict, sha256: sha256 ?? keeping.digest)
        try storage.store.finish(keeping, as: version)
        return keeping
    }

    private func digest(_ contents: String) throws -> [UInt8] {
        let room = try storage.store.makeRoomForRemoteVersion(in: storage.domain)
        defer { try? room.request.remove() }
        try storage.write(contents, to: room.file.path)
        return try VersionStore.digest(ofFileAt: room.file.path)
    }

    private var unkept: [ItemIdentifier] {
        get throws { try storage.index.read { try $0.unkeptSides(in: storage.domain) }.map(\.id) }
    }

    private var needless: [String?] {
        get throws { try storage.index.read { try $0.needlessOwnSides(in: storage.domain) }.map(\.version) }
    }

    private func others() throws -> [RemoteSide] {
        try storage.index.read { try $0.remoteSides(of: item.id, in: storage.domain) }
    }

    private func record(_ versions: [ProvidedVersion]) throws -> DocumentStore.SideChange {
        try storage.store.record(versions, of: storage.indexed("a"))
    }

    @Test(
        "VER-2: what is here of a conflict is to be kept once, and anew when it was changed; what it replaces goes then"
    )
    func own() throws {
        #expect(try unkept.isEmpty)
        try conflict()
        #expect(try unkept == [item.id])
        #expect(try keep("1") != nil)
        #expect(try unkept.isEmpty && needless.isEmpty)
        #expect(try keep("again") == nil)
        try storage.edit("a", "ours, later")
        #expect(try unkept == [item.id] && needless.isEmpty)
        #expect(try keep("2") != nil)
        #expect(try unkept.isEmpty && needless == ["1"])
        _ = try storage.store.resolveConflict(of: item.id, in: storage.domain, keepingLocal: true)
        #expect(try needless == ["1"], "it is not sent yet")
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        var sent = item
        sent.version = try ItemVersion(content: Array("3".utf8))
        _ = try storage.store.finish(sending, as: sent)
        #expect(try needless == ["1", "2"])
    }

    @Test("VER-12: what the remote keeps counts as written when it says, also when it is in conflict with others later")
    func keptTime() throws {
        try conflict()
        let keeping = try #require(try storage.store.beginKeepingSide(of: item.id, in: storage.domain))
        let elsewhere = { try storage.index.read { try $0.writtenElsewhere(of: storage.indexed("a")) } }
        #expect(try elsewhere() == nil)
        let written = Timestamp(seconds: 1_763_072_033, nanoseconds: 5)
        try storage.store.finish(keeping, as: ProvidedVersion(id: "mine", role: .conflict, modified: written))
        #expect(try elsewhere() == written)
        _ = try storage.store.resolveConflict(of: item.id, in: storage.domain, keepingLocal: true)
        #expect(try elsewhere() == nil, "it is to be sent")
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        var remote = item
        remote.version = try ItemVersion(content: Array("3".utf8))
        _ = try storage.store.recordConflict(sending, remote: remote, because: DocumentError(.inConflict, "Both."))
        #expect(try storage.store.beginKeepingSide(of: item.id, in: storage.domain) == nil, "it is kept already")
        try storage.reopen()
        #expect(try elsewhere() == written)
    }

    @Test("VER-2: what was asked for and not answered is asked for again by the same name, over a restart, too")
    func unanswered() throws {
        try conflict()
        let first = try #require(try storage.store.beginKeepingSide(of: item.id, in: storage.domain))
        try storage.reopen()
        let again = try #require(try storage.store.beginKeepingSide(of: item.id, in: storage.domain))
        #expect(again.side == first.side)
        // It was changed since: that is another question, and what has become of the first one is not known.
        try storage.edit("a", "ours, later")
        let later = try #require(try storage.store.beginKeepingSide(of: item.id, in: storage.domain))
        #expect(later.side.operation != first.side.operation && later.digest != first.digest)
        #expect(try unkept == [item.id])
        try storage.store.finish(later, as: ProvidedVersion(id: "2", role: .conflict, sha256: later.digest))
        #expect(try unkept.isEmpty && needless == [nil])
    }

    @Test(
        "VER-10: what the remote has never listed of this device's is not resolved elsewhere: it is to be kept once more, by the same name"
    )
    func neverListed() throws {
        try conflict()
        let first = try #require(try keep("mine"))
        #expect(try unkept.isEmpty)
        #expect(try record([]).own == nil)
        #expect(try unkept == [item.id])
        #expect(try keep("mine")?.side.operation == first.side.operation)
        #expect(try unkept.isEmpty && needless.isEmpty)
        #expect(try record([ProvidedVersion(id: "mine", role: .conflict)]).own == nil)
        #expect(try record([]).own?.version == "mine")
        // A host that ended before it followed asks once more.
        let unlisted = { try storage.index.read { try $0.itemsWithUnlistedSides(in: storage.domain) }.map(\.id) }
        #expect(try unlisted().isEmpty)
        try storage.store.listOwnSidesAgain(in: storage.domain)
        #expect(try unlisted() == [item.id])
    }

    @Test("VER-10: what is gone there while the document is in no conflict is kept anew when it is in one again")
    func goneMeanwhile() throws {
        try conflict()
        _ = try keep("mine")
        #expect(try record([ProvidedVersion(id: "mine", role: .conflict)]).own == nil)
        _ = try storage.store.resolveConflict(of: item.id, in: storage.domain, keepingLocal: true)
        #expect(try record([]).own == nil, "there is nothing to be followed")
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        var remote = item
        remote.version = try ItemVersion(content: Array("3".utf8))
        _ = try storage.store.recordConflict(sending, remote: remote, because: DocumentError(.inConflict, "Both."))
        #expect(try unkept == [item.id])
        #expect(try keep("mine, anew") != nil)
    }

    @Test("VER-2, VER-8: sides of others are told once, under a name that stays; one's own is none of them")
    func remote() throws {
        try conflict()
        _ = try keep("mine")
        let (mine, theirs) = (
            ProvidedVersion(id: "mine", role: .conflict),
            ProvidedVersion(id: "theirs", role: .conflict, size: 6, savedBy: "ben's")
        )
        let change = try record([mine, theirs, ProvidedVersion(id: "old", role: .older)])
        #expect(change.gained.map(\.version) == ["theirs"] && change.lost.isEmpty && change.own == nil)
        let side = try #require(try others().first)
        #expect(side.device == "ben's" && side.identifier.utf8.count == 32)
        #expect(try record([mine, theirs]).gained.isEmpty)
        let room = try storage.store.makeRoomForRemoteVersion(in: storage.domain)
        try storage.write("theirs", to: room.file.path)
        let kept = try storage.store.keepSide(
            room.file, of: room.request, as: theirs, side: side, in: storage.domain)
        #expect(kept.identifier == side.identifier && kept.device == "ben's")
        try storage.reopen()
        #expect(try storage.store.fetchedSide(side, in: storage.domain)?.identifier == side.identifier)
        #expect(try storage.read(storage.root.versions.path(of: kept.kept)) == "theirs")
        // Older versions are removed, and no side with them.
        _ = try storage.store.removeVersions(nil, of: item.id, in: storage.domain)
        #expect(try storage.store.fetchedSide(side, in: storage.domain) != nil)
        let gone = try record([])
        #expect(gone.lost.map(\.version) == ["theirs"] && gone.own?.version == "mine")
        #expect(try others().isEmpty)
        #expect(try storage.store.fetchedSide(side, in: storage.domain) == nil)
    }

    @Test("PROV-21: contents of a side that are not what was said of them are not kept")
    func damaged() throws {
        let version = ProvidedVersion(id: "theirs", role: .conflict, size: 6, sha256: [UInt8](repeating: 0, count: 32))
        _ = try record([version])
        let side = try #require(try others().first)
        for contents in ["theirs", "short"] {
            let room = try storage.store.makeRoomForRemoteVersion(in: storage.domain)
            try storage.write(contents, to: room.file.path)
            #expect(throws: DocumentError.self) {
                try storage.store.keepSide(room.file, of: room.request, as: version, side: side, in: storage.domain)
            }
        }
        #expect(try storage.store.fetchedSide(side, in: storage.domain) == nil)
    }

    @Test("VER-2: contents of a side that are other ones than were listed are not kept, whatever is said of them then")
    func otherThanListed() throws {
        let digest = try self.digest("theirs")
        _ = try record([ProvidedVersion(id: "theirs", role: .conflict, size: 6, sha256: digest)])
        try storage.reopen()
        let side = try #require(try others().first)
        for (contents, size, sha256): (String, Int64?, [UInt8]?) in [
            ("longer than that", 16, nil), ("THEIRS", 6, try self.digest("THEIRS")), ("THEIRS", nil, nil),
            ("longer than that", nil, digest),
        ] {
            let room = try storage.store.makeRoomForRemoteVersion(in: storage.domain)
            try storage.write(contents, to: room.file.path)
            let given = ProvidedVersion(id: "theirs", role: .conflict, size: size, sha256: sha256)
            let error = try #require(throws: DocumentError.self) {
                try storage.store.keepSide(room.file, of: room.request, as: given, side: side, in: storage.domain)
            }
            #expect(error.code == .contractBroken, "\(contents)")
        }
        #expect(try storage.store.fetchedSide(side, in: storage.domain) == nil)
        // What is said of neither is no contradiction.
        let room = try storage.store.makeRoomForRemoteVersion(in: storage.domain)
        try storage.write("theirs", to: room.file.path)
        _ = try storage.store.keepSide(
            room.file, of: room.request, as: ProvidedVersion(id: "theirs", role: .conflict), side: side,
            in: storage.domain)
        #expect(try storage.store.fetchedSide(side, in: storage.domain) != nil)
    }

    @Test(
        "VER-2: what says that it keeps other bytes than it was given, or in the place of another device's, keeps nothing"
    )
    func keptAsAnother() throws {
        try conflict()
        _ = try record([ProvidedVersion(id: "theirs", role: .conflict)])
        for (name, size): (String, Int64?) in [("mine", 5), ("theirs", 4), ("theirs", nil)] {
            let keeping = try #require(try storage.store.beginKeepingSide(of: item.id, in: storage.domain))
            let error = try #require(throws: DocumentError.self) {
                try storage.store.finish(keeping, as: ProvidedVersion(id: name, role: .conflict, size: size))
            }
            #expect(error.code == .contractBroken && error.itemID == item.id)
            #expect(try unkept == [item.id])
        }
        #expect(try keep("mine") != nil)
        #expect(try unkept.isEmpty)
    }

    @Test("VER-2: a version goes at the remote when nothing else of the document is kept under its name")
    func sharedNames() throws {
        try conflict()
        #expect(try keep("1") != nil)
        try storage.edit("a", "ours, later")
        #expect(try keep("1") != nil)
        _ = try record(["1", "theirs"].map { ProvidedVersion(id: $0, role: .conflict) })
        let own = try storage.index.read { try $0.ownSides(of: item.id, in: storage.domain) }
        #expect(own.count == 2)
        let staying = { side in try storage.index.read { try $0.versionsToStay(besides: side, in: storage.domain) } }
        #expect(try staying(own[0]) == ["1", "theirs"])
        try storage.store.forget(own[0])
        #expect(try staying(own[1]) == ["theirs"])
        try storage.store.settle(try others())
        #expect(try staying(own[1]).isEmpty)
    }

    @Test("VER-6: a side that was resolved here is listed no more, and goes at the remote when nothing is unsent")
    func settled() throws {
        let version = ProvidedVersion(id: "theirs", role: .conflict)
        _ = try record([version])
        func unresolved() throws -> Int {
            try storage.index.read { try $0.unresolvedSides(of: storage.indexed("a")) }.count
        }
        func due() throws -> Int { try storage.index.read { try $0.settledSides(in: storage.domain) }.count }
        #expect(try unresolved() == 1 && due() == 0)
        try storage.edit("a", "unsent")
        try storage.store.settle(try others())
        let (left, early) = (try unresolved(), try due())
        #expect(left == 0 && early == 0)
        #expect(try record([version]).gained.isEmpty, "it is not there anew")
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        _ = try storage.store.finish(sending, as: item)
        #expect(try due() == 1)
        try storage.store.forget(try #require(try others().first), in: storage.domain)
        #expect(try others().isEmpty)
    }

    @Test("VER-2: which sides there are is asked when an item says that there are some, and when it has changed since")
    func listing() throws {
        func unlisted() throws -> [ItemIdentifier] {
            try storage.index.read { try $0.itemsWithUnlistedSides(in: storage.domain) }.map(\.id)
        }
        #expect(try unlisted().isEmpty)
        var told = item
        told.conflictVersions = 1
        told.version = try ItemVersion(content: item.version.content, metadata: [1])
        try storage.tell(told)
        #expect(try storage.indexed("a").item.conflictVersions == 1)
        #expect(try unlisted() == [item.id])
        _ = try record([ProvidedVersion(id: "theirs", role: .conflict)])
        #expect(try unlisted().isEmpty)
        told.conflictVersions = 0
        told.version = try ItemVersion(content: item.version.content, metadata: [2])
        try storage.tell(told)
        #expect(try unlisted() == [item.id])
        _ = try record([])
        #expect(try unlisted().isEmpty && others().isEmpty)
    }
}
