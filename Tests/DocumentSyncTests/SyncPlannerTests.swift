import DocumentModel
import DocumentSync
import Testing

@Suite struct SyncPlannerTests {
    private let here: ItemTrees.Place
    private let elsewhere: ItemTrees.Place

    init() throws {
        here = ItemTrees.Place(parentID: .root, name: try ItemName("a"))
        elsewhere = ItemTrees.Place(parentID: try ItemIdentifier("folder"), name: try ItemName("b"))
    }

    private func trees(remote: UInt8?, local: ItemTrees.Local, synced: UInt8?, moved: Bool = false) -> ItemTrees {
        ItemTrees(
            remote: remote.map { .init(place: moved ? elsewhere : here, contentVersion: [$0]) },
            local: local,
            synced: synced.map { .init(place: here, contentVersion: [$0]) })
    }

    @Test("Sides that agree need nothing")
    func agreement() {
        #expect(SyncPlanner.plan(trees(remote: 1, local: .clean, synced: 1)) == [])
        #expect(SyncPlanner.plan(trees(remote: 1, local: .absent, synced: nil)) == [])
        #expect(SyncPlanner.plan(trees(remote: 2, local: .absent, synced: 1)) == [])
    }

    @Test("DOWN-3: newer contents of the remote are noted, not fetched")
    func remoteChanged() {
        #expect(SyncPlanner.plan(trees(remote: 2, local: .clean, synced: 1)) == [.markOutdated])
    }

    @Test("VER-14: a change here is sent with the version that it began from")
    func localChanged() {
        #expect(SyncPlanner.plan(trees(remote: 1, local: .changed, synced: 1)) == [.send(baseVersion: [1])])
    }

    @Test("VER-2: a change on both sides keeps both", arguments: [UInt8?.none, 1])
    func bothChanged(synced: UInt8?) {
        #expect(SyncPlanner.plan(trees(remote: 2, local: .changed, synced: synced)) == [.keepBoth(remoteVersion: [2])])
    }

    @Test("VER-15: an edit survives a deletion; what was not edited goes")
    func deletion() {
        #expect(SyncPlanner.plan(trees(remote: nil, local: .changed, synced: 1)) == [.sendAsNew])
        #expect(SyncPlanner.plan(trees(remote: nil, local: .clean, synced: 1)) == [.remove])
        #expect(SyncPlanner.plan(trees(remote: nil, local: .absent, synced: nil)) == [.remove])
    }

    @Test("A move on the remote is followed, whatever the contents need")
    func moved() {
        #expect(SyncPlanner.plan(trees(remote: 1, local: .clean, synced: 1, moved: true)) == [.relocate(to: elsewhere)])
        #expect(
            SyncPlanner.plan(trees(remote: 2, local: .changed, synced: 1, moved: true))
                == [.relocate(to: elsewhere), .keepBoth(remoteVersion: [2])])
    }

    @Test("INV-1: no plan for changed contents loses them", arguments: [UInt8?.none, 1, 2], [UInt8?.none, 1, 2])
    func changedContentsAreNeverDropped(remote: UInt8?, synced: UInt8?) {
        for moved in [false, true] {
            let plan = SyncPlanner.plan(trees(remote: remote, local: .changed, synced: synced, moved: moved))
            let keeps = plan.contains { operation in
                switch operation {
                case .send, .keepBoth, .sendAsNew: true
                case .relocate, .markOutdated, .remove: false
                }
            }
            #expect(keeps)
            #expect(!plan.contains(.remove))
            #expect(!plan.contains(.markOutdated))
        }
    }
}

@Suite struct RetryPolicyTests {
    private let policy = RetryPolicy(first: .seconds(1), longest: .seconds(60))

    @Test("PROV-22: resolvable errors wait for a signal, definitive ones are answers")
    func classes() {
        #expect(policy.decision(for: DocumentError(.notAuthenticated, ""), attempt: 1, jitter: 0) == .hold)
        #expect(policy.decision(for: DocumentError(.noSuchItem, ""), attempt: 1, jitter: 0) == .giveUp)
        #expect(policy.decision(for: DocumentError(.invalidArgument, ""), attempt: 1, jitter: 0) == .giveUp)
    }

    @Test("PROV-22: everything else is tried again, later and later, within a bound")
    func backOff() {
        let unknown = DocumentError(DocumentError.Code(rawValue: 399), "")
        #expect(policy.decision(for: unknown, attempt: 1, jitter: 1) == .retry(after: .seconds(1)))
        #expect(policy.decision(for: unknown, attempt: 4, jitter: 1) == .retry(after: .seconds(8)))
        #expect(policy.decision(for: unknown, attempt: 4, jitter: 0) == .retry(after: .seconds(4)))
        #expect(policy.decision(for: unknown, attempt: 60, jitter: 1) == .retry(after: .seconds(60)))
        let patient = DocumentError(.busy, "", retryAfter: .seconds(90))
        #expect(policy.decision(for: patient, attempt: 1, jitter: 0) == .retry(after: .seconds(90)))
    }
}

@Suite struct ConflictNameTests {
    @Test(
        "The conflict's mark goes before the extension",
        arguments: [
            ("report.pdf", "report (conflict D).pdf"), ("Makefile", "Makefile (conflict D)"),
            (".profile", ".profile (conflict D)"), ("a.tar.gz", "a.tar (conflict D).gz"),
        ])
    func mark(name: String, expected: String) throws {
        #expect(try ConflictName.make(for: ItemName(name), at: "D").rawValue == expected)
    }

    @Test("The name fits 255 bytes, also when the original fills them", arguments: ["é", "a", "👩‍👩‍👧"])
    func length(letter: String) throws {
        let long = String(repeating: letter, count: 251 / letter.utf8.count) + ".txt"
        let name = try ConflictName.make(for: ItemName(long), at: "2026-11-21 14.05.09", attempt: 12)
        #expect(name.rawValue.utf8.count <= 255)
        #expect(name.rawValue.hasSuffix(" (conflict 2026-11-21 14.05.09 12).txt"))
    }
}
