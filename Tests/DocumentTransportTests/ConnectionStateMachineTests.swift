import DocumentModel
import DocumentWire
import Testing

@testable import DocumentTransport

/// A state machine, a clock that only the test moves, and what came out.
final class MachineFixture {
    var machine: ConnectionStateMachine
    var now = MonotonicTime(nanoseconds: 1_000_000_000)
    var violation: FrameViolation?

    init(_ role: Connection.Configuration.Role, _ change: (inout Connection.Configuration) -> Void = { _ in }) {
        var configuration = Connection.Configuration(role: role, preface: role == .initiator ? .expects : .none)
        configuration.peerName = "The other side"
        configuration.software = "us"
        change(&configuration)
        machine = ConnectionStateMachine(configuration: configuration, processID: 42)
    }

    /// Opened, with nothing left over from it.
    static func open(
        _ role: Connection.Configuration.Role, peer limits: Frame.Limits = Frame.Limits(),
        _ change: (inout Connection.Configuration) -> Void = { _ in }
    ) -> MachineFixture {
        let fixture = MachineFixture(role, change)
        fixture.machine.open(at: fixture.now)
        switch role {
        case .initiator:
            var reply = Frame.HelloReply()
            (reply.version, reply.limits) = (1, limits)
            fixture.receive(Frame(.helloReply(reply)))
        case .responder:
            var hello = Frame.Hello()
            (hello.versions, hello.limits) = ([1], limits)
            fixture.receive(Frame(.hello(hello)))
            fixture.machine.reply(context: [])
        }
        _ = fixture.takeActions()
        _ = fixture.takeFrames()
        return fixture
    }

    func receive(_ frame: Frame) {
        do {
            try machine.receive(frame, at: now)
        } catch {
            let violation = FrameViolation(error.message, offset: 0, bytes: [])
            self.violation = violation
            machine.violated(violation)
        }
    }

    func pass(_ duration: Duration) {
        now = now + duration
        machine.timePassed(at: now)
    }

    func ask(_ body: [UInt8] = [1], deadline: Deadline = .none) -> AskedRequest {
        let request = AskedRequest()
        machine.ask(request, body, deadline: deadline, at: now)
        return request
    }

    func takeActions() -> [ConnectionStateMachine.Action] {
        defer { machine.actions = [] }
        return machine.actions
    }

    /// The ends of requests, as texts: "1: [2]", "3: busy".
    func takeEnds() -> [String] {
        takeActions().compactMap { action in
            guard case .finish(let request, let outcome) = action else { return nil }
            switch outcome {
            case .answer(let body): return "\(request.id): \(body)"
            case .failure(let error): return "\(request.id): \(error.code)"
            }
        }
    }

    /// Reads all of the outbox, as the peer would.
    func takeFrames() -> [Frame] {
        var decoder = FrameDecoder(limit: 4_194_304)
        var frames: [Frame] = []
        while !machine.outbox.isEmpty {
            let bytes = machine.outbox.withNext { [UInt8]($0) }
            machine.wrote(bytes.count, at: now)
            try? bytes.withUnsafeBytes { slice in
                try decoder.decode(slice) { body, _ throws(FrameViolation) in
                    if let frame = try? Frame(body: body) { frames.append(frame) }
                }
            }
        }
        return frames
    }

    var end: ConnectionEnd? { machine.ending }
    var wantsReading: Bool { machine.wantsReading }
    var droppedFrames: Int { machine.droppedFrames }
}

extension Frame {
    /// The code of a failure.
    var code: DocumentError.Code? {
        if case .failure(let error) = kind { error.code } else { nil }
    }
}

/// The rules of wire-and-supervision.md, sections 2 to 4, without any I/O.
struct ConnectionStateMachineTests {
    // MARK: Hello

