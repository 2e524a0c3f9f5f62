/// What a provider asks of somebody who is signing in: to type something, or to visit a page and say when that is done.
public struct Prompt: Hashable, Sendable {
    /// More is not asked at once.
    public static let mostFields = 8

    /// What is wanted, in a sentence or two; at most 2048 bytes.
    public var message: String
    /// A page to visit, http or https; nil when there is none. It is shown, and never opened by itself.
    public var url: String?
    /// What is to be typed; empty when somebody only has to say that they are done.
    public var fields: [Field]

    public init(message: String, url: String? = nil, fields: [Field] = []) {
        self.message = message
        self.url = url
        self.fields = fields
    }

    /// One thing to type.
    public struct Field: Hashable, Sendable {
        /// By what the answer names it: 1 to 64 bytes, different in each field of a prompt.
        public var key: String
        /// For people; at most 200 bytes.
        public var label: String
        /// Whether it is hidden while it is typed, and never shown again.
        public var isSecret: Bool

        public init(key: String, label: String, isSecret: Bool = false) {
            self.key = key
            self.label = label
            self.isSecret = isSecret
        }
    }
}
