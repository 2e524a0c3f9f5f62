import DocumentModel
import DocumentSync
import Testing

/// When folders of a provider without a feed are listed again.
struct LookoutScheduleTests {
    private let folder = ItemIdentifier.root

    private func schedule(interval: Duration = .seconds(100)) -> LookoutSchedule {
        LookoutSchedule(rules: .init(interval: interval, interest: .seconds(3600)))
    }

    @Test("INV-8: nothing is listed again that nobody looked at, nor when nobody has looked for long")
    func interest() {
        var schedule = schedule()
        #expect(schedule.nextDeadline(after: .zero) == nil)
        schedule.lookedAt(folder, at: .zero, jitter: 0.5)
        var listings = 0
        var now = Duration.zero
        while let next = schedule.nextDeadline(after: now) {
            now = next
            guard let due = schedule.next(at: now) else { break }
            listings += 1
            schedule.listed(due, .news, at: now, jitter: 0.5)
        }
        #expect(listings == 36)
        #expect(schedule.next(at: .seconds(3700)) == nil)
        #expect(schedule.folderCount == 0)
    }

    @Test(
        "INV-8: with nothing new, and with a provider that fails, the time between two listings doubles, up to a limit",
        arguments: [LookoutSchedule.Finding.nothingNew, .failed])
    func backOff(finding: LookoutSchedule.Finding) {
        var schedule = schedule()
        schedule.rules.interest = .seconds(100_000)
        schedule.lookedAt(folder, at: .zero, jitter: 0.5)
        var times: [Duration] = []
        for _ in 0..<8 {
            guard let next = schedule.nextDeadline(after: .zero), let due = schedule.next(at: next) else { break }
            times.append(next)
            schedule.listed(due, finding, at: next, jitter: 0.5)
        }
        let pauses = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(pauses == [200, 400, 800, 1600, 3200, 3200, 3200].map { .seconds($0) })
        schedule.lookedAt(folder, at: .seconds(50_000), jitter: 0.5)
        #expect(schedule.nextDeadline(after: .zero) == .seconds(50_100))
    }

    @Test("XFER-14: what is kept is looked at for good, not much more seldom while nothing is new, until it is let go")
    func kept() {
        var schedule = schedule()
        schedule.lookedAt(folder, at: .zero, jitter: 0.5)
        schedule.keep([folder], at: .zero, jitter: 0.5)
        // To look at it takes none of that away.
        schedule.lookedAt(folder, at: .zero, jitter: 0.5)
        func pauses(_ finding: LookoutSchedule.Finding) -> [Duration] {
            var times: [Duration] = []
            for _ in 0..<60 {
                guard let next = schedule.nextDeadline(after: .zero), let due = schedule.next(at: next) else { break }
                times.append(next)
                schedule.listed(due, finding, at: next, jitter: 0.5)
            }
            return zip(times, times.dropFirst()).map { $1 - $0 }
        }
        let quiet = pauses(.nothingNew)
        #expect(quiet.first == .seconds(200) && quiet.count == 59)
        #expect(quiet.dropFirst().allSatisfy { $0 == .seconds(400) })
        // Of a feed nobody knows whether it had anything to tell.
        let asked = pauses(.asked)
        #expect(asked.count == 59 && asked.allSatisfy { $0 == .seconds(100) })
        schedule.keepNothing()
        #expect(schedule.nextDeadline(after: .zero) == nil)
        #expect(schedule.next(at: .seconds(1_000_000)) == nil)
        #expect(schedule.folderCount == 0)
    }

    @Test("INV-8, XFER-14: however much is kept, ten folders a minute are listed for it, in turns; others do not wait")
    func muchIsKept() throws {
        var schedule = schedule()
        let kept = try (0..<200).map { try ItemIdentifier("folder \($0)") }
        schedule.keep(kept, at: .zero, jitter: 0.5)
        schedule.lookedAt(folder, at: .zero, jitter: 0.5)
        var (listings, lookedAt): ([ItemIdentifier: Int], [Duration]) = ([:], [])
        var times: [Duration] = []
        while let now = schedule.nextDeadline(after: times.last ?? .zero), now <= .seconds(100 + 3 * 200 * 6) {
            guard let due = schedule.next(at: now) else { break }
            if due == folder {
                lookedAt.append(now)
            } else {
                listings[due, default: 0] += 1
                times.append(now)
            }
            schedule.listed(due, .news, at: now, jitter: 0.5)
        }
        #expect(zip(times, times.dropFirst(10)).allSatisfy { $1 - $0 >= .seconds(60) })
        #expect(listings.count == kept.count && listings.values.allSatisfy { $0 >= 3 })
        #expect(Array(lookedAt.prefix(30)) == (1...30).map { Duration.seconds(100 * $0) })
    }

    @Test("News bring the folder back to its usual pace; one that is gone is forgotten")
    func news() {
        var schedule = schedule()
        schedule.lookedAt(folder, at: .zero, jitter: 0.5)
        #expect(schedule.next(at: .seconds(99)) == nil)
        #expect(schedule.next(at: .seconds(100)) == folder)
        // One at a time.
        #expect(schedule.next(at: .seconds(101)) == nil)
        #expect(schedule.nextDeadline(after: .seconds(101)) == nil)
        schedule.listed(folder, .nothingNew, at: .seconds(101), jitter: 0.5)
        #expect(schedule.next(at: .seconds(301)) == folder)
        schedule.listed(folder, .news, at: .seconds(301), jitter: 0.5)
        #expect(schedule.nextDeadline(after: .seconds(301)) == .seconds(401))
        #expect(schedule.next(at: .seconds(401)) == folder)
        schedule.listed(folder, .gone, at: .seconds(401), jitter: 0.5)
        #expect(schedule.nextDeadline(after: .seconds(401)) == nil)
    }

    @Test("Jitter spreads listings over half of the interval; switched off, there are none")
    func jitter() {
        var schedule = schedule()
        schedule.lookedAt(folder, at: .zero, jitter: 0)
        #expect(schedule.nextDeadline(after: .zero) == .seconds(75))
        schedule.lookedAt(folder, at: .zero, jitter: 1)
        #expect(schedule.nextDeadline(after: .zero) == .seconds(125))
        schedule.rules.interval = .zero
        #expect(schedule.nextDeadline(after: .zero) == nil)
        #expect(schedule.next(at: .seconds(1000)) == nil)
        schedule.lookedAt(folder, at: .zero, jitter: 1)
        #expect(schedule.folderCount == 0)
    }
}
