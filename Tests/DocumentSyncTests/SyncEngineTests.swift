import DocumentModel
import DocumentSimulator
import DocumentSync
import Testing

@Suite struct SyncEngineTests {
    private var scene = Scene()
    private var random = SeededRandom(seed: 1)

    private func engine(limits: SimulatedEngine.Limits = .init(), device: UInt64 = 7) -> SimulatedEngine {
        SimulatedEngine(
            trees: scene.trees, device: device, retry: RetryPolicy(first: .seconds(1), longest: .seconds(60)),
            limits: limits)
    }

    private func started(_ actions: [SyncAction]) -> [(ticket: SyncTicket, operation: SyncOperation, name: String)] {
        actions.compactMap {
            if case .start(let ticket, let operation, let name) = $0 { (ticket, operation, name) } else { nil }
        }
    }

    private mutating func changed(_ count: Int) throws {
        for number in 0..<count {
            try scene.agree("i\(number)", "n\(number)", version: 1, revision: 1)
            try scene.here("i\(number)", "n\(number)", revision: UInt64(number) + 2)
        }
    }

    @Test("No more requests are under way than the limit says, and each answer lets another begin")
    mutating func concurrency() throws {
        try changed(20)
        var engine = engine()
        let first = started(engine.handle(.learned([]), at: .zero, using: &random))
        #expect(first.count == 8)
        let there = SyncTrees.Remote(place: try scene.place("n0"), kind: .document, version: [2])
        let more = started(
            engine.handle(.answered(first[0].ticket, .item(first[0].operation.id, there)), at: .zero, using: &random))
        #expect(more.count == 1)
    }

    @Test("PROV-22: after a transient error an operation waits, longer each time; its end is asked to be told")
    mutating func backOff() throws {
        try changed(1)
        var engine = engine()
        let ticket = try #require(started(engine.handle(.learned([]), at: .zero, using: &random)).first).ticket
        let actions = engine.handle(.failed(ticket, DocumentError(.busy, "")), at: .zero, using: &random)
        #expect(started(actions).isEmpty)
        guard case .wake(let time)? = actions.last else { throw Unexpected() }
        #expect(time >= .milliseconds(500) && time <= .seconds(1))
        #expect(started(engine.handle(.woken, at: .milliseconds(100), using: &random)).isEmpty)
        let again = try #require(started(engine.handle(.woken, at: time, using: &random)).first)
        let later = engine.handle(.failed(again.ticket, DocumentError(.busy, "")), at: time, using: &random)
        guard case .wake(let second)? = later.last else { throw Unexpected() }
        #expect(second - time >= .seconds(1) && second - time <= .seconds(2))
    }

    @Test("PROV-22: after a resolvable error nothing is asked before the provider's signal")
    mutating func resolvable() throws {
        try changed(2)
        var engine = engine(limits: .init())
        let first = started(engine.handle(.learned([]), at: .zero, using: &random))
        for (ticket, _, _) in first {
            let actions = engine.handle(
                .failed(ticket, DocumentError(.serverUnreachable, "")), at: .zero, using: &random)
            #expect(actions.isEmpty)
        }
        #expect(engine.obstacle == .serverUnreachable)
        #expect(engine.handle(.woken, at: .seconds(100_000), using: &random).isEmpty)
        #expect(started(engine.handle(.resolved, at: .seconds(100_000), using: &random)).count == 2)
    }

