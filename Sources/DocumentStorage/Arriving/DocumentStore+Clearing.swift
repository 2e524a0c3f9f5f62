package import DocumentModel

/// All of a container but the user's documents goes away (CONT-5). What is to go is written down before any of it goes: killed in
/// between, the rest goes after the next start.
extension DocumentStore {
    /// - Parameters:
    ///   - folder: the container's.
    ///   - known: all that is to go, folders included, in the versions that were looked at.
    package func beginClearing(
        _ folder: ItemIdentifier, in domain: DomainName, of known: [ItemIdentifier: [UInt8]]
    ) throws -> JournalEntry {
        let (item, location) = try locate(folder, in: domain)
        var payload = JournalPayload()
        payload.place = location.components
        payload.kind = item.item.kind
        payload.known = known
        let entry = try index.write { try $0.begin(.clearBegan, item: folder, in: domain, payload: payload) }
        try reached(.clearBegan)
        return entry
    }

    /// Nothing of it is left, or what is left is to stay.
    package func finishClearing(_ entry: JournalEntry) throws {
        try index.write { try $0.finish(entry) }
        try reached(.clearFinished)
    }
}
