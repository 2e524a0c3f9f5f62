import DocumentModel
import DocumentWire

/// Runs one check, or one attack, to an outcome: whatever it throws, and however long it would take.
package enum CheckRun {
    /// - Parameters:
    ///   - limit: after it the body is cancelled, and the outcome is a failure.
    ///   - body: may throw ``CheckFailure``, ``CheckSkip``, ``KitError`` or a `DocumentError` of who is judged.
    package static func outcome(
        limit: Duration, _ body: @escaping @Sendable () async throws -> Void
    ) async -> CheckOutcome {
        do {
            try await within(limit, else: CheckFailure("It did not come to an end in time."), body)
            return .passed
        } catch let failure as CheckFailure {
            return CheckOutcome(.failed, failure.message, detail: failure.detail)
        } catch let skip as CheckSkip {
            return CheckOutcome(.skipped, skip.reason)
        } catch let error as KitError {
            return CheckOutcome(.error, error.message)
        } catch let error as DocumentError {
            let words = [error.description, error.detail].filter { !$0.isEmpty }.joined(separator: "\n")
            return CheckOutcome(
                .failed, "It failed with the code \(error.code) where it should succeed.",
                detail: words.replacing(" " + ProviderReply.advice, with: ""))
        } catch {
            return CheckOutcome(.error, "The kit failed: \(error)", detail: String(reflecting: error))
        }
    }
}
