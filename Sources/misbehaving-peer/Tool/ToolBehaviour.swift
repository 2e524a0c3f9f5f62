/// One way in which a host tool can be wrong, or legal but trying, and what a host has to make of it.
struct ToolBehaviour: Sendable {
    let name: String
    /// One sentence: what the tool does.
    let summary: String
    /// What it breaks, or makes use of.
    let rule: String
    /// Gets the socket's path. Throws a ``Finding`` when the host does not stand it.
    let run: @Sendable (String) throws -> Void

    init(_ name: String, _ summary: String, _ rule: String, _ run: @escaping @Sendable (String) throws -> Void) {
        self.name = name
        self.summary = summary
        self.rule = rule
        self.run = run
    }

    static let all: [ToolBehaviour] = strangers + askers + crowds
}
