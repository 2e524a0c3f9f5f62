/// One way in which a provider can be wrong, or legal but trying. Where it says nothing the provider is well-behaved.
struct ProviderBehaviour: Sendable {
    typealias Step = @Sendable (ProviderPeer) throws -> Void
    /// - Returns: whether it took care of the call.
    typealias Reaction = @Sendable (ProviderPeer, PeerCall) throws -> Bool

    let name: String
    /// One sentence: what it does.
    let summary: String
    /// What it breaks, or makes use of: a sentence's place in the contract.
    let rule: String
    /// What it claims that it can do.
    var capabilities: [String] = []
    /// After the hello has come, before anything is said.
    var start: Step?
    /// Instead of the preface and the answer to the hello.
    var greet: Step?
    /// When the hellos are exchanged.
    var opened: Step?
    /// When a call has come.
    var call: Reaction?
    /// Before that, beside its deed: what is other than usual, and as it should be.
    var aside: Reaction?
    /// When a call was cancelled that has no answer yet.
    var cancelled: (@Sendable (ProviderPeer, UInt64) throws -> Void)?
    /// When a shutdown, or the end of the stream, has come.
    var ending: Step?
    /// Changes the items before anything is asked.
    var prepare: (@Sendable (inout PeerTree) -> Void)?

    init(_ name: String, _ summary: String, _ rule: String) {
        self.name = name
        self.summary = summary
        self.rule = rule
    }

    func claiming(_ capabilities: String...) -> Self { with { $0.capabilities = capabilities } }
    func atStart(_ step: @escaping Step) -> Self { with { $0.start = step } }
    func greeting(_ step: @escaping Step) -> Self { with { $0.greet = step } }
    func onceOpen(_ step: @escaping Step) -> Self { with { $0.opened = step } }
    func onCall(_ reaction: @escaping Reaction) -> Self { with { $0.call = reaction } }
    func aside(_ reaction: @escaping Reaction) -> Self { with { $0.aside = reaction } }
    func onCancel(_ reaction: @escaping @Sendable (ProviderPeer, UInt64) throws -> Void) -> Self {
        with { $0.cancelled = reaction }
    }
    func atEnd(_ step: @escaping Step) -> Self { with { $0.ending = step } }
    func preparing(_ change: @escaping @Sendable (inout PeerTree) -> Void) -> Self { with { $0.prepare = change } }

    /// Deviates when the contents of the target are asked for.
    func onTarget(_ step: @escaping @Sendable (ProviderPeer, PeerCall) throws -> Void) -> Self {
        on({ $0.wantsTarget }, step)
    }

    /// Deviates when the top folder is listed.
    func onListing(_ step: @escaping @Sendable (ProviderPeer, PeerCall) throws -> Void) -> Self {
        on({ $0.listsTop }, step)
    }

    /// Deviates at some calls; from which it may not come back.
    func on(
        _ isMeant: @escaping @Sendable (PeerCall) -> Bool,
        _ step: @escaping @Sendable (ProviderPeer, PeerCall) throws -> Void
    ) -> Self {
        onCall { peer, call in
            guard isMeant(call) else { return false }
            peer.reach(.call)
            try step(peer, call)
            return true
        }
    }

    /// Where it deviates: in all of these, or else in what it claims.
    var stages: Set<Stage> {
        var stages: Set<Stage> = []
        if start != nil { stages.insert(.start) }
        if greet != nil { stages.insert(.greeting) }
        if opened != nil { stages.insert(.opened) }
        if call != nil { stages.insert(.call) }
        if cancelled != nil { stages.insert(.cancel) }
        if ending != nil { stages.insert(.end) }
        return stages.isEmpty ? [.greeting] : stages
    }

    enum Stage: Hashable { case start, greeting, opened, call, cancel, end }

    private func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    /// All of them, by subject.
    static let all: [ProviderBehaviour] =
        starts + frames + answers + floods + contents + parts + processes + listings + values + changes + modifications
        + codes + pickers + thumbnails + sides + keptSides + quotas + questions + counted
}
