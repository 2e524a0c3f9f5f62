/// One thing that would be done, or that waits.
public struct PlannedStep: Hashable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        /// Put on the remote what was made here.
        case sendNew
        /// Make a folder on the remote that was made here.
        case makeFolder
        /// Send what was changed here.
        case send
        /// Put on the remote anew what was removed there and changed here (VER-15).
        case sendAgain
        /// Compare what was changed on both sides; where the two differ, both are kept until somebody chooses.
        case compare
        /// Keep both contents: it is in conflict, until somebody chooses.
        case keepBoth
        /// Bring contents here.
        case bring
        /// Move or rename on the remote what was moved or renamed here.
        case moveThere
        /// Remove on the remote what was removed here.
        case removeThere
        /// Remove here what is gone on the remote.
        case removeHere
    }

    public var kind: Kind
    public var location: Location
    /// Of ``Kind/moveThere``: where it goes.
    public var destination: Location?
    /// With all that is known below it.
    public var items: UInt64
    /// In bytes, of the contents that would travel; nil when none would, or nobody knows.
    public var size: UInt64?
    /// What it waits for; nil when nothing keeps it.
    public var wait: TransferWait?
    /// So many deletions need a yes first.
    public var needsApproval: Bool
    /// The ignore rule that keeps it here.
    public var ignoredBy: IgnorePattern?
    /// What went wrong with it last.
    public var problem: DocumentError?

    public init(
        _ kind: Kind, _ location: Location, to destination: Location? = nil, items: UInt64 = 1, size: UInt64? = nil,
        wait: TransferWait? = nil, needsApproval: Bool = false, ignoredBy: IgnorePattern? = nil,
        problem: DocumentError? = nil
    ) {
        self.kind = kind
        self.location = location
        self.destination = destination
        self.items = items
        self.size = size
        self.wait = wait
        self.needsApproval = needsApproval
        self.ignoredBy = ignoredBy
        self.problem = problem
    }
}
