import DocumentModel
import DocumentWire
import Synchronization
import Testing

@testable import DocumentTransport

/// Cancel and deadlines, of our requests. Without any I/O.
@Suite struct ConnectionDeadlinesTests {
    @Test func cancelIsAMessageAndTheFinalFrameIsWaitedFor() {
        let fixture = MachineFixture.open(.initiator)
        let request = fixture.ask()
        _ = fixture.takeFrames()
        fixture.machine.cancel(request, at: fixture.now)
        fixture.machine.cancel(request, at: fixture.now)
        #expect(fixture.takeFrames() == [Frame(id: 1, .cancel)])
        #expect(fixture.takeEnds().isEmpty)
        fixture.receive(Frame(id: 1, .answer(body: [9])))
        #expect(fixture.takeEnds() == ["1: [9]"])
    }

    @Test func cancelledRequestThatWaitsForAPlaceIsNeverSent() {
        let fixture = MachineFixture.open(.initiator, peer: Frame.Limits(frameBytes: 0, requests: 1))
        _ = fixture.ask()
        let second = fixture.ask()
        _ = fixture.ask()
        fixture.machine.cancel(second, at: fixture.now)
        #expect(fixture.takeEnds() == ["3: cancelled"])
        fixture.receive(Frame(id: 1, .answer(body: [])))
        #expect(fixture.takeFrames().map(\.id) == [1, 5])
    }

    @Test func missedDeadlineCancelsAndFailsOnceThePeerHasEndedIt() {
        let fixture = MachineFixture.open(.initiator)
        _ = fixture.ask(deadline: .total(.seconds(30)))
        guard case .request(_, 30_000, _, _)? = fixture.takeFrames().first?.kind else {
            Issue.record("The deadline was not told.")
            return
        }
        fixture.pass(.seconds(30))
        #expect(fixture.takeFrames() == [Frame(id: 1, .cancel)])
        #expect(fixture.takeEnds().isEmpty)
        fixture.receive(Frame(id: 1, .failure(DocumentError(.cancelled, "Cancelled."))))
        #expect(fixture.takeEnds() == ["1: deadlineExceeded"])
        #expect(fixture.end == nil)
    }

    @Test func cancelGraceThatRunsOutFailsTheRequestAndClosesTheSuspect() {
        let fixture = MachineFixture.open(.initiator)
        let request = fixture.ask()
        fixture.machine.cancel(request, at: fixture.now)
        fixture.pass(.milliseconds(9_999))
        #expect(fixture.takeEnds().isEmpty)
        fixture.pass(.milliseconds(1))
        #expect(fixture.takeEnds() == ["1: cancelled"])
        #expect(fixture.end?.reason == .failed)
    }

    @Test func suspectFinishesWhatElseRunsAndTakesNoNewWork() {
        let fixture = MachineFixture.open(.initiator)
        let request = fixture.ask()
        _ = fixture.ask()
        fixture.machine.cancel(request, at: fixture.now)
        fixture.pass(.seconds(10))
        _ = fixture.ask()
        #expect(fixture.takeEnds() == ["1: cancelled", "5: deadlineExceeded"])
        #expect(fixture.end == nil)
        // The late final frame of the abandoned request is dropped; a second one is a violation.
        fixture.receive(Frame(id: 1, .answer(body: [])))
        #expect(fixture.droppedFrames == 1)
        #expect(fixture.violation == nil)
        fixture.receive(Frame(id: 3, .answer(body: [3])))
        #expect(fixture.takeEnds() == ["3: [3]"])
        #expect(fixture.end?.reason == .failed)
    }

    @Test func suspectIsClosedEvenIfSomethingRuns() {
        let fixture = MachineFixture.open(.initiator)
        let request = fixture.ask()
        _ = fixture.ask()
        fixture.machine.cancel(request, at: fixture.now)
        fixture.pass(.seconds(10))
        #expect(fixture.end == nil)
        fixture.pass(.seconds(10))
        #expect(fixture.end?.reason == .failed)
        #expect(fixture.takeEnds() == ["1: cancelled", "3: deadlineExceeded"])
    }

