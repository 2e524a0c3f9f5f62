import Glibc

/// A provider that keeps to the protocol, one thing at a time, but for what its behaviour does otherwise.
final class ProviderPeer {
    let pipe = FramePipe(input: STDIN_FILENO, output: STDOUT_FILENO, notes: TrafficNotes())
    private(set) var behaviour: ProviderBehaviour?
    private(set) var hello = MessageReader.empty
    /// `SessionSettings`, as it came.
    private(set) var settings = MessageReader.empty
    var tree = PeerTree()
    /// Requests that were taken and not answered.
    var open: Set<UInt64> = []
    /// How often something was done, by name.
    var counts: [String: Int] = [:]
    /// A staging file that is still open.
    var kept: File?
    /// Calls that are answered later, in the order in which they came.
    var held: [PeerCall] = []
    /// The beginning of a staging file, in memory.
    var mapping: UnsafeMutableRawPointer?
    /// Where the behaviour has deviated already.
    private var reached: Set<ProviderBehaviour.Stage> = []
    /// Calls that are answered when the host has answered a question of ours.
    private var waiting: [UInt64: PeerCall] = [:]
    private var nextID: UInt64 = 2

    var stateFolder: String { settings.text(3) }
    var storageRoot: String { settings.text(4) }
    var stagingFolder: String { settings.text(5) }

    /// - Parameter behaviour: nil: what the setting “behaviour” names.
    func serve(as named: String?) throws {
        signal(SIGPIPE, SIG_IGN)
        if let named { try choose(named) }
        guard let frame = try pipe.read(), frame.kind == .hello else {
            throw Misuse(description: "a host speaks first, and this did not say hello")
        }
        hello = frame.message
        settings = MessageReader(hello.bytes(8)) ?? .empty
        pipe.notes?.open(in: setting("traffic"))
        if let folder = setting("traffic") { setenv(Marks.folderKey, folder, 1) }
        if behaviour == nil { try choose(setting("behaviour") ?? "well-behaved") }
        guard let behaviour else { return }
        behaviour.prepare?(&tree)
        if let start = behaviour.start {
            reach(.start)
            try start(self)
        }
        reach(.greeting)
        if let greet = behaviour.greet { try greet(self) } else { try greetProperly() }
        if let opened = behaviour.opened {
            reach(.opened)
            try opened(self)
        }
        while let frame = try pipe.read() { try take(frame) }
        try end()
    }

    /// Deviates in one of the ways that its behaviour has; leaves a mark when there is none left that it has not come to.
    func reach(_ stage: ProviderBehaviour.Stage) {
        guard let behaviour, reached.insert(stage).inserted, reached.isSuperset(of: behaviour.stages) else { return }
        Marks.leave("deviated")
    }

    private func end() throws {
        guard let ending = behaviour?.ending else { return }
        reach(.end)
        try ending(self)
    }

    private func choose(_ name: String) throws {
        if name == "well-behaved" {
            behaviour = ProviderBehaviour(name, "Keeps to everything.", "").claiming("modifying")
            return
        }
        guard let found = ProviderBehaviour.all.first(where: { $0.name == name }) else {
            throw Misuse(description: "no behaviour is called “\(name)”; misbehaving-peer list shows them")
        }
        behaviour = found
        setenv(OwnProcess.ownerKey, name, 1)
    }

    func setting(_ key: String) -> String? {
        for entry in settings.all(2).compactMap({ MessageReader($0) }) where entry.text(1) == key {
            return entry.text(2)
        }
        return nil
    }

    // MARK: Properly

    func greetProperly() throws {
        try pipe.write(PeerFrame.preface)
        try sendReply()
    }

    func sendReply(_ change: (inout MessageWriter) -> Void = { _ in }) throws {
        try pipe.send(reply(change))
    }

    /// - Parameter change: adds fields; of a field that comes twice the later one counts.
    func reply(_ change: (inout MessageWriter) -> Void = { _ in }) -> PeerFrame {
        PeerFrame(.helloReply) { reply in
            reply.number(1, 1)
            reply.text(4, "misbehaving-peer 1.0")
            reply.number(5, 1)
            reply.bytes(6, self.capabilities(behaviour?.capabilities ?? []))
            change(&reply)
        }
    }

    func capabilities(_ names: [String], root: String = "") -> [UInt8] {
        MessageWriter.message {
            for name in names { $0.text(1, name) }
            if !root.isEmpty { $0.text(2, root) }
        }
    }

    private func take(_ frame: PeerFrame) throws {
        switch frame.kind {
        case .request: try take(request: frame)
        case .cancel:
            if let cancelled = behaviour?.cancelled {
                reach(.cancel)
                try cancelled(self, frame.id)
            } else if open.remove(frame.id) != nil {
                try pipe.send(.failure(frame.id, 401, "It was cancelled."))
            }
        case .answer, .failure:
            if let call = waiting.removeValue(forKey: frame.id) { try done(call) }
        case .ping:
            let number = frame.message.number(1)
            try pipe.send(PeerFrame(.pong) { $0.number(1, number) })
        case .shutdown:
            try end()
            for id in open { try pipe.send(.failure(id, 401, "It was cancelled.")) }
            try pipe.send(PeerFrame(.goodbye))
            exit(0)
        default: break
        }
    }

    private func take(request frame: PeerFrame) throws {
        guard let call = PeerCall(frame) else {
            return try pipe.send(.failure(frame.id, 402, "This is not known here."))
        }
        if try behaviour?.aside?(self, call) == true { return }
        do {
            if try behaviour?.call?(self, call) == true { return reach(.call) }
        } catch {
            // At its deed it may find that the host is gone.
            reach(.call)
            throw error
        }
        try answerProperly(call)
    }

    /// Keeps a call without an answer.
    func hold(_ call: PeerCall) {
        open.insert(call.id)
    }

    /// Answers a call when the host has answered the question with that id.
    func answer(_ call: PeerCall, after question: UInt64) {
        waiting[question] = call
    }

    /// An id for a request of its own.
    func freshID() -> UInt64 {
        defer { nextID += 2 }
        return nextID
    }

    /// How often this was called with the name, this time counted.
    func count(_ name: String) -> Int {
        counts[name, default: 0] += 1
        return counts[name, default: 0]
    }
}

/// Nothing that a peer does: it was started in a way that makes no sense.
struct Misuse: Error, CustomStringConvertible {
    var description: String
}
