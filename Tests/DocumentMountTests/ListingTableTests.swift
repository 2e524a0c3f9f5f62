import DocumentMount
import Testing

@Suite("Listings that the kernel keeps")
struct ListingTableTests {
    private let now = ContinuousClock.now
    private var later: ContinuousClock.Instant { now + .seconds(50) }
    private var table = ListingTable()

    @Test("What was read is kept from the next open on, and as long as its names are")
    mutating func kept() {
        let before = table.opened(2, at: now)
        table.told(2, isStill: true, until: later)
        let (soon, late) = (table.opened(2, at: now + .seconds(49)), table.opened(2, at: later))
        #expect(!before)
        #expect(soon)
        #expect(!late)
    }

    @Test("What has appeared or gone since has the folder read again, and no other one")
    mutating func changed() {
        for folder: UInt64 in [2, 3] { table.told(folder, isStill: true, until: later) }
        table.changed(2)
        let (one, other) = (table.opened(2, at: now), table.opened(3, at: now))
        #expect(!one)
        #expect(other)
    }

    @Test("After an open that had the kernel let go, what it is told next counts")
    mutating func anew() {
        table.told(2, isStill: true, until: later)
        table.changed(2)
        _ = table.opened(2, at: now)
        table.told(2, isStill: true, until: later)
        let isKept = table.opened(2, at: now)
        #expect(isKept)
    }

    @Test("One who reads on in an older listing spoils the newer one: the kernel may have either")
    mutating func older() {
        table.told(2, isStill: true, until: later)
        table.changed(2)
        _ = table.opened(2, at: now)
        table.told(2, isStill: true, until: later)
        // The first one's end.
        table.told(2, isStill: false, until: later)
        let isKept = table.opened(2, at: now)
        #expect(!isKept)
    }

    @Test("What is told of a folder in parts lasts as long as the first of them")
    mutating func parts() {
        table.told(2, isStill: true, until: now + .seconds(10))
        table.told(2, isStill: true, until: later)
        let isKept = table.opened(2, at: now + .seconds(20))
        #expect(!isKept)
    }

    @Test("A host that has ended leaves nothing to be kept")
    mutating func everywhere() {
        for folder: UInt64 in [2, 3] { table.told(folder, isStill: true, until: later) }
        table.changedEverywhere()
        let kept = [table.opened(2, at: now), table.opened(3, at: now)]
        #expect(kept == [false, false])
        #expect(table.count == 0)
    }

    @Test("A folder that the kernel has forgotten takes no room")
    mutating func forgotten() {
        table.told(2, isStill: true, until: later)
        table.forget(2)
        table.changed(2)
        #expect(table.count == 0)
    }
}
