import DocumentModel
import FileCoordination
import Testing

/// Who waits for whom, and that nobody waits for ever.
@Suite struct CoordinationStateMachineTests {
    private let alice = ClaimOwner(id: 1, name: "alice")
    private let bob = ClaimOwner(id: 2, name: "bob")
    private let carol = ClaimOwner(id: 3, name: "carol")

    private func item(_ path: String) throws -> CoordinatedItem {
        let location = try Location("work:/\(path)")
        var ancestors: Set<CoordinatedItem.Key> = []
        var around = location.parent
        while let folder = around {
            ancestors.insert(try key(folder))
            around = folder.parent
        }
        return CoordinatedItem(key: try key(location), ancestors: ancestors, location: location)
    }

    private func key(_ location: Location) throws -> CoordinatedItem.Key {
        CoordinatedItem.Key(domain: location.domain, id: try ItemIdentifier("/" + location.relativePath))
    }

    private func claim(
        _ id: UInt64, _ owner: ClaimOwner, _ path: String, _ intent: ClaimIntent, purpose: String? = nil,
        in outer: Set<UInt64> = []
    ) throws -> Claim {
        Claim(
            id: ClaimID(id), owner: owner, item: try item(path), intent: intent, purpose: purpose,
            nestedIn: Set(outer.map(ClaimID.init)))
    }

    @Test("COORD-1: readers share")
    func readersShare() throws {
        var machine = CoordinationStateMachine()
        #expect(machine.request(try claim(1, alice, "a", .reading)) == [.grant(ClaimID(1))])
        #expect(machine.request(try claim(2, bob, "a", .reading)) == [.grant(ClaimID(2))])
    }

    @Test(
        "COORD-1, COORD-2: a writer excludes readers and writers until it ends",
        arguments: [ClaimIntent.reading, .writing(nil)])
    func writerExcludes(later: ClaimIntent) throws {
        var machine = CoordinationStateMachine()
        #expect(machine.request(try claim(1, alice, "a", .writing(nil))) == [.grant(ClaimID(1))])
        #expect(machine.request(try claim(2, bob, "a", later)) == [])
        #expect(machine.request(try claim(3, bob, "b", later)) == [.grant(ClaimID(3))])
        #expect(machine.end(ClaimID(1)) == [.grant(ClaimID(2))])
    }

    @Test("COORD-39: first in, first out: a waiting writer is not overtaken by readers")
    func writerIsNotStarved() throws {
        var machine = CoordinationStateMachine()
        _ = machine.request(try claim(1, alice, "a", .reading))
        #expect(machine.request(try claim(2, bob, "a", .writing(nil))) == [])
        #expect(machine.request(try claim(3, carol, "a", .reading)) == [])
        #expect(machine.end(ClaimID(1)) == [.grant(ClaimID(2))])
        #expect(machine.end(ClaimID(2)) == [.grant(ClaimID(3))])
    }

    @Test("COORD-1, COORD-2: plain claims on a folder and on what lies inside do not meet")
    func plainClaimsIgnoreFolders() throws {
        var machine = CoordinationStateMachine()
        #expect(machine.request(try claim(1, alice, "f", .writing(nil))) == [.grant(ClaimID(1))])
        #expect(machine.request(try claim(2, bob, "f/a", .writing(nil))) == [.grant(ClaimID(2))])
    }

    @Test(
        "COORD-3, COORD-4: deleting, replacing and moving a folder wait for claims inside, and hold back later ones",
        arguments: [WritingOption.forDeleting, .forReplacing, .forMoving])
    func coveringWrites(option: WritingOption) throws {
        var machine = CoordinationStateMachine()
        _ = machine.request(try claim(1, alice, "f/g/a", .reading))
        #expect(machine.request(try claim(2, bob, "f", .writing(option))) == [])
        #expect(machine.request(try claim(3, carol, "f/b", .reading)) == [])
        #expect(machine.request(try claim(4, carol, "x", .reading)) == [.grant(ClaimID(4))])
        #expect(machine.end(ClaimID(1)) == [.grant(ClaimID(2))])
        #expect(machine.end(ClaimID(2)) == [.grant(ClaimID(3))])
    }

