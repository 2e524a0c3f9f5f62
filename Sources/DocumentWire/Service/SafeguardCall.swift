package import DocumentModel

/// What a host tool asks about what keeps people from losing or spreading things by mistake (CONT-13): the checked form of
/// those calls of `docent.service.v1.ServiceRequest`.
package enum SafeguardCall: Hashable, Sendable {
    /// The rules after the change, which may be none.
    case ignoreRules(DomainName, IgnoreRuleChange)
    case explainIgnoring(Location)
    case previewSync(Location)
    case previewRemoval(Location, recursive: Bool, discardUnsent: Bool)
    case trash(TrashCall)
}

/// What the host answers to that.
package enum SafeguardReply: Hashable, Sendable {
    case ignoreRules(IgnoreRules)
    case explainIgnoring(IgnoreExplanation)
    case previewSync(SyncPreview)
    case previewRemoval(RemovalPreview)
    case trash(TrashReply)
}
