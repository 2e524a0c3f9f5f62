/// What was seen when a server was tried (RS-1). A header proves nothing: only what came of it counts.
struct ProbeFindings: Hashable, Sendable {
    /// Rounds of a race: many begin the same change at the same moment, and one may win.
    struct Races: Hashable, Sendable {
        var rounds = 0
        /// Rounds that exactly one won.
        var withOneWinner = 0
        /// The most winners of a round.
        var mostWinners = 0

        mutating func add(winners: Int) {
            rounds += 1
            if winners == 1 { withOneWinner += 1 }
            mostWinners = max(mostWinners, winners)
        }

        /// Two have won: that is enough.
        var hasFailed: Bool { mostWinners > 1 }

        /// Whether there was never more than one winner, and mostly one.
        var isExclusive: Bool { rounds > 0 && mostWinners == 1 && withOneWinner * 10 >= rounds * 9 }
    }

    /// It gives strong tags, two seconds after a change at the latest.
    var hasStrongTags = false
    /// Changes of the same size, one right after the other, each give another strong tag at once.
    var hasExactTags = false
    /// It refuses to create what is there, and leaves it alone (`If-None-Match: *`).
    var refusesSecondCreate = false
    /// It refuses a change that began from another version, and keeps the contents (`If-Match`).
    var refusesStaleChange = false
    /// It accepts a change that began from the current version.
    var acceptsCurrentChange = false
    /// It refuses a change that another one has overtaken while its contents were on their way.
    var refusesOvertakenChange = false
    /// Contents stay as they were when new ones are cut off on their way.
    var survivesAbortedChange = false
    var changes = Races()
    var creations = Races()
    var folderMoves = Races()
}

extension ProbeFindings {
    /// Whether it keeps the conditions of one who is alone, and of a slow one that is overtaken.
    var keepsConditions: Bool {
        hasStrongTags && refusesSecondCreate && refusesStaleChange && acceptsCurrentChange && refusesOvertakenChange
            && survivesAbortedChange
    }

    /// What speaks against conditional changes, one sentence each, for people.
    var objections: [String] {
        var objections: [String] = []
        if !hasStrongTags { objections.append("It gives no strong tags (ETag).") }
        if !refusesSecondCreate { objections.append("It overwrites what is there although it was told to create.") }
        if !refusesStaleChange { objections.append("It accepts a change that began from an older version.") }
        if hasStrongTags, !acceptsCurrentChange {
            objections.append("It refuses a change that began from the current version.")
        }
        if !refusesOvertakenChange { objections.append("A slow change overwrites the one that has overtaken it.") }
        if !survivesAbortedChange {
            objections.append("Contents that are cut off on their way replace what was there.")
        }
        var races = [(folderMoves, "move of a folder")]
        // Whose races were not run because of another objection has none of its own.
        if keepsConditions || creations.rounds > 0 { races.append((creations, "create")) }
        if keepsConditions && creations.isExclusive || changes.rounds > 0 { races.append((changes, "change")) }
        for (race, what) in races where !race.isExclusive {
            objections.append(
                race.rounds == 0
                    ? "No \(what) could be raced."
                    : "Of \(race.rounds) races to \(what == "move of a folder" ? "move a folder" : "\(what) a document"), \(race.withOneWinner) had one winner, and one had \(race.mostWinners)."
            )
        }
        return objections
    }
}
