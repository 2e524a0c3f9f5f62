public import DocumentModel
internal import DocumentWire
internal import Synchronization
public import SystemPackage

/// Reads and writes documents in step with all other tools, providers and the host.
///
/// ```swift
/// let coordinator = FileCoordinator(client, presenter: editor)
/// try await coordinator.coordinate(writingItemAt: location) { path, _ in
///     try text.write(toFile: path.string, atomically: true, encoding: .utf8)
/// }
/// ```
///
/// Accesses of one coordinator never wait for each other, nor do those with the same purpose identifier, nor those with the
/// same presenter (COORD-6). A coordinator holds nothing between accesses and may be used from any task.
public final class FileCoordinator: Sendable {
    private struct State {
        var purpose: String?
        var isCancelled = false
    }

    private let client: DocumentClient
    private let presenter: (any FilePresenter)?
    private let number: UInt64
    /// Whether it acts for the programs of a mounted tree.
    private let isOfMount: Bool
    private let state = Mutex(State())

    /// - Parameter presenter: who acts through it: it is not told of these accesses, and what it writes while it saves goes
    ///   before the read that asked it to (COORD-32). Must be registered when the coordinator is used.
    public init(_ client: DocumentClient, presenter: (any FilePresenter)? = nil) {
        self.client = client
        self.presenter = presenter
        number = client.desk.takeNumber()
        isOfMount = false
    }

    /// For the programs of a mounted tree, which know nothing of accesses: they share files with those of other mounts where one
    /// of the two only reads, and wait for them for some seconds else.
    package init(ofMount client: DocumentClient) {
        self.client = client
        presenter = nil
        number = client.desk.takeNumber()
        isOfMount = true
    }

    private init(acting other: FileCoordinator, for presenter: any FilePresenter) {
        client = other.client
        self.presenter = presenter
        number = other.number
        isOfMount = other.isOfMount
    }

    /// What this coordinator does for one of several presenters: accesses of all of them never wait for each other (COORD-6),
    /// and what the presenter asks for while it answers goes before those who wait for the answer (COORD-32).
    package func acting(for presenter: any FilePresenter) -> FileCoordinator {
        FileCoordinator(acting: self, for: presenter)
    }

    /// Accesses with the same purpose never wait for each other, across processes too. Providers use their identifier
    /// (ID-5).
    ///
    /// - Throws: ``DocumentError`` with the code `invalidArgument` when it is empty, was set before, or the coordinator was
    ///   made with a presenter, whose purpose it has (COORD-36).
    public func setPurposeIdentifier(_ identifier: String) throws(DocumentError) {
        guard !identifier.isEmpty else {
            throw DocumentError(.invalidArgument, "A purpose identifier is empty; name a purpose, or set none.")
        }
        guard presenter == nil else {
            throw DocumentError(
                .invalidArgument,
                "This coordinator was made with a presenter and has that one's purpose; “\(identifier)” cannot be set.")
        }
        let before = state.withLock { state in
            defer { if state.purpose == nil { state.purpose = identifier } }
            return state.purpose
        }
        if let before {
            throw DocumentError(
                .invalidArgument,
                "This coordinator's purpose is “\(before)” already; make another one for “\(identifier)”.")
        }
    }

    // MARK: - One document

    /// Reads: waits until nobody writes, has the contents here, and keeps writers out until the closure returns. Errors of
    /// the provider arrive here as they are (PROV-14).
    public func coordinate<Value>(
        readingItemAt location: Location, options: ReadingOptions = [], progress: DocumentClient.ProgressHandler? = nil,
        _ body: (FilePath, ItemStatus) async throws -> Value
    ) async throws -> Value {
        try await coordinate(with: [.reading(location, options)], progress: progress) { files in
            try await body(files[0].path, files[0].item)
        }
    }

    /// Writes: waits until nobody reads or writes, and keeps everybody out until the closure returns. Then the provider is
    /// told and the change sent.
    ///
    /// Where nothing is yet, what the closure writes to the path becomes a document there when it has returned (COORD-19,
    /// PICK-2); the item that the closure gets has the state `placeholder` and no size. Written nothing, nothing is made.
    ///
    /// - Parameters:
    ///   - option: what the writing is for; nil is a plain update.
    ///   - patience: how long the access may take to come, with all that it waits for; nil: as long as it does.
    /// - Throws: what the closure throws; ``DocumentError``: `busy` when the access has not come in time, and nothing has
    ///   happened; `destinationExists` when something else has come to the place while the closure ran: what was written is
    ///   beside it then, under a name that says so, and the error names it.
    public func coordinate<Value>(
        writingItemAt location: Location, for option: WritingOption? = nil, within patience: Duration? = nil,
        progress: DocumentClient.ProgressHandler? = nil, _ body: (FilePath, ItemStatus) async throws -> Value
    ) async throws -> Value {
        try await coordinate(with: [.writing(location, option)], within: patience, progress: progress) { files in
            try await body(files[0].path, files[0].item)
        }
    }

    /// Makes an empty document and writes it. From the moment in which the closure begins it is there for everybody, who
    /// wait for its end; it is sent when the closure has returned, and stays, as it is then, when that throws.
    ///
    /// - Parameter patience: how long the access may take to come; nil: as long as it does.
    /// - Throws: ``DocumentError``: `destinationExists` when there is an item already, `busy` when the access has not come in
    ///   time; the closure is not run then.
    public func coordinate<Value>(
        creatingItemAt location: Location, within patience: Duration? = nil,
        _ body: (FilePath, ItemStatus) async throws -> Value
    ) async throws -> Value {
        var request = try request([.writing(location)])
        request.isCreating = true
        return try await client.withAccess(request, nil, within: patience, presented: presented) { items in
            guard let first = items.first else { throw DocumentClient.unexpectedAnswer }
            return try await body(FilePath(first.path), first.item)
        }
    }

