public import DocumentModel

/// How binding a rule is, with the words of RFC 2119.
public enum CheckLevel: String, Sendable, Codable, CaseIterable, Comparable {
    /// Whoever breaks it is no conforming provider.
    case must = "MUST"
    /// Breaking it is a warning, and a failure in strict mode.
    case should = "SHOULD"
    /// Told, and never a failure.
    case may = "MAY"

    /// The more binding level is the greater one.
    public static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .must: 2
        case .should: 1
        case .may: 0
        }
    }
}

/// Where a rule is written down.
public struct RuleReference: Hashable, Sendable, Codable {
    /// The rule's id, or the name of the message or call that it belongs to: `ID-1`, `provider.proto: Enumerate`.
    public var id: String
    /// Where the text is, as a path in this repository with an anchor or as a URL.
    public var link: String

    /// - Parameters:
    ///   - id: as above.
    ///   - link: as above.
    public init(_ id: String, link: String) {
        self.id = id
        self.link = link
    }

    /// A rule of the comments in `provider.proto`, named by the message that it stands at.
    public static func provider(_ message: String) -> RuleReference {
        RuleReference(
            "provider.proto: \(message)", link: "Sources/DocumentWire/Protos/docent/provider/v1/provider.proto")
    }

    /// A rule of the comments in `frame.proto`, named by the message that it stands at.
    public static func frame(_ message: String) -> RuleReference {
        RuleReference("frame.proto: \(message)", link: "Sources/DocumentWire/Protos/docent/wire/v1/frame.proto")
    }

    /// A rule of the comments in `model.proto`, named by the message that it stands at.
    public static func model(_ message: String) -> RuleReference {
        RuleReference("model.proto: \(message)", link: "Sources/DocumentWire/Protos/docent/model/v1/model.proto")
    }

    /// A numbered rule of the semantics, such as `PROV-12`.
    public static func rule(_ id: String) -> RuleReference {
        RuleReference(id, link: "docs/conformance.md#rules")
    }
}

/// What a check is, apart from what it does: what lists and reports show. Attacks on hosts have the same description.
public struct CheckDescription: Hashable, Sendable, Codable, Identifiable {
    /// Stable and never reused: `PC-LIST-003`.
    public var id: String
    /// The rule in one sentence, as it is when the check passes.
    public var title: String
    public var level: CheckLevel
    public var rule: RuleReference
    /// The check is skipped where one of them is not claimed.
    public var needs: [ProviderCapability]
    /// Whether it changes documents: only with `--mutating`.
    public var mutates: Bool

    /// - Parameters: as the properties.
    public init(
        id: String, title: String, level: CheckLevel, rule: RuleReference, needs: [ProviderCapability] = [],
        mutates: Bool = false
    ) {
        self.id = id
        self.title = title
        self.level = level
        self.rule = rule
        self.needs = needs
        self.mutates = mutates
    }

    /// The id without its number: `PC-LIST`.
    public var family: String {
        guard let dash = id.lastIndex(of: "-") else { return id }
        return String(id[..<dash])
    }
}

extension ProviderCapability: Codable {}
