import DocumentMount
import Testing

@Suite("Documents that stay open for the next program")
struct ReadingLeaseTests {
    private let start = ContinuousClock.now
    private var lease: ReadingLease

    init() { lease = ReadingLease(at: start) }

    /// Read once, closed, and known to the host as presented.
    private mutating func present() {
        _ = lease.leave(at: start)
        _ = lease.registered(true)
    }

    @Test("The access ends when the presenter is registered, not before: nothing is missed in between")
    mutating func access() {
        let (left, registered) = (lease.leave(at: start), lease.registered(true))
        #expect(left == .register)
        #expect(registered == .endAccess)
        #expect(lease.isOpen)
    }

    @Test("The next program joins, also while the presenter is being registered, and registers nothing anew")
    mutating func join() {
        _ = lease.leave(at: start)
        let early = lease.join()
        let (left, registered) = (lease.leave(at: start), lease.registered(true))
        let late = lease.join()
        let leftAgain = lease.leave(at: start)
        #expect(early && late)
        #expect(left == nil && leftAgain == nil)
        #expect(registered == .endAccess)
    }

    @Test("A document that could not be presented is read under its access, and then no more")
    mutating func notRegistered() {
        _ = lease.leave(at: start)
        _ = lease.join()
        let registered = lease.registered(false)
        let joined = lease.join()
        let left = lease.leave(at: start)
        #expect(registered == nil)
        #expect(!joined)
        #expect(left == .end)
    }

    @Test("Whoever is about to write waits for those who read, and nobody joins them")
    mutating func giveUp() {
        present()
        _ = lease.join()
        let (asked, joined) = (lease.giveUp(), lease.join())
        lease.accessBegan()
        let (askedAgain, left) = (lease.giveUp(), lease.leave(at: start))
        #expect(asked == .beginAccess)
        #expect(!joined)
        #expect(askedAgain == nil)
        #expect(left == .end)
    }

    @Test("Where nobody reads, the one who is about to write waits for nothing")
    mutating func giveUpIdle() {
        present()
        let (first, second) = (lease.giveUp(), lease.giveUp())
        #expect(first == .end)
        #expect(second == nil)
    }

    @Test("What is closed while it is being registered ends when that is known, once")
    mutating func closedMeanwhile() {
        _ = lease.leave(at: start)
        let closed = lease.close()
        let registered = lease.registered(true)
        let again = lease.close()
        #expect(closed == nil)
        #expect(registered == .end)
        #expect(again == nil)
    }

    @Test("It ends a while after the last program has left, and at a certain age nobody joins any more")
    mutating func time() {
        present()
        _ = lease.join()
        let read = lease.timePassed(to: start + .seconds(100), patience: .seconds(30), age: .seconds(300))
        _ = lease.leave(at: start + .seconds(100))
        let soon = lease.timePassed(to: start + .seconds(129), patience: .seconds(30), age: .seconds(300))
        _ = lease.join()
        let old = lease.timePassed(to: start + .seconds(300), patience: .seconds(30), age: .seconds(300))
        let (joined, left) = (lease.join(), lease.leave(at: start + .seconds(301)))
        #expect(read == nil && soon == nil && old == nil)
        #expect(!joined)
        #expect(left == .end)
    }

    @Test("It is left for a while only as long as nobody reads")
    mutating func idle() {
        #expect(lease.idleSince == nil)
        present()
        #expect(lease.idleSince == start)
        let ended = lease.timePassed(to: start + .seconds(30), patience: .seconds(30), age: .seconds(300))
        #expect(ended == .end)
    }
}
