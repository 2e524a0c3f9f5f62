/// What a provider can do wrong: each case damages one behaviour of a provider that is right in everything else.
enum Mistake: String, CaseIterable, Sendable {
    // MARK: Identifiers

    /// A renamed item gets another identifier.
    case identifierChangesOverRename
    /// A moved item gets another identifier.
    case identifierChangesOverMove
    /// The identifier of a removed item is given to the next one that is made.
    case identifierReused
    /// Every start of the provider gives every item a new identifier.
    case identifiersForgottenAtRestart
    /// A path that leads nowhere is answered with the top folder.
    case wrongPathLeadsHome
    /// The path of an item lacks the folders above it.
    case pathsAreBareNames

    // MARK: Listings

    /// The token of the second page leads to the second page again.
    case pageTokenLoops
    /// Pages are counted from the beginning, so that an item is skipped when one before it was removed in between.
    case pagesSkipAfterRemoval
    /// The last item of the first page is left out.
    case listingOmitsItem
    /// Each page begins with the last item of the one before.
    case listingRepeatsItem
    /// A listing comes as one page, however few items are asked for.
    case pageIgnoresSuggestedCount
    /// A page token that was never given is taken for the first page.
    case unknownPageAccepted
    /// A page token has 501 bytes.
    case pageTokenTooLong
    /// Asked for one of the items that it lists, it says that there is no such item.
    case listedItemIsMissing
    /// Names that begin with a dot are not listed.
    case dottedNamesHidden
    /// A document can be listed, and holds itself.
    case documentListed

    // MARK: Metadata and versions

    /// An item alone has another size than in a listing, with the same version.
    case metadataDiffersForOneVersion
    /// The content version stays when the contents change.
    case versionKeptOverContents
    /// The metadata version stays when the item is renamed.
    case versionKeptOverRename
    /// The content version changes when the item is renamed.
    case contentVersionChangesOverRename
    /// Each look at an item gives it another metadata version.
    case versionChangesAtEachLook
    /// The time of change that was sent is replaced by the time of arrival.
    case modifiedTimeLost
    /// Only the seconds of the time of change are kept.
    case nanosecondsLost
    /// The size of a document is that of its first contents.
    case sizeNeverChanges

    // MARK: Changing

    /// A change is made whatever content version it began from.
    case baseVersionIgnored
    /// A change is made whatever metadata version it began from.
    case baseMetadataVersionIgnored
    /// An item is removed whatever version the removal began from.
    case baseVersionIgnoredOnDelete
    /// The base version is looked at when a change arrives, and no more when it is made.
    case bothWritersWin
    /// A repeated create makes a second item under another name.
    case repeatedCreateMakesSecond
    /// A repeated create says that the name is taken.
    case repeatedCreateCollides
    /// A repeated change says that the version is no longer there.
    case repeatedModifyFails
    /// A repeated change gives the item one more version.
    case repeatedModifyMakesVersion
    /// A repeated change of the time alone gives the item one more version.
    case repeatedTimeMakesVersion
    /// A repeated change of contents and name at once says that the version is no longer there.
    case repeatedFieldsFail
    /// Operations are remembered until the provider ends.
    case operationsForgottenAtRestart
    /// What was changed is as it was before when the provider starts again.
    case changesForgottenAtRestart
    /// Removing what is gone fails.
    case deleteOfGoneFails
    /// A folder with items in it is removed without being asked to.
    case fullFolderRemoved
    /// A folder is removed, and what was in it is still there.
    case removalLeavesChildren
    /// Asked to remove a folder with all that is in it, it says that the folder is not empty.
    case recursiveRemovalRefused
    /// A rename to a name that is taken replaces the item of that name.
    case renameOverwrites
    /// A move to a folder with an item of the name replaces that item.
    case moveOverwrites
    /// A new item replaces the one of its name.
    case createOverwrites
    /// A new item whose name is taken gets another name.
    case createChoosesAnotherName
    /// A change of name and contents whose name is taken still changes the contents.
    case modifyHalfApplied
    /// A folder can be moved into a folder within it.
    case movedIntoItself
    /// Renaming a folder gives what is in it new identifiers.
    case folderRenameLosesChildren
    /// What is put into a document goes into the folder of the document.
    case documentTakenForFolder
    /// What is put into an unknown folder goes into the top folder.
    case unknownParentTakenForTop
    /// A change of an unknown item says that something inside went wrong.
    case unknownItemIsInternalError
    /// The contents of a change are not taken over.
    case newContentsIgnored
    /// The old contents stay behind new ones that are shorter.
    case oldContentsStayBehind
    /// The file with the new contents is removed once it was read.
    case handedFileRemoved
    /// A move with a new name keeps the old name.
    case moveKeepsName

    // MARK: Names

    /// Names are stored in their composed Unicode form.
    case nameComposed
    /// Names are stored in their decomposed Unicode form.
    case nameDecomposed
    /// Names are stored in lower case.
    case nameLowerCased
    /// Names are cut after 64 bytes.
    case nameTruncated
    /// Spaces at the end of names are dropped.
    case nameTrimmed
    /// Characters of names that another system would refuse become underscores.
    case nameSanitised
    /// Names that differ only by case are taken for the same.
    case caseIgnored

    // MARK: Feed of changes

