/// One way in which a host can be wrong, or legal but trying, and what a provider has to make of it.
struct HostBehaviour: Sendable {
    let name: String
    /// One sentence: what the host does.
    let summary: String
    /// What it breaks, or makes use of.
    let rule: String
    /// Throws a ``Finding`` when the provider does not stand it.
    let run: @Sendable (HostPeer) throws -> Void
    /// Whether it is killed when it has run, so that all that the provider sees of its end is what the kernel does. Then it
    /// runs in a process of its own: see ``DoomedHost``.
    var isKilled = false

    init(
        _ name: String, _ summary: String, _ rule: String, _ run: @escaping @Sendable (HostPeer) throws -> Void
    ) {
        self.name = name
        self.summary = summary
        self.rule = rule
        self.run = run
    }

    func killed() -> Self {
        var copy = self
        copy.isKilled = true
        return copy
    }

    static let all: [HostBehaviour] = openings + streams + ends + requests + stagings
}

/// What is wrong with the provider, in a sentence.
struct Finding: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}
