/// Mistakes that somebody could make in the engine, in what carries out its operations, or in what feeds it. The
/// simulator has to find them.
package enum PlantedMistake: String, CaseIterable, Sendable {
    // In the planner, by what it is shown or what becomes of its plan.
    case deletesWhatChangedThere, removesWhatChangedHere, sendsOverNewerVersion, forgetsToRevive, forgetsToRestore
    case ignoresDeletionGuard, forgetsWhatIsUnderWay, treatsChangedAsSent, neverFollowsMoves
    // In the engine's clock, names and answers.
    case wallClockWinner, comparerWins, nameWithoutDevice, nameWithoutRevision, changedWhileSent, moveTakesVersion
    case callsAllEqual, callsAllSent, ignoresSignal
    // In what speaks with the provider.
    case sendsWithoutBase, createsOverOthers, deletesRecursively, acceptsLateAnswers, timeoutIsSuccess, busyIsSuccess
    case refusalIsSuccess, unreachableIsGone, sendsLiveFile, fetchesWithoutVerifying, fetchesAnyVersion
    // In what follows the provider's changes.
    case anchorBeforeChanges, anchorBeyondPage, firstPageIsAll, staleAnswerKeepsAnchor, ignoresTombstones
    // On the disk and in the index.
    case skipsFlushOfSave, skipsFlushOfContents, publishesOverEdit, evictsWhatChanged, keepsOnlyWinner
    case copyOverwrites, skipsIntent, forgetsParking, scanIgnoresWrites, noScanAtStart, fullDiskIsIgnored
    case hidesBeforeWritingDown
}
