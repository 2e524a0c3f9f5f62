import DocumentModel
import DocumentWire
import Testing

@testable import DocumentTransport

/// Sections 2 and 3 of wire-and-supervision.md: who speaks first, versions and features. Without any I/O.
@Suite struct ConnectionHelloTests {
    @Test("a request that waits, and is late when the peer becomes suspect, ends once (found by fuzzing)")
    func lateAndWaitingAtOnce() {
        // Whichever of the two comes first in the table.
        for late in 1...40 {
            let fixture = MachineFixture.open(.initiator, peer: Frame.Limits(requests: 1))
            let stuck = fixture.ask(deadline: .total(.seconds(1)))
            var all = [stuck]
            for _ in 0..<late { all.append(fixture.ask(deadline: .total(.seconds(5)))) }
            fixture.pass(.seconds(1))
            #expect(fixture.takeEnds().isEmpty, "cancelled, and its grace of ten seconds begins")
            // Nobody looked at the clock in between: the grace and the others' deadlines are over at once.
            fixture.pass(.seconds(20))
            let ends = fixture.takeEnds().map { $0.prefix { $0 != ":" } }
            #expect(ends.count == all.count && Set(ends).count == all.count, "\(ends)")
        }
    }

    @Test(
        "what a responder asks after the stream has ended fails at once: nobody will answer (found by fuzzing)",
        arguments: [false, true])
    func askingAfterTheEndOfTheStream(isShutDown: Bool) {
        let fixture = MachineFixture.open(.responder)
        fixture.receive(Frame(id: 1, .request(body: [1], deadline: 0)))
        if isShutDown { fixture.receive(Frame(.shutdown)) }
        fixture.machine.streamEnded(nil)
        _ = fixture.takeActions()
        _ = fixture.ask(deadline: .total(.seconds(30)))
        #expect(fixture.takeEnds() == ["2: providerDied"])
        #expect(fixture.end == nil)
        fixture.machine.finish(1, .answer([2]))
        #expect(fixture.end != nil)
    }

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
        #expect(fixture.end?.reason == .refused)
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
}