    @Test func progressAndHeartbeatExtendAStallDeadline() {
        let fixture = MachineFixture.open(.initiator)
        _ = fixture.ask(deadline: .stall(.seconds(60)))
        fixture.pass(.seconds(50))
        fixture.receive(Frame(id: 1, .heartbeat))
        fixture.pass(.seconds(50))
        fixture.receive(Frame(id: 1, .progress(TransferProgress(done: 1))))
        fixture.pass(.seconds(59))
        #expect(fixture.takeFrames().count == 1)
        fixture.pass(.seconds(1))
        #expect(fixture.takeFrames() == [Frame(id: 1, .cancel)])
    }

    @Test func progressDoesNotExtendATotalDeadline() {
        let fixture = MachineFixture.open(.initiator)
        _ = fixture.ask(deadline: .total(.seconds(30)))
        _ = fixture.takeFrames()
        fixture.pass(.seconds(20))
        fixture.receive(Frame(id: 1, .heartbeat))
        fixture.pass(.seconds(10))
        #expect(fixture.takeFrames() == [Frame(id: 1, .cancel)])
    }

    @Test func stallIsNotCountedBeforeTheRequestIsSent() {
        let fixture = MachineFixture.open(.initiator, peer: Frame.Limits(frameBytes: 0, requests: 1))
        _ = fixture.ask()
        _ = fixture.ask(deadline: .stall(.seconds(5)))
        _ = fixture.ask(deadline: .total(.seconds(5)))
        fixture.pass(.seconds(4))
        fixture.receive(Frame(id: 1, .progress(TransferProgress(done: 1))))
        _ = fixture.takeActions()
        fixture.pass(.seconds(2))
        #expect(fixture.takeEnds() == ["5: deadlineExceeded"])
        fixture.receive(Frame(id: 1, .answer(body: [])))
        #expect(fixture.takeFrames().map(\.id) == [1, 3])
        fixture.pass(.seconds(5))
        #expect(fixture.takeFrames() == [Frame(id: 3, .cancel)])
    }

