import DocumentModel

/// What the remote keeps beside documents' contents.
extension SimulatedRemote {
    /// A side of a conflict.
    struct Side {
        var id: String
        var contents: [UInt8]
        var modified: Timestamp
        var savedBy: String?
        var digest: [UInt8]

        var version: ProvidedVersion {
            ProvidedVersion(
                id: id, role: .conflict, size: Int64(contents.count), modified: modified, savedBy: savedBy,
                sha256: digest)
        }
    }

    func sides(of id: ItemIdentifier) throws -> [Side] {
        guard let entry = entries[id] else { throw DocumentError(.noSuchItem, "There is no item \(id).") }
        guard entry.contents != nil else { throw DocumentError(.invalidArgument, "“\(id)” is a folder.") }
        return entry.sides
    }

    /// What was kept under the same name is not kept once more.
    func keep(_ side: Side, of id: ItemIdentifier) throws -> Side {
        let kept = try sides(of: id)
        if let known = kept.first(where: { $0.id == side.id }) { return known }
        if mistake != .forgetsSides { setSides(kept + [side], of: id) }
        return side
    }

    func removeSide(_ name: String, of id: ItemIdentifier) {
        guard let kept = entries[id]?.sides, kept.contains(where: { $0.id == name }) else { return }
        setSides(kept.filter { $0.id != name }, of: id)
    }
}
