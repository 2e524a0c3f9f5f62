/// One configured instance of a provider.
public struct DomainDescription: Hashable, Sendable {
    public var name: DomainName
    public var providerID: ProviderIdentifier
    public var settings: [String: String]
    public var providerState: ProviderState
    /// Why the provider does not run, or what it waits for; nil when nothing is wrong.
    public var problem: DocumentError?
    /// Whether nothing works before somebody signs in; ``problem`` says why.
    public var needsSignIn = false
    /// Nil while no process runs.
    public var providerProcessID: Int32?
    /// While it waits: how long until it may be started again.
    public var restartDelay: Duration?
    /// The folder that its traffic is recorded in; nil when it is not.
    public var recordings: String?
    /// What its provider says of it, for people; nil when it has said nothing since the host started.
    public var note: DomainNote?
    /// What the user chose for it.
    public var rules = DomainRules()
    /// How much room its remote has, as it said last; nil when it says nothing, or was not asked yet.
    public var quota: ToldQuota?
    /// Deletions that wait for a yes, at most one for each direction (CONT-13).
    public var heldDeletions: [HeldDeletions] = []

    public init(
        name: DomainName,
        providerID: ProviderIdentifier,
        settings: [String: String] = [:],
        providerState: ProviderState = .idle,
        problem: DocumentError? = nil,
        providerProcessID: Int32? = nil,
        restartDelay: Duration? = nil,
        recordings: String? = nil
    ) {
        self.name = name
        self.providerID = providerID
        self.settings = settings
        self.providerState = providerState
        self.problem = problem
        self.providerProcessID = providerProcessID
        self.restartDelay = restartDelay
        self.recordings = recordings
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
    /// What is on its way, and what waits.
    public var transfers: TransferSummary

    public init(
        domain: DomainDescription,
        items: UInt64 = 0,
        materialised: UInt64 = 0,
        materialisedBytes: UInt64 = 0,
        unsent: UInt64 = 0,
        conflicts: UInt64 = 0,
        transfers: TransferSummary = TransferSummary()
    ) {
        self.domain = domain
        self.items = items
        self.materialised = materialised
        self.materialisedBytes = materialisedBytes
        self.unsent = unsent
        self.conflicts = conflicts
        self.transfers = transfers
    }
}
