/// The failures that are known and excused: a list that must stay true.
///
///     [[failures]]
///     id = "PC-LIST-024"
///     message = "Enumerate with a made-up page token succeeds, *"
///     reason = "The server takes any token; reported as #42."
///
///     [[flaky]]
///     id = "PC-PROG-002"
///     reason = "The server's clock jumps."
///
/// In a message `*` stands for any text.
public struct ExpectedFailures: Sendable, Hashable {
    public var failures: [Failure]
    public var flaky: [Flaky]

    /// A check that fails, and how.
    public struct Failure: Sendable, Hashable, Decodable {
        public var id: String
        public var message: String
        public var reason: String

        /// - Parameters: as the properties.
        public init(id: String, message: String, reason: String) {
            self.id = id
            self.message = message
            self.reason = reason
        }
    }

    /// A check that passes in one run and fails in another.
    public struct Flaky: Sendable, Hashable, Decodable {
        public var id: String
        public var reason: String

        /// - Parameters: as the properties.
        public init(id: String, reason: String) {
            self.id = id
            self.reason = reason
        }
    }

    public init(failures: [Failure] = [], flaky: [Flaky] = []) {
        self.failures = failures
        self.flaky = flaky
    }

    /// Reads a list.
    ///
    /// - Parameter path: ends in `.toml` or `.json`.
    /// - Throws: ``ConformanceUsageError``.
    public static func read(_ path: String) throws -> ExpectedFailures {
        try ConfigurationFile.decode(ExpectedFailures.self, from: path).checked(path)
    }

    /// - Parameter path: for messages.
    /// - Throws: ``ConformanceUsageError`` for a list that says something twice, or not why.
    package func checked(_ path: String) throws -> ExpectedFailures {
        let list = self
        let texts = failures.flatMap { [$0.id, $0.message, $0.reason] } + flaky.flatMap { [$0.id, $0.reason] }
        guard !texts.contains(where: { $0.unicodeScalars.contains("\0") }) else {
            throw ConformanceUsageError("“\(path)” holds a NUL, which cannot be written down; write * in its place.")
        }
        var seen: Set<String> = []
        for id in list.failures.map(\.id) + list.flaky.map(\.id) where !seen.insert(id).inserted {
            throw ConformanceUsageError("“\(path)” names \(id) twice.")
        }
        for failure in list.failures where failure.reason.isEmpty || failure.message.isEmpty {
            throw ConformanceUsageError("“\(path)” gives no message or no reason for \(failure.id).")
        }
        for flaky in list.flaky where flaky.reason.isEmpty {
            throw ConformanceUsageError("“\(path)” gives no reason for \(flaky.id).")
        }
        return list
    }

    /// Holds the list against what came of a run.
    ///
    /// - Parameter known: the ids of all checks there are, run or not.
    public func review(_ report: ConformanceReport, known: [String]) -> ExpectationReview {
        var review = ExpectationReview()
        // Of several rounds the one that speaks most against the list.
        let results = Dictionary(grouping: report.results, by: \.check.id)
        for failure in failures {
            guard known.contains(failure.id) else {
                review.stale.append(.init(id: failure.id, reason: "there is no such check."))
                continue
            }
            // Who asks for some checks only says nothing of the others.
            let rounds = results[failure.id] ?? []
            let failed = rounds.filter { $0.outcome.state == .failed }
            let strange = failed.first { !CheckSelection.matches($0.outcome.message, failure.message) }
            guard let result = strange ?? failed.first ?? rounds.first else {
                review.unjudged.append(failure.id)
                continue
            }
            switch result.outcome.state {
            case .failed where CheckSelection.matches(result.outcome.message, failure.message):
                review.expected.append(failure.id)
            case .failed:
                review.stale.append(
                    .init(id: failure.id, reason: "it fails differently: \(result.outcome.message)"))
            case .passed: review.stale.append(.init(id: failure.id, reason: "it passes; remove it from the list."))
            case .skipped, .disabled:
                review.stale.append(.init(id: failure.id, reason: "it is not run: \(result.outcome.message)"))
            case .error: break
            }
        }
        for entry in flaky {
            if known.contains(entry.id) {
                review.flaky.append(entry.id)
            } else {
                review.stale.append(.init(id: entry.id, reason: "there is no such check."))
            }
        }
        return review
    }

    /// The list as it would be true of a run. Reasons stay; new entries get one that says that it is missing.
    ///
    /// - Throws: ``ConformanceUsageError`` when only some of the checks were asked for, or some could not be judged.
    public func rewritten(for report: ConformanceReport) throws -> ExpectedFailures {
        let isWhole = report.results.allSatisfy {
            $0.outcome.state != .error && $0.outcome.message != CheckOutcome.interrupted.message
        }
        guard !report.isPartial, report.notBegun == 0, report.faults.isEmpty, isWhole else {
            throw ConformanceUsageError(
                "The list of expected failures is rewritten only after a whole run of all checks in which the kit did not fail."
            )
        }
        let disabled = Set(report.results.filter { $0.outcome.state == .disabled }.map(\.check.id))
        if let lost = failures.first(where: { disabled.contains($0.id) }) {
            throw ConformanceUsageError(
                "The list of expected failures names \(lost.id), which was disabled in this run: allow it, or take it from the list by hand."
            )
        }
        let reasons = Dictionary(failures.map { ($0.id, $0) }) { first, _ in first }
        let flakyIDs = Set(flaky.map(\.id))
        var list = ExpectedFailures(flaky: flaky)
        for result in report.results
        where result.outcome.state == .failed && result.check.level != .may && !flakyIDs.contains(result.check.id) {
            let old = reasons[result.check.id]
            let message =
                old.map { CheckSelection.matches(result.outcome.message, $0.message) } == true
                ? old?.message : nil
            list.failures.append(
                Failure(
                    id: result.check.id,
                    message: (message ?? result.outcome.message).replacing("\0", with: "*"),
                    reason: old?.reason ?? "Say here why this is excused."))
        }
        return list
    }

    /// As a TOML file.
    public var text: String {
        var text = "# Failures that are known and excused. A list that is no longer true fails the run.\n"
        for failure in failures {
            text += "\n[[failures]]\nid = \(Self.quoted(failure.id))\nmessage = \(Self.quoted(failure.message))\n"
            text += "reason = \(Self.quoted(failure.reason))\n"
        }
        for entry in flaky {
            text += "\n[[flaky]]\nid = \(Self.quoted(entry.id))\nreason = \(Self.quoted(entry.reason))\n"
        }
        return text
    }

    /// As TOML writes it.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension ExpectedFailures: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case failures, flaky
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.checkedContainer(CodingKeys.self)
        failures = try values.decodeIfPresent([Failure].self, forKey: .failures) ?? []
        flaky = try values.decodeIfPresent([Flaky].self, forKey: .flaky) ?? []
    }
}
