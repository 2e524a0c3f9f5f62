public import DocumentModel
import DocumentStorage
import DocumentTypes
import FileCoordination
import ProviderLauncher
import Synchronization

extension DocumentHost {
    /// Looks for items below a folder of a session by their names, in what the index knows: no provider is asked (PICK-20). What
    /// may be chosen is as in ``browse(_:in:page:suggestedCount:refreshing:for:)``.
    ///
    /// - Throws: `invalidArgument` for what is no folder of the session, `pageExpired` for a page that is none.
    public func search(
        for query: PickerQuery, below folder: PickerEntryID, in session: UInt64, page: PageToken?, suggestedCount: Int,
        for tool: Tool
    ) async throws(DocumentError) -> PickerFindings {
        let picker = try pickers.find(session, of: tool.owner)
        try picker.machine.withLock { machine throws(DocumentError) in try machine.look() }
        let key = try picker.key(folder)
        let domain = try domains.domain(key.domain)
        try await prepare(domain, for: picker)
        let item = try await pickedFolder(key, domain)
        let sight = try sight(of: tool)
        let around = try status(of: item).location
        try sight.require(picker.request.mode.choosesDocuments ? .reading : .writing, of: around)
        // Of a drop box nothing is told, not even whether there is something (PICK-13).
        guard !domain.isDropBox else { return PickerFindings(entries: []) }
        let row = try page.map { page throws(DocumentError) in try Self.row(of: page) } ?? 0
        let (name, limit) = (domain.name, min(max(suggestedCount, 1), 1000))
        return try await storage.run { [self] store in
            try store.root.index.read { index in
                let found = try index.items(named: query.words, below: item.id, in: name, after: row, limit: limit)
                let onDisk = try index.diskLocations(in: name)
                var findings = PickerFindings(entries: [], isLoading: found.isIncomplete)
                findings.next = try found.next.map { try Self.page(after: $0) }
                for (item, location) in found.items {
                    guard let parent = location.parent, sight.shows(location) else { continue }
                    let status = try status(of: item, in: parent, onDisk: onDisk, index)
                    findings.entries.append(try entry(item, status, in: picker, sight))
                }
                return findings
            }
        }
    }

    private static func page(after row: Int64) throws(DocumentError) -> PageToken {
        try PageToken((0..<8).map { UInt8(truncatingIfNeeded: row >> (56 - 8 * Int64($0))) })
    }

    private static func row(of page: PageToken) throws(DocumentError) -> Int64 {
        guard page.bytes.count == 8, let first = page.bytes.first, first < 0x80 else {
            throw DocumentError(.pageExpired, "The search cannot go on from there; begin again.")
        }
        return page.bytes.reduce(0) { $0 << 8 | Int64($1) }
    }
}