    /// The anchor never moves.
    case anchorNeverMoves
    /// The anchor of a page of changes is the newest there is, also when the page does not tell all.
    case anchorSkipsChanges
    /// The newest anchor is one step ahead of what has happened.
    case anchorAhead
    /// An anchor that was never given is taken for the newest.
    case unknownAnchorAccepted
    /// An anchor that is too old is answered with what is still known.
    case expiredAnchorAccepted
    /// An anchor has 501 bytes.
    case anchorTooLong
    /// Anchors of before a restart are expired.
    case anchorsForgottenAtRestart
    /// Removals are not told.
    case feedOmitsDeletes
    /// Of what was removed with its folder only the folder is told.
    case feedOmitsDescendants
    /// Moves are not told.
    case feedOmitsMoves
    /// The feed tells an item that the domain does not have.
    case feedTellsStranger
    /// The feed says that an item is gone that is still there.
    case feedBuriesTheLiving
    /// There are always more changes.
    case moreForEver
    /// The last page of changes says that there is more only when nothing has changed, and a first page never does.
    case moreNeverSaid
    /// The host is never told that something has changed.
    case changesNotSignalled

    // MARK: Calls that have little to say

    /// The placeholder that the host asks for is not written.
    case placeholderNotWritten
    /// To be told of an item that is not known is an error.
    case noticeOfStrangerFails
    /// That there is nothing at a path, and no path of an identifier, is an error.
    case nothingIsAnError
    /// What lacks a field is answered as if it had it.
    case badArgumentsAnswered
    /// A ping is answered with another number.
    case pongOfAnother
    /// It ends with a status that says that something went wrong.
    case endsWithFailure

    // MARK: Contents

    /// The last byte of contents is missing.
    case contentsShort
    /// There is one byte more than the item's size.
    case contentsLong
    /// A document of more than one MiB has zeros in its middle.
    case contentsHollow
    /// The staging file is replaced by another one.
    case stagingReplaced
    /// The staging file is written again after the answer.
    case stagingTouchedLate
    /// A file is left beside the staging file.
    case writesBesideStaging
    /// A staging file that the host took back is made anew.
    case revokedStagingRemade
    /// A staging file that cannot be written is taken for written.
    case fullDiskIgnored
    /// Empty documents are refused.
    case emptyDocumentRefused
    /// An empty document cannot be opened.
    case emptyDocumentNotProvided
    /// A version that is not known is answered with the current one.
    case unknownVersionProvided
    /// A version that is not known is answered with an error that does not say so.
    case unknownVersionIsInternalError

    /// The progress of what goes up falls.
    case uploadProgressFalls

    // MARK: Work at once, cancelling, the remote

    /// Everything waits for the read that is under way.
    case oneAtATime
    /// More than four requests at once are refused, of the 64 that it promised to take.
    case busyTooSoon
    /// A document that was cancelled on its way in is kept, with what had come of it.
    case cancelledCreateLeavesHalf
    /// New contents that were cancelled on their way in replace the old ones, with what had come of them.
    case cancelledModifyLeavesHalf
    /// A removal that was cancelled has removed some of what is in the folder.
    case cancelledDeleteLeavesHalf
    /// A listing that was cancelled is answered with its first item, as if that were all.
    case cancelledListingIsCut
    /// Changes that were cancelled are answered with the first of them, as if that were all.
    case cancelledChangesAreCut
    /// What was cancelled is answered twice.
    case cancelAnsweredTwice
    /// A new document is there, and empty, while its contents are on their way.
    case createShowsEarly
    /// New contents are written over the old ones as they come.
    case modifyWritesInPlace
    /// A cancelled read goes on to its end, however long that takes.
    case cancelIgnored
    /// Nothing is answered while the remote is away.
    case silentWithoutRemote
    /// While the remote is away there is no item.
    case nothingWithoutRemote
    /// What failed once because the remote was away fails for ever.
    case neverRecovers
    /// The host is not told when the remote is back.
    case recoveryNotSignalled
    /// Creating is claimed, and not implemented.
    case creatingUnimplemented
    /// There is an anchor in a feed of changes that is not implemented. (Without an anchor there is none in this domain, which
    /// may be.)
    case feedUnimplemented

    /// What the remote refuses with an error of its own fails with another one.
    case refusesOtherwise
    /// A change that fails because the remote refuses it is made all the same.
    case refusedChangeMade
    /// A failure has no message.
    case failsWithoutWords

    // MARK: Pickers

    /// A section of a picker leads to a document.
    case pickerLeadsToDocument
    /// The message above a picker's items has 517 bytes.
    case pickerMessageTooLong
    /// A choice is refused without a reason.
    case pickerRefusesWithoutWords
    /// A picker that was prepared before a restart is not known any more.
    case pickerForgottenAtRestart
    /// A name that is chosen becomes a folder before anything is put there.
    case choiceMakesItem
    /// The second end of a picker fails.
    case secondEndOfPickerFails

    // MARK: On the wire

    /// It says that it is another provider.
    case wrongIdentity
    /// Requests for an item are answered with the top folder.
    case answersAnotherItem
    /// Contents come with the digest of others.
    case vouchesForOthers
    /// Requests for an item are answered as if they had been for the identity.
    case answersAnotherKind
    /// Requests for an item are answered twice.
    case answersTwice
    /// Errors carry a code that is the host's.
    case reservedCode
    /// Progress falls to one byte before the end.
    case progressFalls
    /// A line is printed to standard output, between two frames.
    case printsToStandardOutput
    /// Where no version is shared, one is chosen nevertheless.
    case choosesUnofferedVersion
    /// A request of an unknown kind ends the provider.
    case unknownRequestKills
    /// The cancel of an unknown request ends the provider.
    case unknownCancelKills
    /// Of several frames that arrive at once only the first is read.
    case mergedFramesDropped
    /// A frame that does not arrive in one piece ends the provider.
    case splitFramesKill
    /// A frame of more than 64 KiB ends the provider.
    case largeFramesKill
    /// 64 KiB go to standard error for each request.
    case floodsStandardError
    /// A second shutdown ends the provider by a signal.
    case secondShutdownKills
    /// It lives on without its host, and SIGTERM does not end it.
    case lingers
    /// It takes three seconds to end.
    case endsLate
}
