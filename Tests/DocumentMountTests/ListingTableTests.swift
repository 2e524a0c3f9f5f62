import DocumentMount
import Testing

@Suite("Listings that the kernel keeps")
struct ListingTableTests {
    private let now = ContinuousClock.now
    private var later: ContinuousClock.Instant { now + .seconds(50) }
    private var table = ListingTable()

    /// One program reads a folder to its end.
    private mutating func read(_ folder: UInt64 = 2) {
        _ = table.open(folder, at: now)
        table.told(folder, isStill: true, isEnd: false, until: later)
        table.told(folder, isStill: true, isEnd: true, until: later)
        table.close(folder)
    }

    @Test("What was read to its end is kept from the next open on, and as long as its names are")
    mutating func kept() {
        let first = table.open(2, at: now)
        table.told(2, isStill: true, isEnd: true, until: later)
        table.close(2)
        let soon = table.open(2, at: now + .seconds(49))
        table.close(2)
        let late = table.open(2, at: later)
        #expect(first == .filling)
        #expect(soon == .keeping)
        #expect(late == .filling)
    }

    @Test("What has appeared or gone since has the folder read again, and no other one")
    mutating func changed() {
        read(2)
        read(3)
        table.changed(2)
        let (one, other) = (table.open(2, at: now), table.open(3, at: now))
        #expect(one == .filling)
        #expect(other == .keeping)
    }

    @Test("While a program is in the middle of what is kept, it is not given up: others read what there is now")
    mutating func inTheMiddle() {
        read()
        let first = table.open(2, at: now)
        table.changed(2)
        let second = table.open(2, at: now)
        let third = table.open(2, at: now)
        table.close(2)
        let fourth = table.open(2, at: now)
        #expect(first == .keeping)
        #expect(second == .plain && third == .plain)
        #expect(fourth == .filling)
    }

    @Test("What was not read to its end is handed on to nobody")
    mutating func partly() {
        let first = table.open(2, at: now)
        table.told(2, isStill: true, isEnd: false, until: later)
        let beside = table.open(2, at: now)
        table.close(2)
        let next = table.open(2, at: now)
        #expect(first == .filling)
        #expect(beside == .plain)
        #expect(next == .filling)
    }

    @Test("What something has happened to between the look and the answer is not kept")
    mutating func older() {
        _ = table.open(2, at: now)
        table.told(2, isStill: true, isEnd: false, until: later)
        table.told(2, isStill: false, isEnd: true, until: later)
        table.close(2)
        let next = table.open(2, at: now)
        #expect(next == .filling)
    }

    @Test("What is told of a folder in parts lasts as long as the first of them")
    mutating func parts() {
        _ = table.open(2, at: now)
        table.told(2, isStill: true, isEnd: false, until: now + .seconds(10))
        table.told(2, isStill: true, isEnd: true, until: later)
        table.close(2)
        let next = table.open(2, at: now + .seconds(20))
        #expect(next == .filling)
    }

    @Test("A host that has ended leaves nothing to be kept")
    mutating func everywhere() {
        read(2)
        _ = table.open(3, at: now)
        table.changedEverywhere()
        let opened = [table.open(2, at: now), table.open(3, at: now)]
        #expect(opened == [.filling, .plain])
    }

    @Test("A folder that the kernel has forgotten takes no room, nor one that has changed and that nobody reads")
    mutating func forgotten() {
        read(2)
        table.forget(2)
        table.changed(2)
        read(3)
        table.changed(3)
        _ = table.open(4, at: now)
        table.changed(4)
        table.close(4)
        #expect(table.count == 0)
    }
}
