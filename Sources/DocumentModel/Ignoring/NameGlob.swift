/// A pattern for one name. Matching takes as many steps as the name has characters times those of the pattern, at most,
/// whatever the two are.
struct NameGlob: Hashable, Sendable {
    enum Token: Hashable, Sendable {
        case scalar(Unicode.Scalar)
        case anyScalar
        case anyText
        case oneOf([ClosedRange<Unicode.Scalar>], isNegated: Bool)

        func matches(_ scalar: Unicode.Scalar) -> Bool {
            switch self {
            case .scalar(let own): own == scalar
            case .anyScalar, .anyText: true
            case .oneOf(let ranges, let isNegated): ranges.contains { $0.contains(scalar) } != isNegated
            }
        }
    }

    /// What is wrong with a pattern.
    struct Mistake: Error {
        let reason: String
    }

    private let tokens: [Token]

    static let anything = NameGlob(tokens: [.anyText])

    private init(tokens: [Token]) {
        self.tokens = tokens
    }

    /// - Parameter text: folded.
    init(_ text: ArraySlice<Unicode.Scalar>) throws(Mistake) {
        var tokens: [Token] = []
        var rest = text
        while let scalar = rest.popFirst() {
            switch scalar {
            case "*":
                // Several are as good as one.
                if tokens.last != .anyText { tokens.append(.anyText) }
            case "?": tokens.append(.anyScalar)
            case "[": tokens.append(try Self.choice(&rest))
            case "\\":
                guard let escaped = rest.popFirst() else { throw Mistake(reason: "nothing is behind its last “\\”") }
                tokens.append(.scalar(escaped))
            default: tokens.append(.scalar(scalar))
            }
        }
        self.tokens = tokens
    }

    /// Behind `[`.
    private static func choice(_ rest: inout ArraySlice<Unicode.Scalar>) throws(Mistake) -> Token {
        let unclosed = Mistake(reason: "its “[” is not closed")
        let isNegated = rest.first == "!" || rest.first == "^"
        if isNegated { rest.removeFirst() }
        func next() throws(Mistake) -> Unicode.Scalar {
            guard var scalar = rest.popFirst() else { throw unclosed }
            if scalar == "\\" {
                guard let escaped = rest.popFirst() else { throw unclosed }
                scalar = escaped
            }
            return scalar
        }
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        // The first one may be a bracket itself.
        while ranges.isEmpty || rest.first != "]" {
            if rest.first == "[", rest.dropFirst().first == ":" {
                throw Mistake(reason: "classes such as “[:alpha:]” are not known, only ranges such as “[a-z]”")
            }
            let first = try next()
            guard rest.first == "-", let end = rest.dropFirst().first, end != "]" else {
                ranges.append(first...first)
                continue
            }
            rest.removeFirst()
            let last = try next()
            guard first <= last else { throw Mistake(reason: "“\(first)-\(last)” is the wrong way round") }
            ranges.append(first...last)
        }
        rest.removeFirst()
        return .oneOf(ranges, isNegated: isNegated)
    }

    /// - Parameter name: folded.
    func matches(_ name: [Unicode.Scalar]) -> Bool {
        var (token, place) = (0, 0)
        // Where the last star is, and what it has taken so far: an earlier one never has to take more.
        var retry: (token: Int, place: Int)?
        while place < name.count {
            if token < tokens.count {
                if tokens[token] == .anyText {
                    token += 1
                    retry = (token, place)
                    continue
                }
                if tokens[token].matches(name[place]) {
                    token += 1
                    place += 1
                    continue
                }
            }
            guard let last = retry else { return false }
            token = last.token
            place = last.place + 1
            retry = (token, place)
        }
        return tokens[token...].allSatisfy { $0 == .anyText }
    }
}
