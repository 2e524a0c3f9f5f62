import DocumentModel
import DocumentProvider
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import FolderProvider

@Suite("File systems that cannot exchange names")
struct PlainNamesTests {
    @Test(
        "What another machine saves between any two calls of a change is kept",
        arguments: [CrashCase.replace, .replaceAndRename, .rename, .delete], 0..<16)
    func foreignSave(_ kind: CrashCase, _ call: Int) async throws {
        let scene = try await CrashScene(kind)
        let fixture = scene.fixture
        let calls = Mutex(0)
        let names = FolderNames.plain { _ in
            let number = calls.withLock { count in
                count += 1
                return count - 1
            }
            if number == call { try? fixture.save("theirs", as: "a") }
            return nil
        }
        var domain: FolderDomain? = try fixture.domain(names: names)
        do {
            _ = try scene.run(try #require(domain))
        } catch let error as DocumentError where error.code == .versionNoLongerAvailable {
            #expect(error.message.contains("list its folder again"), "\(error)")
        } catch is DocumentError {
            // Refused in another way, because of what was saved.
        }
        domain = nil
        let hasSaved = calls.withLock { $0 > call }
        #expect(try scene.state().values.contains("theirs") == hasSaved)
        _ = try fixture.domain().currentAnchor()
        let state = try scene.state()
        #expect(state.values.contains("theirs") == hasSaved, "\(state)")
        #expect(!state.keys.contains { TemporaryName.isTemporary($0) }, "\(state)")
    }

    @Test("A rename spares the name that is taken in the last moment, and the document stays what it was")
    func collision() async throws {
        let scene = try await CrashScene(.rename)
        let fixture = scene.fixture
        let names = FolderNames.plain { call in
            if call == .link, !fixture.exists("b") { try? fixture.write("theirs", to: "b") }
            return nil
        }
        let domain = try fixture.domain(names: names)
        await expect(.nameCollision) { _ = try scene.run(domain) }
        #expect(try scene.state() == ["a": "old", "b": "theirs", "f": "folder"])
        #expect(try domain.item(for: scene.item.id) == scene.item)
    }

    @Test(
        "A document that was between two names when the process ended has the old one back, or the new one",
        arguments: [false, true])
    func crashInRename(hasBoth: Bool) async throws {
        let scene = try await CrashScene(.rename)
        let fixture = scene.fixture
        let temporary = try crash(scene, at: .planned)
        try fixture.rename("a", to: temporary)
        if hasBoth { try fixture.call(link(fixture.path(temporary), fixture.path("b"))) }
        let restarted = try fixture.domain(names: .plain())
        _ = try restarted.currentAnchor()
        #expect(try scene.state() == (hasBoth ? scene.after : scene.before))
        let item = try scene.run(restarted)
        #expect(try scene.state() == scene.after)
        #expect(item?.id == scene.item.id)
        #expect(item?.version.content == scene.item.version.content)
    }

    @Test("What another machine saved, and a rename took away when the process ended, is put back")
    func foreignSaveInRename() async throws {
        let scene = try await CrashScene(.rename)
        let fixture = scene.fixture
        let temporary = try crash(scene, at: .planned)
        try fixture.save("theirs", as: "a")
        try fixture.rename("a", to: temporary)
        _ = try fixture.domain(names: .plain()).currentAnchor()
        #expect(try scene.state() == ["a": "theirs", "f": "folder"])
    }

    @Test("A new file that has two names when the process ends has its place", arguments: [false, true])
    func crashInPlacing(isRenamed: Bool) async throws {
        let scene = try await CrashScene(isRenamed ? .replaceAndRename : .replace)
        let fixture = scene.fixture
        let temporary = try crash(scene, at: isRenamed ? .verified : .planned)
        try fixture.rename("a", to: temporary + "x")
        let (old, new) = isRenamed ? (temporary + "x", "b") : (temporary, "a")
        try fixture.call(link(fixture.path(old), fixture.path(new)))
        let restarted = try fixture.domain(names: .plain())
        _ = try restarted.currentAnchor()
        #expect(try scene.state() == scene.after)
        #expect(try scene.run(restarted)?.id == scene.item.id)
        #expect(try scene.state() == scene.after)
    }

    @Test("A file that has its place, and its temporary name too, when the process ends loses only that")
    func crashInCreation() async throws {
        let scene = try await CrashScene(.create)
        let fixture = scene.fixture
        let temporary = try crash(scene, at: .planned)
        try fixture.call(link(fixture.path(temporary), fixture.path("made")))
        let restarted = try fixture.domain(names: .plain())
        _ = try restarted.currentAnchor()
        #expect(try scene.state() == scene.after)
        _ = try scene.run(restarted)
        #expect(try scene.state() == scene.after)
    }

    @Test("Of two saves around the first of three steps, in which the process ends, both are kept")
    func savesAroundThreeSteps() async throws {
        let scene = try await CrashScene(.replace)
        let fixture = scene.fixture
        let temporary = try crash(scene, at: .planned)
        try fixture.save("theirs", as: "a")
        try fixture.rename("a", to: temporary + "x")
        try fixture.save("theirs, too", as: "a")
        _ = try fixture.domain(names: .plain()).currentAnchor()
        #expect(try scene.state() == ["a": "theirs, too", "a (recovered)": "theirs", "f": "folder"])
    }

    @Test("What a program wrote into the new file, before an exchange that is taken back ended in a crash, is kept")
    func editBetweenThreeSteps() async throws {
        let scene = try await CrashScene(.replace)
        let fixture = scene.fixture
        let temporary = try crash(scene, at: .planned)
        try fixture.rename("a", to: "old")
        try fixture.rename(temporary, to: "a")
        try fixture.write("edited", to: "a")
        try fixture.rename("a", to: temporary + "x")
        try fixture.rename("old", to: temporary)
        try fixture.save("theirs", as: "a")
        _ = try fixture.domain(names: .plain()).currentAnchor()
        #expect(try scene.state() == ["a": "theirs", "a (recovered)": "edited", "f": "folder"])
    }

    @Test("What a program wrote into the new file, and cannot be put beside as the network is gone, is put there later")
    func returnOfEdit() async throws {
        let scene = try await CrashScene(.replace)
        let fixture = scene.fixture
        let links = Mutex(0)
        let isGone = Mutex(true)
        let names = FolderNames.plain { call in
            guard call == .link, isGone.withLock({ $0 }) else { return nil }
            let number = links.withLock { count in
                count += 1
                return count
            }
            // The two that give the new file its place, and the old one its own again, are made.
            return number > 2 ? -EIO : nil
        }
        let domain = try fixture.domain(names: names) { step in
            if step == .planned { try fixture.save("theirs", as: "a") }
            if step == .placed { try fixture.write("edited", to: "a") }
        }
        #expect(throws: DocumentError.self) { _ = try scene.run(domain) }
        isGone.withLock { $0 = false }
        _ = try domain.currentAnchor()
        #expect(try scene.state() == ["a": "theirs", "a (recovered)": "edited", "f": "folder"])
    }

    @Test(
        "A change that was taken back, or that a crash had left, is over only when the names are on disk",
        arguments: [false, true])
    func flushedNames(hasCrashed: Bool) async throws {
        let scene = try await CrashScene(.replace)
        let fixture = scene.fixture
        let isFailing = Mutex(true)
        let names = FolderNames { call in
            guard call == .flush, isFailing.withLock({ $0 }) else { return nil }
            return -EIO
        }
        var domain: FolderDomain? = try fixture.domain(names: names) { step in
            if step == .planned, !hasCrashed { try fixture.save("theirs", as: "a") }
            if step == .placed, hasCrashed { throw SimulatedCrash() }
        }
        #expect(throws: (any Error).self) { _ = try scene.run(try #require(domain)) }
        if hasCrashed {
            domain = nil
            domain = try fixture.domain(names: names)
        }
        let after = try #require(domain)
        _ = try after.currentAnchor()
        let state = hasCrashed ? scene.after : ["a": "theirs", "f": "folder"]
        #expect(try scene.state() == state)
        let left = after.mirror.withLock { mirror in mirror.ledger.left.count }
        #expect(left == 1)
        isFailing.withLock { $0 = false }
        _ = try after.currentAnchor()
        let rest = after.mirror.withLock { mirror in mirror.ledger.planned.count }
        #expect(rest == 0)
        #expect(try scene.state() == state)
    }

    @Test(
        "When the network goes between any two calls, all is as it was or as it is to be once it is back",
        arguments: CrashCase.allCases, 0..<12)
    func cutOff(_ kind: CrashCase, _ call: Int) async throws {
        let scene = try await CrashScene(kind)
        let calls = Mutex(0)
        let names = FolderNames.plain { _ in
            let number = calls.withLock { count in
                count += 1
                return count - 1
            }
            return number < call ? nil : -EIO
        }
        var domain: FolderDomain? = try scene.fixture.domain(names: names)
        do {
            _ = try scene.run(try #require(domain))
        } catch is DocumentError {
            // The network is gone.
        }
        domain = nil
        let restarted = try scene.fixture.domain(names: .plain())
        _ = try restarted.currentAnchor()
        let state = try scene.state()
        #expect(state == scene.before || state == scene.after, "\(state)")
        guard state == scene.before else { return }
        _ = try scene.run(restarted)
        #expect(try scene.state() == scene.after)
    }

    @Test("A document that is between two names when the network goes has its own again when it is back")
    func returnOfDocument() async throws {
        let scene = try await CrashScene(.rename)
        let isGone = Mutex(true)
        let names = FolderNames.plain { call in
            guard call == .link, isGone.withLock({ $0 }) else { return nil }
            return -EIO
        }
        let domain = try scene.fixture.domain(names: names)
        #expect(throws: DocumentError.self) { _ = try scene.run(domain) }
        isGone.withLock { $0 = false }
        #expect(try domain.item(for: scene.item.id) == scene.item)
        #expect(try scene.state() == scene.before)
        _ = try scene.run(domain)
        #expect(try scene.state() == scene.after)
    }

    @Test(
        "What another machine saved, and cannot be put back as the network is gone, is put back later",
        arguments: [false, true])
    func returnOfForeignSave(isRestarted: Bool) async throws {
        let scene = try await CrashScene(.delete)
        let fixture = scene.fixture
        let isGone = Mutex(true)
        let names = FolderNames.plain { call in
            guard call == .link, isGone.withLock({ $0 }) else { return nil }
            return -EIO
        }
        var domain: FolderDomain? = try fixture.domain(names: names) { step in
            if step == .planned { try fixture.save("theirs", as: "a") }
        }
        #expect(throws: DocumentError.self) { _ = try scene.run(try #require(domain)) }
        isGone.withLock { $0 = false }
        if isRestarted {
            domain = nil
            domain = try fixture.domain(names: .plain())
        }
        _ = try domain?.currentAnchor()
        #expect(try scene.state() == ["a": "theirs", "f": "folder"])
    }

    @Test("So it is in a folder that another machine has moved by then, also over a restart")
    func returnInMovedFolder() throws {
        let fixture = try FolderFixture()
        try fixture.makeFolder("f")
        try fixture.write("old", to: "f/a")
        let isGone = Mutex(true)
        let names = FolderNames.plain { call in
            guard call == .link, isGone.withLock({ $0 }) else { return nil }
            return -EIO
        }
        // As on a network, where the system tells nothing of other machines.
        var pace = FolderSettings.Pace()
        pace.watchLimit = 0
        var domain: FolderDomain? = try fixture.domain(pace: pace, names: names) { step in
            if step == .planned { try fixture.save("theirs", as: "f/a") }
        }
        let id = try #require(try domain?.persistentIdentifier(forItemAt: "f/a"))
        let item = try #require(try domain?.item(for: id))
        #expect(throws: DocumentError.self) {
            try #require(domain).delete(
                ItemDeletion(id: item.id, baseVersion: item.version, recursive: true, operation: "op"))
        }
        isGone.withLock { $0 = false }
        try fixture.rename("f", to: "g")
        // Nobody has seen yet that it has moved.
        _ = try domain?.item(for: .root)
        domain = nil
        _ = try fixture.domain(names: .plain()).currentAnchor()
        #expect(try fixture.names(in: "g") == ["a"])
        #expect(try fixture.read("g/a") == "theirs")
    }

