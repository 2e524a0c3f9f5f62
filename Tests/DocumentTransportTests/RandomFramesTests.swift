import DocumentModel
import DocumentWire
import Testing

@testable import DocumentTransport

/// Whatever a peer sends to a connection’s state machine.
@Suite struct RandomFramesTests {
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
                    case .answer(let id, _, _, _, _) where Bool.random(using: &random):
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
