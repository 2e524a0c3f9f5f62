import DocumentSimulator

/// What happens in one run, drawn from its seed: who does what when, and what fails.
package struct HostScenario: Sendable {
    /// What somebody does, or what befalls a machine.
    package enum Action: String, CaseIterable, Sendable {
        case create, makeFolder, edit, editInPlace, read, move, rename, remove, evict, restart
        /// Past the host, in the documents' tree.
        case replacePast, renamePast, removePast
        /// Others, at the provider's own place.
        case createThere, editThere, moveThere, removeThere
        /// The connection to the provider ends.
        case disconnect
        /// The host is killed; or its machine loses its power; or, besides, its index.
        case kill, losePower, loseIndex
        /// The date is a year off from now on.
        case jumpAhead, jumpBack
        /// What is to be kept on a machine.
        case pin, unpin, restoreTrash, emptyTrash
        /// What waits until somebody decides, while others go on.
        case pause, resume
        /// Folders with all that is in them, through the host, past it, and at the provider's own place.
        case moveFolder, removeFolder, moveFolderPast, makeFolderThere, moveFolderThere, removeFolderThere
        /// What takes its time: somebody writes or reads while others do what they want. And what comes from elsewhere on the
        /// machine.
        case holdWriting, holdPlace, holdReading, moveIn, moveFolderIn
        /// Somebody has the host ask anew what is in a folder, and in all below it.
        case list
        /// Whether deletions of several items at once are meant, where that is asked.
        case approveDeletions, refuseDeletions
        /// Several write the same document at once; and somebody chooses, where the remote keeps both sides.
        case clash, keepCurrent, keepOther, keepBoth, putSide, dropSide, fetchSides, editSide
        /// Large documents, that come in parts where the provider gives those.
        case createLarge, createLargeThere, editLargeThere, readComing, giveUpComing
        /// Packages, through the host and at the provider's own place.
        case movePackageIn, editPackage, readPackage, evictPackage, movePackage, removePackage
        case makePackageThere, makePartThere, editPartThere, movePackageThere, removePackageThere
        /// Names that differ from others only by case or by Unicode form: through the host, on all machines at once, and at the
        /// provider's own place.
        case createLike, renameLike, createLikeAtOnce, createLikeThere, moveLikeThere
        /// Somebody has a document or a folder open, and is told of what becomes of it; and closes it.
        case present, stopPresenting

        /// Drawn apart.
        static let aboutKeeping: [Action] = [.pin, .pin, .unpin, .remove, .restoreTrash, .restoreTrash, .emptyTrash]
        static let aboutPausing: [Action] = [.pause, .pause, .edit, .editThere, .edit, .resume, .resume]
        static let aboutFolders: [Action] = [
            .makeFolder, .makeFolderThere, .create, .createThere, .edit, .edit, .editThere, .move, .moveThere,
            .moveFolder, .moveFolder, .moveFolderThere, .moveFolderThere, .moveFolderPast, .removeFolder,
            .removeFolderThere,
        ]
        static let others = allCases.filter {
            $0 == .remove || !aboutKeeping.contains($0) && !$0.isApart
        }
        static let aboutDeletions: [Action] = [
            .remove, .removeThere, .removeThere, .removeFolder, .removeFolderThere, .approveDeletions, .refuseDeletions,
        ]

        static let aboutUse: [Action] = [
            .moveIn, .moveIn, .moveFolderIn, .list, .list, .list, .list, .kill, .holdWriting, .holdWriting, .holdPlace,
            .holdPlace, .holdReading,
            .editThere,
            .moveThere, .removeThere, .move, .rename, .evict, .moveFolder, .moveFolderThere, .removeFolder,
            .removeFolderThere,
        ]

        static let aboutSides: [Action] = [
            .clash, .clash, .clash, .clash, .clash, .clash, .keepCurrent, .keepOther, .keepBoth, .putSide, .dropSide,
            .fetchSides, .editSide, .editSide, .createThere, .editThere, .move, .moveThere, .rename, .evict,
        ]

        static let aboutParts: [Action] = [
            .createLarge, .createLargeThere, .createLargeThere, .editLargeThere, .editLargeThere, .readComing,
            .readComing, .readComing,
            .giveUpComing, .giveUpComing, .evict, .evict, .disconnect, .kill, .losePower, .moveThere,
        ]

        static let aboutPackages: [Action] = [
            .makePackageThere, .makePackageThere, .movePackageIn, .editPackage, .editPackage, .editPackage,
            .editPackage, .editPackage, .readPackage, .readPackage, .evictPackage, .movePackage, .removePackage,
            .makePartThere, .editPartThere, .editPartThere, .editThere, .removeThere, .moveThere, .movePackageThere,
            .removePackageThere, .kill,
        ]

        static let aboutNames: [Action] = [
            .createLike, .createLike, .renameLike, .renameLike, .createLikeAtOnce, .createLikeAtOnce, .createLikeThere,
            .createLikeThere, .createLikeThere, .moveLikeThere, .moveLikeThere, .moveLikeThere, .edit, .edit,
            .editThere, .editThere, .move, .rename, .moveThere, .removeThere, .evict, .kill,
        ]

        static let aboutPresenting: [Action] = [
            .present, .present, .present, .present, .present, .stopPresenting, .create, .createThere, .edit,
            .editInPlace, .editThere, .editThere, .read, .move, .rename, .moveThere, .moveFolder, .moveFolderThere,
            .removeThere, .evict, .evict,
        ]

        /// Drawn apart, and never among what usually happens.
        private var isApart: Bool {
            switch self {
            case .moveFolder, .removeFolder, .moveFolderPast, .makeFolderThere, .moveFolderThere, .removeFolderThere,
                .approveDeletions, .refuseDeletions, .pause, .resume, .holdWriting, .holdPlace, .holdReading, .moveIn,
                .moveFolderIn, .list, .clash, .keepCurrent, .keepOther, .keepBoth, .putSide, .dropSide, .fetchSides,
                .editSide,
                .createLarge, .createLargeThere, .editLargeThere, .readComing, .giveUpComing,
                .movePackageIn, .editPackage, .readPackage, .evictPackage, .movePackage, .removePackage,
                .makePackageThere, .makePartThere, .editPartThere, .movePackageThere, .removePackageThere,
                .createLike, .renameLike, .createLikeAtOnce, .createLikeThere, .moveLikeThere,
                .present, .stopPresenting:
                true
            default: false
            }
        }
    }

    package struct Step: Sendable {
        /// In milliseconds since the beginning.
        package var time: Int
        package var machine: Int
        package var action: Action
        /// Which document it is about, and where to.
        package var pick: Int
        package var other: Int
    }

    /// How often something fails: once in so many times; 0: never.
    package struct Faults: Sendable {
        /// A machine dies at a change of a file.
        package var death = 0
        /// What the provider is asked.
        package var refusal = 0
        package var lostRequest = 0
        package var lostAnswer = 0
        package var slow = 0
        /// A change of a file fails.
        package var badDisk = 0
        package var flippedBit = 0
        /// In milliseconds: when one machine's disk is full, and when the remote cannot be reached.
        package var fullDisk: Range<Int>?
        package var outage: Range<Int>?
    }

    /// What a remote does with names that differ only by case or by Unicode form.
    package enum LikeNames: Sendable {
        /// They are others, to it.
        case taken
        /// They are the same, to it.
        case refused
    }

    package var seed: UInt64
    package var machines: Int
    package var steps: [Step]
    package var faults: Faults
    /// Somebody is asked when several items are to be deleted at once.
    package var asksBeforeDeleting: Bool
    /// The remote keeps both sides of each conflict.
    package var keepsSides: Bool
    /// The provider gives parts of documents.
    package var givesParts: Bool
    /// The provider tells what has changed; else hosts find it where they list folders.
    package var hasFeed: Bool
    /// Nil: nobody gives any.
    package var likeNames: LikeNames?
    /// People have documents and folders open.
    package var hasPresenters: Bool
    /// How many items a page of a listing has; nil: all of them.
    package var pageSize: Int?
    /// How many changes the provider remembers; who asks for more of them has an anchor that is too old. Nil: all of them.
    package var memory: Int?

    /// When the last step is made, and everything is well from then on.
    package static let end = 60_000

    package init(seed: UInt64) {
        self.seed = seed
        var random = SeededRandom(seed: seed)
        machines = 1 + random.below(3)
        let sides = SeededRandom(seed: seed ^ 0x51DE5)
        keepsSides = Self.isDrawn(sides)
        let parts = SeededRandom(seed: seed ^ 0x9A275)
        givesParts = Self.isDrawn(parts)
        var names = SeededRandom(seed: seed ^ 0xCA5E)
        if names.once(in: 4) { likeNames = names.once(in: 2) ? .refused : .taken }
        if keepsSides || likeNames != nil { machines = max(machines, 2) }
        var pages = SeededRandom(seed: seed ^ 0x9A6E5)
        if pages.once(in: 3) { pageSize = 1 + pages.below(4) }
        if pages.once(in: 4) { memory = 1 + pages.below(12) }
        var feed = SeededRandom(seed: seed ^ 0xFEED)
        hasFeed = !feed.once(in: 4)
        var faults = Faults()
        if random.once(in: 3) { faults.death = 150 + random.below(3000) }
        if random.once(in: 3) { faults.refusal = 5 + random.below(30) }
        if random.once(in: 3) { faults.lostRequest = 5 + random.below(40) }
        if random.once(in: 3) { faults.lostAnswer = 5 + random.below(40) }
        if random.once(in: 2) { faults.slow = 3 + random.below(20) }
        if random.once(in: 4) { faults.badDisk = 100 + random.below(2000) }
        if random.once(in: 5) { faults.flippedBit = 3 + random.below(10) }
        if random.once(in: 4) { faults.fullDisk = Self.window(&random) }
        if random.once(in: 3) { faults.outage = Self.window(&random) }
        self.faults = faults
        steps = Self.steps(machines: machines, &random)
        let aboutDeletions = Self.steps(
            from: Action.aboutDeletions, machines: machines, SeededRandom(seed: seed ^ 0xDE1E7E))
        asksBeforeDeleting = !aboutDeletions.isEmpty
        let aboutNames: [Step] =
            likeNames == nil ? [] : Self.drawn(from: Action.aboutNames, machines: machines, &names, atLeast: 20)
        let aboutPresenting = Self.steps(
            from: Action.aboutPresenting, machines: machines, SeededRandom(seed: seed ^ 0x94E5E), atLeast: 20)
        hasPresenters = !aboutPresenting.isEmpty
        let all =
            steps
            + Self.steps(from: Action.aboutKeeping, machines: machines, SeededRandom(seed: seed ^ 0x4EE9))
            + Self.steps(from: Action.aboutPausing, machines: machines, SeededRandom(seed: seed ^ 0x9A05F))
            + Self.steps(
                from: Action.aboutFolders, machines: machines, SeededRandom(seed: seed ^ 0xF01DE5), atLeast: 12)
            + aboutDeletions
            + Self.steps(from: Action.aboutUse, machines: machines, SeededRandom(seed: seed ^ 0x05E1D))
            + Self.steps(from: Action.aboutSides, machines: machines, sides, atLeast: 20)
            + Self.steps(from: Action.aboutParts, machines: machines, parts, atLeast: 15)
            + Self.steps(
                from: Action.aboutPackages, machines: machines, SeededRandom(seed: seed ^ 0x9ACCA), atLeast: 25)
            + aboutNames + aboutPresenting
        steps = all.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }

    /// Nobody would ask for the same twice if all answers arrived, and mostly nobody would see it if the first outcome stayed where
    /// it was.
    mutating func repeatRequests() {
        faults.lostAnswer = 4
        var random = SeededRandom(seed: seed ^ 0x2E9)
        for _ in 0..<30 {
            let time = random.below(Self.end)
            for (action, delay) in [(Action.create, 0), (.moveThere, 100), (.moveThere, 300), (.moveThere, 900)] {
                steps.append(
                    Step(
                        time: time + delay + random.below(100), machine: random.below(machines), action: action,
                        pick: random.below(1000), other: random.below(1000)))
            }
        }
        steps = steps.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
    }

    /// Whether there are ``steps(from:machines:_:atLeast:)`` at all.
    private static func isDrawn(_ own: SeededRandom) -> Bool {
        var random = own
        return random.once(in: 3)
    }

    /// In some runs, beside what happens there anyway.
    private static func steps(
        from actions: [Action], machines: Int, _ own: SeededRandom, atLeast fewest: Int = 3
    ) -> [Step] {
        var random = own
        guard random.once(in: 3) else { return [] }
        return drawn(from: actions, machines: machines, &random, atLeast: fewest)
    }

    private static func drawn(
        from actions: [Action], machines: Int, _ random: inout SeededRandom, atLeast fewest: Int
    ) -> [Step] {
        (0..<(fewest + random.below(10))).compactMap { _ in
            random.pick(actions).map {
                Step(
                    time: random.below(end), machine: random.below(machines), action: $0, pick: random.below(1000),
                    other: random.below(1000))
            }
        }
    }

    private static func window(_ random: inout SeededRandom) -> Range<Int> {
        let begin = random.below(end * 3 / 4)
        return begin..<begin + 1_000 + random.below(end / 4)
    }

    private static func steps(machines: Int, _ random: inout SeededRandom) -> [Step] {
        // What happens in this run at all, so that runs differ.
        let usual: [Action] = [.create, .create, .edit, .edit, .edit, .createThere, .editThere, .read]
        let possible = usual + Action.others.filter { _ in random.once(in: 2) }
        var time = 0
        var steps: [Step] = []
        for _ in 0..<(6 + random.below(30)) {
            time += random.once(in: 3) ? random.below(8_000) : random.below(400)
            guard time < end, let action = random.pick(possible) else { break }
            steps.append(
                Step(
                    time: time, machine: random.below(machines), action: action, pick: random.below(1000),
                    other: random.below(1000)))
        }
        return steps
    }
}