    @Test("After a definitive error the remote is looked at, and the same thing is not tried again at once")
    mutating func definitive() throws {
        try changed(1)
        var engine = engine()
        let ticket = try #require(started(engine.handle(.learned([]), at: .zero, using: &random)).first).ticket
        let actions = engine.handle(
            .failed(ticket, DocumentError(.versionNoLongerAvailable, "")), at: .zero, using: &random)
        #expect(actions.contains(.refresh))
        #expect(started(actions).isEmpty)
        let there = SyncTrees.Remote(place: try scene.place("n0"), kind: .document, version: [9])
        let news = engine.handle(
            .learned([.remote(try ItemIdentifier("i0"), .present(there))]), at: .zero, using: &random)
        #expect(
            started(news).map(\.operation) == [.compare(try ItemIdentifier("i0"), version: [9], revision: 2)])
    }

    @Test("What somebody waits for comes first")
    mutating func priority() throws {
        try changed(12)
        try scene.agree("z", "z", version: 1)
        var engine = engine()
        var limits = SimulatedEngine.Limits()
        limits.requests = 1
        engine = self.engine(limits: limits)
        let wanted = try ItemIdentifier("z")
        let first = started(engine.handle(.learned([]), at: .zero, using: &random))
        #expect(engine.handle(.wanted(wanted), at: .zero, using: &random).isEmpty)
        let there = SyncTrees.Remote(place: try scene.place("n0"), kind: .document, version: [2])
        let next = started(
            engine.handle(.answered(first[0].ticket, .item(first[0].operation.id, there)), at: .zero, using: &random))
        #expect(next.map(\.operation) == [.fetch(wanted, version: [1], replacing: nil)])
    }

    @Test("The name of a sending is the same after a restart, and another on another machine or for other contents")
    mutating func names() throws {
        try changed(1)
        func name(device: UInt64, seed: UInt64) throws -> String {
            var engine = engine(device: device)
            var random = SeededRandom(seed: seed)
            return try #require(started(engine.handle(.learned([]), at: .zero, using: &random)).first).name
        }
        let first = try name(device: 7, seed: 1)
        #expect(try name(device: 7, seed: 2) == first)
        #expect(try name(device: 8, seed: 1) != first)
        try scene.here("i0", "n0", revision: 3)
        #expect(try name(device: 7, seed: 1) != first)
    }

    @Test("VER-12: whoever compares, on whatever machine, lets the same contents win", arguments: [true, false])
    mutating func winner(oursAreLater: Bool) throws {
        let id = try ItemIdentifier("i0")
        try changed(1)
        try scene.there("i0", "n0", version: 5)
        guard case .present(var node)? = scene.trees.local[id] else { throw Unexpected() }
        node.stamp = VersionStamp(time: 10, device: oursAreLater ? 3 : 1)
        scene.trees.local[id] = .present(node)
        var engine = engine()
        let ticket = try #require(started(engine.handle(.learned([]), at: .zero, using: &random)).first).ticket
        let theirs = SyncTrees.Remote(
            place: try scene.place("n0"), kind: .document, version: [5], stamp: VersionStamp(time: 10, device: 2))
        let next = started(
            engine.handle(.answered(ticket, .compared(theirs, .different)), at: .zero, using: &random))
        guard case .keepBoth(id, let divergence)? = next.first?.operation else { throw Unexpected() }
        #expect(divergence.keepsOurs == oursAreLater)
        #expect(divergence.copyPlace.name.rawValue.hasPrefix("n0 (conflict "))
    }

    @Test("VER-15: a copy beside what is just out of another's way has the name of the document itself")
    mutating func copyOfParked() throws {
        let id = try ItemIdentifier("i0")
        try changed(1)
        try scene.there("i0", "n0", version: 5)
        var engine = engine()
        let ticket = try #require(started(engine.handle(.learned([]), at: .zero, using: &random)).first).ticket
        guard case .present(var node)? = scene.trees.local[id] else { throw Unexpected() }
        node.place = try scene.place("n0 (moving)")
        node.isParked = true
        _ = engine.handle(.learned([.local(id, .present(node))]), at: .zero, using: &random)
        let theirs = SyncTrees.Remote(
            place: try scene.place("n0"), kind: .document, version: [5], stamp: VersionStamp(time: 10, device: 2))
        let next = started(
            engine.handle(.answered(ticket, .compared(theirs, .different)), at: .zero, using: &random))
        let copies = next.compactMap { if case .keepBoth(_, let both) = $0.operation { both.copyPlace } else { nil } }
        #expect(copies.count == 1)
        #expect(copies.first?.name.rawValue.hasPrefix("n0 (conflict ") == true, "\(copies)")
    }

    @Test("An answer to a move says nothing of what was told meanwhile, also when that was what was known already")
    mutating func moveBackMeanwhile() throws {
        let id = try ItemIdentifier("i0")
        try scene.agree("i0", "a", version: 1, revision: 1)
        try scene.here("i0", "b", revision: 1)
        let before = SyncTrees.Remote(place: try scene.place("a"), kind: .document, version: [1])
        let moved = SyncTrees.Remote(place: try scene.place("b"), kind: .document, version: [1])
        var engine = engine()
        let ticket = try #require(started(engine.handle(.learned([]), at: .zero, using: &random)).first).ticket
        #expect(engine.operation(of: ticket) == .relocate(id, from: before.place, to: moved.place))
        // Somebody else moved it back, and the answer is late.
        #expect(engine.handle(.learned([.remote(id, .present(before))]), at: .zero, using: &random).isEmpty)
        let next = engine.handle(.answered(ticket, .item(id, moved)), at: .zero, using: &random)
        #expect(engine.trees.remote[id] == .present(before))
        #expect(
            started(next).map(\.operation)
                == [.relocateHere(id, from: moved.place, to: before.place, parked: false)])
    }

    @Test("A move of the remote that is taken back while it is followed here is nobody's move here")
    mutating func movedBackWhileFollowing() throws {
        let id = try ItemIdentifier("i0")
        try scene.agree("i0", "a", version: 1, revision: 1)
        let before = SyncTrees.Remote(place: try scene.place("a"), kind: .document, version: [1])
        let moved = SyncTrees.Remote(place: try scene.place("b"), kind: .document, version: [1])
        var engine = engine()
        let first = try #require(
            started(engine.handle(.learned([.remote(id, .present(moved))]), at: .zero, using: &random)).first)
        _ = engine.handle(.learned([.remote(id, .present(before))]), at: .zero, using: &random)
        let here = SyncTrees.Local(place: moved.place, kind: .document, revision: 1)
        let next = started(engine.handle(.answered(first.ticket, .here(here)), at: .zero, using: &random))
        #expect(
            next.map(\.operation) == [.relocateHere(id, from: moved.place, to: before.place, parked: false)])
        let back = SyncTrees.Local(place: before.place, kind: .document, revision: 1, isParked: true)
        let ticket = try #require(next.first).ticket
        #expect(started(engine.handle(.answered(ticket, .here(back)), at: .zero, using: &random)).isEmpty)
        #expect(engine.trees.local[id]?.node?.isParked == false)
    }

    @Test(
        "What was made is not taken for something else that its identifier stands for here by now, and is made again",
        arguments: [true, false])
    mutating func takenIdentifier(isGone: Bool) throws {
        let (id, made) = (try ItemIdentifier("n"), try ItemIdentifier("p"))
        try scene.here("n", "b", revision: 1)
        var engine = engine()
        let first = try #require(started(engine.handle(.learned([]), at: .zero, using: &random)).first)
        // It was moved there, before its answer came, to where something else is here.
        let there = SyncTrees.Remote(place: try scene.place("a"), kind: .document, version: [1])
        let other = SyncTrees.Local(place: there.place, kind: .document, revision: 2)
        let sighting: SyncTrees.Sighting<SyncTrees.Local> = isGone ? .gone : .present(other)
        let agreed = SyncTrees.Synced(place: there.place, kind: .document, version: [1], revision: 2)
        let news: [TreeChange] = [.local(made, sighting), .remote(made, .present(there)), .synced(made, agreed)]
        _ = engine.handle(.learned(news), at: .zero, using: &random)
        let next = engine.handle(.answered(first.ticket, .item(made, there)), at: .zero, using: &random)
        #expect(engine.trees.local[id]?.node?.revision == 1)
        #expect(engine.trees.local[made] == sighting)
        let again = try #require(started(next).first { $0.operation.id == id })
        #expect(again.operation == first.operation)
        #expect(again.name != first.name)
    }

    @Test("A step that met something that cannot be seen is not repeated at once")
    mutating func overtakenByNothing() throws {
        try changed(1)
        var engine = engine()
        let ticket = try #require(started(engine.handle(.learned([]), at: .zero, using: &random)).first).ticket
        let actions = engine.handle(.answered(ticket, .overtaken([])), at: .zero, using: &random)
        #expect(started(actions).isEmpty)
        #expect(!engine.isIdle)
    }

    @Test("INV-8: an engine with nothing to do does nothing")
    mutating func idle() throws {
        try scene.agree("a", "a", version: 1, revision: 1)
        var engine = engine()
        #expect(engine.handle(.learned([]), at: .zero, using: &random).isEmpty)
        #expect(engine.handle(.woken, at: .seconds(9), using: &random).isEmpty)
        #expect(engine.isIdle)
    }
}
