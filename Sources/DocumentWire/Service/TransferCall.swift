package import DocumentModel

/// What a host tool asks about transfers, beyond having them: the checked form of those calls of
/// `docent.service.v1.ServiceRequest`.
package enum TransferCall: Hashable, Sendable {
    /// Answered at once (DOWN-1).
    case startDownload(Location)
    case pause(Location, Bool)
    /// Of one document (VER-14).
    case resume(Location, ResumeBehavior)
    /// Nil: as the folder around it.
    case keep(Location, Keeping?)
    case space
    /// Nil: without limits.
    case setSpace(SpaceLimits?)
    /// Nil: everywhere.
    case watch(Location?)
    case nextEvents(UInt64)
    case endWatch(UInt64)
}

/// What the host answers to that.
package enum TransferReply: Hashable, Sendable {
    case space(SpaceStatus)
    case watch(UInt64)
    case events([ItemEvent])
}
