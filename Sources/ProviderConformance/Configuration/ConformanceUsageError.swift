/// The kit was asked for something that cannot be done: a file that cannot be read, a check that does not exist. Exit
/// status 2.
public struct ConformanceUsageError: Error, Hashable, Sendable, CustomStringConvertible {
    public var message: String

    /// - Parameter message: one sentence.
    public init(_ message: String) {
        self.message = message
    }

    public var description: String { message }
}
