package import DocumentModel
package import SystemPackage

extension DocumentStore {
    /// Copies contents of a document in conflict that are to be a document of their own beside it (VER-5).
    ///
    /// Whether it was made cannot be told when the answer is lost. Whoever asks again asks by the same name, so that there is no
    /// second copy.
    ///
    /// - Parameters:
    ///   - source: a file of the host's.
    ///   - attempt: counts those that were asked for and are gone, or could not have their names: each is another copy.
    ///   - kept: what is kept of that conflict here: contents of another one are another copy, even when they are equal.
    package func beginCopy(
        of source: FilePath, beside item: IndexedItem, in parent: ItemIdentifier, as name: ItemName, attempt: Int,
        of kept: [String]
    ) throws -> Export {
        var export = try beginExport(
            of: source, to: parent, name: name, kind: .document, in: item.domain, removingSource: false,
            mayBeMade: true)
        guard let contents = export.contents else { return export }
        do {
            var digest = Digest()
            for part in [item.id.rawValue, parent.rawValue, name.rawValue, "\(attempt)"] + kept {
                digest.add(Array(part.utf8) + [0])
            }
            digest.add(try VersionStore.digest(ofFileAt: contents.path))
            let found = digest.finish()
            // Where memory ran out, it is a copy like any other.
            if !found.isEmpty { export.operation = RandomName.hex(found.prefix(16)) }
            return export
        } catch {
            try abandon(export)
            throw error
        }
    }

    /// Whether the remote has something of just that name, as far as is known here.
    func isThere(_ name: ItemName, in parent: ItemIdentifier, of domain: DomainName) throws -> Bool {
        guard let holder = try index.read({ try $0.holder(of: name, in: parent, of: domain) }) else { return false }
        return !holder.isArriving && holder.item.name == name
    }
}
