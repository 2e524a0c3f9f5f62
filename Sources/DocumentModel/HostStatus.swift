/// How the host is.
public struct HostStatus: Hashable, Sendable {
    public var version: String
    public var processID: Int32
    /// The folder of the document storage root.
    public var root: String
    public var started: Timestamp
    /// How many host tools are connected.
    public var connections: Int
    /// How many claims on documents are held.
    public var claims: Int
    /// What the start found and mended, one sentence each.
    public var findings: [String]
    /// Resident memory, in bytes.
    public var memory: UInt64

    public init(
        version: String,
        processID: Int32,
        root: String,
        started: Timestamp,
        connections: Int = 0,
        claims: Int = 0,
        findings: [String] = [],
        memory: UInt64 = 0
    ) {
        self.version = version
        self.processID = processID
        self.root = root
        self.started = started
        self.connections = connections
        self.claims = claims
        self.findings = findings
        self.memory = memory
    }
}
