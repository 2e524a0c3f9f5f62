import CoordinationHistories
import DocumentModel
import FileCoordination
import Testing

/// Processes that do more than read and write one item: two items in one step, a move to a place where nothing is, what is
/// cancelled, a presenter that saves, and a process that is killed. In every order of their steps.
@Suite struct LivelyInterleavingTests {
    private enum Step {
        /// All of these in one step; `n` is a place where nothing is to begin with.
        case ask([(name: String, intent: ClaimIntent)])
        /// What was asked for in that step is held: `a` comes to `n`, if it is not there yet.
        case move(inside: Int)
        case present(String)
        /// Whoever asks for what that step asks for; also while it waits.
        case cancel(Int)
        /// What was asked for in that step, if it was granted.
        case end(Int)

        var isCancel: Bool { if case .cancel = self { true } else { false } }
    }

    private struct State {
        var machine = CoordinationStateMachine()
        /// Of each process.
        var next: [Int]
        var isWaiting: [Bool]
        var held: [UInt64: [(name: String, isWriting: Bool)]] = [:]
        var unanswered: [(message: MessageID, process: Int)] = []
        var hasMoved = false
        var hasKilled = false

        init(processes: Int, kills: Bool) {
            next = Array(repeating: 0, count: processes)
            isWaiting = Array(repeating: false, count: processes)
            hasKilled = !kills
        }

        func item(_ name: String) throws -> CoordinatedItem {
            if name == "b" { return try Scene.item("b") }
            if hasMoved { return try Scene.item("n", is: "a") }
            return name == "n" ? try Scene.place("n") : try Scene.item(name)
        }

        /// What has come to a place is what is there.
        func isSame(_ one: String, _ other: String) -> Bool { one == other || (hasMoved && one != "b" && other != "b") }
    }

    private struct Count {
        var histories = 0
        var saved = 0
        var cancelled = 0
        var moved = 0
    }

    private static let owners = [Scene.alice, Scene.bob, Scene.carol]
    private static let programs: [[Step]] = [
        [.ask([("a", .writing(nil)), ("b", .writing(nil))]), .end(0)],
        [.ask([("a", .writing(.forMoving)), ("n", .writing(nil))]), .move(inside: 0), .end(0)],
        [.ask([("b", .writing(nil))]), .cancel(0), .end(0)],
        [.present("a"), .ask([("b", .reading)]), .end(1)],
        [.ask([("n", .writing(.forReplacing))]), .end(0)],
        [.ask([("a", .reading)]), .end(0)],
    ]

    @Test(
        "COORD-7, COORD-30, COORD-33, COORD-37, COORD-39: three processes that move, cancel, present and take two at once, in all orders",
        arguments: programs.indices)
    func three(first: Int) throws {
        var count = Count()
        for second in first..<Self.programs.count {
            for third in second..<Self.programs.count {
                let programs = [first, second, third].map { Self.programs[$0] }
                try explore(State(processes: 3, kills: false), programs, &count)
            }
        }
        #expect(count.histories > 5)
        if first == 0 { #expect(count.saved > 10 && count.cancelled > 10 && count.moved > 10, "\(count)") }
    }

    @Test(
        "COORD-8, COORD-39: whichever of two processes is killed, at whatever moment, the other one ends",
        arguments: programs.indices)
    func killed(first: Int) throws {
        var count = Count()
        for second in Self.programs.indices {
            try explore(State(processes: 2, kills: true), [Self.programs[first], Self.programs[second]], &count)
        }
        #expect(count.histories > 100)
    }

    private func explore(_ state: State, _ programs: [[Step]], _ count: inout Count) throws {
        var isOver = true
        for (process, steps) in programs.enumerated() where state.next[process] < steps.count {
            guard !state.isWaiting[process] || steps[state.next[process]].isCancel else { continue }
            isOver = false
            var state = state
            try take(process, steps, &state, programs, &count)
            try explore(state, programs, &count)
        }
        for index in state.unanswered.indices {
            isOver = false
            var state = state
            let message = state.unanswered.remove(at: index).message
            note(state.machine.answered(message), &state, programs, &count)
            try explore(state, programs, &count)
        }
        if isOver {
            count.histories += 1
            if state.isWaiting.contains(true) {
                Issue.record("these wait for ever: \(state.machine.explanations.map(\.description))")
            }
        }
        guard !state.hasKilled else { return }
        for process in programs.indices where state.next[process] > 0 {
            var state = state
            state.hasKilled = true
            state.next[process] = programs[process].count
            state.isWaiting[process] = false
            state.held = state.held.filter { Int($0.key / 100) != process }
            state.unanswered.removeAll { $0.process == process }
            note(state.machine.ownerEnded(Self.owners[process]), &state, programs, &count)
            try explore(state, programs, &count)
        }
    }

    private func take(
        _ process: Int, _ steps: [Step], _ state: inout State, _ programs: [[Step]], _ count: inout Count
    ) throws {
        let number = state.next[process]
        let owner = Self.owners[process]
        state.next[process] += 1
        let actions: [CoordinationAction]
        switch steps[number] {
        case .ask(let wanted):
            state.isWaiting[process] = true
            actions = state.machine.request(
                Claim(
                    id: ClaimID(Self.id(process, number)), owner: owner,
                    intentions: try wanted.map { AccessIntention(try state.item($0.name), $0.intent) },
                    coordinator: CoordinatorID(owner: owner.id, number: UInt64(number))))
        case .move(let asked):
            let id = Self.id(process, asked)
            guard state.held[id] != nil, !state.hasMoved else { return }
            let item = try state.item("a")
            state.hasMoved = true
            count.moved += 1
            actions = try state.machine.moved(item, to: try state.item("n"), in: ClaimID(id))
        case .present(let name):
            actions = state.machine.add(
                Presenter(
                    id: PresenterID(UInt64(process)), owner: owner, item: try state.item(name),
                    capabilities: .saving, patience: .seconds(30)))
        case .cancel(let asked):
            actions = state.machine.cancel(CoordinatorID(owner: owner.id, number: UInt64(asked)))
        case .end(let asked):
            let id = Self.id(process, asked)
            guard state.held.removeValue(forKey: id) != nil else { return }
            actions = state.machine.end(ClaimID(id))
        }
        note(actions, &state, programs, &count)
    }

    private func note(
        _ actions: [CoordinationAction], _ state: inout State, _ programs: [[Step]], _ count: inout Count
    ) {
        for action in actions {
            switch action {
            case .grant(let id, _):
                let (process, number) = (Int(id.rawValue / 100), Int(id.rawValue % 100))
                guard case .ask(let wanted) = programs[process][number], state.isWaiting[process] else {
                    Issue.record("\(id) was granted, and nobody waits for it")
                    continue
                }
                for (name, intent) in wanted {
                    let isExcluded = state.held.values.joined().contains {
                        state.isSame($0.name, name) && ($0.isWriting || intent.isWriting)
                    }
                    if isExcluded { Issue.record("\(id) was granted beside \(state.held)") }
                }
                state.isWaiting[process] = false
                state.held[id.rawValue] = wanted.map { ($0.name, $0.intent.isWriting) }
            case .refuse(let id, let error):
                if error.code == .cancelled { count.cancelled += 1 } else { Issue.record("\(id): \(error)") }
                state.isWaiting[Int(id.rawValue / 100)] = false
            case .deliver(_, let message, let presenter):
                count.saved += 1
                state.unanswered.append((message, Int(presenter.rawValue)))
            default: Issue.record("unexpected: \(action)")
            }
        }
    }

    private static func id(_ process: Int, _ step: Int) -> UInt64 { UInt64(process * 100 + step) }
}
