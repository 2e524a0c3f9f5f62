import DocumentModel
import DocumentStorage
import Logging
import ProviderLauncher
import Synchronization

/// One configured domain at work: its provider, and how well we follow its feed of changes.
final class Domain: Sendable {
    let name: DomainName
    let bundle: ProviderBundle
    let supervisor: ProviderSupervisor
    let rootID: ItemIdentifier
    /// What its provider last said about its sign-in.
    let signIn: SignInState
    /// What it last said about its remote.
    let reach: RemoteReach
    /// Where it is noted that it answers.
    let failures: DownloadFailures?

    /// Whether there is a feed of changes, by the last answer to that question.
    private enum Feed {
        case unknown, found, missing
    }

    private struct Following {
        /// The process that runs now may know of changes that no earlier one told.
        var isRunning = false
        var isCaughtUp = false
        /// Counts processes and signals: what was asked for before the last of them may be incomplete.
        var news: UInt64 = 0
        /// What there was of that when somebody asked last.
        var asked: UInt64 = 0
        /// What the one who follows the provider's signals has seen of them; nil when nobody follows.
        var followed: UInt64?
        /// Outlives the process that gave the answer: only another answer replaces it.
        var feed: Feed
        /// There was no feed, and something was signalled since.
        var isAskedAgain = false
        /// Asked in vain just now: until when that is taken to be so.
        var overdueUntil: ContinuousClock.Instant?
    }

    private let following: Mutex<Following>

    /// - Parameters:
    ///   - isRunning: whether its provider was started before there was a domain to tell.
    ///   - isFollowed: whether its feed was read before, so that there is one.
    init(
        name: DomainName, bundle: ProviderBundle, rootID: ItemIdentifier, supervisor: ProviderSupervisor,
        isRunning: Bool = false, isFollowed: Bool = false, signIn: SignInState = SignInState {},
        reach: RemoteReach = RemoteReach {}, failures: DownloadFailures? = nil
    ) {
        self.signIn = signIn
        self.reach = reach
        self.failures = failures
        following = Mutex(Following(isRunning: isRunning, feed: isFollowed ? .found : .unknown))
        self.name = name
        self.bundle = bundle
        self.rootID = rootID
        self.supervisor = supervisor
    }

    /// Asks the provider, whichever process serves just now; the first call starts it.
    var provider: ProviderSession { ProviderSession(SignInWatch(domain: self)) }

    /// Whether a process serves, so that asking starts nothing.
    var isRunning: Bool { following.withLock { $0.isRunning } }

    /// Whether everything that the running provider ever told was taken up.
    var isCaughtUp: Bool { following.withLock { $0.isRunning && $0.isCaughtUp } }

    /// Whether somebody has just asked in vain what is new: who comes next does not wait for that as long once more.
    var isNewsOverdue: Bool { following.withLock { $0.overdueUntil.map { .now < $0 } ?? false } }

    /// It could not be asked what is new.
    func newsFailed(for pause: Duration) { following.withLock { $0.overdueUntil = .now + pause } }

    /// The provider says that there is something new.
    ///
    /// - Returns: whether nobody follows its signals at the moment, so that somebody has to begin.
    func signal() -> Bool {
        following.withLock { following in
            following.isCaughtUp = false
            following.overdueUntil = nil
            following.news += 1
            following.isAskedAgain = true
            guard following.followed == nil else { return false }
            following.followed = 0
            return true
        }
    }

    /// Whoever follows looks now.
    func beginsToFollow() {
        following.withLock { $0.followed = $0.news }
    }

    /// - Returns: whether there is nothing new since it last looked; then nobody follows any more.
    func endsToFollow() -> Bool {
        following.withLock { following in
            guard following.followed == following.news else { return false }
            following.followed = nil
            return true
        }
    }

    func took(_ event: ProviderSupervisor.Event) {
        following.withLock { following in
            following.isCaughtUp = false
            following.news += 1
            if case .started = event { following.isRunning = true } else { following.isRunning = false }
        }
    }

    /// How much there is that processes and signals may have to tell of. It only grows.
    var news: UInt64 { following.withLock { $0.news } }

    /// Whether somebody has begun to ask since there was so much of it.
    func isAsked(since news: UInt64) -> Bool { following.withLock { $0.asked >= news } }

    /// What is to be given to ``caughtUp(with:)`` afterwards.
    func beginCatchingUp() -> UInt64 {
        following.withLock { following in
            following.asked = following.news
            return following.news
        }
    }

    /// - Returns: false when there is something new since it began.
    func caughtUp(with news: UInt64) -> Bool {
        reach.caughtUp()
        return following.withLock { following in
            following.isCaughtUp = following.news == news
            following.overdueUntil = nil
            return following.isCaughtUp
        }
    }

    var isModifying: Bool { bundle.manifest.capabilities.contains(.modifying) }
    /// Whether its provider is known to tell of changes, so that what was listed once does not have to be listed again.
    var hasFeed: Bool {
        bundle.manifest.capabilities.contains(.changes) && following.withLock { $0.feed == .found }
    }

    /// Whether its provider is to be asked for changes: not again after it said that there are none to be told, until it
    /// signals some.
    var mayHaveFeed: Bool {
        bundle.manifest.capabilities.contains(.changes)
            && following.withLock { $0.feed != .missing || $0.isAskedAgain }
    }

    /// Changes since some anchor were told, or all is listed that was known before there was one.
    func foundFeed() {
        following.withLock { following in
            following.feed = .found
            following.isAskedAgain = false
        }
    }

    /// Its provider can tell of changes, and says that what this domain is of does not: folders are listed instead.
    ///
    /// - Parameter news: what there was before it was asked; after a later signal it is to be asked once more.
    func foundNoFeed(asOf news: UInt64) {
        following.withLock { following in
            following.feed = .missing
            if following.news == news { following.isAskedAgain = false }
        }
    }

    /// Refuses what the provider's manifest does not offer (PICK-10, PICK-13).
    func require(_ modes: Set<PickerMode>, for action: String) throws(DocumentError) {
        guard bundle.manifest.modes.isDisjoint(with: modes) else { return }
        throw DocumentError(
            .notPermitted,
            "Documents of \(name) cannot be \(action): its provider \(bundle.manifest.name) does not offer it.")
    }

    func requireModifying(_ location: Location) throws(DocumentError) {
        guard !isModifying else { return }
        throw DocumentError(
            .notPermitted,
            "\(location) cannot be changed: the provider \(bundle.manifest.name) only lets documents be read.")
    }
}
