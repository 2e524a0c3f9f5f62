import DocumentClient
import DocumentModel
import Synchronization
import SystemPackage

/// A document that programs read: its file, and what keeps it as it is meanwhile. It stays open for a while after the last
/// program has closed it, so that the next one need not wait for the host.
final class Reader: Sendable {
    private struct State {
        var lease = ReadingLease(at: .now)
        var hold: AccessHold
    }

    let node: UInt64
    let file: FileDescriptor
    /// What programs are told as its number.
    let number: UInt64
    let isWritable: Bool
    let presentedItemLocation: Location?
    /// Nil when all of it was here when it was opened.
    let coming: ComingContents?
    /// What was told of it then, where not all was here: its file does not tell that before it is in its place.
    let opening: NodeAttributes?
    private let path: String
    private let session: HostSession
    private let state: Mutex<State>
    private let onClosed: @Sendable (Reader) -> Void

    /// - Parameters:
    ///   - hold: the access that it was opened under.
    ///   - coming: its contents, when not all of them are here.
    ///   - onClosed: called once, when nobody is to join any more.
    init(
        node: UInt64, file: FileDescriptor, hold: AccessHold, coming: ComingContents?, number: UInt64,
        location: Location, session: HostSession,
        onClosed: @escaping @Sendable (Reader) -> Void
    ) {
        self.node = node
        self.file = file
        self.number = number
        self.session = session
        self.onClosed = onClosed
        self.coming = coming
        opening = coming == nil ? nil : hold.status.map { NodeAttributes(coming: $0, number: number) }
        isWritable = hold.status?.item.capabilities.contains(.write) ?? false
        presentedItemLocation = hold.status?.location ?? location
        path = hold.path.string
        state = Mutex(State(hold: hold))
    }

    /// Since when nobody reads; nil: somebody does.
    var idleSince: ContinuousClock.Instant? { state.withLock { $0.lease.idleSince } }

    /// One more program, where nothing has happened since.
    func join() -> Bool {
        // Programs that save in the storage root tell nobody.
        guard !session.isOver, isInPlace else { return false }
        return state.withLock { $0.lease.join() }
    }

    private var isInPlace: Bool {
        guard let own = FileState(file), let there = FileState(at: path) else { return false }
        return own.isFile(of: there)
    }

    /// What programs are told of it, without a question: as its file is. Nil when something may have happened since.
    var attributes: NodeAttributes? {
        // What comes has not its time as yet.
        guard coming == nil, state.withLock({ $0.lease.isOpen }), !session.isOver, isInPlace,
            let facts = FileState(file)?.facts
        else {
            return nil
        }
        return NodeAttributes(ofFile: facts, number: number, isWritable: isWritable)
    }

    /// One program less.
    func leave() { act { $0.leave(at: .now) } }

    /// Nobody joins any more.
    func close() { act { $0.close() } }

    func timePassed(patience: Duration, age: Duration) {
        act { $0.timePassed(to: .now, patience: patience, age: age) }
    }

    private func act(_ body: (inout ReadingLease) -> ReadingLease.Action?) {
        guard let work = change(body) else { return }
        // Nobody waits for it, but the end of the session.
        session.add { try? await work() }
    }

    /// - Returns: what is to be done outside of the lock.
    private func change(
        _ body: (inout ReadingLease) -> ReadingLease.Action?
    ) -> (@Sendable () async throws -> Void)? {
        let (action, hold, isClosed) = state.withLock { state in
            let wasOpen = state.lease.isOpen
            let action = body(&state.lease)
            return (action, state.hold, wasOpen && !state.lease.isOpen)
        }
        if isClosed { onClosed(self) }
        switch action {
        case nil: return nil
        case .register: return { [self] in try await register() }
        case .endAccess: return { await hold.endAndWait() }
        case .beginAccess: return { [self] in try await readOn() }
        case .end: return { [self] in await end(hold) }
        }
    }

    private func register() async throws {
        let isRegistered = (try? await session.client.addPresenter(self)) != nil
        try await change { $0.registered(isRegistered) }?()
    }

    private func end(_ hold: AccessHold) async {
        try? file.close()
        await hold.endAndWait()
        // With the connection, all that it presents ends.
        if !session.isOver { try? await session.client.removePresenter(self) }
    }

    /// Those who still read keep the one who is about to write waiting. Nothing is asked for or brought by that: what they
    /// read is to stay as it is.
    private func readOn() async throws {
        guard let location = presentedItemLocation else { return }
        let hold: AccessHold
        do {
            hold = try await session.hold(location, .keeping, for: self)
        } catch let error as DocumentError where [.noSuchItem, .hostUnavailable].contains(error.code) {
            // Nothing is left to be kept, or nobody to keep it from.
            return
        }
        let isWanted = state.withLock { state in
            guard state.lease.users > 0 else { return false }
            state.hold = hold
            state.lease.accessBegan()
            return true
        }
        if !isWanted { hold.end() }
    }
}

extension Reader: WriterRelinquishingFilePresenter, EvictionAccommodatingFilePresenter {
    func relinquishPresentedItemToWriter() async throws { try await change { $0.giveUp() }?() }

    func reacquirePresentedItem() async {}

    func accommodatePresentedItemEviction() async throws {
        guard idleSince != nil else {
            throw DocumentError(.busy, "A program reads the document through the mount; try again when it is closed.")
        }
        // Contents that somebody has open stay.
        try await change { $0.close() }?()
    }

    func presentedItemDidChange() async { close() }
    func presentedItemDidMove(to location: Location) async { close() }
    func presenterWasDropped(because reason: String) async { close() }
}
