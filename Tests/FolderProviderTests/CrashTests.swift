import DocumentModel
import DocumentProvider
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import FolderProvider

@Suite("Crashes")
struct CrashTests {
    @Test(
        "A crash at any step leaves the old state or the new one, nothing else; the repeated operation succeeds",
        arguments: CrashCase.allCases, ChangeStep.allCases)
    func crash(_ kind: CrashCase, _ step: ChangeStep) async throws {
        try await check(kind, step, FolderNames())
    }

    @Test(
        "So it is where the file system can neither exchange names nor spare a name that is taken",
        arguments: CrashCase.allCases, ChangeStep.allCases)
    func crashWithPlainNames(_ kind: CrashCase, _ step: ChangeStep) async throws {
        try await check(kind, step, .plain())
    }

    private func check(_ kind: CrashCase, _ step: ChangeStep, _ names: FolderNames) async throws {
        let scene = try await CrashScene(kind)
        var domain: FolderDomain? = try scene.fixture.domain(names: names) { if $0 == step { throw SimulatedCrash() } }
        var hasCrashed = false
        do {
            _ = try scene.run(try #require(domain))
        } catch is SimulatedCrash {
            hasCrashed = true
        }
        domain = nil
        let restarted = try scene.fixture.domain(names: names)
        _ = try restarted.currentAnchor()
        let state = try scene.state()
        #expect(state == scene.before || state == scene.after, "\(state)")
        if !hasCrashed { #expect(state == scene.after) }

        let item = try scene.run(restarted)
        #expect(try scene.state() == scene.after)
        #expect(try scene.run(restarted) == item)
        if let item {
            #expect(try restarted.item(for: item.id).version == item.version)
            if ![.create, .createFolder].contains(kind) { #expect(item.id == scene.item.id) }
        }
        if kind == .rename { #expect(item?.version.content == scene.item.version.content) }
    }

    @Test("A document that somebody saved in the moment of the crash is not lost", arguments: [false, true])
    func foreignSaveInTheCrash(isDelete: Bool) async throws {
        let scene = try await CrashScene(isDelete ? .delete : .replace)
        let fixture = scene.fixture
        // Another program saves between the last look and the exchange; then the process ends before it looks.
        var domain: FolderDomain? = try fixture.domain { step in
            if step == .planned {
                try fixture.write("theirs", to: "a.tmp")
                try fixture.rename("a.tmp", to: "a")
            }
            if step == .placed { throw SimulatedCrash() }
        }
        #expect(throws: SimulatedCrash.self) { _ = try scene.run(try #require(domain)) }
        domain = nil
        let restarted = try fixture.domain()
        _ = try restarted.currentAnchor()
        #expect(try scene.state() == ["a": "theirs", "f": "folder"])
        await expect(.versionNoLongerAvailable) { _ = try scene.run(restarted) }
    }

    @Test(
        "A save by another program in the moment of a change wins, and the change is refused", arguments: [false, true])
    func foreignSave(isDelete: Bool) async throws {
        let scene = try await CrashScene(isDelete ? .delete : .replace)
        let fixture = scene.fixture
        let domain = try fixture.domain { step in
            if step == .planned {
                try fixture.write("theirs", to: "a.tmp")
                try fixture.rename("a.tmp", to: "a")
            }
        }
        await expect(.versionNoLongerAvailable) { _ = try scene.run(domain) }
        #expect(try scene.state() == ["a": "theirs", "f": "folder"])
    }

    @Test("When another program saves over the exchanged file before it is put back, both its saves are kept")
    func foreignSaveDuringUndo() async throws {
        let scene = try await CrashScene(.replace)
        let fixture = scene.fixture
        let domain = try fixture.domain { step in
            if step == .planned || step == .placed {
                try fixture.write("theirs \(step)", to: "a.tmp")
                try fixture.rename("a.tmp", to: "a")
            }
        }
        await expect(.versionNoLongerAvailable) { _ = try scene.run(domain) }
        #expect(try scene.state() == ["a": "theirs placed", "a (recovered)": "theirs planned", "f": "folder"])
    }

    @Test(
        "A document that a program has open for writing when the process ends keeps its place, and what is written then",
        arguments: [false, true])
    func openInTheCrash(isDelete: Bool) async throws {
        let scene = try await CrashScene(isDelete ? .delete : .replace)
        let fixture = scene.fixture
        let writer = try fixture.call(open(fixture.path("a"), O_WRONLY | O_APPEND))
        defer { close(writer) }
        var domain: FolderDomain? = try fixture.domain { if $0 == .placed { throw SimulatedCrash() } }
        #expect(throws: SimulatedCrash.self) { _ = try scene.run(try #require(domain)) }
        domain = nil
        let restarted = try fixture.domain()
        _ = try restarted.currentAnchor()
        #expect(try scene.state() == scene.before)
        #expect(try restarted.item(for: scene.item.id).version.content == scene.item.version.content)
        #expect(Glibc.write(writer, "!", 1) == 1)
        #expect(try fixture.read("a") == "old!")
    }

    @Test("A document that is open for writing when it was replaced and renamed, and the process ends, is kept beside")
    func openInTheCrashOfARename() async throws {
        let scene = try await CrashScene(.replaceAndRename)
        let fixture = scene.fixture
        let writer = Mutex<Int32>(-1)
        var domain: FolderDomain? = try fixture.domain { step in
            guard step == .moved else { return }
            let temporary = try fixture.names().map(\.string).first { TemporaryName.isTemporary($0) }
            let file = open(fixture.path(temporary ?? ""), O_WRONLY | O_APPEND)
            writer.withLock { $0 = file }
            throw SimulatedCrash()
        }
        #expect(throws: SimulatedCrash.self) { _ = try scene.run(try #require(domain)) }
        domain = nil
        let file = writer.withLock { $0 }
        defer { close(file) }
        let restarted = try fixture.domain()
        _ = try restarted.currentAnchor()
        #expect(Glibc.write(file, "!", 1) == 1)
        #expect(try scene.state() == ["a": "old!", "b": "new", "f": "folder"])
        #expect(try scene.run(restarted)?.id == scene.item.id)
    }

    @Test("What a program writes to the new file, before its place is given back, is kept beside")
    func openDuringUndo() async throws {
        let scene = try await CrashScene(.replace)
        let fixture = scene.fixture
        let writer = Mutex<Int32>(-1)
        let domain = try fixture.domain { step in
            if step == .planned { try fixture.save("theirs", as: "a") }
            guard step == .placed else { return }
            let file = open(fixture.path("a"), O_WRONLY | O_APPEND)
            writer.withLock { $0 = file }
        }
        await expect(.versionNoLongerAvailable) { _ = try scene.run(domain) }
        let file = writer.withLock { $0 }
        defer { close(file) }
        #expect(Glibc.write(file, "!", 1) == 1)
        #expect(try scene.state() == ["a": "theirs", "a (recovered)": "new!", "f": "folder"])
    }

    @Test("What a program wrote into the new file, and closed, before its place is given back, is kept beside")
    func writtenBeforeUndo() async throws {
        let scene = try await CrashScene(.replace)
        let fixture = scene.fixture
        let domain = try fixture.domain { step in
            if step == .planned { try fixture.save("theirs", as: "a") }
            if step == .placed { try fixture.write("edited", to: "a") }
        }
        await expect(.versionNoLongerAvailable) { _ = try scene.run(domain) }
        #expect(try scene.state() == ["a": "theirs", "a (recovered)": "edited", "f": "folder"])
    }

    @Test("So it is after a crash between a document's replacement and its renaming")
    func writtenAfterCrash() async throws {
        let scene = try await CrashScene(.replaceAndRename)
        let fixture = scene.fixture
        var domain: FolderDomain? = try fixture.domain { if $0 == .verified { throw SimulatedCrash() } }
        #expect(throws: SimulatedCrash.self) { _ = try scene.run(try #require(domain)) }
        domain = nil
        try fixture.write("edited", to: "a")
        let restarted = try fixture.domain()
        _ = try restarted.currentAnchor()
        #expect(try scene.state() == ["a": "old", "a (recovered)": "edited", "f": "folder"])
        #expect(try scene.run(restarted)?.id == scene.item.id)
        #expect(try scene.state() == ["b": "new", "a (recovered)": "edited", "f": "folder"])
    }

    @Test(
        "What a program wrote into a new file as soon as that had its place is another version than what was sent",
        arguments: [CrashCase.create, .replace, .replaceAndRename], [false, true])
    func writtenAtOnce(_ kind: CrashCase, hasCrashed: Bool) async throws {
        let scene = try await CrashScene(kind)
        let fixture = scene.fixture
        let name = kind == .create ? "made" : kind == .replace ? "a" : "b"
        var domain: FolderDomain? = try fixture.domain { step in
            guard step == .flushed else { return }
            if hasCrashed { throw SimulatedCrash() }
            try fixture.write("edited", to: name)
        }
        let anchor = try #require(try domain?.currentAnchor())
        if hasCrashed {
            #expect(throws: SimulatedCrash.self) { _ = try scene.run(try #require(domain)) }
            domain = nil
            try fixture.write("edited", to: name)
            domain = try fixture.domain()
        }
        let after = try #require(domain)
        let sent = try #require(try scene.run(after))
        let now = try after.item(for: sent.id)
        #expect(sent.size == 3)
        #expect(now.size == 6)
        #expect(now.version.content != sent.version.content)
        #expect(try after.changes(since: anchor, suggestedCount: 100).updated.contains(now))
        let next = ItemModification(id: sent.id, baseVersion: sent.version, contents: scene.new, operation: "next")
        await expect(.versionNoLongerAvailable) { _ = try after.modify(next, .none) }
        #expect(try fixture.read(name) == "edited")
    }

    @Test("A name that is taken while a deleted file is put back: both are kept")
    func nameTakenDuringUndo() async throws {
        let scene = try await CrashScene(.delete)
        let fixture = scene.fixture
        let domain = try fixture.domain { step in
            if step == .planned { try fixture.write("theirs, longer", to: "a") }
            if step == .placed { try fixture.write("third", to: "a") }
        }
        await expect(.versionNoLongerAvailable) { _ = try scene.run(domain) }
        #expect(try scene.state() == ["a": "third", "a (recovered)": "theirs, longer", "f": "folder"])
    }

    @Test(
        "A crash in an exchange of names in three steps, as some file systems need it, loses nothing", arguments: 1...3)
    func crashInThreeSteps(_ steps: Int) async throws {
        let scene = try await CrashScene(.replace)
        let fixture = scene.fixture
        var domain: FolderDomain? = try fixture.domain { if $0 == .planned { throw SimulatedCrash() } }
        #expect(throws: SimulatedCrash.self) { _ = try scene.run(try #require(domain)) }
        domain = nil
        let temporary = try #require(try fixture.names().map(\.string).first { TemporaryName.isTemporary($0) })
        try fixture.rename("a", to: temporary + "x")
        if steps > 1 { try fixture.rename(temporary, to: "a") }
        if steps > 2 { try fixture.rename(temporary + "x", to: temporary) }
        let restarted = try fixture.domain()
        _ = try restarted.currentAnchor()
        #expect(try scene.state() == (steps == 1 ? scene.before : scene.after))
        let item = try scene.run(restarted)
        #expect(item?.id == scene.item.id)
        #expect(try scene.state() == scene.after)
    }

    @Test("Temporary files of an earlier run are removed; those of others are left alone")
    func leftovers() async throws {
        let scene = try await CrashScene(.create)
        let fixture = scene.fixture
        var domain: FolderDomain? = try fixture.domain { if $0 == .staged { throw SimulatedCrash() } }
        #expect(throws: SimulatedCrash.self) { _ = try scene.run(try #require(domain)) }
        domain = nil
        #expect(try fixture.names().count == 3)
        try fixture.write("somebody else's", to: ".docent-tmp-other-1")
        _ = try fixture.domain().currentAnchor()
        #expect(try fixture.names() == ["a", "f", ".docent-tmp-other-1"])
    }
}

@Suite("The provider's memory")
struct StateFileTests {
    @Test("A memory that was cut short anywhere is good up to there")
    func cutShort() throws {
        let fixture = try FolderFixture()
        for number in 0..<5 { try fixture.write("\(number)", to: "n\(number)") }
        var domain: FolderDomain? = try fixture.domain()
        _ = try domain?.currentAnchor()
        try fixture.write("more", to: "more")
        _ = try domain?.currentAnchor()
        domain = nil
        let path = fixture.state.appending("state").string
        let whole = try fixture.readPath(path)
        for length in stride(from: whole.count, through: 0, by: -37) {
            try fixture.write(Array(whole.prefix(length)), toPath: path)
            let domain = try fixture.domain()
            #expect(try domain.items(in: .root, page: nil, suggestedCount: 100).items.count == 6)
        }
        #expect(!fixture.log.text.contains("damaged"))
    }

    @Test("A damaged memory is put aside, not trusted")
    func damaged() throws {
        let fixture = try FolderFixture()
        for number in 0..<20 { try fixture.write("\(number)", to: "n\(number)") }
        var domain: FolderDomain? = try fixture.domain()
        let anchor = try #require(try domain?.currentAnchor())
        domain = nil
        let path = fixture.state.appending("state").string
        var bytes = try fixture.readPath(path)
        bytes[bytes.count / 2] ^= 0x10
        try fixture.write(bytes, toPath: path)
        let again = try fixture.domain()
        #expect(try again.items(in: .root, page: nil, suggestedCount: 100).items.count == 20)
        #expect(throws: DocumentError.self) { try again.changes(since: anchor, suggestedCount: 10) }
        #expect(access(fixture.state.appending("state.damaged").string, F_OK) == 0)
    }

    @Test("Entries are read as they were written; no other bytes are an entry by accident of length")
    func entries() throws {
        let facts = FileFacts(
            key: FileKey(inode: 7, born: Timestamp(seconds: -5, nanoseconds: 999_999_999)), isFolder: false,
            size: 1 << 40, modified: .zero, changed: Timestamp(seconds: 9, nanoseconds: 1), mode: 0o644, owner: 1,
            group: 2, links: 3, isWritable: true)
        let place = Place(parent: RecordID(number: 5), name: EntryName(try ItemName("ä a\u{308}")))
        let item = Item(
            id: try ItemIdentifier("x"), parentID: .root, name: try ItemName("n.txt"), kind: .document, size: 4,
            version: try ItemVersion(content: [1], metadata: [2, 3]))
        let entries: [StateEntry] = [
            .settings(
                StateSettings(epoch: 1, tag: "t", rootKey: FileKey(inode: 2, born: nil), feedFloor: 3, feedLast: 4)),
            .record(
                FolderRecord(
                    id: RecordID(number: 9), parent: .root, name: EntryName(try ItemName("n")), facts: facts,
                    contentChanged: .zero,
                    metadataSequence: 5, sequence: 6)),
            .burial(Burial(id: RecordID(number: 8), key: nil, sequence: 3)),
            .planned(
                PlannedChange(
                    operation: "op", kind: .replace, id: RecordID(number: 1), from: place, to: place, temporary: "t",
                    put: facts.key, expected: facts, contentChanged: .zero)),
            .planned(PlannedChange(operation: "", kind: .create, from: place, to: place)),
            .planned(
                PlannedChange(
                    operation: "op", kind: .create, from: place, to: place, temporary: "t", put: facts.key,
                    putFacts: facts)),
            .planned(
                PlannedChange(
                    operation: "op", kind: .replace, from: place, to: place, temporary: "t", put: facts.key,
                    putFacts: facts, putDigest: [1, 2], expectedDigest: [3])),
            .planned(
                PlannedChange(operation: "op", kind: .delete, from: place, to: place, expectedDigest: [UInt8](0..<32))),
            .contents(RecordID(number: 9), KnownContents(version: [1, 2, 3], sha256: [UInt8](0..<32))),
            .finished(operation: "op", outcome: .made(item)), .finished(operation: "op", outcome: .removed),
            .abandoned(operation: "op"),
        ]
        for entry in entries {
            let bytes = entry.bytes
            #expect(StateEntry(bytes[...]) == entry)
            for length in 0..<bytes.count { #expect(StateEntry(bytes.prefix(length)) == nil) }
            #expect(StateEntry((bytes + [0])[...]) == nil)
        }
    }

    @Test("A memory that has grown by many changes is rewritten, and knows the same")
    func rewriting() throws {
        let fixture = try FolderFixture()
        try fixture.write("kept", to: "kept")
        var pace = FolderSettings.Pace()
        pace.stateSlack = 1 << 15
        var domain: FolderDomain? = try fixture.domain(pace: pace)
        let kept = try #require(try domain?.persistentIdentifier(forItemAt: "kept"))
        let anchor = try #require(try domain?.currentAnchor())
        for round in 0..<100 {
            for file in 0..<20 { try fixture.write("\(round)", to: "f\(file)") }
            _ = try domain?.currentAnchor()
        }
        domain = nil
        var status = stat()
        try fixture.call(stat(fixture.state.appending("state").string, &status))
        #expect(status.st_size < 1 << 16)
        let again = try fixture.domain()
        #expect(try again.path(for: kept) == "kept")
        #expect(try again.changes(since: anchor, suggestedCount: 1000).updated.count == 20)
    }
}
