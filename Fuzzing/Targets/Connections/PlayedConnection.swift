import DocumentModel
import DocumentTransport
import DocumentWire

/// One side of a connection, played: a decoder and a ``ConnectionStateMachine`` are fed what a peer sends, while a
/// script of the input tells what this side does meanwhile and how the time passes.
///
/// The input: the script's length, the script (one byte a step: what, and how much), the peer's stream.
struct PlayedConnection: ~Copyable {
    private var machine: ConnectionStateMachine
    private var decoder: FrameDecoder
    private var now = MonotonicTime(nanoseconds: 1_000_000_000)
    private let role: Connection.Configuration.Role

    /// What we asked, and how often each was ended.
    private var asked: [(request: AskedRequest, ends: Int)] = []
    /// What the peer asked, and was not answered yet.
    private var open: [UInt64] = []
    private var answered: Set<UInt64> = []
    private var ends = 0
    private var untaken = 0
    private var written: [UInt8] = []

    init(_ role: Connection.Configuration.Role) {
        self.role = role
        let preface: Connection.Configuration.Preface = role == .initiator ? .expects : .sends
        var configuration = Connection.Configuration(role: role, preface: preface)
        configuration.takesPriorities = role == .responder
        configuration.features = ["a", "b"]
        configuration.queueBytes = 65_536
        machine = ConnectionStateMachine(configuration: configuration, processID: 42)
        decoder = FrameDecoder(limit: FrameLimits.default.frameBytes, expectsPreface: role == .initiator)
    }

    mutating func play(_ bytes: [UInt8]) throws(FuzzFinding) {
        var input = FuzzInput(bytes)
        let script = input.bytes(Int(input.byte()))
        machine.open(at: now)
        try settle()
        for step in script {
            try take(step: step & 15, amount: Int(step >> 4), &input)
            try settle()
        }
        try receive(Array(input.rest))
        try settle()
        machine.streamEnded(decoder.violationAtEnd())
        for id in open { machine.finish(id, .answer([1])) }
        try settle()
        machine.peerIsGone(nil)
        try settle()
        try check()
    }

    private mutating func take(step: UInt8, amount: Int, _ input: inout FuzzInput) throws(FuzzFinding) {
        switch step {
        case 0, 1, 2, 3: try receive(input.bytes(1 << amount))
        case 4: ask(Array(repeating: 7, count: amount * amount * 23), .none)
        case 5: ask([1], .total(.milliseconds(amount * 100)))
        case 6: ask([2], .stall(.milliseconds(amount * 100)))
        case 7: if amount < asked.count { machine.cancel(asked[amount].request, at: now) }
        case 8: if amount < open.count { machine.finish(open.remove(at: amount), .answer(input.bytes(amount))) }
        case 9:
            let code = DocumentError.Code(rawValue: Int(input.byte()) * 2)
            let text = String(repeating: "x", count: amount * 400)
            guard amount < open.count else { return }
            machine.finish(open.remove(at: amount), .failure(DocumentError(code, text, detail: text)))
        case 10: if amount < open.count { machine.report(open[amount], progress(&input), at: now) }
        case 11: _ = machine.notify(Array(repeating: 3, count: amount * 100))
        case 12: drain(upTo: 1 << amount)
        case 13: pass(.milliseconds(1 << amount))
        case 14: takeNotifications(upTo: amount)
        default: if amount < 2 { machine.shutdown() } else { pass(.seconds(amount)) }
        }
    }

    private func progress(_ input: inout FuzzInput) -> TransferProgress? {
        let done = input.byte()
        return done == 0 ? nil : TransferProgress(done: UInt64(done), expected: nil)
    }

    private mutating func ask(_ body: [UInt8], _ deadline: Deadline) {
        let request = AskedRequest()
        asked.append((request, 0))
        machine.ask(request, body, deadline: deadline, at: now)
    }

    private mutating func pass(_ duration: Duration) {
        now = now + duration
        machine.timePassed(at: now)
    }

    private mutating func takeNotifications(upTo count: Int) {
        for _ in 0..<min(count, untaken) {
            machine.notificationTaken()
            untaken -= 1
        }
    }

    // MARK: As the connection does it

    private mutating func receive(_ bytes: [UInt8]) throws(FuzzFinding) {
        guard !bytes.isEmpty, !machine.isOver else { return }
        if !machine.wantsReading {
            drain(upTo: .max)
            takeNotifications(upTo: .max)
        }
        try require(machine.wantsReading, "It reads nothing more, and there is nothing left to do.")
        var frames: [(frame: Frame, offset: UInt64)] = []
        var violation: FrameViolation?
        do throws(FrameViolation) {
            try decoder.decode(bytes) { body, offset throws(FrameViolation) in
                guard let frame = body.withUnsafeBytes({ try? Frame(body: $0) }) else {
                    throw FrameViolation("Not a frame.", offset: offset, bytes: body)
                }
                frames.append((frame, offset))
            }
        } catch {
            violation = error
        }
        for (frame, offset) in frames {
            guard !machine.isOver else { break }
            do throws(ConnectionStateMachine.Offence) {
                try machine.receive(frame, at: now)
            } catch {
                machine.violated(FrameViolation(error.message, offset: offset, bytes: []))
            }
            try settle()
        }
        if let violation { machine.violated(violation) }
        machine.frameIsIncomplete(decoder.isMidFrame, hasProgressed: !frames.isEmpty, at: now)
    }

    private mutating func drain(upTo limit: Int) {
        var rest = limit
        while rest > 0, !machine.outbox.isEmpty {
            let most = rest
            let bytes = machine.outbox.withNext { Array($0.prefix(most)) }
            machine.wrote(bytes.count, at: now)
            written += bytes
            rest -= bytes.count
        }
    }

    /// Carries out what the machine wants done.
    private mutating func settle() throws(FuzzFinding) {
        while !machine.actions.isEmpty {
            let actions = machine.actions
            machine.actions = []
            for action in actions { try carryOut(action) }
        }
        machine.timePassed(at: now)
        try require(machine.nextAlarm > now, "Time that has passed is waited for, again and again.")
    }

    private mutating func carryOut(_ action: ConnectionStateMachine.Action) throws(FuzzFinding) {
        switch action {
        // What is asked after the end fails.
        case .finish: break
        default: try require(ends == 0, "Something is to be done after the end.")
        }
        switch action {
        case .opened: break
        case .greeted(let hello):
            hello.context.first == 0xFF
                ? machine.refuse(DocumentError(.notPermitted, "No.")) : machine.reply(context: [9])
        case .finish(let request, _):
            guard let index = asked.firstIndex(where: { $0.request === request }) else {
                throw FuzzFinding("A request has ended that nobody made.")
            }
            asked[index].ends += 1
        case .progress: break
        case .answer(let id, _, _, _, let priority):
            try require(answered.insert(id).inserted, "The request \(id) is to be answered twice.")
            try require(open.count < FrameLimits.default.places(for: priority), "More requests run than were promised.")
            open.append(id)
        case .cancelAnswer(let id, isGivenUp: _):
            try require(answered.contains(id), "A request \(id) is cancelled that never came.")
        case .notification: untaken += 1
        case .ended: ends += 1
        }
    }

    // MARK: What holds at the end

    private mutating func check() throws(FuzzFinding) {
        try require(machine.isOver && ends == 1, "The connection has ended \(ends) times.")
        for (request, ends) in asked {
            try require(ends == 1, "The request \(request.id) was ended \(ends) times.")
        }
        try OutgoingStream.check(written, expectsPreface: role == .responder)
    }
}
