import DocumentModel
import DocumentWire
import Synchronization
import Testing

@testable import DocumentTransport

@Suite("Rule 57: a silent peer with open work is asked whether it is there")
struct SilenceTests {
    private func fixture() -> MachineFixture {
        .open(.initiator) { configuration in
            configuration.pingAfter = .seconds(60)
            configuration.pongWithin = .seconds(240)
        }
    }

    private func pings(_ fixture: MachineFixture) -> Int {
        fixture.takeFrames().count { if case .ping = $0.kind { true } else { false } }
    }

    @Test("Without work it may be silent for ever")
    func idle() {
        let fixture = fixture()
        fixture.pass(.seconds(10_000))
        #expect(pings(fixture) == 0)
        #expect(!fixture.isOver)
    }

    @Test("With work it is asked after a minute of silence, and given up after four more")
    func silent() {
        let fixture = fixture()
        _ = fixture.ask()
        fixture.pass(.seconds(59))
        #expect(pings(fixture) == 0)
        fixture.pass(.seconds(1))
        #expect(pings(fixture) == 1)
        fixture.pass(.seconds(239))
        #expect(!fixture.isOver)
        fixture.pass(.seconds(1))
        #expect(fixture.ending?.reason == .failed)
        #expect(fixture.ending?.error.code == .deadlineExceeded)
        #expect(fixture.ending?.error.message.contains("said nothing for 300 s") == true)
    }

    @Test("Whoever knows what can be done about the silence says it in place of that")
    func advice() {
        let advice = DocumentError(.hostUnavailable, "The host is stopped: let it go on.")
        let fixture = MachineFixture.open(.initiator) { configuration in
            configuration.pingAfter = .seconds(60)
            configuration.pongWithin = .seconds(60)
            configuration.silenceError = advice
        }
        let request = fixture.ask()
        fixture.pass(.seconds(60))
        fixture.pass(.seconds(60))
        #expect(fixture.ending?.error == advice)
        let failures = fixture.takeActions().compactMap { action -> DocumentError? in
            guard case .finish(let finished, .failure(let error)) = action, finished === request else { return nil }
            return error
        }
        #expect(failures == [advice])
    }

    @Test("A pong is enough, and so is anything else; then it may be silent again for as long")
    func answered() {
        let fixture = fixture()
        let request = fixture.ask()
        for round in 0..<20 {
            fixture.pass(.seconds(60))
            #expect(pings(fixture) == 1, "round \(round)")
            fixture.pass(.seconds(200))
            fixture.receive(round % 2 == 0 ? Frame(.pong(1)) : Frame(id: request.id, .heartbeat))
        }
        #expect(!fixture.isOver)
        fixture.receive(Frame(id: request.id, .answer(body: [])))
        fixture.pass(.seconds(10_000))
        #expect(!fixture.isOver, "there is no work any more")
    }

    @Test("Rule 28: what fills a file gets somewhere, although it says nothing; when it stops, it has stalled")
    func bytesElsewhere() {
        let fixture = MachineFixture.open(.initiator)
        let size = Mutex<UInt64>(1)
        let request = AskedRequest(bytesElsewhere: { size.withLock { $0 } })
        fixture.machine.ask(request, [1], deadline: .stall(.seconds(60)), at: fixture.now)
        for _ in 0..<5 {
            fixture.pass(.seconds(60))
            #expect(fixture.takeFrames().allSatisfy { $0.kind != .cancel })
            size.withLock { $0 += 1 }
        }
        fixture.pass(.seconds(60))
        _ = fixture.takeFrames()
        fixture.pass(.seconds(60))
        #expect(fixture.takeFrames().contains { $0.kind == .cancel })
    }

    @Test(
        "What fills a file steadily may be silent for as long as that grows, and is ended when it does not",
        arguments: [59, 240] as [Int64])
    func fillingInSilence(stall: Int64) {
        let fixture = fixture()
        let size = Mutex<UInt64>(0)
        let request = AskedRequest(bytesElsewhere: { size.withLock { $0 } })
        fixture.machine.ask(request, [1], deadline: .stall(.seconds(stall)), at: fixture.now)
        // It grows every 59 s; the looks of the one fall between those of the other.
        for round in 0..<20 {
            size.withLock { $0 += 1 }
            fixture.pass(.seconds(55))
            fixture.pass(.seconds(4))
            fixture.pass(.seconds(1))
            #expect(!fixture.isOver, "round \(round)")
            #expect(fixture.takeFrames().allSatisfy { $0.kind != .cancel }, "round \(round)")
        }
        for _ in 0..<9 where !fixture.isOver { fixture.pass(.seconds(60)) }
        #expect(fixture.ending?.error.code == .deadlineExceeded)
    }

    @Test("When what is filled stops growing the silence counts, and the error says both")
    func stopsFilling() {
        let fixture = fixture()
        let size = Mutex<UInt64>(1)
        let request = AskedRequest(bytesElsewhere: { size.withLock { $0 } })
        fixture.machine.ask(request, [1], deadline: .stall(.seconds(5000)), at: fixture.now)
        fixture.pass(.seconds(60))
        fixture.pass(.seconds(240))
        #expect(!fixture.isOver, "it has filled something since it was asked")
        #expect(pings(fixture) == 1)
        fixture.pass(.seconds(239))
        #expect(!fixture.isOver)
        fixture.pass(.seconds(1))
        #expect(
            fixture.ending?.error.message.contains("has said nothing since it was asked whether it is there") == true)
        #expect(fixture.ending?.error.message.contains("has not grown for 240 s") == true)
    }

    @Test("Rule 58: the last frames are kept, in their order, with what they carried named and not shown")
    func flight() {
        let fixture = MachineFixture.open(.initiator) { $0.keepsFlightRecord = true }
        for index in 0..<100 {
            let request = fixture.ask([5 << 3 | 2, 0])
            if index < 98 { fixture.receive(Frame(id: request.id, .answer(body: []))) }
        }
        fixture.machine.close(nil)
        let (sent, open) = (fixture.machine.outbox.trace?.sent, fixture.machine.openAtEnd)
        #expect(sent?.count == 101)
        let last: [UInt64] = (68..<100).map { number in UInt64(number * 2 + 1) }
        #expect(sent?.entries.map(\.id) == last)
        #expect(sent?.entries.last?.call == 5 && sent?.entries.last?.kind == .request)
        #expect(open.map(\.id) == [197, 199])
        #expect(open.map(\.call) == [5, 5])
    }
}

extension MachineFixture {
    fileprivate var isOver: Bool { machine.isOver }
    fileprivate var ending: ConnectionEnd? { machine.ending }
}
