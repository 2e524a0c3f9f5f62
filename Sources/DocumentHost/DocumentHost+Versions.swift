public import DocumentModel
import DocumentStorage

extension DocumentHost {
    /// The contents that a document has, and those that are kept beside it: the current ones first.
    ///
    /// - Throws: `noSuchItem` for what is not there, `invalidArgument` for a folder.
    public func versions(at location: Location) async throws(DocumentError) -> [DocumentVersion] {
        let (_, item) = try await document(at: location)
        var versions = try keeper.versions(of: item)
        if item.state != .outdated, await thumbnailDesk.hasThumbnail(item),
            let current = versions.firstIndex(where: { $0.kind == .current && $0.isInPlace })
        {
            versions[current].hasThumbnail = true
        }
        return versions
    }

    /// Puts kept contents in a document's place, as a change of it that is sent; what was there is kept.
    ///
    /// - Parameter version: the identifier of one of its versions.
    /// - Throws: `noSuchItem` for an identifier that names none of them, `inConflict` while it is in conflict.
    public func restore(_ version: String, at location: Location) async throws(DocumentError) {
        while true {
            let (domain, item) = try await document(at: location)
            try domain.requireModifying(location)
            guard item.item.capabilities.contains(.write) else {
                throw DocumentError(.notPermitted, "\(location) is read-only on the remote.")
            }
            if try await keeper.restore(version, of: item, at: location, on: domain) { return }
        }
    }

    /// Removes versions of a document for good, under a claim to write it (VER-7). To remove one side of an unresolved conflict
    /// resolves it: the other one stays, as ``resolveConflict(at:keeping:as:)`` does it.
    ///
    /// - Parameter versions: identifiers of its versions; empty: all older ones.
    /// - Throws: `noSuchItem` for an identifier that names none of them; `invalidArgument` for the current version, and for what
    ///   changes began from that were not sent yet; `inConflict` for all while it is in conflict. Then none is removed.
    public func removeVersions(_ versions: [String], at location: Location) async throws(DocumentError) {
        while true {
            let (_, item) = try await document(at: location)
            switch try await keeper.remove(versions, of: item, at: location) {
            case .done: return
            case .renamed: continue
            case .resolves(let choice): return try await resolveConflict(at: location, keeping: choice)
            }
        }
    }

    private func document(at location: Location) async throws(DocumentError) -> (Domain, IndexedItem) {
        let domain = try domains.domain(location.domain)
        try domain.require([.open], for: "opened")
        let item = try await resolver.resolve(location, in: domain)
        guard item.item.kind == .document else {
            throw DocumentError(.invalidArgument, "\(location) is a folder; only documents have versions.")
        }
        return (domain, item)
    }

    private var keeper: VersionKeeper {
        VersionKeeper(
            storage: storage, broker: broker, sender: sender, owner: owner, deviceName: configuration.deviceName)
    }
}
