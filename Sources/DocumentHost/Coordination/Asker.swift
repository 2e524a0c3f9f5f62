import FileCoordination

/// The tool that asks for what the host does now.
struct Asker: Sendable {
    @TaskLocal static var current: Asker?

    let owner: ClaimOwner
    private let isGivenUp: @Sendable () -> Bool

    init(_ owner: ClaimOwner, isGivenUp: @escaping @Sendable () -> Bool) {
        self.owner = owner
        self.isGivenUp = isGivenUp
    }

    /// Of what is cancelled: whether that is because the tool is gone, and not because it wants it no more. What is on its
    /// way goes on then.
    var isGone: Bool { !isGivenUp() }

    /// The same, who may want it no more also in another way.
    func orGivenUp(_ isGivenUp: @escaping @Sendable () -> Bool) -> Asker {
        Asker(owner) { [self] in isGivenUp() || self.isGivenUp() }
    }
}

extension ClaimOwner {
    /// The host, with whom it takes the claim for: whoever waits for it is to see that.
    var onBehalf: ClaimOwner {
        Asker.current.map { ClaimOwner(id: id, name: "\(name), for \($0.owner.name)") } ?? self
    }
}
