import DocumentModel
import DocumentWire
import Testing

@testable import DocumentTransport

/// Requests of ours: ids, answers and places. Without any I/O.
@Suite struct ConnectionAskingTests {
    @Test func idsAreOddFromTheInitiatorAndEvenFromTheResponderAndGrow() {
        for (role, ids) in [
            (Connection.Configuration.Role.initiator, [1, 3, 5] as [UInt64]), (.responder, [2, 4, 6]),
        ] {
            let fixture = MachineFixture.open(role)
            for _ in 0..<3 { _ = fixture.ask() }
            #expect(fixture.takeFrames().map(\.id) == ids)
        }
    }

    @Test func finalFramesMayComeInAnyOrder() {
        let fixture = MachineFixture.open(.initiator)
        for _ in 0..<3 { _ = fixture.ask() }
        fixture.receive(Frame(id: 5, .answer(body: [5])))
        fixture.receive(Frame(id: 1, .failure(DocumentError(.noSuchItem, "No."))))
        fixture.receive(Frame(id: 3, .answer(body: [3])))
        #expect(fixture.takeEnds() == ["5: [5]", "1: noSuchItem", "3: [3]"])
        #expect(fixture.end == nil)
    }

    @Test(arguments: [UInt64(3), 2, 0])
    func answerToWhatNobodyAskedClosesTheConnection(id: UInt64) {
        let fixture = MachineFixture.open(.initiator)
        _ = fixture.ask()
        fixture.receive(Frame(id: id, .answer(body: [])))
        #expect(fixture.violation?.message == "It answered request \(id), which nobody asked.")
        #expect(fixture.takeEnds() == ["1: protocolViolation"])
    }

    @Test func secondAnswerClosesTheConnection() {
        let fixture = MachineFixture.open(.initiator)
        _ = fixture.ask()
        fixture.receive(Frame(id: 1, .answer(body: [])))
        fixture.receive(Frame(id: 1, .answer(body: [])))
        #expect(fixture.violation?.message == "It answered request 1 a second time.")
    }

    @Test func codesOfTheHostFromAProviderAreAViolation() {
        let fixture = MachineFixture.open(.initiator)
        _ = fixture.ask()
        fixture.receive(Frame(id: 1, .failure(DocumentError(.providerDied, "I died."))))
        #expect(fixture.violation != nil)
        let tool = MachineFixture.open(.initiator) { $0.refusesReservedCodes = false }
        _ = tool.ask()
        tool.receive(Frame(id: 1, .failure(DocumentError(.providerDied, "It died."))))
        #expect(tool.violation == nil)
        #expect(tool.takeEnds() == ["1: providerDied"])
    }

    @Test func requestsAboveThePeersLimitWaitForAPlace() {
        let fixture = MachineFixture.open(.initiator, peer: Frame.Limits(frameBytes: 0, requests: 2))
        for _ in 0..<4 { _ = fixture.ask() }
        #expect(fixture.takeFrames().map(\.id) == [1, 3])
        fixture.receive(Frame(id: 3, .answer(body: [])))
        #expect(fixture.takeFrames().map(\.id) == [5])
        fixture.receive(Frame(id: 1, .answer(body: [])))
        #expect(fixture.takeFrames().map(\.id) == [7])
    }

    @Test func whatEndsSomethingDoesNotStandBehindWhatWaitsForIt() {
        let fixture = MachineFixture.open(.initiator, peer: Frame.Limits(frameBytes: 0, requests: 2))
        for priority in [RequestPriority.ordinary, .ordinary, .ordinary, .ending, .nested, .nested, .ending] {
            _ = fixture.ask(priority: priority)
        }
        // Two ordinary places, and one more for each step: the end has taken the last but one.
        #expect(fixture.takeFrames().map(\.id) == [1, 3, 7, 13])
        fixture.receive(Frame(id: 7, .answer(body: [])))
        #expect(fixture.takeFrames().isEmpty)
        fixture.receive(Frame(id: 13, .answer(body: [])))
        // Who was overtaken gets an id anew: they grow.
        #expect(fixture.takeFrames().map(\.id) == [15])
        for id in [1, 3] as [UInt64] { fixture.receive(Frame(id: id, .answer(body: []))) }
        #expect(fixture.takeFrames().map(\.id) == [17])
        // The last ordinary one, when fewer than two are left.
        fixture.receive(Frame(id: 15, .answer(body: [])))
        #expect(fixture.takeFrames().map(\.id) == [19])
        fixture.receive(Frame(id: 19, .answer(body: [])))
        #expect(fixture.takeEnds() == ["7: []", "13: []", "1: []", "3: []", "15: []", "19: []"])
    }

    @Test func requestsWaitWhileTooMuchIsUnsent() {
        let fixture = MachineFixture.open(.initiator) { $0.queueBytes = 100 }
        _ = fixture.ask([UInt8](repeating: 0, count: 200))
        _ = fixture.ask()
        let first = fixture.machine.outbox.withNext { $0.count }
        #expect(first < 220)
        #expect(fixture.takeFrames().map(\.id) == [1, 3])
    }

    @Test func requestThatThePeerWouldRefuseIsNotSent() {
        let fixture = MachineFixture.open(.initiator, peer: Frame.Limits(frameBytes: 4096, requests: 0))
        _ = fixture.ask([UInt8](repeating: 0, count: 4096))
        #expect(fixture.takeEnds() == ["1: frameTooLarge"])
        #expect(fixture.takeFrames().isEmpty)
    }
}
