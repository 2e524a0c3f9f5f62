package import DocumentModel

/// When the folders of a provider that tells of no changes are listed again: a state machine without I/O.
///
/// Only folders that somebody looked at are, and only as long as that is not long ago, and those that are kept; one at a time,
/// seldom, and ever more seldom when nothing is new. Those that are only kept take turns, so that however many they are, no more
/// than so many a minute are listed. When nothing is kept and nobody has looked for a while, nothing is done at all (INV-8).
package struct LookoutSchedule: Sendable {
    package struct Rules: Hashable, Sendable {
        /// Between two listings of a folder, at least; zero for never.
        package var interval: Duration
        /// How long after somebody looked at a folder it is of interest.
        package var interest: Duration
        /// How much longer than the interval it takes at most, when nothing is new or the provider fails.
        package var mostDoublings = 5
        /// Between two listings of folders that are only kept, at least.
        package var keptPause = Duration.seconds(6)

        package init(interval: Duration = .seconds(600), interest: Duration = .seconds(3600)) {
            self.interval = interval
            self.interest = interest
        }
    }

    package enum Finding: Hashable, Sendable {
        case news
        case nothingNew
        /// Its provider, which tells of changes by itself, was asked for them.
        case asked
        /// The provider could not be asked.
        case failed
        /// The folder is gone.
        case gone
    }

    private struct Folder {
        var lookedAt: Duration
        var due: Duration
        /// How often nothing was found, one after the other.
        var quiet = 0
        /// It is of interest whether or not anybody looks.
        var isKept = false
        /// Nobody looked at it since it is known here.
        var isOnlyKept = false
    }

    /// How much longer than the interval it takes for what is kept.
    private static let mostDoublingsOfKept = 2

    package var rules: Rules
    private var folders: [ItemIdentifier: Folder] = [:]
    private var underWay: ItemIdentifier?
    /// Before that none is listed that is only kept.
    private var keptFrom = Duration.zero

    package init(rules: Rules = Rules()) {
        self.rules = rules
    }

    /// Somebody looked at a folder, and it was listed for them.
    ///
    /// - Parameter jitter: 0 to 1, drawn by the caller.
    package mutating func lookedAt(_ folder: ItemIdentifier, at now: Duration, jitter: Double) {
        guard rules.interval > .zero else { return }
        let isKept = folders[folder]?.isKept ?? false
        folders[folder] = Folder(lookedAt: now, due: now + delay(0, jitter), isKept: isKept)
    }

    /// What is in these is to be current, whether or not anybody looks, until ``keepNothing()``.
    ///
    /// - Parameter jitter: 0 to 1, drawn by the caller.
    package mutating func keep(_ kept: [ItemIdentifier], at now: Duration, jitter: Double) {
        guard rules.interval > .zero else { return }
        let due = now + delay(0, jitter)
        for folder in kept {
            folders[folder, default: Folder(lookedAt: now, due: due, isOnlyKept: true)].isKept = true
        }
    }

    /// Nothing is to be current any more that nobody looks at.
    package mutating func keepNothing() {
        folders = folders.mapValues { folder in
            var folder = folder
            folder.isKept = false
            return folder
        }
    }

    /// - Returns: the folder to be listed now; nil when none is due, or one is under way. To be followed by
    ///   ``listed(_:_:at:jitter:)``.
    package mutating func next(at now: Duration) -> ItemIdentifier? {
        forget(now)
        guard underWay == nil else { return nil }
        let due = folders.filter { entry in time(of: entry.value).map { $0 <= now } ?? false }
        guard let first = due.min(by: { ($0.value.due, $0.key) < ($1.value.due, $1.key) }) else { return nil }
        underWay = first.key
        if isTakingTurns(first.value) { keptFrom = now + rules.keptPause }
        return underWay
    }

    package mutating func listed(_ folder: ItemIdentifier, _ finding: Finding, at now: Duration, jitter: Double) {
        if underWay == folder { underWay = nil }
        guard var entry = folders[folder] else { return }
        switch finding {
        case .gone:
            folders[folder] = nil
            return
        case .news: entry.quiet = 0
        case .asked where entry.isKept: entry.quiet = 0
        case .nothingNew, .asked, .failed:
            let most = entry.isKept ? min(rules.mostDoublings, Self.mostDoublingsOfKept) : rules.mostDoublings
            entry.quiet = min(entry.quiet + 1, most)
        }
        entry.due = now + delay(entry.quiet, jitter)
        folders[folder] = entry
    }

    /// When something may be due; nil when nothing will be, unless somebody looks.
    package func nextDeadline(after now: Duration) -> Duration? {
        guard underWay == nil, rules.interval > .zero else { return nil }
        return folders.values.compactMap { time(of: $0) }.min()
    }

    /// When a folder may be listed; nil when nobody is interested any more by the time that it is due.
    private func time(of folder: Folder) -> Duration? {
        guard folder.isKept || folder.due <= folder.lookedAt + rules.interest else { return nil }
        return isTakingTurns(folder) ? max(folder.due, keptFrom) : folder.due
    }

    /// Whether nobody looked at it for long, and it is one of perhaps many.
    private func isTakingTurns(_ folder: Folder) -> Bool {
        folder.isOnlyKept || folder.due > folder.lookedAt + rules.interest
    }

    package var folderCount: Int { folders.count }

    private mutating func forget(_ now: Duration) {
        guard rules.interval > .zero else {
            folders = [:]
            return
        }
        folders = folders.filter { $0.value.isKept || now <= $0.value.lookedAt + rules.interest }
    }

    /// Three quarters to five quarters, so that many folders, and many machines, do not ask all at once.
    private func delay(_ doublings: Int, _ jitter: Double) -> Duration {
        rules.interval * (1 << doublings) * (0.75 + 0.5 * min(max(jitter, 0), 1))
    }
}
