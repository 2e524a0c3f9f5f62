/// What a provider can do wrong: each case damages one behaviour of a provider that is right in everything else.
enum Mistake: String, CaseIterable, Sendable {
    // MARK: Identifiers

    /// A renamed item gets another identifier.
    case identifierChangesOverRename
    /// An item gets another identifier with its new contents.
    case identifierChangesOverContents
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
    /// The path of the top folder is a name, and the empty path leads nowhere.
    case topFolderHasAName
    /// A path leads for ever to what it has led to.
    case pathsAreRemembered
    /// Whatever is asked for by an identifier that is not known, the top folder is answered.
    case oddIdentifiersLeadHome

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
    /// A page is given once, and has expired when it is asked for again.
    case pageGivenOnce
    /// With the token of another folder's page come that folder's items.
    case pageTokenOfAnyFolder
    /// A folder in which there is nothing shows what is in the top folder.
    case emptyFolderShowsTop

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
    /// Folders have a size and a version of their contents.
    case foldersHaveContents

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
    /// To be told of an item, and that nobody needs it, is an error.
    case noticesFail
    /// To be told of an item takes longer than anybody waits.
    case noticesTakeLong
    /// An item that is told to be changed gets a new version.
    case noticeMakesVersion
    /// A document that was given up cannot be opened any more.
    case givenUpIsGone
    /// That the host could not write the placeholder is taken for its being there.
    case placeholderRefusalIgnored
    /// That there is nothing at a path, and no path of an identifier, is an error.
    case nothingIsAnError
    /// What lacks a field is answered as if it had it.
    case badArgumentsAnswered
    /// A ping is answered with another number.
    case pongOfAnother
    /// It ends with a status that says that something went wrong.
    case endsWithFailure
    /// What ran when the shutdown came is answered behind the goodbye, which is said again.
    case goodbyeTooSoon
    /// What is asked after the shutdown is answered.
    case servesAfterShutdown
    /// Once it was killed it does not start any more.
    case staysDownAfterKill
    /// A child of its own outlives it.
    case leavesAChild

    // MARK: Contents

    /// The last byte of contents is missing.
    case contentsShort
    /// There is one byte more than the item's size.
    case contentsLong
    /// A document of more than one MiB has zeros in its middle.
    case contentsHollow
    /// Contents are a hole from the beginning to the end.
    case contentsSparse
    /// The staging file stays open for writing.
    case stagingKeptOpen
    /// Something is written to the staging file before anybody knows whether there is such a document.
    case stagingWrittenForNothing
    /// A staging file that cannot be opened is taken for written.
    case missingStagingIgnored
    /// A document is provided once in a session.
    case providesOnce
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

    /// A part of contents is written to the beginning of the staging file.
    case partMisplaced
    /// The last byte of a part is missing.
    case partShort
    /// The staging file ends where a part ends.
    case partCutsStaging
    /// A part is of the current version, whatever version it is asked of.
    case partOfAnyVersion
    /// A part that goes beyond the end is given as far as it goes.
    case partBeyondEndGiven

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

    // MARK: Placeholders and parts

    /// The placeholder has another size than the item.
    case placeholderOfAnotherSize
    /// The placeholder of what is not there is taken for written.
    case strangersPlaceholderTaken
    /// With a part comes the item in another version.
    case partAnswersAnotherVersion
    /// While there is nothing to do, it looks for something to do without a pause.
    case spinsIdle

    // MARK: Thumbnails

    /// A thumbnail is of the current contents, whatever version it is asked of.
    case thumbnailOfAnyVersion
    /// A thumbnail is as large as it is, whatever size was asked for.
    case thumbnailTooWide
    /// What is not there makes the whole call fail.
    case thumbnailsFailTogether
    /// A thumbnail is made anew each time, and is another one then.
    case thumbnailsVary
    /// Nothing is answered of any item.
    case thumbnailsUnanswered
    /// A thumbnail comes of an item that nobody asked for.
    case thumbnailOfStranger
    /// A thumbnail comes twice.
    case thumbnailTwice
    /// A thumbnail is said to be of a type that it is not.
    case thumbnailOfAnotherType
    /// A thumbnail is no picture.
    case thumbnailIsText
    /// A thumbnail is said to be of another version than was asked for.
    case thumbnailSaysAnotherVersion

    // MARK: Versions

    /// A version that is kept twice under one operation is two.
    case versionKeptTwice
    /// Who has saved a version is forgotten.
    case versionLosesItsDevice
    /// The contents of a version are those of the document.
    case versionIsTheDocument
    /// A document has the size of a version since that is kept.
    case keptVersionReplacesDocument
    /// An item does not say how many sides of conflicts are kept of it.
    case sidesNotCounted
    /// An item has the metadata version that it had before a side of a conflict was kept.
    case sidesKeepMetadataVersion
    /// An item has another content version since a side of a conflict is kept.
    case sidesChangeContentVersion
    /// The feed does not tell of sides of conflicts.
    case feedOmitsSides
    /// A version that was removed is kept on.
    case removedVersionStays
    /// To remove what is gone fails.
    case removalOfGoneVersionFails
    /// A version that is gone fails with an error of the provider's own.
    case goneVersionIsInternalError
    /// A document that is gone has no versions, without an error.
    case versionsOfGoneAreNone
    /// Versions are only in memory.
    case versionsForgottenAtRestart

    // MARK: Room

    /// More is left than there is at all.
    case quotaImpossible
    /// Every second time nothing is told of the room.
    case quotaForgotten

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
    /// A picker names a column twice.
    case pickerColumnTwice
    /// A picker is shown otherwise each time that one is prepared.
    case pickerShownOtherwise
    /// There is one picker at a time.
    case onePickerAtATime
    /// Of the same choice every second verdict is another one.
    case verdictChanges
    /// To choose what is not there is an internal error.
    case strangerChosenIsInternalError

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
    /// The version after the one that both speak is chosen.
    case choosesAnotherVersion
    /// A hello of more, or of other, than the plainest host says shares no version with it.
    case oddHelloRefused
    /// The answer to the hello has the id of a request.
    case helloReplyWithAnID
    /// The answer to the hello says neither which software speaks nor which versions it knows.
    case helloReplyOfNobody
    /// The answer to the hello takes frames of one byte, and its capabilities are no message.
    case helloReplyOfNonsense
    /// Capabilities are claimed that the manifest lacks.
    case claimsMore
    /// What it can do it does not claim, and does.
    case claimsNothing
    /// A second hello is answered as the first one was.
    case secondHelloAnswered
    /// A request that comes before the hello is answered.
    case answersBeforeHello
    /// Something is said before the hello has come.
    case speaksBeforeHello
    /// It stays when its host goes without a hello.
    case staysWithoutHello
    /// The preface is missing.
    case prefaceMissing
    /// Frames are larger than the host said that it takes.
    case hostLimitsIgnored
    /// Bytes that are no frame end the provider by a signal.
    case noiseKills
    /// Frames and notifications of an unknown kind end the provider.
    case unknownFramesKill
    /// A request of an unknown kind is answered.
    case unknownCallsAnswered
    /// A request with fields that are not known is refused.
    case unknownFieldsRefused
    /// An answer, and a pong, that it never asked for end the provider by a signal.
    case unaskedKills
    /// Pings are not answered once there was something to do.
    case pingsUnansweredAtWork
    /// Of more than 32 requests that come at once the rest fails with an error that does not say so.
    case crowdIsInternalError
    /// A request that is waited for less than a second is not answered.
    case hurryForgotten
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
