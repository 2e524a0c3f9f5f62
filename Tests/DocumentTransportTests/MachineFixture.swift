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

    func ask(_ body: [UInt8] = [1], deadline: Deadline = .none, priority: RequestPriority = .ordinary) -> AskedRequest {
        let request = AskedRequest(priority: priority)
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
