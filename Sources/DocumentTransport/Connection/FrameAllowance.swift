/// How many frames a peer may send that ask for nothing and answer nothing: pings, progress, cancels of what does not
/// run, frames of unknown kinds. An honest peer needs few; whoever sends them without end keeps its receiver from
/// everybody else, and is not listened to any more.
struct FrameAllowance: Sendable {
    /// At once.
    static let burst: UInt64 = 20_000
    /// On average. A progress frame every 50 ms for each of 64 requests is a quarter of it.
    static let perSecond: UInt64 = 5_000

    private static let nanosecondsPerFrame = 1_000_000_000 / perSecond

    /// When the allowance was, or will be, untouched: each frame moves it on by its share of a second.
    private var paidUntil = MonotonicTime(nanoseconds: 0)

    /// Takes one frame.
    ///
    /// - Returns: false when there were too many.
    mutating func take(at now: MonotonicTime) -> Bool {
        paidUntil = max(paidUntil, now) + Self.nanosecondsPerFrame
        return paidUntil <= now + Self.burst * Self.nanosecondsPerFrame
    }
}
