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

    private struct Following {
        /// The provider's session whose changes we have caught up with; a new process may have missed some.
        var caughtUpWith: UInt64?
        /// The provider said that there is more, after we began to ask.
        var isSignalled = false
    }

    private let following = Mutex(Following())

    init(name: DomainName, bundle: ProviderBundle, rootID: ItemIdentifier, supervisor: ProviderSupervisor) {
        self.name = name
        self.bundle = bundle
        self.rootID = rootID
        self.supervisor = supervisor
    }

    /// The running provider; starts it when none runs.
    func session() async throws(DocumentError) -> ProviderSession {
        try await supervisor.session()
    }

    var isModifying: Bool { bundle.manifest.capabilities.contains(.modifying) }
    var hasFeed: Bool { bundle.manifest.capabilities.contains(.changes) }

    /// Whether everything that the running provider ever told was taken up.
    func isCaughtUp(with session: UInt64) -> Bool {
        following.withLock { $0.caughtUpWith == session && !$0.isSignalled }
    }

    func signal() {
        following.withLock { $0.isSignalled = true }
    }

    func beginCatchingUp() {
        following.withLock { $0.isSignalled = false }
    }

    func endCatchingUp(with session: UInt64) {
        following.withLock { $0.caughtUpWith = session }
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
