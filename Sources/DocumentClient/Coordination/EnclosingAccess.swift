import DocumentModel

/// An access that the running closure is inside of: it cannot end before the closure has, so the host finds a deadlock at
/// once.
struct EnclosingAccess: Sendable {
    /// Those of the running task, the outermost first.
    @TaskLocal static var current: [EnclosingAccess] = []

    let connection: ObjectIdentifier
    let access: UInt64
    /// With the locations that were granted.
    let intentions: [AccessRequest.Intention]
}

extension DocumentClient {
    /// The accesses of this client that the running closure is inside of.
    var enclosing: [EnclosingAccess] {
        EnclosingAccess.current.filter { $0.connection == ObjectIdentifier(connection) }
    }

    /// What would wait for an access that the running closure is inside of is refused: it would wait for itself
    /// (COORD-38). What only reads would, too: a writer may stand between the two.
    ///
    /// - Parameter option: an access for just this, of just this item, is no obstacle: it takes place inside of it (COORD-30).
    func checkNotInside(
        an what: String, of location: Location, except option: WritingOption? = nil
    ) throws(DocumentError) {
        for intention in enclosing.flatMap(\.intentions) where intention.meets(location) {
            if let option, intention.writingOption == option, intention.location == location { return }
            throw DocumentError(
                .deadlock,
                "\(what) of \(location) was asked for inside of an access to \(intention.location), and would wait for it; end that access first."
            )
        }
    }
}

extension AccessRequest.Intention {
    /// Whether an access to that location, or to what is inside of it, meets this one (COORD-1 to COORD-4).
    fileprivate func meets(_ other: Location) -> Bool {
        guard location.domain == other.domain else { return false }
        if location.components.starts(with: other.components) { return true }
        let covers: Set<WritingOption?> = [.forDeleting, .forReplacing, .forMoving]
        return covers.contains(writingOption) && other.components.starts(with: location.components)
    }
}
