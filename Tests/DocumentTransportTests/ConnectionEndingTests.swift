import DocumentModel
import DocumentWire
import Testing

@testable import DocumentTransport

/// How a connection ends, from either side. Without any I/O.
@Suite struct ConnectionEndingTests {
    @Test func shutdownFinishesWhatRunsRefusesTheRestAndSaysGoodbye() {
        let fixture = MachineFixture.open(.responder)
        fixture.receive(Frame(id: 1, .request(body: [], deadline: 0)))
        fixture.receive(Frame(.shutdown))
        fixture.receive(Frame(.shutdown))
        fixture.receive(Frame(id: 3, .request(body: [], deadline: 0)))
        #expect(fixture.takeFrames().map(\.code) == [.busy])
        #expect(fixture.end == nil)
        fixture.machine.finish(1, .answer([1]))
        #expect(fixture.takeFrames() == [Frame(id: 1, .answer(body: [1])), Frame(.goodbye)])
        #expect(fixture.end?.reason == .goodbye)
    }

    @Test func endOfTheStreamIsAsGoodAsAShutdownForAResponder() {
        let fixture = MachineFixture.open(.responder)
        fixture.receive(Frame(id: 1, .request(body: [], deadline: 0)))
        _ = fixture.ask()
        _ = fixture.takeFrames()
        fixture.machine.streamEnded(nil)
        #expect(fixture.takeEnds() == ["2: providerDied"])
        fixture.machine.finish(1, .answer([1]))
        #expect(fixture.takeFrames() == [Frame(id: 1, .answer(body: [1])), Frame(.goodbye)])
        #expect(fixture.end?.reason == .endOfStream)
    }

    @Test("Rule 56: the death of the peer fails every open request, in the way that is configured")
    func deathOfThePeerFailsEveryOpenRequestInTheWayThatIsConfigured() {
        let fixture = MachineFixture.open(.initiator) {
            $0.deathCode = .providerUnavailable
            $0.deathMessage = "docentd has ended; start it again."
        }
        _ = fixture.ask()
        _ = fixture.ask()
        fixture.machine.streamEnded(nil)
        #expect(fixture.takeEnds() == ["1: providerUnavailable", "3: providerUnavailable"])
        #expect(fixture.end?.error.message == "docentd has ended; start it again.")
        _ = fixture.ask()
        #expect(fixture.takeEnds() == ["5: providerUnavailable"])
    }

    @Test func shutdownOfAnInitiatorLetsRunningRequestsEnd() {
        let fixture = MachineFixture.open(.initiator)
        _ = fixture.ask()
        fixture.machine.shutdown()
        _ = fixture.ask()
        fixture.receive(Frame(id: 1, .answer(body: [1])))
        #expect(fixture.takeEnds() == ["3: cancelled", "1: [1]"])
        fixture.receive(Frame(.goodbye))
        #expect(fixture.end?.reason == .goodbye)
    }

    @Test func onlyTheRightSideShutsDownAndSaysGoodbye() {
        let initiator = MachineFixture.open(.initiator)
        initiator.receive(Frame(.shutdown))
        #expect(initiator.violation != nil)
        let responder = MachineFixture.open(.responder)
        responder.receive(Frame(.goodbye))
        #expect(responder.violation != nil)
    }
}