    // MARK: - Several documents in one step

    /// Reads one document and writes another; both claims are taken in one step, so that two tools that do the same the
    /// other way round do not wait for each other (COORD-33).
    public func coordinate<Value>(
        readingItemAt source: Location, options: ReadingOptions = [], writingItemAt destination: Location,
        for option: WritingOption? = nil, _ body: (FilePath, FilePath) async throws -> Value
    ) async throws -> Value {
        try await coordinate(with: [.reading(source, options), .writing(destination, option)]) { files in
            try await body(files[0].path, files[1].path)
        }
    }

    /// Writes two documents; both claims are taken in one step (COORD-33).
    public func coordinate<Value>(
        writingItemAt one: Location, for option: WritingOption? = nil, writingItemAt other: Location,
        for otherOption: WritingOption? = nil, _ body: (FilePath, FilePath) async throws -> Value
    ) async throws -> Value {
        try await coordinate(with: [.writing(one, option), .writing(other, otherOption)]) { files in
            try await body(files[0].path, files[1].path)
        }
    }

    /// Accesses any number of documents, all in one step; the closure gets their files in the order of the intents, and the
    /// access ends when it returns (COORD-34).
    ///
    /// - Parameter patience: how long the access may take to come, with all that it waits for; then `busy` is thrown. Nil: as
    ///   long as it does.
    public func coordinate<Value>(
        with intents: [FileAccessIntent], within patience: Duration? = nil,
        progress: DocumentClient.ProgressHandler? = nil, _ body: ([CoordinatedFile]) async throws -> Value
    ) async throws -> Value {
        let request = try request(intents)
        let isWriting = intents.contains(where: \.isWriting)
        return try await client.withAccess(
            request, progress, within: patience, presented: { isWriting ? presented() : nil }
        ) { items in
            guard items.count == intents.count else { throw DocumentClient.unexpectedAnswer }
            return try await body(items.map { CoordinatedFile(path: FilePath($0.path), item: $0.item) })
        }
    }

    /// Has presenters of the documents, and of everything inside of them, save or make ready, all at once; gives no access:
    /// each document is still coordinated on its own, inside of the closure (COORD-35).
    public func prepare<Value>(
        for intents: [FileAccessIntent], _ body: () async throws -> Value
    ) async throws -> Value {
        var request = try request(intents)
        request.isPreparation = true
        return try await client.withAccess(request, nil) { _ in try await body() }
    }

    /// What waits on this coordinator throws `cancelled`, a closure that runs finishes first, and later calls run nothing.
    /// From any thread; returns at once (COORD-37).
    public func cancel() {
        state.withLock { $0.isCancelled = true }
        let (client, number) = (client, number)
        // Nobody waits for it: when it fails, the connection has ended, and all claims with it.
        Task(executorPreference: client.loop) { try? await client.tell(.cancelCoordinator(number)) }
    }

    private func request(_ intents: [FileAccessIntent]) throws(DocumentError) -> AccessRequest {
        guard let first = intents.first?.intention else {
            throw DocumentError(.invalidArgument, "An access to nothing was asked for; name a document.")
        }
        let state = state.withLock { $0 }
        guard !state.isCancelled else {
            throw DocumentError(.cancelled, "This coordinator was cancelled; make a new one for \(first.location).")
        }
        var request = AccessRequest(
            location: first.location, intent: first.intent, writingOption: first.writingOption, purpose: state.purpose)
        request.readingOptions = first.readingOptions
        request.also = intents.dropFirst().map(\.intention)
        request.coordinator = number
        request.isOfMount = isOfMount
        if let presenter {
            guard let registered = client.desk.number(of: presenter) else {
                throw DocumentError(
                    .invalidArgument,
                    "This coordinator's presenter is not registered: it was never added, or was dropped. Add it first.")
            }
            request.presenter = registered
        }
        return request
    }

    /// COORD-29: after its own write, a presenter may have its document.
    private func presented() -> PresentedItem? {
        guard let presenter, let registered = client.desk.number(of: presenter),
            let location = presenter.presentedItemLocation
        else { return nil }
        return PresentedItem(presenter: registered, location: location)
    }
}

/// What is to be done with one document of an access.
public struct FileAccessIntent: Hashable, Sendable {
    let intention: AccessRequest.Intention

    var isWriting: Bool { intention.intent == .writing }

    /// - Parameter options: what is wanted besides plain reading.
    public static func reading(_ location: Location, _ options: ReadingOptions = []) -> FileAccessIntent {
        FileAccessIntent(
            intention: AccessRequest.Intention(location: location, intent: .reading, readingOptions: options))
    }

    /// - Parameter option: what the writing is for; nil is a plain update.
    public static func writing(_ location: Location, _ option: WritingOption? = nil) -> FileAccessIntent {
        FileAccessIntent(
            intention: AccessRequest.Intention(location: location, intent: .writing, writingOption: option))
    }
}

/// One document of a granted access.
public struct CoordinatedFile: Hashable, Sendable {
    /// The document's file as of now; of a read for uploading, the snapshot.
    public let path: FilePath
    /// What was known of it when the access was granted.
    public let item: ItemStatus
}
