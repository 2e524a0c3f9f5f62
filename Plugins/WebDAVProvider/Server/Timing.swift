internal import NIOCore

/// How long things take; tests have other values.
struct Timing: Sendable {
    /// To get a connection.
    var connect: Duration = .seconds(8)
    /// To list one folder, in all.
    var listing: Duration = .seconds(50)
    /// The longest silence of the server in the middle of a request.
    var silence: Duration = .seconds(30)
    /// How long it may take to answer when it has got all of a document: some put it somewhere else only then.
    var digesting: Duration = .seconds(600)
    /// Between telling the host that such an answer is still waited for.
    var sign: Duration = .seconds(5)
    /// How long a question that somebody else waits for may take, when its answer can be done without.
    var aside: Duration = .seconds(3)
    /// So old a document has to be by the server's clock before its date or tag tells it from the next version (RS-2).
    var settling: Duration = .seconds(2)
    /// How long a document may be out of sight while somebody else changes it.
    var gap: Duration = .milliseconds(300)
    /// How long others are waited for who change the same, before that is told.
    var patience: Duration = .seconds(25)
    /// Whoever is seen to hold a claim for so long is gone.
    var abandoned: Duration = .seconds(120)
    /// What was staged so long ago, by the server's clock, is of nobody (SLOT-6).
    var forgotten: Duration = .seconds(7 * 86_400)
    /// Between looking for a server that cannot be reached: the first time, and at most.
    var firstLook: Duration = .seconds(1)
    var longestLook: Duration = .seconds(60)
    /// Between asking a server that tells of changes whether there are any: after some, and at most.
    var firstNews: Duration = .seconds(30)
    var longestNews: Duration = .seconds(300)
    /// How long a folder is brought up to date by what has changed in it, before it is listed anew all the same.
    var keptListing: Duration = .seconds(600)
    /// How long a server that gave all of a document where a part was asked for is asked for no parts.
    var wholeOnly: Duration = .seconds(600)
    var retrying = RetryPlan.Limits()
    var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    var now: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Where what nobody waits for runs; nil for the one that all share.
    var executor: (any TaskExecutor)?
    /// Tells what Docent makes on the server from everything else that it makes.
    var mark: @Sendable () -> UInt64 = { .random(in: .min ... .max) }
    /// From 0 to 1.
    var chance: @Sendable () -> Double = { .random(in: 0..<1) }
}

extension TimeAmount {
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
