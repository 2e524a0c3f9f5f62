/// One configured instance of a provider.
public struct DomainDescription: Hashable, Sendable {
    public var name: DomainName
    public var providerID: ProviderIdentifier
    public var settings: [String: String]
    public var providerState: ProviderState
    /// Why the provider does not run, or what it waits for; nil when nothing is wrong.
    public var problem: DocumentError?
    /// Nil while no process runs.
    public var providerProcessID: Int32?

    public init(
        name: DomainName,
        providerID: ProviderIdentifier,
        settings: [String: String] = [:],
        providerState: ProviderState = .idle,
        problem: DocumentError? = nil,
        providerProcessID: Int32? = nil
    ) {
        self.name = name
        self.providerID = providerID
        self.settings = settings
        self.providerState = providerState
        self.problem = problem
        self.providerProcessID = providerProcessID
    }
}

/// How a domain's provider process is.
public enum ProviderState: String, Sendable, CaseIterable {
    /// Not started: nobody needed it.
    case idle
    case starting
    case running
    /// It ended too soon, and is started again later.
    case waiting
    /// It ended too often; given up until something changes.
    case failed
}

/// A domain and what is in it, in numbers.
public struct DomainStatus: Hashable, Sendable {
    public var domain: DomainDescription
    /// How many items are known.
    public var items: UInt64
    /// How many of them have their contents here, and how many bytes that is.
    public var materialised: UInt64
    public var materialisedBytes: UInt64
    /// How many have changes that were not sent yet.
    public var unsent: UInt64
    public var conflicts: UInt64

    public init(
        domain: DomainDescription,
        items: UInt64 = 0,
        materialised: UInt64 = 0,
        materialisedBytes: UInt64 = 0,
        unsent: UInt64 = 0,
        conflicts: UInt64 = 0
    ) {
        self.domain = domain
        self.items = items
        self.materialised = materialised
        self.materialisedBytes = materialisedBytes
        self.unsent = unsent
        self.conflicts = conflicts
    }
}
