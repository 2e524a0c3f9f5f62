package import DocumentModel
package import DocumentStorage
package import FileCoordination

/// Which folders are watched, what in them may have changed, and when to look: what ``LocalChangeWatcher`` does, without
/// I/O and without a clock.
///
/// What the system tells is a hint to look at a name, never a fact, and no event is told apart as the host's own: a look
/// that finds what is recorded ends there. A look waits until whoever writes has closed the file, or pauses.
package struct LocalChangesStateMachine: Sendable {
    /// Domain and identifier of a folder: what it is called and where it lies may change.
    package typealias Folder = CoordinatedItem.Key

    package struct Name: Hashable, Sendable {
        package var folder: Folder
        package var name: ItemName

        package init(_ name: ItemName, in folder: Folder) {
            self.folder = folder
            self.name = name
        }
    }

    package enum Action: Hashable, Sendable {
        /// To be answered by ``watched(_:as:)``, ``missing(_:)`` or ``refused(_:at:)``.
        case watch(Folder)
        case unwatch(Int32)
        /// To be answered by ``counted(_:hasContents:)``.
        case count(Folder)
        /// To be answered by ``looked(at:failed:now:)``.
        case look(Name)
        /// All documents of a folder that have contents here are to be compared with what is recorded, those that differ
        /// told by ``differ(_:in:at:)``; to be answered by ``compared(_:at:)``.
        case compare(Folder)
        /// All folders with contents are to be told by ``contentsCame(in:)`` and compared; to be answered by
        /// ``comparedAll()``.
        case compareAll
        /// The system's limit is reached: people are to hear of it, once.
        case sayThatLimitIsReached
    }

    /// How patient it is.
    package struct Patience: Sendable {
        /// A file that is still open counts as written when nobody wrote for so long.
        package var quiet = Duration.milliseconds(1000)
        /// But one that is written to again and again is looked at after so long, open or not.
        package var longestOpen = Duration.seconds(120)
        /// What was closed or moved into its place is looked at after so long: programs do several things in a row.
        package var settling = Duration.milliseconds(100)
        /// Further writes put a look at what was closed off, but not for longer.
        package var longest = Duration.milliseconds(1000)
        /// Some programs remove a file and make it anew when they save.
        package var absence = Duration.milliseconds(2000)
        /// A folder that has no contents any more is watched for so long: some may come again.
        package var emptiness = Duration.seconds(5)
        /// How often folders are compared that cannot be watched, at most; less often when it takes long.
        package var polling = Duration.seconds(3)
        /// A look that failed is repeated after so long, then ever more seldom.
        package var retry = Duration.seconds(1)
        package var longestRetry = Duration.seconds(60)

        package init() {}
    }

    private enum Watch {
        case beginning
        case watched(Int32)
        /// The system does not tell of it: it is compared every so often.
        case polled
    }

    private struct Look {
        /// When it is due; nil while it is under way and nothing has happened since.
        var due: Duration?
        /// By when, at the latest, once somebody had closed the file.
        var latest: Duration?
        var isUnderWay = false
        var failures = 0
        /// Nothing else was told since the last look than that it was moved to its place.
        var hasOnlyCome: Bool
        /// The same of what the look that is under way is about.
        var isForArrival = false
    }

    private enum Errand: Hashable {
        case look(Name)
        case count(Folder)
        case watchAgain(Folder)
        case compare(Folder)
        case poll
    }

    private let patience: Patience
    private var watches: [Folder: Watch] = [:]
    /// Folders of which somebody said that they hold contents while a watch was begun: it may have looked too early.
    private var toldMeanwhile: Set<Folder> = []
    private var folders: [Int32: Folder] = [:]
    private var looks: [Name: Look] = [:]
    private var agenda = Agenda<Errand>()
    /// Folders that are waited for in this round of polling, and when it began.
    private var polling: (began: Duration, left: Set<Folder>)?
    private var isPollPlanned = false
    private var counting: Set<Folder> = []
    private var comparingSoon: Set<Folder> = []
    /// A comparison of everything is under way; true when another one is to follow.
    private var comparingAll: Bool?
    private var hasSaidLimit = false

    package init(patience: Patience = Patience()) {
        self.patience = patience
    }

    /// When ``timePassed(to:)`` is to be called; nil when nothing waits.
    package var nextDeadline: Duration? { agenda.earliest }

    /// Whether something is to be looked at that may be a change.
    package var isBusy: Bool { !looks.isEmpty }

    package var watchedCount: Int { folders.count }

    /// Whether a look that is under way is about nothing else than that a file was moved to its place, as the host's own are: one
    /// that is just what is recorded was written by nobody.
    package func isForArrival(_ name: Name) -> Bool { looks[name]?.isForArrival == true }

    package func isPolled(_ folder: Folder) -> Bool {
        if case .polled = watches[folder] { true } else { false }
    }

    // MARK: Where contents are

    /// A folder holds contents.
    package mutating func contentsCame(in folder: Folder) -> [Action] {
        if case .beginning = watches[folder] { toldMeanwhile.insert(folder) }
        guard watches[folder] == nil else { return [] }
        watches[folder] = .beginning
        return [.watch(folder)]
    }

    /// Contents have left a folder: perhaps they were the last ones.
    package mutating func contentsLeft(_ folder: Folder, at now: Duration) {
        guard watches[folder] != nil, counting.insert(folder).inserted else { return }
        agenda.add(.count(folder), at: now + patience.emptiness)
    }

    package mutating func counted(_ folder: Folder, hasContents: Bool) -> [Action] {
        counting.remove(folder)
        return hasContents ? [] : forget(folder)
    }

    /// A domain is gone, with all its folders.
    package mutating func removed(_ domain: DomainName) -> [Action] {
        looks = looks.filter { $0.key.folder.domain != domain }
        return watches.keys.filter { $0.domain == domain }.flatMap { forget($0) }
    }

    private mutating func forget(_ folder: Folder) -> [Action] {
        toldMeanwhile.remove(folder)
        guard case .watched(let watch) = watches.removeValue(forKey: folder) else { return [] }
        folders[watch] = nil
        return [.unwatch(watch)]
    }

    // MARK: Watches

    /// What happened before the watch was there was not told.
    package mutating func watched(_ folder: Folder, as watch: Int32) -> [Action] {
        guard watches[folder] != nil else { return [.unwatch(watch), .compare(folder)] }
        // One folder on disk is one watch: it stands for who came last.
        toldMeanwhile.remove(folder)
        if let other = folders[watch], other != folder { watches[other] = nil }
        watches[folder] = .watched(watch)
        folders[watch] = folder
        return [.compare(folder)]
    }

    /// The folder is not on disk: what it held is gone.
    package mutating func missing(_ folder: Folder) -> [Action] {
        if toldMeanwhile.remove(folder) != nil, watches[folder] != nil { return [.watch(folder)] }
        watches[folder] = nil
        return [.compare(folder)]
    }

    /// The system watches nothing more.
    package mutating func refused(_ folder: Folder, at now: Duration) -> [Action] {
        guard watches[folder] != nil else { return [.compare(folder)] }
        toldMeanwhile.remove(folder)
        watches[folder] = .polled
        planPoll(at: now + patience.polling)
        guard !hasSaidLimit else { return [.compare(folder)] }
        hasSaidLimit = true
        return [.sayThatLimitIsReached, .compare(folder)]
    }

    private mutating func planPoll(at time: Duration) {
        guard polling == nil, !isPollPlanned else { return }
        isPollPlanned = true
        agenda.add(.poll, at: time)
    }

    /// Perhaps there is room for a watch by now: each one is tried again, and compared in any case.
    private mutating func poll(_ now: Duration) -> [Action] {
        isPollPlanned = false
        let polled = watches.compactMap { folder, watch in
            if case .polled = watch { folder } else { nil }
        }
        guard !polled.isEmpty else { return [] }
        polling = (now, Set(polled))
        for folder in polled { watches[folder] = .beginning }
        return polled.map { .watch($0) }
    }

    /// A comparison has ended.
    package mutating func compared(_ folder: Folder, at now: Duration) {
        guard var round = polling else { return }
        round.left.remove(folder)
        polling = round
        guard round.left.isEmpty else { return }
        polling = nil
        planPoll(at: now + max(patience.polling, (now - round.began) * 20))
    }

    package mutating func comparedAll() -> [Action] {
        let isWantedAgain = comparingAll == true
        comparingAll = isWantedAgain ? false : nil
        return isWantedAgain ? [.compareAll] : []
    }

    /// What a comparison has found.
    package mutating func differ(_ files: [DifferingFile], in folder: Folder, at now: Duration) {
        for file in files {
            let name = Name(file.name, in: folder)
            // What is awaited already is looked at in its own time.
            guard looks[name] == nil || looks[name]?.isUnderWay == true else { continue }
            note(name, at: now + (file.isMissing ? patience.absence : patience.settling), latest: nil)
        }
    }

    // MARK: Events

    package mutating func happened(_ event: FolderEvent, at now: Duration) -> [Action] {
        if event.kind == .overflow {
            defer { comparingAll = comparingAll != nil }
            return comparingAll == nil ? [.compareAll] : []
        }
        guard let folder = folders[event.watch] else { return [] }
        switch event.kind {
        case .ended:
            _ = forget(folder)
            return watchAgain(folder, at: now)
        case .folderMoved:
            // By the host, or by somebody else, to a place where it is none of ours.
            return forget(folder) + watchAgain(folder, at: now)
        case .overflow, .other: return []
        case .misnamed:
            compareSoon(folder, at: now)
            return []
        case .made, .written, .closed, .movedHere, .movedAway, .removed:
            guard !event.isFolder, let text = event.name else { return [] }
            guard let name = try? ItemName(text) else {
                if event.kind != .written, event.kind != .closed { compareSoon(folder, at: now) }
                return []
            }
            happened(event.kind, to: Name(name, in: folder), at: now)
            return []
        }
    }

    /// The last thing that happened says how long the next may take.
    private mutating func happened(_ kind: FolderEvent.Kind, to name: Name, at now: Duration) {
        switch kind {
        case .closed, .movedHere:
            let latest = min(looks[name]?.latest ?? .seconds(Int64.max), now + patience.longest)
            note(name, at: min(now + patience.settling, latest), latest: latest, hasCome: kind == .movedHere)
        case .movedAway, .removed:
            note(name, at: now + patience.absence, latest: nil)
        default:
            let latest = looks[name]?.latest ?? now + patience.longestOpen
            note(name, at: min(now + patience.quiet, latest), latest: latest)
        }
    }

    /// What came or went has a name that nobody can ask for.
    private mutating func compareSoon(_ folder: Folder, at now: Duration) {
        guard comparingSoon.insert(folder).inserted else { return }
        agenda.add(.compare(folder), at: now + patience.absence)
    }

    private mutating func watchAgain(_ folder: Folder, at now: Duration) -> [Action] {
        watches[folder] = .beginning
        agenda.add(.watchAgain(folder), at: now + patience.settling)
        return []
    }

    // MARK: Looks

    /// A document is to be looked at although nobody told of it: what was written could not be recorded.
    package mutating func suspect(_ name: ItemName, in folder: Folder, at now: Duration) {
        note(Name(name, in: folder), at: now + patience.retry, latest: nil)
    }

    /// A look has found that a program may be in the middle of something. To be told before the look has ended.
    package mutating func mustLookAgain(at name: Name, now: Duration) {
        note(name, at: now + patience.absence, latest: nil)
    }

    private mutating func note(_ name: Name, at time: Duration, latest: Duration?, hasCome: Bool = false) {
        var look = looks[name] ?? Look(hasOnlyCome: hasCome)
        look.hasOnlyCome = hasCome && (look.due == nil || look.hasOnlyCome)
        // When it is put off, the agenda finds that out in its time.
        let isPlanned = look.due.map { $0 <= time } ?? false
        look.due = time
        look.latest = latest
        looks[name] = look
        if !look.isUnderWay, !isPlanned { agenda.add(.look(name), at: time) }
    }

    /// A look has ended.
    ///
    /// - Parameter failed: it could not be recorded what was found; that is tried again.
    package mutating func looked(at name: Name, failed: Bool = false, now: Duration) {
        guard var look = looks[name] else { return }
        look.isUnderWay = false
        look.isForArrival = false
        if failed {
            look.hasOnlyCome = false
            let doublings = min(look.failures, 10)
            look.failures += 1
            look.due = now + min(patience.retry * (1 << doublings), patience.longestRetry)
        } else {
            look.failures = 0
        }
        guard let due = look.due else {
            looks[name] = nil
            return
        }
        looks[name] = look
        agenda.add(.look(name), at: due)
    }

    // MARK: Time

    package mutating func timePassed(to now: Duration) -> [Action] {
        var actions: [Action] = []
        for errand in agenda.take(until: now) {
            switch errand {
            case .look(let name):
                guard var look = looks[name], !look.isUnderWay, let due = look.due else { continue }
                guard due <= now else {
                    agenda.add(errand, at: due)
                    continue
                }
                look.isUnderWay = true
                look.isForArrival = look.hasOnlyCome
                look.due = nil
                look.latest = nil
                looks[name] = look
                actions.append(.look(name))
            case .count(let folder):
                actions.append(.count(folder))
            case .watchAgain(let folder):
                if case .beginning = watches[folder] { actions.append(.watch(folder)) }
            case .compare(let folder):
                comparingSoon.remove(folder)
                if watches[folder] != nil { actions.append(.compare(folder)) }
            case .poll:
                actions += poll(now)
            }
        }
        return actions
    }
}
