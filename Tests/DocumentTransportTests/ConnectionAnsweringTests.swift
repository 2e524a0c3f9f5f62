import DocumentModel
import DocumentWire
import Testing

@testable import DocumentTransport

/// Requests of the peer: limits, answers, reports and floods. Without any I/O.
@Suite struct ConnectionAnsweringTests {
    @Test func requestsAboveOurLimitAreBusy() {
        let fixture = MachineFixture.open(.responder) { $0.limits.requests = 2 }
        for id in [1, 3, 5] as [UInt64] { fixture.receive(Frame(id: id, .request(body: [], deadline: 0))) }
        let frames = fixture.takeFrames()
        #expect(frames.map(\.id) == [5])
        #expect(frames.first?.code == .busy)
        #expect(fixture.takeActions().count == 2)
    }

    @Test func whatEndsSomethingHasPlacesOfItsOwn() {
        let fixture = MachineFixture.open(.responder) { configuration in
            configuration.limits.requests = 4
            configuration.takesPriorities = true
        }
        var id: UInt64 = 1
        func ask(_ priority: RequestPriority) -> DocumentError.Code? {
            fixture.receive(Frame(id: id, .request(body: [], deadline: 0, priority: priority)))
            id += 2
            return fixture.takeFrames().first?.code
        }
        let taken = [RequestPriority.ordinary, .nested, .ending].map { priority in
            (0..<10).count { _ in ask(priority) == nil }
        }
        #expect(taken == [4, 2, 2])
    }

    @Test func whoTakesNoPrioritiesAnswersAllRequestsAsOrdinaryOnes() {
        let fixture = MachineFixture.open(.responder) { $0.limits.requests = 1 }
        for id in [1, 3] as [UInt64] {
            fixture.receive(Frame(id: id, .request(body: [], deadline: 0, priority: .ending)))
        }
        #expect(fixture.takeFrames().map(\.code) == [.busy])
    }

    @Test func placeIsHeldUntilTheAnswerHasLeft() {
        let fixture = MachineFixture.open(.responder) { $0.limits.requests = 1 }
        fixture.receive(Frame(id: 1, .request(body: [], deadline: 0)))
        fixture.machine.finish(1, .answer([1]))
        fixture.receive(Frame(id: 3, .request(body: [], deadline: 0)))
        #expect(fixture.takeFrames().map(\.code) == [nil, .busy])
        fixture.receive(Frame(id: 5, .request(body: [], deadline: 0)))
        #expect(fixture.takeFrames().isEmpty)
    }

    @Test(arguments: [UInt64(0), 2, 3, 1])
    func idsOfThePeerMustBeItsOwnAndGrow(id: UInt64) {
        let fixture = MachineFixture.open(.responder)
        fixture.receive(Frame(id: 3, .request(body: [], deadline: 0)))
        fixture.receive(Frame(id: id, .request(body: [], deadline: 0)))
        #expect(fixture.violation != nil)
    }

    @Test func cancelReachesTheHandlerOnceAndLateOnesAreIgnored() {
        let fixture = MachineFixture.open(.responder)
        fixture.receive(Frame(id: 1, .request(body: [], deadline: 0)))
        _ = fixture.takeActions()
        fixture.receive(Frame(id: 1, .cancel))
        fixture.receive(Frame(id: 1, .cancel))
        #expect(fixture.takeActions().count == 1)
        fixture.machine.finish(1, .failure(DocumentError(.cancelled, "Cancelled.")))
        fixture.receive(Frame(id: 1, .cancel))
        fixture.receive(Frame(id: 99, .cancel))
        #expect(fixture.violation == nil)
        #expect(fixture.takeFrames().map(\.code) == [.cancelled])
    }

    @Test func secondAnswerOfAHandlerIsNotSent() {
        let fixture = MachineFixture.open(.responder)
        fixture.receive(Frame(id: 1, .request(body: [], deadline: 0)))
        fixture.machine.finish(1, .answer([1]))
        fixture.machine.finish(1, .answer([2]))
        #expect(fixture.takeFrames() == [Frame(id: 1, .answer(body: [1]))])
    }

    @Test func providerCannotSendTheHostsCodes() {
        let fixture = MachineFixture.open(.responder) { $0.maySendReservedCodes = false }
        fixture.receive(Frame(id: 1, .request(body: [], deadline: 0)))
        fixture.machine.finish(1, .failure(DocumentError(.deadlineExceeded, "Too slow.")))
        #expect(fixture.takeFrames().map(\.code) == [.internal])
    }

    @Test func answerThatIsTooLargeBecomesAFailure() {
        let fixture = MachineFixture.open(.responder, peer: Frame.Limits(frameBytes: 4096, requests: 0))
        fixture.receive(Frame(id: 1, .request(body: [], deadline: 0)))
        fixture.machine.finish(1, .answer([UInt8](repeating: 0, count: 5000)))
        #expect(fixture.takeFrames().map(\.code) == [.frameTooLarge])
    }

