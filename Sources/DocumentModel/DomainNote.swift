/// What a provider tells people of its domain as it is, in a few sentences.
public struct DomainNote: Hashable, Sendable {
    public var text: String
    /// Whether it is to be seen wherever the domain is shown: somebody may lose something.
    public var isWarning: Bool

    /// - Parameter text: at most 2048 bytes; what is longer is cut. Empty: there is nothing to know.
    public init(_ text: String, isWarning: Bool = false) {
        self.text = text
        self.isWarning = isWarning
    }
}
