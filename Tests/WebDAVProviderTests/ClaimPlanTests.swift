import DocumentModel
import Testing

@testable import WebDAVProvider

/// The steps of a change under a claim, given what is on the server.
struct ClaimPlanTests {
    private static func version(_ second: Int64, length: Int64 = 10) -> Properties {
        var properties = Properties()
        (properties.length, properties.modified) = (length, second)
        return properties
    }

    private static func place() throws -> RemotePath { .root.appending(try ItemName("note")) }

    private static func plan(_ kind: ClaimPlan.Kind, base: Properties?) throws -> ClaimPlan {
        ClaimPlan(
            kind: kind, hasSource: base != nil, isInPlace: true,
            base: try base.map { try ItemVersion(content: $0.contentVersion) } ?? .none, place: try place())
    }

    @Test(
        "SLOT-2: new contents are claimed, what they replace is taken away and looked at, and then they get its place")
    func steps() throws {
        var plan = try Self.plan(.put, base: Self.version(1))
        var sight = ClaimPlan.Sight(own: nil, source: Self.version(1), target: Self.version(1))
        #expect(plan.next(sight) == .claim)
        sight.own = ClaimPlan.Own(new: Self.version(5))
        #expect(plan.next(sight) == .takeAway)
        sight = ClaimPlan.Sight(own: ClaimPlan.Own(new: Self.version(5), old: Self.version(1)))
        #expect(plan.next(sight) == .publish)
        sight = ClaimPlan.Sight(
            own: ClaimPlan.Own(old: Self.version(1)), source: Self.version(5), target: Self.version(5))
        #expect(plan.next(sight) == .finish(nil))
        #expect(plan.result == Self.version(5))
    }

    @Test("what was written before it was taken away is put back, and the change is refused")
    func foreignWrite() throws {
        var plan = try Self.plan(.put, base: Self.version(1))
        #expect(
            plan.next(.init(own: .init(new: Self.version(5)), source: Self.version(1), target: Self.version(1)))
                == .takeAway)
        // Somebody else was faster by a moment.
        #expect(plan.next(.init(own: .init(new: Self.version(5), old: Self.version(4)))) == .putBack)
        #expect(
            plan.next(.init(own: .init(new: Self.version(5)), source: Self.version(4), target: Self.version(4)))
                == .finish(.changed))
    }

    @Test("RS-2: contents that would look like those they replace, or older, are not given their place")
    func sameLook() throws {
        for new in [Self.version(1), Self.version(1, length: 11), Self.version(0)] {
            var plan = try Self.plan(.put, base: Self.version(1))
            #expect(
                plan.next(.init(own: .init(new: new), source: Self.version(1), target: Self.version(1))) == .takeAway)
            #expect(plan.next(.init(own: .init(new: new, old: Self.version(1)))) == .putBack)
        }
        var exact = try Self.plan(.put, base: Self.version(1))
        exact.hasExactTags = true
        var tagged = Self.version(1)
        tagged.tag = EntityTag("\"other\"")
        _ = exact.next(.init(own: .init(new: tagged), source: Self.version(1), target: Self.version(1)))
        #expect(exact.next(.init(own: .init(new: tagged, old: Self.version(1)))) == .publish)
    }

    @Test("another name is reserved before anything is taken away, and a change that does not get it changes nothing")
    func reserving() throws {
        var move = ClaimPlan(kind: .move, hasSource: true, isInPlace: false, base: .none, place: try Self.place())
        var own = ClaimPlan.Own(hasPlace: true)
        #expect(move.next(.init(own: own)) == .reserve)
        #expect(!move.asksForSource(own) && !move.asksForTarget(own), "nothing is asked for that tells nothing")
        var other = move
        other.refuse(.reserved)
        #expect(other.next(.init(own: own)) == .finish(.reserved))
        own.hasPlace = false
        #expect(move.asksForSource(own) && move.asksForTarget(own))
        #expect(move.next(.init(own: own, source: Self.version(1))) == .takeAway)
        own.old = Self.version(1)
        #expect(!move.asksForSource(own) && move.asksForTarget(own))
        #expect(move.next(.init(own: own)) == .publish)
    }

    @Test("RS-5: a step that was carried out although nobody heard of it is not done again")
    func lostAnswers() throws {
        // Published, and the claim is still there.
        var put = try Self.plan(.put, base: Self.version(1))
        #expect(
            put.next(.init(own: .init(old: Self.version(1)), source: Self.version(5), target: Self.version(5)))
                == .finish(nil))
        // Renamed, and the claim is still there.
        var move = ClaimPlan(
            kind: .move, hasSource: true, isInPlace: false, base: .none, place: try Self.place())
        #expect(move.next(.init(own: .init(), source: nil, target: Self.version(1))) == .finish(nil))
        // Taken away for removal: it is one only when that is decided, for everybody.
        var removal = try Self.plan(.remove, base: Self.version(1))
        #expect(removal.next(.init(own: .init(old: Self.version(1)))) == .decide)
        #expect(removal.next(.init(own: .init(gone: Self.version(1)))) == .finish(nil))
        // What comes there later is none of it, and is not looked at.
        #expect(removal.next(.init(own: .init(old: Self.version(2), gone: Self.version(1)))) == .finish(nil))
        #expect(try Self.plan(.remove, base: Self.version(1)).objection(to: Self.version(2)) == .changed)
    }
}
