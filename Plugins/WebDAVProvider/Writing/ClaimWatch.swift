internal import DocumentModel
internal import Synchronization

/// How long others are seen to hold the claims that somebody waits for.
final class ClaimWatch: Sendable {
    private struct Sighting {
        var holder: String
        var since: ContinuousClock.Instant
        var latest: ContinuousClock.Instant
    }

    /// What several things in a folder are looked at for.
    enum Purpose: Hashable {
        case ending
        case removing
    }

    private struct Line: Hashable {
        let folder: RemotePath
        let purpose: Purpose
    }

    private static let mostSightings = 1024
    /// The last one that was looked at, in each line.
    private let lookedAt = Mutex<[Line: RemoteName]>([:])
    private let sightings = Mutex<[RemotePath: Sighting]>([:])
    /// The changes of this process, and whether they are under way.
    private let own = Mutex<[RemoteName: Bool]>([:])

    /// - Parameter holder: what tells one holder from the next.
    /// - Returns: for how long this one was seen to hold it.
    func saw(_ claim: RemotePath, heldBy holder: String, at now: ContinuousClock.Instant) -> Duration {
        sightings.withLock { sightings in
            var sighting = Sighting(holder: holder, since: now, latest: now)
            if let known = sightings[claim], known.holder == holder {
                sighting.since = known.since
            } else if sightings.count >= Self.mostSightings,
                let oldest = sightings.min(by: { $0.value.latest < $1.value.latest })
            {
                sightings[oldest.key] = nil
            }
            sightings[claim] = sighting
            return now - sighting.since
        }
    }

    /// Some of the claims in a folder, or of what is left of them, that are more than can be looked at at once: those that come
    /// after the ones of last time.
    ///
    /// - Parameter all: in their order.
    func turn(
        of all: [RemoteName], in folder: RemotePath, count: Int, for purpose: Purpose = .ending
    ) -> [RemoteName] {
        let line = Line(folder: folder, purpose: purpose)
        return lookedAt.withLock { lookedAt in
            guard all.count > count else {
                lookedAt[line] = nil
                return all
            }
            let start = lookedAt[line].flatMap { last in all.firstIndex { $0 > last } } ?? 0
            let turn = (all[start...] + all[..<start]).prefix(count)
            if lookedAt.count >= Self.mostSightings { lookedAt = [:] }
            lookedAt[line] = turn.last
            return Array(turn)
        }
    }

    func begins(_ key: RemoteName) { own.withLock { $0[key] = true } }

    /// - Parameter isClean: nothing of it is left on the server.
    func ends(_ key: RemoteName, isClean: Bool) { own.withLock { $0[key] = isClean ? nil : false } }

    /// Whether a claim is that of a change of this process that has failed: nobody else ends it.
    func isLeftBehind(_ key: RemoteName) -> Bool { own.withLock { $0[key] == false } }

    func forget(_ claim: RemotePath) {
        _ = sightings.withLock { $0.removeValue(forKey: claim) }
    }
}