    @Test func failureWithLongTextsIsCutToFit() throws {
        let fixture = MachineFixture.open(.responder, peer: Frame.Limits(frameBytes: 4096, requests: 0))
        fixture.receive(Frame(id: 1, .request(body: [], deadline: 0)))
        let long = String(repeating: "ü", count: 9000)
        fixture.machine.finish(1, .failure(DocumentError(.busy, long, detail: long, causes: [long, long])))
        let frame = try #require(fixture.takeFrames().first)
        #expect(frame.code == .busy)
        #expect(frame.generalBody().count <= 4096)
    }

    @Test func reportsGoOutAtMostEvery50MillisecondsWithTheNewestFigures() {
        let fixture = MachineFixture.open(.responder)
        fixture.receive(Frame(id: 1, .request(body: [], deadline: 0)))
        for done in [1, 2, 3] as [UInt64] {
            fixture.machine.report(1, TransferProgress(done: done), at: fixture.now)
        }
        fixture.machine.report(1, nil, at: fixture.now)
        #expect(fixture.takeFrames() == [Frame(id: 1, .progress(TransferProgress(done: 1)))])
        fixture.pass(.milliseconds(50))
        #expect(fixture.takeFrames() == [Frame(id: 1, .progress(TransferProgress(done: 3)))])
        fixture.pass(.milliseconds(50))
        #expect(fixture.takeFrames().isEmpty)
        fixture.machine.report(1, TransferProgress(done: 2), at: fixture.now)
        fixture.machine.report(1, nil, at: fixture.now)
        #expect(fixture.takeFrames() == [Frame(id: 1, .heartbeat)])
    }

    @Test func pongGoesAheadOfEverythingThatHasNotBegun() throws {
        let fixture = MachineFixture.open(.responder)
        for id in [1, 3] as [UInt64] {
            fixture.receive(Frame(id: id, .request(body: [], deadline: 0)))
            fixture.machine.finish(id, .answer([UInt8](repeating: UInt8(id), count: 50)))
        }
        // A part of the first answer has gone.
        fixture.machine.wrote(10, at: fixture.now)
        fixture.receive(Frame(.ping(5)))
        var decoder = FrameDecoder(limit: 4096)
        var kinds: [Frame] = []
        var bytes = Frame.bytes(of: Frame(id: 1, .answer(body: [UInt8](repeating: 1, count: 50)))).prefix(10) + []
        while !fixture.machine.outbox.isEmpty {
            let next = fixture.machine.outbox.withNext { [UInt8]($0.prefix(7)) }
            fixture.machine.wrote(next.count, at: fixture.now)
            bytes += next
        }
        try bytes.withUnsafeBytes { slice in
            try decoder.decode(slice) { body, _ throws(FrameViolation) in
                if let frame = try? Frame(body: body) { kinds.append(frame) }
            }
        }
        #expect(kinds.map(\.id) == [1, 0, 3])
        #expect(kinds.dropFirst().first?.kind == .pong(5))
    }

    @Test func floodWithoutReadingStopsOurReading() {
        let fixture = MachineFixture.open(.responder)
        #expect(fixture.wantsReading)
        var sent = 0
        while fixture.wantsReading, sent < 1_000_000 {
            fixture.receive(Frame(.ping(UInt64(sent))))
            sent += 1
            // Not so quickly that it is a violation.
            if sent % 4000 == 0 { fixture.pass(.seconds(1)) }
        }
        #expect(sent < 100_000)
        _ = fixture.takeFrames()
        #expect(fixture.wantsReading)
    }

    @Test func notificationsThatNobodyTakesStopOurReading() {
        let fixture = MachineFixture.open(.initiator)
        for _ in 0..<1024 { fixture.receive(Frame(.notification(body: []))) }
        #expect(!fixture.wantsReading)
        fixture.machine.notificationTaken()
        #expect(fixture.wantsReading)
    }

    @Test func unknownFrameIsAnsweredOnlyWhenItIsARequestOfThePeer() {
        let fixture = MachineFixture.open(.responder)
        fixture.receive(Frame(.unknown))
        fixture.receive(Frame(id: 2, .unknown))
        #expect(fixture.takeFrames().isEmpty)
        fixture.receive(Frame(id: 1, .unknown))
        #expect(fixture.takeFrames().map(\.code) == [.unimplemented])
        #expect(fixture.violation == nil)
    }
}

extension Frame {
    fileprivate static func bytes(of frame: Frame) -> [UInt8] {
        var bytes: [UInt8] = []
        frame.append(to: &bytes)
        return bytes
    }
}
