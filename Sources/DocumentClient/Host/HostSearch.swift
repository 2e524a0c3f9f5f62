/// When the next host is looked for after one has ended: soon at first, then less and less often, until the patience is over.
/// Without I/O.
struct HostSearch: Sendable {
    /// The first pause; each one is twice as long as the one before.
    static let first = Duration.milliseconds(50)
    static let longest = Duration.seconds(2)

    /// How long the first look waits when a host has ended that came after another one, and had been there for so long: one that
    /// ends whenever it is asked is not to be asked without end.
    static func rest(after age: Duration) -> Duration { max(.zero, longest - age) }

    let patience: Duration
    private var pauses = 0

    init(patience: Duration) {
        self.patience = patience
    }

    /// Nobody was there.
    ///
    /// - Parameters:
    ///   - elapsed: since the search began.
    ///   - jitter: 0 to 1, drawn by the caller: not all who have lost a host come to the next one at the same moment.
    /// - Returns: how long to wait before the next look; the last one is when the patience ends. Nil when that was it.
    mutating func pause(after elapsed: Duration, jitter: Double) -> Duration? {
        guard elapsed < patience else { return nil }
        let pause = min(Self.first * (1 << min(pauses, 16)), Self.longest)
        pauses += 1
        let spread = pause * (0.5 + 0.5 * min(max(jitter, 0), 1))
        return min(spread, patience - elapsed)
    }
}
