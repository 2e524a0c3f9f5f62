import DocumentModel
import ProviderLauncher

/// A provider that takes so many documents at once: what waits for it is copied by then, and what it has taken is recorded
/// while it takes the next.
struct ProviderTurn: Sendable {
    /// For what takes no turn.
    let session: ProviderSession
    private let turns: Permits?
    private let clock: @Sendable () -> Duration
    private let answered: @Sendable (Duration?) -> Void

    /// - Parameters:
    ///   - turns: nil for whoever has one already.
    ///   - clock: counts from some moment, and never backwards.
    ///   - answered: is told how long an answer took; nil when none came. Must not block.
    init(
        _ session: ProviderSession, _ turns: Permits?, clock: @escaping @Sendable () -> Duration = { .zero },
        answered: @escaping @Sendable (Duration?) -> Void = { _ in }
    ) {
        self.session = session
        self.turns = turns
        self.clock = clock
        self.answered = answered
    }

    /// Asks the provider when its turn has come.
    ///
    /// - Throws: `busy` when none of those before it comes to an end.
    func taken<Value: Sendable>(
        for place: Location, _ ask: (ProviderSession) async throws(DocumentError) -> Value
    ) async throws(DocumentError) -> Value {
        guard let turns else { return try await ask(session) }
        guard try await turns.take(patience: Delivery.patience) else { throw Self.none(of: turns, for: place) }
        defer { turns.giveBack() }
        let began = clock()
        do throws(DocumentError) {
            let answer = try await ask(session)
            answered(clock() - began)
            return answer
        } catch {
            answered(nil)
            throw error
        }
    }

    /// What is said to one that has waited in vain.
    static func none(of places: Permits, for place: Location) -> DocumentError {
        DocumentError(
            .busy,
            "\(place) waits to be sent: \(places.count) documents of \(place.domain) are on their way, and none has arrived for \(Delivery.patience.components.seconds) s. It is tried again; docent status \(place.domain):/ shows them."
        )
    }
}