    @Test("Rule 28: what waits for a place while those that have one get nowhere is given up, and says why")
    func waitingForAPlaceIsBounded() {
        let fixture = MachineFixture.open(.initiator, peer: Frame.Limits(frameBytes: 0, requests: 1))
        _ = fixture.ask()
        _ = fixture.ask(deadline: .stall(.seconds(5)))
        for _ in 0..<4 {
            fixture.pass(.seconds(1))
            // Alive, and no further.
            fixture.receive(Frame(id: 1, .heartbeat))
        }
        _ = fixture.takeActions()
        fixture.pass(.seconds(1))
        let messages = fixture.takeActions().compactMap { action -> String? in
            guard case .finish(_, .failure(let error)) = action else { return nil }
            return error.message
        }
        #expect(
            messages == [
                "The other side is busy with 1 other requests and did not get to this one while they got nowhere for 5 s; try again when they are done."
            ])
        fixture.receive(Frame(id: 1, .answer(body: [])))
        #expect(fixture.takeFrames().map(\.id) == [1], "what was given up is never sent")
    }

    @Test("Rule 28: however far others get, nobody waits for a place for ever")
    func waitingForAPlaceEnds() {
        let fixture = MachineFixture.open(.initiator, peer: Frame.Limits(frameBytes: 0, requests: 1))
        _ = fixture.ask()
        _ = fixture.ask(deadline: .stall(.seconds(5)))
        for second in 1..<300 {
            fixture.pass(.seconds(1))
            fixture.receive(Frame(id: 1, .progress(TransferProgress(done: UInt64(second)))))
        }
        #expect(fixture.takeEnds().isEmpty)
        fixture.pass(.seconds(1))
        #expect(fixture.takeEnds() == ["3: deadlineExceeded"])
    }

    @Test("Rule 28: a file that grows lets others wait, too")
    func waitingBesideAFileThatGrows() {
        let fixture = MachineFixture.open(.initiator, peer: Frame.Limits(frameBytes: 0, requests: 1))
        let size = Mutex<UInt64>(0)
        let filling = AskedRequest(bytesElsewhere: { size.withLock { $0 } })
        fixture.machine.ask(filling, [1], deadline: .stall(.seconds(5)), at: fixture.now)
        fixture.pass(.seconds(2))
        _ = fixture.ask(deadline: .stall(.seconds(5)))
        for _ in 0..<8 {
            size.withLock { $0 += 1 }
            fixture.pass(.seconds(3))
        }
        #expect(fixture.takeEnds().isEmpty)
        #expect(fixture.takeFrames().map(\.id) == [1])
        fixture.pass(.seconds(5))
        fixture.pass(.seconds(5))
        #expect(fixture.takeEnds() == ["3: deadlineExceeded"])
        #expect(fixture.takeFrames() == [Frame(id: 1, .cancel)])
    }

    @Test func fallingProgressIsAViolation() {
        let fixture = MachineFixture.open(.initiator)
        _ = fixture.ask()
        fixture.receive(Frame(id: 1, .progress(TransferProgress(done: 10))))
        fixture.receive(Frame(id: 1, .progress(TransferProgress(done: 10, expected: 4))))
        #expect(fixture.violation == nil)
        fixture.receive(Frame(id: 1, .progress(TransferProgress(done: 9))))
        #expect(fixture.violation?.message == "Its progress of request 1 fell from 10 to 9 bytes.")
    }

    @Test("Rule 7: what has come of a frame that is never finished is the evidence, from its first byte on")
    func unfinishedFrameIsShown() throws {
        let fixture = MachineFixture.open(.initiator)
        fixture.machine.frameIsIncomplete(true, hasProgressed: true, at: fixture.now)
        fixture.now = fixture.now + .seconds(30)
        fixture.machine.timePassed(
            at: fixture.now,
            unfinished: UnfinishedFrame(place: "a frame, after 1 of its 4 bytes", offset: 77, bytes: [4, 8]))
        let evidence = try #require(fixture.end?.evidence)
        #expect(evidence.offset == 77 && evidence.bytes == [4, 8])
        #expect(
            evidence.message
                == "It did not finish a frame within 30 s: it stopped within a frame, after 1 of its 4 bytes.")
    }

    @Test(
        "Rule 34: where a line was printed instead of an answer, that is what the caller is told, and not that it is late"
    )
    func printedTextIsTheCause() throws {
        let fixture = MachineFixture.open(.initiator) { $0.printedAdvice = "It printed that." }
        _ = fixture.ask(deadline: .total(.seconds(3)))
        let printed = UnfinishedFrame(
            place: "a frame, after 19 of its 119 bytes", offset: 77, bytes: Array("warning: deprecated\n".utf8))
        fixture.machine.frameIsIncomplete(true, hasProgressed: true, at: fixture.now)
        fixture.now = fixture.now + .seconds(3)
        fixture.machine.timePassed(at: fixture.now, unfinished: printed)
        let error = try #require(fixture.end?.error)
        #expect(error.code == .protocolViolation)
        #expect(error.message.hasSuffix("after 19 of its 119 bytes, where an answer was due. It printed that."))
    }

    @Test("Rule 34: a frame that has just begun, or reads like no text, is late, and no more")
    func unfinishedFrameIsLate() {
        for (bytes, age) in [(Array("warning: deprecated\n".utf8), 0), ([100, 8, 1, 42, 0, 0], 3)] {
            let fixture = MachineFixture.open(.initiator) { $0.printedAdvice = "It printed that." }
            _ = fixture.ask(deadline: .total(.seconds(3)))
            fixture.now = fixture.now + .seconds(3 - age)
            fixture.machine.frameIsIncomplete(true, hasProgressed: true, at: fixture.now)
            fixture.now = fixture.now + .seconds(age)
            fixture.machine.timePassed(
                at: fixture.now, unfinished: UnfinishedFrame(place: "a frame", offset: 77, bytes: bytes))
            #expect(fixture.end == nil)
        }
    }

    @Test func frameThatIsNeverFinishedIsGivenUp() {
        let fixture = MachineFixture.open(.initiator)
        fixture.machine.frameIsIncomplete(true, hasProgressed: true, at: fixture.now)
        for _ in 0..<29 {
            fixture.pass(.seconds(1))
            // A byte came, and the frame is still the same one.
            fixture.machine.frameIsIncomplete(true, hasProgressed: false, at: fixture.now)
        }
        #expect(fixture.end == nil)
        fixture.pass(.seconds(1))
        #expect(fixture.end?.error.code == .protocolViolation)
    }
}
