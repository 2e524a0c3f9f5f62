import DocumentModel
package import DocumentTransport
import DocumentWire
import Synchronization
import SystemPackage

/// Where the host's messages to this tool's presenters arrive.
package final class PresenterDesk: Sendable {
    private struct State {
        var presenters: [UInt64: any FilePresenter] = [:]
        var numbers: [ObjectIdentifier: UInt64] = [:]
        var lastNumber: UInt64 = 0
        var onDeadlock: (@Sendable (String) -> Void)?
        var prompting: [DomainName: DocumentClient.PromptHandler] = [:]
    }

    private let state = Mutex(State())
    private let turns = PresenterTurns()

    package init() {}

    /// A number for whatever needs one on this connection.
    func takeNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// - Returns: the presenter's number; nil when it is registered already.
    package func insert(_ presenter: any FilePresenter) -> UInt64? {
        state.withLock { state in
            guard state.numbers[ObjectIdentifier(presenter)] == nil else { return nil }
            state.lastNumber += 1
            state.numbers[ObjectIdentifier(presenter)] = state.lastNumber
            state.presenters[state.lastNumber] = presenter
            return state.lastNumber
        }
    }

    func number(of presenter: any FilePresenter) -> UInt64? {
        state.withLock { $0.numbers[ObjectIdentifier(presenter)] }
    }

    /// In the order in which they were added.
    var registered: [any FilePresenter] {
        state.withLock { state in state.presenters.sorted { $0.key < $1.key }.map(\.value) }
    }

    @discardableResult
    func remove(_ number: UInt64) -> (any FilePresenter)? {
        state.withLock { state in
            guard let presenter = state.presenters.removeValue(forKey: number) else { return nil }
            state.numbers[ObjectIdentifier(presenter)] = nil
            return presenter
        }
    }

    func reportDeadlocks(to body: @escaping @Sendable (String) -> Void) {
        state.withLock { $0.onDeadlock = body }
    }

    /// Says who answers what a domain's provider asks while somebody signs in; nil: nobody any more.
    func answerPrompts(of domain: DomainName, by handler: DocumentClient.PromptHandler?) {
        state.withLock { $0.prompting[domain] = handler }
    }

    static func capabilities(of presenter: any FilePresenter) -> PresenterCapabilities {
        var capabilities: PresenterCapabilities = [.changes, .moves]
        if presenter is any RelinquishingFilePresenter { capabilities.insert(.relinquishing) }
        if presenter is any WriterRelinquishingFilePresenter { capabilities.insert(.relinquishingToWriters) }
        if presenter is any SavingFilePresenter { capabilities.insert(.saving) }
        if presenter is any DeletionAccommodatingFilePresenter { capabilities.insert(.deletion) }
        if presenter is any EvictionAccommodatingFilePresenter { capabilities.insert(.eviction) }
        if presenter is any FolderPresenter { capabilities.formUnion([.subitems, .subitemDeletion]) }
        if presenter is any LocalFilePresenter { capabilities.insert(.movesOut) }
        if presenter is any AttributePresenter { capabilities.insert(.attributes) }
        if presenter is any VersionPresenter {
            capabilities.insert(.versions)
            if presenter is any FolderPresenter { capabilities.insert(.subitemVersions) }
        }
        return capabilities
    }
}

