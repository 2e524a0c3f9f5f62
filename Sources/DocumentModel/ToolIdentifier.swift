/// A registered host tool's name, in reverse-DNS form: `org.example.editor`. Unique on a machine.
public struct ToolIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The text.
    public let rawValue: String

    /// Checks an identifier, which is written as ``ProviderIdentifier`` is.
    ///
    /// - Throws: ``DocumentError`` with the code `invalidArgument`.
    public init(_ rawValue: String) throws(DocumentError) {
        do throws(DocumentError) {
            self.rawValue = try ProviderIdentifier(rawValue).rawValue
        } catch {
            throw DocumentError(
                .invalidArgument,
                "“\(ItemName.printable(rawValue))” cannot be a tool's identifier: write it like org.example.editor, in lower case."
            )
        }
    }

    public var description: String { rawValue }

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
