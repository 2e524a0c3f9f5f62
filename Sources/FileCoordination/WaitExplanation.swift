package import DocumentModel

/// What a claim waits for, as a value with words (COORD-39).
package struct WaitExplanation: Hashable, Sendable, CustomStringConvertible {
    /// One thing that a claim waits for.
    package enum Reason: Hashable, Sendable {
        /// Another claim, held or before it in the order.
        case claim(ClaimID, of: ClaimOwner, verb: String, Location)
        /// A presenter's answer; its owner, and what it was asked.
        case presenter(PresenterID, of: ClaimOwner, PresenterMessage)
        /// The provider is to bring the contents.
        case contents(Location)
        /// A snapshot is being made.
        case snapshot(Location)
    }

    package let claim: ClaimID
    package let owner: ClaimOwner
    package let locations: [Location]
    package let verb: String
    package let since: Duration
    package let reasons: [Reason]

    package var description: String { CoordinationMessages.explanation(self) }
}

/// A claim that is held, for people who ask who has their document.
package struct Holding: Hashable, Sendable, CustomStringConvertible {
    package let claim: ClaimID
    package let owner: ClaimOwner
    package let locations: [Location]
    package let verb: String
    package let since: Duration

    package var description: String {
        "\(owner) \(verb)s \(locations.map(\.description).joined(separator: " and "))."
    }
}

extension CoordinationStateMachine {
    /// What a claim waits for; nil when it does not wait.
    package func explanation(of id: ClaimID) -> WaitExplanation? {
        guard let record = records[id] else { return nil }
        let reasons: [WaitExplanation.Reason]
        switch record.stage {
        case .queued, .asked:
            reasons = allBlocks(of: id).flatMap { block in
                block.claim.intentions.filter { met in record.claim.intentions.contains { $0.meets(met) } }
                    .map {
                        .claim(
                            block.claim.id, of: block.claim.owner, verb: "\(block.claim.verb(of: $0))s",
                            $0.item.location)
                    }
            }
        case .relinquishing, .asking:
            reasons = record.unanswered.sorted().compactMap { message in
                guard let presenter = addressees[message].flatMap({ presenters[$0] }) else { return nil }
                let pending = ([presenter.current].compactMap { $0 } + presenter.queue).first { $0.id == message }
                return pending.map { .presenter(presenter.presenter.id, of: presenter.presenter.owner, $0.message) }
            }
        case .providing: reasons = record.claim.intentions.map { .contents($0.item.location) }
        case .snapshotting: reasons = record.claim.intentions.map { .snapshot($0.item.location) }
        case .granted, .uploading: return nil
        }
        return WaitExplanation(
            claim: id, owner: record.claim.owner, locations: record.claim.intentions.map(\.item.location),
            verb: record.claim.verb, since: record.since, reasons: reasons)
    }

    /// All waits, in the order in which they were asked for.
    package var explanations: [WaitExplanation] {
        records.keys.sorted().compactMap(explanation)
    }

    /// All that is held, in the order in which it was asked for.
    package var holdings: [Holding] {
        records.values.filter { $0.stage == .granted || $0.stage == .uploading }
            .sorted { $0.claim.id < $1.claim.id }
            .map { record in
                Holding(
                    claim: record.claim.id, owner: record.claim.owner,
                    locations: record.claim.intentions.map(\.item.location), verb: record.claim.verb,
                    since: record.since)
            }
    }
}
