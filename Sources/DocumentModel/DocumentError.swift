/// What went wrong: a stable code, one sentence for people, and what caused it.
///
/// The same error travels from a provider through the host to the host tool with its code, its texts and its causes
/// intact (PROV-14).
public struct DocumentError: Error, Hashable, Sendable {
    public var code: Code
    /// One sentence that names the thing and says what to do next.
    public var message: String
    /// For developers and logs.
    public var detail: String
    /// When a retry may make sense; nil when nobody has an opinion. The host tries again after an hour at most.
    public var retryAfter: Duration?
    /// What caused it, one sentence each, innermost last.
    public var causes: [String]
    /// The item that it is about, where that is not the one that was asked about.
    public var itemID: ItemIdentifier?

    public init(
        _ code: Code,
        _ message: String,
        detail: String = "",
        retryAfter: Duration? = nil,
        causes: [String] = [],
        itemID: ItemIdentifier? = nil
    ) {
        self.code = code
        self.message = message
        self.detail = detail
        self.retryAfter = retryAfter
        self.causes = causes
        self.itemID = itemID
    }

    /// The same error, seen from one level further up: `message` becomes the sentence, and the old sentence the first
    /// cause.
    public func wrapped(_ message: String) -> DocumentError {
        var error = self
        error.causes = [self.message] + causes
        error.message = message
        return error
    }
}

extension DocumentError: CustomStringConvertible {
    public var description: String {
        causes.isEmpty ? message : message + " (" + causes.joined(separator: " ") + ")"
    }
}
