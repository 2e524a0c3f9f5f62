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

    /// Whether it hardly shows while most answers arrive: nobody asks for the same twice then.
    package var wantsLosses: Bool { self == .repeatsOperations }
}
