import DocumentModel
import DocumentTestSupport
import SystemPackage
import Testing

@testable import DocumentStorage

struct SignOutTests {
    private func fixture() throws -> StorageFixture {
        let storage = try StorageFixture()
        try storage.tell(
            storage.item("a", "a.txt", contents: "one"), storage.item("f", "folder", kind: .folder),
            storage.item("b", "b.txt", in: "f", contents: "other"))
        try storage.provide(storage.item("a", "a.txt", contents: "one"), "one")
        try storage.root.secrets.keep(["password": "p"], of: storage.domain)
        return storage
    }

    private func signOut(_ storage: StorageFixture, discardingEdits: Bool = false) throws {
        try storage.store.signOut(
            storage.domain, discardingEdits: discardingEdits, forgetting: storage.root.secrets)
    }

    private func state(_ storage: StorageFixture) throws -> DomainRecord.SignIn? {
        try storage.index.read { try $0.domain(storage.domain)?.signIn }
    }

    private func expectSignedOut(_ storage: StorageFixture) throws {
        #expect(try state(storage) == .needed)
        #expect(try storage.root.secrets.secrets(of: storage.domain) == nil)
        #expect(try storage.document("a.txt") == nil)
        let (counts, root) = try storage.index.read {
            (try $0.counts(of: storage.domain), try $0.item(.root, in: storage.domain))
        }
        #expect(counts.documents == 0 && counts.folders == 0 && root != nil)
        #expect(try !storage.tree.topFolders().contains("work"), "no placeholder is left")
    }

    private func expectSignedIn(_ storage: StorageFixture) throws {
        #expect(try state(storage) == .done)
        #expect(try storage.root.secrets.secrets(of: storage.domain) == ["password": "p"])
        #expect(try storage.index.read { try $0.counts(of: storage.domain) }.documents == 2)
    }

    @Test("AUTH-3: after a sign-out nothing of the domain is here but that it is set up; then it can be filled anew")
    func signingOut() throws {
        let storage = try fixture()
        try signOut(storage)
        try expectSignedOut(storage)
        try storage.reopen()
        #expect(try storage.store.reconcile().findings.isEmpty)
        try storage.tell(storage.item("a", "a.txt", contents: "one"))
        try storage.provide(storage.item("a", "a.txt", contents: "one"), "one")
        #expect(try storage.document("a.txt") == "one")
    }

    @Test("AUTH-6: what is unsent keeps a domain signed in, also when it was saved without anybody's knowledge")
    func unsent() throws {
        let storage = try fixture()
        try storage.write("unsent", to: storage.tree.path(of: try storage.location("a.txt")))
        let error = #expect(throws: DocumentError.self) { try signOut(storage) }
        #expect(error?.code == .unsyncedEdits && error?.message.contains("work:/a.txt") == true)
        try expectSignedIn(storage)
        #expect(try storage.document("a.txt") == "unsent")
        try signOut(storage, discardingEdits: true)
        try expectSignedOut(storage)
    }

    @Test("AUTH-6: a new name, or a removal, that the provider has not answered keeps a domain signed in")
    func arranged() throws {
        for isRemoval in [true, false] {
            let storage = try fixture()
            let id = try ItemIdentifier("a")
            _ =
                isRemoval
                ? try storage.store.beginRemoving(id, in: storage.domain)
                : try storage.store.beginRenaming(id, in: storage.domain, to: .root, name: try ItemName("new.txt"))
            let error = #expect(throws: DocumentError.self) { try signOut(storage) }
            #expect(error?.code == .unsyncedEdits && error?.itemID == id)
            try expectSignedIn(storage)
            try signOut(storage, discardingEdits: true)
            try expectSignedOut(storage)
        }
    }

    @Test("AUTH-6: a conflict that is not resolved keeps a domain signed in")
    func conflict() throws {
        let storage = try fixture()
        let conflict = ConflictRecord(
            number: 0, itemID: try ItemIdentifier("a"), remote: try ItemVersion(content: [1]), base: nil,
            kept: "work/a", reason: "")
        _ = try storage.index.write { try $0.addConflict(conflict, in: storage.domain) }
        let error = #expect(throws: DocumentError.self) { try signOut(storage) }
        #expect(error?.code == .inConflict && error?.message.contains("work:/a.txt") == true)
        try expectSignedIn(storage)
        try signOut(storage, discardingEdits: true)
        try expectSignedOut(storage)
    }

    /// Where a host is killed, seen from the disk.
    enum Point: CaseIterable {
        case begun, contentsGone, secretsGone
    }

    @Test("Killed anywhere in a sign-out, the next host finishes it", arguments: Point.allCases)
    func killed(at point: Point) throws {
        let storage = try fixture()
        let isDropping = point != .begun
        if isDropping { try storage.write("unsent", to: storage.tree.path(of: try storage.location("a.txt"))) }
        try storage.index.write {
            try $0.setSignIn(isDropping ? .endingWithUnsent : .ending, of: storage.domain)
        }
        if isDropping {
            let location = try storage.location("a.txt")
            let file = try #require(try storage.tree.file(at: location))
            try storage.tree.removeFile(at: location, expecting: file)
        }
        if point == .secretsGone { try storage.root.secrets.remove(of: storage.domain) }
        try storage.reopen()
        let findings = try storage.store.finishSignOuts(forgetting: storage.root.secrets)
        #expect(findings.count == 1 && findings.first?.contains("done now") == true, "\(findings)")
        _ = try storage.store.reconcile()
        try expectSignedOut(storage)
    }

    @Test("Killed in a sign-out, and edited before the next host runs: the edit stays, and the domain is signed in")
    func editedAfterKill() throws {
        let storage = try fixture()
        try storage.index.write { try $0.setSignIn(.ending, of: storage.domain) }
        try storage.write("edited", to: storage.tree.path(of: try storage.location("a.txt")))
        try storage.reopen()
        let findings = try storage.store.finishSignOuts(forgetting: storage.root.secrets)
        #expect(findings.count == 1 && findings.first?.contains("signed in still") == true, "\(findings)")
        _ = try storage.store.reconcile()
        try expectSignedIn(storage)
        #expect(try storage.document("a.txt") == "edited" && storage.indexed("a").isUnsent)
    }

    private struct FailingStore: SecretStore {
        func secrets(of domain: DomainName) throws -> [String: String]? { nil }
        func keep(_ secrets: [String: String], of domain: DomainName) throws {}
        func remove(of domain: DomainName) throws { throw DocumentError(.localStorage, "The keyring is locked.") }
        func domains() throws -> [DomainName] { [] }
    }

    @Test("When the secrets cannot be removed the sign-out is not done, and is taken up again")
    func secretsStay() throws {
        let storage = try fixture()
        #expect(throws: DocumentError.self) {
            try storage.store.signOut(storage.domain, discardingEdits: false, forgetting: FailingStore())
        }
        #expect(try state(storage) == .ending)
        try signOut(storage)
        try expectSignedOut(storage)
    }
}
