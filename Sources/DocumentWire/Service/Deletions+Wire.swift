import DocumentModel
import SwiftProtobuf

extension HeldDeletions {
    init(_ wire: WireServiceHeldDeletions) throws(DocumentError) {
        guard let direction = try Direction(optional: wire.direction) else {
            throw Checks.refusal("Held deletions must have a direction.")
        }
        self.init(
            direction: direction, items: Int(clamping: wire.items), materialised: Int(clamping: wire.materialised),
            examples: try mapped(wire.examples) { text throws(DocumentError) in try Location(text) },
            since: try Timestamp(wire.since))
    }
}

extension WireServiceHeldDeletions {
    init(_ held: HeldDeletions) {
        self.init()
        direction = WireServiceDeletionDirection(held.direction)
        items = UInt64(max(held.items, 0))
        materialised = UInt64(max(held.materialised, 0))
        examples = held.examples.map(\.description)
        since = WireModelTimestamp(held.since)
    }
}

extension HeldDeletions.Direction {
    /// Nil: both.
    init?(optional wire: WireServiceDeletionDirection) throws(DocumentError) {
        switch wire {
        case .unspecified: return nil
        case .fromRemote: self = .fromRemote
        case .toRemote: self = .toRemote
        case .UNRECOGNIZED(let number): throw Checks.refusal("\(number) is not a direction of deletions.")
        }
    }
}

extension WireServiceDeletionDirection {
    init(_ direction: HeldDeletions.Direction?) {
        switch direction {
        case .fromRemote: self = .fromRemote
        case .toRemote: self = .toRemote
        case nil: self = .unspecified
        }
    }
}

extension DomainRuleChange {
    private static let longest: UInt32 = 365 * 86_400

    init(_ wire: WireServiceDomainRules) throws(DocumentError) {
        self.init()
        if wire.hasDeletionMinimum {
            guard (1...1_000_000_000).contains(wire.deletionMinimum) else {
                throw Checks.refusal("Deletions can need a yes from 1 to 1,000,000,000 items on.")
            }
            deletionMinimum = Int(wire.deletionMinimum)
        }
        if wire.hasDeletionPercent {
            guard wire.deletionPercent <= 101 else {
                throw Checks.refusal("A share of a domain is 0 to 100 percent; 101 for: deletions never need a yes.")
            }
            deletionPercent = Int(wire.deletionPercent)
        }
        if wire.hasLookAgainS {
            guard wire.lookAgainS == 0 || (10...Self.longest).contains(wire.lookAgainS) else {
                throw Checks.refusal("Folders can be looked at again every 10 seconds to 365 days; 0 for never.")
            }
            lookAgain = .seconds(wire.lookAgainS)
        }
    }
}

extension DomainRules {
    init(_ wire: WireServiceDomainRules) throws(DocumentError) {
        let change = try DomainRuleChange(wire)
        let usual = DomainRules()
        self.init(
            deletionMinimum: change.deletionMinimum ?? usual.deletionMinimum,
            deletionPercent: change.deletionPercent ?? usual.deletionPercent,
            lookAgain: change.lookAgain ?? usual.lookAgain)
    }
}

extension WireServiceDomainRules {
    init(_ change: DomainRuleChange) {
        self.init()
        if let minimum = change.deletionMinimum { deletionMinimum = UInt32(clamping: minimum) }
        if let percent = change.deletionPercent { deletionPercent = UInt32(clamping: percent) }
        if let time = change.lookAgain { lookAgainS = UInt32(clamping: time.components.seconds) }
    }

    init(_ rules: DomainRules) {
        self.init(
            DomainRuleChange(
                deletionMinimum: rules.deletionMinimum, deletionPercent: rules.deletionPercent,
                lookAgain: rules.lookAgain))
    }
}
