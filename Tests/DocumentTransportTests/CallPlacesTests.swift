import Testing

@testable import DocumentTransport

@Suite("Which of the calls that may never return run")
struct CallPlacesTests {
    private func time(_ seconds: UInt64) -> MonotonicTime { MonotonicTime(nanoseconds: (seconds + 1) * 1_000_000_000) }

    private func make(mostAtOnce: Int = 2, mostLong: Int = 2, mostHanging: Int = 2) -> CallPlaces {
        CallPlaces(mostAtOnce: mostAtOnce, mostLong: mostLong, mostHanging: mostHanging, youth: .seconds(10))
    }

    @Test("Who came first begins first, also before one that comes when a place is free")
    func order() {
        var places = make()
        #expect(places.ask(1, at: time(0)) == .runs)
        #expect(places.ask(2, at: time(0)) == .runs)
        for call in 3...5 as ClosedRange<UInt64> { #expect(places.ask(call, at: time(0)) == .waits) }
        let (isLeft, isLeftAgain) = (places.leave(4), places.leave(4))
        #expect(isLeft && !isLeftAgain)
        #expect(places.end(1, at: time(1)).begun == [3])
        #expect(places.ask(6, at: time(1)) == .waits)
        #expect(places.end(3, at: time(2)).begun == [5])
        #expect(places.end(2, at: time(2)).begun == [6])
        #expect(places.running == 2)
    }

    @Test("A call that takes long gives its place to whoever waits, and to nobody else")
    func long() {
        var places = make(mostAtOnce: 1)
        #expect(places.ask(1, at: time(0)) == .runs)
        #expect(places.look(at: time(60)).next == nil)
        #expect(places.ask(2, at: time(60)) == .waits)
        let (served, next) = places.look(at: time(60))
        #expect(served == CallPlaces.Served(begun: [2]) && next == nil)
        #expect(places.awaited == 2)
        #expect(places.ask(3, at: time(61)) == .waits)
        let young = places.look(at: time(61))
        #expect(young.0 == CallPlaces.Served() && young.next == time(70))
    }

    @Test("Nobody waits for calls of which none is young, and no more are borne with")
    func tooManyLong() {
        var places = make(mostAtOnce: 1, mostLong: 1)
        #expect(places.ask(1, at: time(0)) == .runs)
        #expect(places.ask(2, at: time(0)) == .waits)
        #expect(places.look(at: time(10)).0.begun == [2])
        #expect(places.ask(3, at: time(12)) == .waits)
        #expect(places.ask(4, at: time(12)) == .waits)
        #expect(places.look(at: time(12)).next == time(20))
        let (served, next) = places.look(at: time(20))
        #expect(served == CallPlaces.Served(refused: [3, 4]) && next == nil)
        // One of them has returned.
        #expect(places.end(1, at: time(30)) == CallPlaces.Served())
        #expect(places.ask(5, at: time(30)) == .waits)
        #expect(places.look(at: time(30)).0.begun == [5])
    }

    @Test("What was given up has no place; when too much of it hangs, nobody waits any longer, and nothing is begun")
    func givenUp() {
        var places = make(mostAtOnce: 1, mostHanging: 2)
        #expect(places.ask(1, at: time(0)) == .runs)
        #expect(places.ask(2, at: time(0)) == .waits)
        #expect(places.ask(3, at: time(0)) == .waits)
        #expect(places.giveUp(1, at: time(1)).begun == [2])
        #expect(places.giveUp(1, at: time(1)) == CallPlaces.Served())
        #expect(places.running == 2 && places.awaited == 1)
        #expect(places.giveUp(2, at: time(2)) == CallPlaces.Served(refused: [3]))
        #expect(places.ask(4, at: time(2)) == .refused)
        #expect(places.end(1, at: time(3)) == CallPlaces.Served())
        #expect(places.ask(5, at: time(3)) == .runs)
        #expect(places.running == 2 && places.awaited == 1)
    }
}
