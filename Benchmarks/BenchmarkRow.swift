/// One line of the table: a figure of ours beside its floor. To add one, write a file in `Rows/` and name it in
/// ``allRows``.
protocol BenchmarkRow: Sendable {
    var name: String { get }
    /// What the floor is, in a few words.
    var floor: String { get }
    var unit: String { get }
    var aim: Aim { get }

    /// Sets up, warms up, measures, and cleans up. Figure and floor are measured in turns within a round, so that what
    /// else the machine does touches both.
    func measure(rounds: Int) async throws -> [Round]
}

/// What one round gave, in the row's unit.
struct Round {
    var figure: Double
    var floor: Double
}

enum Aim {
    /// Of figure divided by floor.
    case ratioAtMost(Double)
    case ratioAtLeast(Double)
    /// Of the figure itself.
    case figureAtLeast(Double)
}

let allRows: [any BenchmarkRow] = [
    RequestAndAnswer(),
    PipelinedRequests(),
    PlaceholdersMade(),
    ItemsEnumerated(count: 10_000),
    ItemsEnumerated(count: 1_000_000),
    LargeDomainRow(measure: .listing, count: 100_000),
    LargeDomainRow(measure: .listing),
    LargeDomainRow(measure: .start, count: 100_000),
    LargeDomainRow(measure: .start),
    LargeDomainRow(measure: .memory),
    LargeDomainRow(measure: .change),
    ChangesSent(count: 1_000),
    ChangesSent(count: 10_000),
    RemoteSmallDocuments(),
    RemoteLargeDocument(),
    DocumentsOpened(isFirst: true),
    DocumentsOpened(isFirst: false),
    SmallDocumentsThroughStaging(),
    ContentsThroughStaging(mebibytes: 1),
    ContentsThroughStaging(mebibytes: 256),
    CoordinatedReads(way: .plain), CoordinatedReads(way: .apart), CoordinatedReads(way: .together),
    CoordinatedReads(way: .presenter), CoordinatedReads(way: .registered),
    CoordinatedReads(way: .bookmark),
    ClaimsAsked(),
    ClaimsHeld(),
    MountedReads(isRandom: false),
    MountedReads(isRandom: true),
    MountedListing(),
    MountedSmallDocuments(isFirst: true),
    MountedSmallDocuments(isFirst: true, readsAhead: false),
    MountedSmallDocuments(isFirst: false),
    MountedRemoteDocuments(),
    MountedLargeDocument(),
]