    @Test(
        "Where no file gets a lease, as from servers that delegate none, a refused one says nothing of who writes",
        arguments: [CrashCase.replace, .replaceAndRename, .delete])
    func withoutLeases(_ kind: CrashCase) async throws {
        let scene = try await CrashScene(kind)
        let domain = try scene.fixture.domain(names: .plain())
        domain.mirror.withLock { $0.leases = FileLeases { -EAGAIN } }
        _ = try scene.run(domain)
        #expect(try scene.state() == scene.after)
    }

    @Test("So it is of what was taken away when the process ended", arguments: [CrashCase.replace, .delete])
    func crashWithoutLeases(_ kind: CrashCase) async throws {
        let scene = try await CrashScene(kind)
        _ = try crash(scene, at: .placed)
        let restarted = try scene.fixture.domain(names: .plain())
        restarted.mirror.withLock { $0.leases = FileLeases { -EAGAIN } }
        _ = try restarted.currentAnchor()
        #expect(try scene.state() == scene.after)
    }

    /// - Returns: the temporary name of the operation that was to be done.
    private func crash(_ scene: CrashScene, at step: ChangeStep) throws -> String {
        let domain = try scene.fixture.domain(names: .plain()) { if $0 == step { throw SimulatedCrash() } }
        #expect(throws: SimulatedCrash.self) { _ = try scene.run(domain) }
        let temporary = domain.mirror.withLock { mirror in mirror.ledger.planned["op"]?.temporary }
        return try #require(temporary)
    }
}
