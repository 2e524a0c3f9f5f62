import DocumentModel
import DocumentSync
import Testing

/// When folders are listed that nobody has looked into.
struct DiscoveryScheduleTests {
    private func folders(_ names: String...) throws -> [ItemIdentifier] { try names.map { try ItemIdentifier($0) } }

    private func looked(_ schedule: inout DiscoverySchedule, _ inside: [ItemIdentifier], at now: Duration) {
        _ = schedule.lookedAt(.root, inside, at: now)
    }

    private func next(_ schedule: inout DiscoverySchedule, at now: Duration) throws -> ItemIdentifier {
        let folder = schedule.next(at: now)
        return try #require(folder)
    }

    private func nextNames(
        _ schedule: inout DiscoverySchedule, from now: inout Duration, inside: [ItemIdentifier: [ItemIdentifier]] = [:]
    ) -> [String] {
        var names: [String] = []
        while let next = schedule.nextDeadline(after: now), names.count < 100 {
            now = next
            guard let folder = schedule.next(at: now) else { break }
            names.append(folder.rawValue)
            schedule.listed(folder, .listed(inside: inside[folder] ?? []), since: now, at: now)
        }
        return names
    }

    @Test("INV-8: nothing is listed before somebody has looked, nor when all is known")
    func nothing() throws {
        var schedule = DiscoverySchedule()
        var now = Duration.zero
        #expect(schedule.nextDeadline(after: now) == nil && schedule.next(at: now) == nil)
        looked(&schedule, [], at: now)
        #expect(schedule.nextDeadline(after: now) == nil && schedule.next(at: now) == nil)
        looked(&schedule, try folders("a"), at: now)
        #expect(nextNames(&schedule, from: &now) == ["a"])
        #expect(schedule.nextDeadline(after: now) == nil)
    }

    @Test("What lies below comes before what lies beside; where somebody looks next comes before all")
    func order() throws {
        var schedule = DiscoverySchedule()
        var now = Duration.zero
        let ids = try folders("a", "b", "c")
        looked(&schedule, ids, at: now)
        let inside = [ids[0]: try folders("a1", "a2")]
        #expect(nextNames(&schedule, from: &now, inside: inside) == ["a", "a1", "a2", "b", "c"])
        looked(&schedule, ids, at: now)
        looked(&schedule, try folders("x", "c"), at: now)
        #expect(nextNames(&schedule, from: &now) == ["x", "c", "a", "b"])
    }

    @Test("One at a time; after each a rest that is several times as long as it took")
    func rests() throws {
        var schedule = DiscoverySchedule()
        looked(&schedule, try folders("a", "b", "c"), at: .zero)
        let first = try next(&schedule, at: .zero)
        #expect(schedule.next(at: .seconds(1)) == nil && schedule.nextDeadline(after: .seconds(1)) == nil)
        schedule.listed(first, .listed(inside: []), since: .zero, at: .seconds(2))
        #expect(schedule.nextDeadline(after: .seconds(2)) == .seconds(10))
        #expect(schedule.next(at: .seconds(9)) == nil)
        let second = try next(&schedule, at: .seconds(10))
        schedule.listed(second, .listed(inside: []), since: .seconds(10), at: .seconds(10))
        #expect(schedule.nextDeadline(after: .seconds(10)) == .seconds(10) + .milliseconds(50))
    }

    @Test("A provider that fails is asked ever more seldom; a folder that cannot be listed is not asked for again")
    func failures() throws {
        var schedule = DiscoverySchedule()
        looked(&schedule, try folders("a"), at: .zero)
        var (now, pauses) = (Duration.zero, [Duration]())
        for _ in 0..<8 {
            let folder = try next(&schedule, at: now)
            #expect(folder.rawValue == "a")
            schedule.listed(folder, .failed, since: now, at: now)
            let next = try #require(schedule.nextDeadline(after: now))
            pauses.append(next - now)
            now = next
        }
        #expect(pauses == [10, 20, 40, 80, 160, 320, 640, 640].map { .seconds($0) })
        let folder = try next(&schedule, at: now)
        schedule.listed(folder, .refused, since: now, at: now)
        #expect(nextNames(&schedule, from: &now) == [])
        looked(&schedule, try folders("a", "b"), at: now)
        #expect(nextNames(&schedule, from: &now) == ["b"])
        looked(&schedule, try folders("a"), at: now + .seconds(3601))
        #expect(schedule.next(at: now + .seconds(3601))?.rawValue == "a")
    }

    @Test("A folder whose listing fails keeps none of the others from being listed")
    func failureOfOne() throws {
        var schedule = DiscoverySchedule()
        looked(&schedule, try folders("a", "b"), at: .zero)
        let first = try next(&schedule, at: .zero)
        schedule.listed(first, .failed, since: .zero, at: .zero)
        var now = Duration.zero
        #expect(nextNames(&schedule, from: &now) == ["b", "a"])
    }

    @Test("INV-8: it ends an hour after somebody looked last")
    func interest() throws {
        var schedule = DiscoverySchedule()
        looked(&schedule, try folders("a", "b"), at: .zero)
        #expect(schedule.nextDeadline(after: .seconds(3600)) != nil)
        #expect(schedule.nextDeadline(after: .seconds(3601)) == nil)
        #expect(schedule.next(at: .seconds(3601)) == nil && schedule.waitingCount == 0)
        looked(&schedule, try folders("b"), at: .seconds(4000))
        #expect(schedule.next(at: .seconds(4000))?.rawValue == "b")
    }

    @Test("Of a folder that was listed in advance, the first look says so")
    func inAdvance() throws {
        var schedule = DiscoverySchedule()
        let folder = try folders("a")[0]
        var isOld = schedule.lookedAt(.root, [folder], at: .zero)
        #expect(!isOld)
        _ = schedule.next(at: .zero)
        schedule.listed(folder, .listed(inside: []), since: .zero, at: .zero)
        isOld = schedule.lookedAt(folder, [], at: .seconds(5000))
        #expect(isOld)
        isOld = schedule.lookedAt(folder, [], at: .seconds(5001))
        #expect(!isOld)
    }

    @Test("No more than a limit are remembered")
    func limit() throws {
        var rules = DiscoverySchedule.Rules()
        rules.mostWaiting = 3
        var schedule = DiscoverySchedule(rules: rules)
        looked(&schedule, try folders("a", "b", "c", "d"), at: .zero)
        #expect(schedule.waitingCount == 3)
        let folder = try next(&schedule, at: .zero)
        schedule.listed(folder, .listed(inside: try folders("e", "f")), since: .zero, at: .zero)
        #expect(schedule.waitingCount == 3)
    }
}
