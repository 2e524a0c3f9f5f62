package import DocumentModel
package import SystemPackage

/// How a domain's provider is, for people.
package struct ProviderStatus: Hashable, Sendable {
    package var provider: ProviderIdentifier
    package var domain: DomainName
    package var state: ProviderSupervisorStateMachine.State
    /// While there is a process.
    package var processID: Int32?
    package var software: String
    /// How many calls use it right now.
    package var leases: Int
    /// Why it last died or could not be started.
    package var lastFailure: DocumentError?
    /// The folder that its traffic is recorded in.
    package var recordings: FilePath?
}