extension PresenterDesk: RequestHandler {
    package func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] {
        switch try ToolCall(serialized: body) {
        case .tellPresenter(let number, let message, let what):
            try await tell(number, message, what)
            return ToolCall.answer()
        case .ask(let domain, let provider, let prompt):
            guard let handler = state.withLock({ $0.prompting[domain] }) else {
                throw DocumentError(.cancelled, "Nobody is signing in to “\(domain)” here any more.")
            }
            return ToolCall.answer(to: try await handler(prompt, provider))
        }
    }

    package func received(notification body: [UInt8]) async {
        guard let event = try? ToolEvent(serialized: body) else { return }
        switch event {
        case .deadlock(let text): state.withLock { $0.onDeadlock }?(text)
        case .droppedPresenter(let number, let reason): await remove(number)?.presenterWasDropped(because: reason)
        }
    }

    /// When it is the presenter's turn: the host sends it one message at a time, and this does not rest on that (COORD-29).
    private func tell(_ presenter: UInt64, _ message: UInt64, _ what: PresenterMessage) async throws {
        // Of one that is not registered nobody is made to wait.
        guard state.withLock({ $0.presenters[presenter] }) != nil else { return }
        try await turns.take(presenter) {
            // One that was removed meanwhile has nothing to say against it.
            guard let presenter = state.withLock({ $0.presenters[presenter] }) else { return }
            let answered = AnsweredMessage(desk: ObjectIdentifier(self), number: message)
            try await AnsweredMessage.$current.withValue(answered) { try await Self.tell(presenter, what) }
        }
    }

    private static func tell(_ presenter: any FilePresenter, _ message: PresenterMessage) async throws {
        switch message {
        case .relinquishToReader:
            try await (presenter as? any RelinquishingFilePresenter)?.relinquishPresentedItemToReader()
        case .relinquishToWriter:
            try await (presenter as? any WriterRelinquishingFilePresenter)?.relinquishPresentedItemToWriter()
        case .reacquire: await (presenter as? any WriterRelinquishingFilePresenter)?.reacquirePresentedItem()
        case .saveChanges: try await (presenter as? any SavingFilePresenter)?.savePresentedItemChanges()
        case .accommodateDeletion:
            try await (presenter as? any DeletionAccommodatingFilePresenter)?.accommodatePresentedItemDeletion()
        case .accommodateSubitemDeletion(let location):
            try await (presenter as? any FolderPresenter)?.accommodatePresentedSubitemDeletion(at: location)
        case .accommodateEviction:
            try await (presenter as? any EvictionAccommodatingFilePresenter)?.accommodatePresentedItemEviction()
        case .didChange: await presenter.presentedItemDidChange()
        case .didChangeAttributes(let names):
            // Names that are not known here are of a newer host.
            await (presenter as? any AttributePresenter)?.presentedItemDidChange(
                attributes: Set(names.compactMap(ItemAttribute.init)))
        case .didMove(let location): await presenter.presentedItemDidMove(to: location)
        case .didMoveOut(let path):
            await (presenter as? any LocalFilePresenter)?.presentedItemDidMove(toLocalPath: FilePath(path))
        case .subitemDidAppear(let location):
            await (presenter as? any FolderPresenter)?.presentedSubitemDidAppear(at: location)
        case .subitemDidChange(let location):
            await (presenter as? any FolderPresenter)?.presentedSubitemDidChange(at: location)
        case .subitemVersion(let location, .gained, let version):
            await (presenter as? any FolderPresenter)?.presentedSubitem(at: location, didGainVersion: version)
        case .subitemVersion(let location, .lost, let version):
            await (presenter as? any FolderPresenter)?.presentedSubitem(at: location, didLoseVersion: version)
        case .subitemVersion(let location, .resolved, let version):
            await (presenter as? any FolderPresenter)?
                .presentedSubitem(at: location, didResolveConflictVersion: version)
        case .subitemDidMove(let location, let destination):
            await (presenter as? any FolderPresenter)?.presentedSubitem(at: location, didMoveTo: destination)
        case .version(.gained, let version):
            await (presenter as? any VersionPresenter)?.presentedItemDidGainVersion(version)
        case .version(.lost, let version):
            await (presenter as? any VersionPresenter)?.presentedItemDidLoseVersion(version)
        case .version(.resolved, let version):
            await (presenter as? any VersionPresenter)?.presentedItemDidResolveConflictVersion(version)
        }
    }
}

/// The message that the running task is answering: an access that it asks for belongs to the answer, and the host finds a
/// deadlock at once.
struct AnsweredMessage: Sendable {
    @TaskLocal static var current: AnsweredMessage?

    let desk: ObjectIdentifier
    let number: UInt64
}
