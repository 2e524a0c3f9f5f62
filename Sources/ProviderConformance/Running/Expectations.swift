package import DocumentModel

/// Fails the check unless something holds.
///
/// - Parameters:
///   - message: one sentence that says what is wrong otherwise, the same in every run.
///   - detail: what changes from run to run.
package func expect(_ condition: Bool, _ message: String, detail: @autoclosure () -> String = "") throws {
    guard condition else { throw CheckFailure(message, detail: detail()) }
}

/// Fails the check unless two values are the same.
package func expect<Value: Equatable>(_ value: Value, is expected: Value, _ message: String) throws {
    guard value == expected else {
        throw CheckFailure(message, detail: "Expected: \(expected)\nFound: \(value)")
    }
}

/// Fails the check unless the body fails with one of some codes.
///
/// - Parameter what: the call, for the message: `GetItem of an unknown identifier`.
@discardableResult
package func expectError<Value>(
    _ codes: DocumentError.Code..., from what: String, _ body: () async throws -> Value
) async throws -> DocumentError {
    let names = codes.map { $0.description }.joined(separator: " or ")
    let value: Value
    do {
        value = try await body()
    } catch let error as DocumentError {
        guard codes.contains(error.code) else {
            throw CheckFailure("\(what) fails with \(error.code) and not with \(names).", detail: "\(error)")
        }
        return error
    }
    throw CheckFailure("\(what) succeeds, where it must fail with \(names).", detail: "\(value)")
}
