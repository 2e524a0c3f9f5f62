/// Tasks that wait for their turn, first come, first served; one may leave before it comes.
struct WaitingLine: Sendable {
    /// True: it is its turn. False: it has left.
    typealias Turn = CheckedContinuation<Bool, Never>

    private var turns: [(ticket: UInt64, turn: Turn)] = []

    var isEmpty: Bool { turns.isEmpty }

    mutating func append(_ turn: Turn, ticket: UInt64) {
        turns.append((ticket, turn))
    }

    mutating func popFirst() -> Turn? {
        turns.isEmpty ? nil : turns.removeFirst().turn
    }

    mutating func remove(_ ticket: UInt64) -> Turn? {
        guard let index = turns.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        return turns.remove(at: index).turn
    }
}
