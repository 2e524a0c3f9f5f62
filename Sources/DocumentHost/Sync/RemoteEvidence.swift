import DocumentModel
import DocumentSync

/// What a provider's answers to a sending say of the remote, beyond what the index knows.
struct RemoteEvidence {
    private enum Finding {
        case none
        /// It was in the base version when the operation began; whether that was carried out, only the provider knows.
        case unchanged([UInt8])
        /// It is in some other version than the change began from.
        case changed
        case gone
    }

    private var finding: Finding
    /// What the provider said last.
    private(set) var refusal: DocumentError?

    /// - Parameter base: of an operation that the provider was asked for before the host ended, and knows by its name.
    init(resuming base: [UInt8]? = nil) {
        // Of what began from nobody knows what, that it is unchanged says nothing: it would go over whatever is there.
        guard let base, !base.isEmpty else {
            finding = .none
            return
        }
        finding = .unchanged(base)
    }

    /// Takes up what a refusal says.
    ///
    /// - Returns: false when it says nothing new of the remote, and planning again would lead nowhere.
    mutating func takes(_ error: DocumentError) -> Bool {
        switch (error.code, finding) {
        case (.versionNoLongerAvailable, .none), (.versionNoLongerAvailable, .unchanged): finding = .changed
        case (.noSuchItem, .none), (.noSuchItem, .unchanged), (.noSuchItem, .changed): finding = .gone
        default: return false
        }
        refusal = error
        return true
    }

    func applied(to trees: SyncTrees, of id: ItemIdentifier) -> SyncTrees {
        var trees = trees
        guard case .present(var there) = trees.remote[id] else { return trees }
        switch finding {
        case .none: return trees
        case .unchanged(let version): there.version = version
        case .changed:
            // Which one it is, the fetched contents will tell.
            if there.version == trees.synced[id]?.version { there.version = [] }
        case .gone:
            trees.remote[id] = .gone
            return trees
        }
        trees.remote[id] = .present(there)
        return trees
    }
}
