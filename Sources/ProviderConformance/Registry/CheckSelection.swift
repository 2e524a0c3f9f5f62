/// Which checks a run is asked for.
public struct CheckSelection: Sendable, Hashable {
    /// Ids, in which `*` stands for any text; empty for all.
    public var patterns: [String]
    public var mayMutate: Bool

    /// - Parameters: as the properties.
    public init(patterns: [String] = [], mayMutate: Bool = false) {
        self.patterns = patterns
        self.mayMutate = mayMutate
    }

    /// Whether a check is asked for.
    public func includes(_ id: String) -> Bool {
        patterns.isEmpty || patterns.contains { Self.matches(id, $0) }
    }

    /// The patterns that no id matches.
    public static func unknown(_ patterns: [String], among ids: [String]) -> [String] {
        patterns.filter { pattern in !ids.contains { matches($0, pattern) } }
    }

    /// Whether a text is what a pattern says, in which `*` stands for any text.
    public static func matches(_ text: String, _ pattern: String) -> Bool {
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard parts.count > 1, let first = parts.first, let last = parts.last else { return text == pattern }
        guard text.hasPrefix(first) else { return false }
        var rest = text.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let place = rest.firstRange(of: part) else { return false }
            rest = rest[place.upperBound...]
        }
        return rest.count >= last.count && rest.hasSuffix(last)
    }
}
