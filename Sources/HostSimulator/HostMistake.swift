import DocumentStorage

/// What somebody could do wrong: planted, to see that it is found.
package enum HostMistake: String, CaseIterable, Sendable {
    /// No flush of a file or a folder does anything.
    case skipsFlushes
    /// The provider does not know operations by their names.
    case repeatsOperations
    /// The provider looks at no base version.
    case ignoresBases
    /// A host does not say which version it deletes.
    case deletesAnyVersion
    /// A feed leaves out deletions.
    case forgetsDeletions
    /// A listing ends with its first page.
    case forgetsPages
    /// What the provider does not remember any more of changes, it leaves out without a word.
    case forgetsChanges
    /// Nobody says what contents there should be, so that flipped bits are not seen.
    case vouchesForNothing
    /// What people say about pins is acknowledged, and not written down.
    case forgetsPins
    /// What goes into the trash does not stay there.
    case dropsTrash
    /// What goes out of a document's place is no version of it.
    case dropsVersions
    /// Every machine names its own contents the winner.
    case prefersOwn
    /// The provider says that it keeps a side of a conflict, and does not.
    case forgetsSides
    /// The provider gives parts of other contents than it is asked for.
    case mixesParts
    /// What presenters are told of what has happened does not reach them.
    case losesMessages
    /// The provider tells of one of the names that differ only by case or by Unicode form, and of no other.
    case hidesLikeNames

    /// Nothing in staging is flushed before it gets its place.
    case flushesNoStaging
    /// No file among the documents is flushed: people are told that what they wrote is kept, and it is on no disk.
    case flushesNoDocuments
    /// The index is not flushed: what is done next was written down nowhere.
    case flushesNoIndex
    /// A host does not compare what has come with the digest that the provider vouches for.
    case comparesNoDigests
    /// A host evicts without having asked the remote whether it has that.
    case evictsUnasked
    /// A host takes what a listing did not show for gone, and does not ask whether it has only moved.
    case trustsListings

    /// What a host leaves out; nil where the mistake is another one's.
    var leftOut: Precaution? {
        switch self {
        case .comparesNoDigests: .comparingDigests
        case .evictsUnasked: .askingBeforeEviction
        case .trustsListings: .askingAboutUnseen
        default: nil
        }
    }

    /// Whether a flush does nothing.
    ///
    /// - Parameter path: of what is flushed.
    func skipsFlush(of path: String) -> Bool {
        switch self {
        case .skipsFlushes: true
        case .flushesNoStaging: path.contains("/.docent/staging/")
        case .flushesNoDocuments: path.contains("/documents/")
        case .flushesNoIndex: path.contains("/.docent/index.sqlite")
        default: false
        }
    }

    /// Whether it hardly shows while most answers arrive: nobody asks for the same twice then.
    package var wantsLosses: Bool { self == .repeatsOperations }
}

/// Has a host leave out one precaution, and nothing else.
struct Omission: StepObserver {
    let precaution: Precaution

    func reached(_ step: JournalStep) {}
    func leavesOut(_ precaution: Precaution) -> Bool { precaution == self.precaution }
}
