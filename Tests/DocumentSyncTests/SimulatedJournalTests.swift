import DocumentModel
import Testing

@testable import DocumentSimulator
@testable import DocumentSync

/// What the simulator's shell writes down before a step on the disk, and what it makes of it after a crash: as the host
/// does, in the order that keeps what people wrote.
@Suite struct SimulatedJournalTests {
    private let id: ItemIdentifier
    private let file: Int
    private let shown: SyncTrees.Local
    private let hidden: SyncTrees.Local
    private var simulation: Simulation

    /// One machine without faults, and a document with contents on it, as both sides have it.
    init() throws {
        id = try ItemIdentifier("p1")
        var scenario = Scenario(seed: 1)
        scenario.steps = []
        scenario.faults = .init()
        scenario.machines = 1
        scenario.end = 1_000_000
        simulation = Simulation(scenario)
        let place = SyncPlace(parentID: .root, name: try ItemName("A"))
        file = simulation.machines[0].disk.add(.init(parent: 0, name: place.name, kind: .document))
        let revision = simulation.machines[0].disk.replace(file, 1)
        simulation.machines[0].disk.flush()
        shown = .init(place: place, kind: .document, revision: revision)
        var hidden = shown
        hidden.isHidden = true
        hidden.revision = nil
        self.hidden = hidden
        let there = SyncTrees.Remote(place: place, kind: .document, version: [1])
        let agreed = SyncTrees.Synced(place: place, kind: .document, version: [1], revision: revision)
        simulation.machines[0].index.files[id] = file
        simulation.machines[0].record([.local(id, .present(shown)), .remote(id, .present(there)), .synced(id, agreed)])
    }

    private var known: SyncTrees.Local? { simulation.machines[0].index.trees.local[id]?.node }

    @Test("A file that was to be hidden and is still there after a crash was never hidden, and nobody has moved it")
    func hidingNotBegun() {
        simulation.machines[0].index.intent = .hide(id, hidden)
        simulation.recover(0)
        #expect(known == shown)
        let changes = simulation.machines[0].scan(at: 0)
        #expect(changes.isEmpty)
        #expect(simulation.machines[0].entry(of: id)?.contents == 1)
    }

    @Test("A file that was hidden before a crash was not deleted, and a new one under its name is another document")
    func hidingDone() {
        simulation.machines[0].index.intent = .hide(id, hidden)
        simulation.machines[0].disk.set(file, nil)
        simulation.machines[0].disk.flush()
        simulation.recover(0)
        #expect(known == hidden)
        #expect(simulation.machines[0].index.trees.synced[id]?.revision == nil)
        let new = simulation.machines[0].disk.add(
            .init(parent: 0, name: hidden.place.name, kind: .document, contents: 2))
        let changes = simulation.machines[0].scan(at: 0)
        #expect(simulation.machines[0].id(ofFile: new) != nil)
        #expect(simulation.machines[0].id(ofFile: new) != id)
        #expect(changes.count == 1)
        #expect(known == hidden)
    }

    @Test("What is hidden has no file, whatever lies under its name, and whatever was known of its file before")
    func hiddenIsNotReplaced() {
        simulation.machines[0].record([.local(id, .present(hidden))])
        #expect(simulation.machines[0].index.files[id] == nil)
        // A showing that did not reach the disk.
        simulation.machines[0].index.files[id] = 99
        simulation.machines[0].disk.set(file, nil)
        let new = simulation.machines[0].disk.add(
            .init(parent: 0, name: hidden.place.name, kind: .document, contents: 2))
        _ = simulation.machines[0].scan(at: 0)
        #expect(simulation.machines[0].id(ofFile: new) != id)
    }

    @Test("What got out of another's way before a crash was not moved by anybody", arguments: [true, false])
    func parking(isDone: Bool) throws {
        let aside = SyncPlace(parentID: .root, name: try ItemName("A (moving)"))
        simulation.machines[0].index.intent = .relocate(id, aside, parked: true)
        if isDone, var entry = simulation.machines[0].disk.entries[file] {
            entry.name = aside.name
            simulation.machines[0].disk.set(file, entry)
        }
        simulation.recover(0)
        #expect(known?.isParked == isDone)
        #expect(known?.place == (isDone ? aside : shown.place))
        let changes = simulation.machines[0].scan(at: 0)
        #expect(changes.isEmpty)
    }

    @Test("PROV-21: a listing that a creation was under way with is asked for again, until it says what is gone")
    func listingBesideCreation() throws {
        simulation.start(0)
        let made = simulation.machines[0].disk.add(
            .init(parent: 0, name: try ItemName("B"), kind: .document, contents: 2))
        simulation.step(.learned(simulation.machines[0].scan(at: 0)), on: 0)
        #expect(simulation.machines[0].engine?.operationsUnderWay.count == 1)
        simulation.machines[0].index.anchor = -1
        let there = try #require(simulation.machines[0].index.trees.remote[id])
        func list() {
            simulation.poll(0)
            simulation.take(
                .changes([.init(id: id, sighting: there)], anchor: 7, isComplete: true),
                for: .poll(simulation.machines[0].lastPoll), on: 0)
        }
        list()
        #expect(simulation.machines[0].index.anchor == -1)

        // Its answer comes between a listing's question and the listing: made since, or gone again.
        simulation.poll(0)
        let new = try ItemIdentifier("p2")
        let place = SyncPlace(parentID: .root, name: try ItemName("B"))
        simulation.take(
            .item(new, .init(place: place, kind: .document, version: [2]), contents: 2),
            for: .operation(.init(number: 1)), on: 0)
        simulation.take(
            .changes([.init(id: id, sighting: there)], anchor: 7, isComplete: true),
            for: .poll(simulation.machines[0].lastPoll), on: 0)
        #expect(simulation.machines[0].index.trees.remote[new]?.node != nil)
        #expect(simulation.machines[0].index.anchor == -1)
        #expect(simulation.machines[0].disk.entries[made] != nil)

        list()
        #expect(simulation.machines[0].index.trees.remote[new] == .gone)
        #expect(simulation.machines[0].index.anchor == 7)
    }
}
