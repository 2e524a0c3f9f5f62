import DocumentSync
import Testing

/// When deletions need a yes.
struct DeletionWatchTests {
    private let rule = DeletionGuard(minimum: 10, percent: 20)

    @Test("CONT-13: few deletions, or a small share of the domain, need no yes")
    func small() {
        var watch = DeletionWatch(rule: rule)
        #expect(watch.judge(9, of: 9, at: 0) == .carryOut)
        watch = DeletionWatch(rule: rule)
        #expect(watch.judge(19, of: 100, at: 0) == .carryOut)
        #expect(watch.askedSince == nil)
    }

    @Test("CONT-13: many deletions, and much of the domain, wait, and so does what gathers meanwhile")
    func large() {
        var watch = DeletionWatch(rule: rule)
        #expect(watch.judge(20, of: 100, at: 50) == .ask)
        #expect(watch.askedSince == 50)
        #expect(watch.judge(21, of: 100, at: 60) == .ask)
        #expect(watch.askedSince == 50)
        // Some came back: what is left was asked for all the same.
        #expect(watch.judge(1, of: 100, at: 70) == .ask)
    }

    @Test("CONT-13: one by one is as much as all at once, within an hour")
    func oneByOne() {
        var watch = DeletionWatch(rule: rule)
        var items = 100
        for second in 0..<19 {
            #expect(watch.judge(1, of: items, at: Int64(second)) == .carryOut)
            items -= 1
        }
        #expect(watch.recent.count == 1)
        #expect(watch.judge(1, of: items, at: 20) == .ask)

        var later = DeletionWatch(rule: rule, recent: watch.recent)
        #expect(later.judge(1, of: items, at: 3700) == .carryOut)
    }

    @Test("CONT-13: what is no deletion does not count, until it turns out to be one")
    func excused() {
        var watch = DeletionWatch(rule: rule)
        for number in 0..<50 {
            let part = DeletionWatch.Gathered(count: 1, excused: 1, trace: "part \(number)")
            #expect(watch.judge([part], of: 60, at: Int64(number)) == .carryOut)
        }
        #expect(watch.recent.count == 50)
        #expect(watch.judge(1, of: 60, at: 60) == .carryOut)
        // The package that they were in goes, too.
        let known = watch.recent.map { recent in
            DeletionWatch.Recent(time: recent.time, .init(count: recent.what.count, trace: recent.what.trace))
        }
        var later = DeletionWatch(rule: rule, recent: known)
        #expect(later.judge(1, of: 10, at: 61) == .ask)
    }

    @Test("CONT-13: of what is excused nothing waits, unless something else does")
    func excusedMeanwhile() {
        var watch = DeletionWatch(rule: rule)
        let part = DeletionWatch.Gathered(count: 1, excused: 1, trace: "part")
        #expect(watch.judge([.init(count: 50), part], of: 100, at: 0) == .ask)
        #expect(watch.judge([.init(count: 50), part, part], of: 100, at: 1) == .ask)
        #expect(watch.judge([part, part], of: 100, at: 2) == .carryOut)
        #expect(watch.askedSince == nil)
    }

    @Test("CONT-13: an answer is for what was asked: later deletions are counted anew")
    func answered() {
        var watch = DeletionWatch(rule: rule)
        #expect(watch.judge(50, of: 100, at: 0) == .ask)
        watch.answered()
        #expect(watch.judge(5, of: 50, at: 1) == .carryOut)
        #expect(watch.judge(5, of: 45, at: 2) == .ask)
    }

    @Test("CONT-13: when all that was asked for came back, the question is over")
    func cameBack() {
        var watch = DeletionWatch(rule: rule)
        #expect(watch.judge(50, of: 100, at: 0) == .ask)
        #expect(watch.judge(0, of: 100, at: 1) == .carryOut)
        #expect(watch.askedSince == nil)
        #expect(watch.recent.isEmpty)
    }

    @Test("CONT-13: clocks may be anywhere", arguments: [Int64.min, -1, 0, .max])
    func clocks(now: Int64) {
        var watch = DeletionWatch(rule: rule, recent: [.init(time: .max, count: 100), .init(time: .min, count: 100)])
        #expect(watch.judge(5, of: 1000, at: now) == .carryOut)
        #expect(watch.judge(500, of: 1000, at: now) == .ask)
    }

    @Test("CONT-13: switched off, nothing ever asks")
    func off() {
        var watch = DeletionWatch(rule: DeletionGuard(minimum: 1, percent: 101))
        #expect(watch.judge(1000, of: 1000, at: 0) == .carryOut)
    }
}