    @Test("COORD-6, ID-5: claims with one purpose never wait for each other")
    func samePurpose() throws {
        var machine = CoordinationStateMachine()
        _ = machine.request(try claim(1, alice, "a", .writing(nil), purpose: "org.example.p"))
        #expect(
            machine.request(try claim(2, bob, "a", .writing(nil), purpose: "org.example.p")) == [.grant(ClaimID(2))])
        #expect(machine.request(try claim(3, bob, "a", .writing(nil), purpose: "org.example.q")) == [])
    }

    @Test("COORD-8: a claim that is given up while it waits frees those behind it")
    func givingUpFreesTheQueue() throws {
        var machine = CoordinationStateMachine()
        _ = machine.request(try claim(1, alice, "a", .reading))
        _ = machine.request(try claim(2, bob, "a", .writing(nil)))
        _ = machine.request(try claim(3, carol, "a", .reading))
        #expect(machine.end(ClaimID(2)) == [.grant(ClaimID(3))])
    }

    @Test("COORD-8, COORD-39: claims end with their connection")
    func ownerEnds() throws {
        var machine = CoordinationStateMachine()
        _ = machine.request(try claim(1, alice, "a", .writing(nil)))
        _ = machine.request(try claim(2, alice, "b", .writing(nil)))
        _ = machine.request(try claim(3, bob, "a", .reading))
        _ = machine.request(try claim(4, carol, "b", .reading))
        #expect(Set(machine.ownerEnded(alice)) == [.grant(ClaimID(3)), .grant(ClaimID(4))])
        #expect(machine.heldCount == 2)
        #expect(machine.waitingCount == 0)
    }

    @Test("COORD-33: a nested write of the same item is refused, a nested read goes on")
    func nesting() throws {
        var machine = CoordinationStateMachine()
        _ = machine.request(try claim(1, alice, "a", .writing(nil)))
        #expect(machine.request(try claim(2, alice, "a", .reading, in: [1])) == [.grant(ClaimID(2))])
        guard case .refuse(_, let error) = machine.request(try claim(3, alice, "a", .writing(nil), in: [1])).first
        else {
            Issue.record("the nested write was not refused")
            return
        }
        #expect(error.code == .deadlock)
        #expect(
            error.message
                == "alice asked to write work:/a while it already holds it; end the outer access first, or use its path."
        )
    }

    @Test("COORD-33: a nested read goes on also while somebody else waits to write")
    func nestedReadPassesTheQueue() throws {
        var machine = CoordinationStateMachine()
        _ = machine.request(try claim(1, alice, "a", .writing(nil)))
        #expect(machine.request(try claim(2, bob, "a", .writing(nil))) == [])
        #expect(machine.request(try claim(3, alice, "a", .reading, in: [1])) == [.grant(ClaimID(3))])
        #expect(machine.end(ClaimID(3)) == [])
        #expect(machine.end(ClaimID(1)) == [.grant(ClaimID(2))])
    }

    @Test("COORD-2: whoever holds an item excludes others, in whatever order the claims were numbered")
    func numbersDoNotDecide() throws {
        var machine = CoordinationStateMachine()
        #expect(machine.request(try claim(6, alice, "a", .writing(nil))) == [.grant(ClaimID(6))])
        #expect(machine.request(try claim(5, bob, "a", .writing(nil))) == [])
        #expect(machine.end(ClaimID(6)) == [.grant(ClaimID(5))])
    }

    @Test("COORD-39: a deadlock is an error at once, and names both parties")
    func deadlock() throws {
        var machine = CoordinationStateMachine()
        _ = machine.request(try claim(1, alice, "a", .writing(nil)))
        _ = machine.request(try claim(2, bob, "b", .writing(nil)))
        #expect(machine.request(try claim(3, alice, "b", .writing(nil), in: [1])) == [])
        guard case .refuse(_, let error) = machine.request(try claim(4, bob, "a", .reading, in: [2])).first else {
            Issue.record("the deadlock was not found")
            return
        }
        #expect(error.code == .deadlock)
        #expect(error.message.contains("alice"))
        #expect(error.message.contains("bob"))
        #expect(machine.end(ClaimID(2)) == [.grant(ClaimID(3))])
    }

    @Test("COORD-39: a deadlock of three is found")
    func deadlockOfThree() throws {
        var machine = CoordinationStateMachine()
        _ = machine.request(try claim(1, alice, "a", .writing(nil)))
        _ = machine.request(try claim(2, bob, "b", .writing(nil)))
        _ = machine.request(try claim(3, carol, "c", .writing(nil)))
        #expect(machine.request(try claim(4, alice, "b", .reading, in: [1])) == [])
        #expect(machine.request(try claim(5, bob, "c", .reading, in: [2])) == [])
        guard case .refuse(let id, let error) = machine.request(try claim(6, carol, "a", .reading, in: [3])).first
        else {
            Issue.record("the deadlock was not found")
            return
        }
        #expect(id == ClaimID(6))
        #expect(error.code == .deadlock)
    }

    @Test("COORD-39: every wait can say what it waits for")
    func explanations() throws {
        var machine = CoordinationStateMachine()
        _ = machine.request(try claim(1, alice, "a", .writing(nil)))
        _ = machine.request(try claim(2, bob, "a", .reading))
        #expect(machine.explanation(of: ClaimID(1)) == nil)
        #expect(
            machine.explanations == [
                "bob waits to read work:/a until these have ended: alice, which writes work:/a."
            ])
    }

    @Test(
        "Random histories: exclusion holds after every step, and everything is granted in the end", arguments: 1...60)
    func randomHistories(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        var machine = CoordinationStateMachine()
        var held: [ClaimID: Claim] = [:]
        var open: [ClaimID: Claim] = [:]
        let paths = ["a", "f", "f/a", "f/g", "f/g/b"]
        let intents: [ClaimIntent] = [.reading, .reading, .writing(nil), .writing(.forDeleting), .writing(.forMoving)]

        func apply(_ actions: [CoordinationStateMachine.Action]) {
            for case .grant(let id) in actions { held[id] = open[id] }
            for one in held.values {
                for other in held.values where one.id < other.id {
                    #expect(!mustExclude(one, other), "\(one.id) and \(other.id) are held together")
                }
            }
        }
        for step in 1...120 {
            if random.next() % 3 != 0 || open.isEmpty {
                let claim = try claim(
                    UInt64(step), [alice, bob, carol].randomElement(using: &random) ?? alice,
                    paths.randomElement(using: &random) ?? "a", intents.randomElement(using: &random) ?? .reading)
                open[claim.id] = claim
                apply(machine.request(claim))
            } else if let id = open.keys.sorted().randomElement(using: &random) {
                held[id] = nil
                open[id] = nil
                apply(machine.end(id))
            }
        }
        while let id = held.keys.min() {
            held[id] = nil
            open[id] = nil
            apply(machine.end(id))
        }
        #expect(open.isEmpty, "these were never granted: \(open.keys.sorted())")
        #expect(machine.heldCount == 0)
    }

    /// Exclusion said a second time, in other words than the machine's.
    private func mustExclude(_ one: Claim, _ other: Claim) -> Bool {
        func covers(_ claim: Claim, _ inner: Claim) -> Bool {
            guard case .writing(let option?) = claim.intent, [.forDeleting, .forReplacing, .forMoving].contains(option)
            else {
                return false
            }
            return inner.item.location.relativePath.hasPrefix(claim.item.location.relativePath + "/")
        }
        if one.item.location == other.item.location { return one.intent != .reading || other.intent != .reading }
        return covers(one, other) || covers(other, one)
    }
}

/// A small generator with a seed, so that a failing history can be run again.
private struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
