/// How a check ended.
public enum CheckState: String, Sendable, Codable, CaseIterable, Comparable {
    case passed
    /// Switched off by the configuration, or not allowed by it.
    case disabled
    /// Not applicable: the provider does not claim what it needs, or has nothing to try it on.
    case skipped
    case failed
    /// The kit itself could not go on.
    case error

    /// The worse state is the greater one.
    public static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .disabled: 0
        case .skipped: 1
        case .passed: 2
        case .failed: 3
        case .error: 4
        }
    }
}

/// How a check ended, and why.
public struct CheckOutcome: Hashable, Sendable, Codable {
    public var state: CheckState
    /// One sentence; empty when it passed. Holds nothing that changes from run to run, so that a list of expected
    /// failures can name it.
    public var message: String
    /// For who has to mend it: what was expected, what came, what the provider said.
    public var detail: String

    /// - Parameters: as the properties.
    public init(_ state: CheckState, _ message: String = "", detail: String = "") {
        self.state = state
        self.message = message
        self.detail = detail
    }

    public static let passed = CheckOutcome(.passed)
    /// Whoever ran it wanted it to end.
    static let interrupted = CheckOutcome(.failed, "The run was interrupted.")
}

/// What a check throws when the provider broke its rule.
public struct CheckFailure: Error, Hashable, Sendable {
    public var message: String
    public var detail: String
    /// Whether it is that the provider has ended: how belongs to what is wrong.
    package var isOfEnd = false

    /// - Parameters:
    ///   - message: one sentence that says what is wrong, without numbers that change from run to run.
    ///   - detail: those numbers, and what else helps.
    public init(_ message: String, detail: String = "") {
        self.message = message
        self.detail = detail
    }

    /// - Parameter message: that the provider has ended.
    package init(ofEnd message: String) {
        self.init(message)
        isOfEnd = true
    }
}

/// What a check throws when there is nothing to try it on.
public struct CheckSkip: Error, Hashable, Sendable {
    public var reason: String

    /// - Parameter reason: one sentence.
    public init(_ reason: String) {
        self.reason = reason
    }
}

/// What a check throws when the kit, and not the provider, is at fault.
public struct KitError: Error, Hashable, Sendable, CustomStringConvertible {
    public var message: String

    /// - Parameter message: one sentence.
    public init(_ message: String) {
        self.message = message
    }

    public var description: String { message }
}
