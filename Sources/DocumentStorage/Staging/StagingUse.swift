package import DocumentModel

/// What a staging request is for, which decides what the domain's provider may do with its file.
package enum StagingUse: Hashable, Sendable {
    /// The provider fills it.
    case fetching(DomainName)
    /// The provider takes it, and cannot change it.
    case sending(DomainName)
    /// No provider sees it.
    case own

    static let fetchFolder = "fetch"
    private static let sendFolder = "send"
    static let folders: Set<String> = [fetchFolder, sendFolder]

    var components: [String] {
        switch self {
        case .fetching(let domain): [Self.fetchFolder, domain.rawValue]
        case .sending(let domain): [Self.sendFolder, domain.rawValue]
        case .own: []
        }
    }
}
