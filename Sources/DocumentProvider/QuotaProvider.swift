public import DocumentModel

/// The capability "quota": tells how much room the remote has for the domain. Declare it in the manifest too.
///
/// The host asks when somebody wants to know, at most once a minute, and no document waits for it.
public protocol QuotaProvider: Provider {
    /// How much room there is now, for what is put into this domain; ``RemoteQuota/unknown`` when the remote does not say.
    ///
    /// It has the time that any question about metadata has: where the remote has to count for it, tell what was counted last.
    func quota() async throws -> RemoteQuota
}
