import DocumentModel
import DocumentStorage
import FileCoordination

/// The claims of a tool inside of whose accessors it asks for what the host does now, under claims of its own: those cannot
/// end before that is done.
enum EnclosingClaims {
    @TaskLocal static var current: Set<ClaimID> = []
}

extension DocumentHost {
    /// Does what a tool asks for inside of its accesses. What would wait for one of them is refused at once (COORD-38, COORD-39).
    ///
    /// - Parameter accesses: by their numbers; those that the tool does not hold do not count.
    package func inside<Value>(
        of accesses: [UInt64], of tool: Tool, _ body: () async throws -> Value
    ) async throws -> Value {
        let held = self.accesses.held(accesses, by: tool.owner)
        return try await self.accesses.whileInUse(held) {
            try await EnclosingClaims.$current.withValue(held, operation: body)
        }
    }

    /// Does what a tool asks for.
    ///
    /// - Parameter isGivenUp: asked when what the tool asked for is cancelled: whether it wants it no more. If not, it is gone.
    package func asked<Value>(
        by tool: Tool, isGivenUp: @escaping @Sendable () -> Bool, _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await Asker.$current.withValue(Asker(tool.owner, isGivenUp: isGivenUp), operation: body)
    }

    /// What is sent only when the tool's own access to it has ended need not be waited for inside of that (COORD-38).
    func checkNotInside(_ item: IndexedItem, at location: Location) throws(DocumentError) {
        let enclosing = EnclosingClaims.current
        guard !enclosing.isEmpty else { return }
        let wanted = try storage.read { try $0.coordinated(item) }
        guard accesses.isHeld(wanted, by: enclosing) else { return }
        throw DocumentError(
            .deadlock,
            "The sending of \(location) was to be waited for inside of an access to it, and waits for that: end the access first.",
            itemID: item.id)
    }
}
