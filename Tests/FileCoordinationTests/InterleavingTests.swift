import DocumentModel
import FileCoordination
import Testing

/// Three processes over two items, in every order of their steps.
@Suite struct InterleavingTests {
    /// What one process does, step by step; a step that asks waits until it is granted or refused.
    private enum Step {
        /// For an item, and inside of what was asked for in an earlier step.
        case ask(String, ClaimIntent, inside: Int?)
        /// What was asked for in that step.
        case end(Int)
    }

    private struct State {
        var machine = CoordinationStateMachine()
        /// Of each process.
        var next = [0, 0, 0]
        var isWaiting = [false, false, false]
        var held: [UInt64: (item: String, isWriting: Bool)] = [:]
    }

    private struct Count {
        var histories = 0
        var deadlocks = 0
    }

    private static let owners = [Scene.alice, Scene.bob, Scene.carol]
    private static let programs: [[Step]] = [
        [.ask("a", .reading, inside: nil), .ask("b", .writing(nil), inside: 0), .end(1), .end(0)],
        [.ask("b", .reading, inside: nil), .ask("a", .writing(nil), inside: 0), .end(1), .end(0)],
        [.ask("a", .writing(nil), inside: nil), .end(0), .ask("b", .writing(nil), inside: nil), .end(2)],
        [.ask("b", .reading, inside: nil), .end(0), .ask("a", .writing(.forDeleting), inside: nil), .end(2)],
    ]

    @Test(
        "COORD-39: all interleavings of three processes over two items: exclusion is kept, and everybody ends",
        arguments: programs.indices)
    func allInterleavings(first: Int) throws {
        var count = Count()
        for second in first..<Self.programs.count {
            for third in second..<Self.programs.count {
                try explore(State(), [first, second, third].map { Self.programs[$0] }, &count)
            }
        }
        #expect(count.histories > 100)
        if first == 0 { #expect(count.deadlocks > 500, "nested both ways, they must meet deadlocks") }
    }

    private func explore(_ state: State, _ programs: [[Step]], _ count: inout Count) throws {
        var isOver = true
        for (process, steps) in programs.enumerated()
        where !state.isWaiting[process] && state.next[process] < steps.count {
            isOver = false
            var state = state
            try take(process, steps, &state, programs, &count)
            try explore(state, programs, &count)
        }
        guard isOver else { return }
        count.histories += 1
        if state.isWaiting.contains(true) {
            Issue.record("these wait for ever: \(state.machine.explanations.map(\.description))")
        }
    }

    private func take(
        _ process: Int, _ steps: [Step], _ state: inout State, _ programs: [[Step]], _ count: inout Count
    ) throws {
        let number = state.next[process]
        state.next[process] += 1
        let actions: [CoordinationAction]
        switch steps[number] {
        case .ask(let item, let intent, let outer):
            let nestedIn = [outer].compactMap { $0 }.map { Self.id(process, $0) }.filter { state.held[$0] != nil }
            state.isWaiting[process] = true
            actions = state.machine.request(
                Claim(
                    id: ClaimID(Self.id(process, number)), owner: Self.owners[process], item: try Scene.item(item),
                    intent: intent, nestedIn: Set(nestedIn.map(ClaimID.init))))
        case .end(let asked):
            state.held[Self.id(process, asked)] = nil
            actions = state.machine.end(ClaimID(Self.id(process, asked)))
        }
        for action in actions {
            switch action {
            case .grant(let id, _):
                let (process, number) = (Int(id.rawValue / 100), Int(id.rawValue % 100))
                guard case .ask(let item, let intent, _) = programs[process][number] else { continue }
                let excluded = state.held.values.contains { $0.item == item && ($0.isWriting || intent.isWriting) }
                if excluded { Issue.record("\(id) was granted beside \(state.held)") }
                state.isWaiting[process] = false
                state.held[id.rawValue] = (item, intent.isWriting)
            case .refuse(let id, let error):
                if error.code != .deadlock { Issue.record("\(error)") }
                count.deadlocks += 1
                state.isWaiting[Int(id.rawValue / 100)] = false
            case .report: break
            default: Issue.record("unexpected: \(action)")
            }
        }
    }

    private static func id(_ process: Int, _ step: Int) -> UInt64 { UInt64(process * 100 + step) }
}