    @Test func initiatorSpeaksFirstAndIsOpenAfterTheReply() throws {
        let fixture = MachineFixture(.initiator) { $0.context = [5] }
        fixture.machine.open(at: fixture.now)
        let frames = fixture.takeFrames()
        guard case .hello(let hello) = try #require(frames.first).kind else {
            Issue.record("No hello.")
            return
        }
        #expect(frames.count == 1)
        #expect(hello.versions == [1])
        #expect(hello.processID == 42)
        #expect(hello.context == [5])
        var reply = Frame.HelloReply()
        reply.version = 1
        reply.context = [6]
        fixture.receive(Frame(.helloReply(reply)))
        guard case .opened(let peer) = try #require(fixture.takeActions().first) else {
            Issue.record("Not open.")
            return
        }
        #expect(peer.version == 1)
        #expect(peer.context == [6])
    }

    @Test func responderPicksTheHighestSharedVersionAndTheSharedFeatures() throws {
        let fixture = MachineFixture(.responder) {
            $0.versions = [1, 2, 3]
            $0.features = ["a", "b"]
        }
        fixture.machine.open(at: fixture.now)
        var hello = Frame.Hello()
        hello.versions = [2, 9, 1]
        hello.features = ["b", "c"]
        fixture.receive(Frame(.hello(hello)))
        fixture.machine.reply(context: [7])
        let frames = fixture.takeFrames()
        guard case .helloReply(let reply) = try #require(frames.first).kind else {
            Issue.record("No reply.")
            return
        }
        #expect(reply.version == 2)
        #expect(reply.features == ["b"])
        #expect(reply.context == [7])
    }

    @Test func responderWithoutASharedVersionAnswersWithItsListAndEnds() throws {
        let fixture = MachineFixture(.responder) { $0.versions = [1] }
        fixture.machine.open(at: fixture.now)
        var hello = Frame.Hello()
        hello.versions = [2, 3]
        fixture.receive(Frame(.hello(hello)))
        guard case .helloReply(let reply) = try #require(fixture.takeFrames().first).kind else {
            Issue.record("No reply.")
            return
        }
        #expect(reply.version == 0)
        #expect(reply.versions == [1])
        #expect(fixture.end?.reason == .closed)
    }

    @Test(arguments: [
        ([UInt32(1)], "The other side is too old; update it."), ([5], "This side is too old; update Docent."),
    ])
    func initiatorSaysWhichSideIsTooOld(theirs: [UInt32], advice: String) throws {
        let fixture = MachineFixture(.initiator) { $0.versions = [2, 3] }
        fixture.machine.open(at: fixture.now)
        var reply = Frame.HelloReply()
        reply.versions = theirs
        fixture.receive(Frame(.helloReply(reply)))
        let message = fixture.end?.error.message ?? ""
        #expect(message.hasSuffix(advice))
    }

    @Test func nothingMayComeBeforeTheHello() {
        let responder = MachineFixture(.responder)
        responder.machine.open(at: responder.now)
        responder.receive(Frame(id: 1, .request(body: [], deadline: 0)))
        #expect(responder.violation?.message == "It did not begin with a hello.")
        let initiator = MachineFixture(.initiator)
        initiator.machine.open(at: initiator.now)
        initiator.receive(Frame(id: 2, .request(body: [], deadline: 0)))
        #expect(initiator.violation?.message == "It did not begin with the answer to the hello.")
    }

    @Test func aSecondHelloIsAViolation() {
        let fixture = MachineFixture.open(.responder)
        fixture.receive(Frame(.hello(Frame.Hello())))
        #expect(fixture.violation?.message == "It sent a second hello.")
        #expect(fixture.end?.error.code == .protocolViolation)
    }

    @Test func silentPeerIsGivenUpAfterTheHandshakeTimeout() {
        let fixture = MachineFixture(.initiator)
        fixture.machine.open(at: fixture.now)
        fixture.pass(.milliseconds(9_999))
        #expect(fixture.end == nil)
        fixture.pass(.milliseconds(1))
        #expect(fixture.end?.error.code == .deadlineExceeded)
    }

    @Test func versionThatWasNotOfferedIsAViolation() {
        let fixture = MachineFixture(.initiator)
        fixture.machine.open(at: fixture.now)
        var reply = Frame.HelloReply()
        reply.version = 7
        fixture.receive(Frame(.helloReply(reply)))
        #expect(fixture.violation != nil)
    }

    // MARK: Asking

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

    // MARK: Cancel and deadlines

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
        guard case .request(_, 30_000)? = fixture.takeFrames().first?.kind else {
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
        fixture.pass(.seconds(6))
        #expect(fixture.takeEnds() == ["5: deadlineExceeded"])
        fixture.receive(Frame(id: 1, .answer(body: [])))
        #expect(fixture.takeFrames().map(\.id) == [1, 3])
        fixture.pass(.seconds(5))
        #expect(fixture.takeFrames() == [Frame(id: 3, .cancel)])
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

    // MARK: Answering

    @Test func requestsAboveOurLimitAreBusy() {
        let fixture = MachineFixture.open(.responder) { $0.limits.requests = 2 }
        for id in [1, 3, 5] as [UInt64] { fixture.receive(Frame(id: id, .request(body: [], deadline: 0))) }
        let frames = fixture.takeFrames()
        #expect(frames.map(\.id) == [5])
        #expect(frames.first?.code == .busy)
        #expect(fixture.takeActions().count == 2)
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

    // MARK: What is not known

    @Test func unknownFrameIsAnsweredOnlyWhenItIsARequestOfThePeer() {
        let fixture = MachineFixture.open(.responder)
        fixture.receive(Frame(.unknown))
        fixture.receive(Frame(id: 2, .unknown))
        #expect(fixture.takeFrames().isEmpty)
        fixture.receive(Frame(id: 1, .unknown))
        #expect(fixture.takeFrames().map(\.code) == [.unimplemented])
        #expect(fixture.violation == nil)
    }

    // MARK: The end

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

    @Test func deathOfThePeerFailsEveryOpenRequestInTheWayThatIsConfigured() {
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

    /// Whatever a peer sends, the machine answers or ends, and each request of ours ends exactly once.
    @Test func randomFramesNeverBreakTheRules() {
        var random = SeededGenerator(seed: 21)
        for round in 0..<400 {
            let fixture = MachineFixture.open(round % 2 == 0 ? .initiator : .responder)
            var asked: Set<UInt64> = []
            var ended: [UInt64] = []
            for _ in 0..<60 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<3: asked.insert(fixture.ask(deadline: .total(.seconds(3))).id)
                case 3: fixture.pass(.seconds(1))
                case 4: _ = fixture.takeFrames()
                default: fixture.receive(random.frame(near: fixture.machine.nextID))
                }
                for action in fixture.takeActions() {
                    switch action {
                    case .finish(let request, _): ended.append(request.id)
                    case .answer(let id, _, _) where Bool.random(using: &random):
                        fixture.machine.finish(id, .answer([]))
                    default: break
                    }
                }
            }
            fixture.machine.close(nil)
            for case .finish(let request, _) in fixture.takeActions() { ended.append(request.id) }
            #expect(ended.count == Set(ended).count)
            #expect(Set(ended) == asked)
        }
    }
}

extension Frame {
    fileprivate static func bytes(of frame: Frame) -> [UInt8] {
        var bytes: [UInt8] = []
        frame.append(to: &bytes)
        return bytes
    }
}

extension SeededGenerator {
    fileprivate mutating func frame(near id: UInt64) -> Frame {
        let id = UInt64.random(in: (id > 8 ? id - 8 : 0)...id, using: &self)
        switch Int.random(in: 0..<12, using: &self) {
        case 0..<4: return Frame(id: id, .answer(body: []))
        case 4: return Frame(id: id, .failure(DocumentError(.cancelled, "No.")))
        case 5: return Frame(id: id, .heartbeat)
        case 6: return Frame(id: id, .progress(TransferProgress(done: next() % 3)))
        case 7: return Frame(id: id, .cancel)
        case 8, 9: return Frame(id: id, .request(body: [], deadline: 0))
        case 10: return Frame(.ping(1))
        default: return Frame(id: id, .unknown)
        }
    }
}
