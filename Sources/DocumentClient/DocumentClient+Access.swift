public import DocumentModel
internal import DocumentTransport
internal import DocumentWire
public import SystemPackage

extension DocumentClient {
    /// Reads a document: waits until nobody writes it, has its contents here, and keeps writers out until the closure
    /// returns (COORD-1, COORD-9).
    ///
    /// ```swift
    /// let text = try await client.coordinate(readingItemAt: location) { path, item in
    ///     try String(contentsOfFile: path.string, encoding: .utf8)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - options: contents or metadata only, and the purpose.
    ///   - progress: how far the download is, when there is one.
    ///   - body: gets the path of the document's file as of now, and what is known of the item. It is not run when the
    ///     waiting fails (COORD-8).
    public func coordinate<Value>(
        readingItemAt location: Location, options: AccessOptions = AccessOptions(), progress: ProgressHandler? = nil,
        _ body: (FilePath, ItemStatus) async throws -> Value
    ) async throws -> Value {
        try await withAccess(to: location, intent: .reading, option: nil, options, progress, body)
    }

    /// Writes a document: waits until nobody reads or writes it, and keeps everybody out until the closure returns
    /// (COORD-2). Then what was changed is sent; ``waitUntilSent(_:progress:)`` waits for that.
    ///
    /// Write to the path in place, or put a new file there by rename. When the closure has returned, the change is
    /// safe: it survives a crash of the host, and is sent when the provider can be reached.
    ///
    /// - Parameters:
    ///   - option: what the writing is for, where that changes who waits; nil for a plain update.
    public func coordinate<Value>(
        writingItemAt location: Location, for option: WritingOption? = nil, options: AccessOptions = AccessOptions(),
        progress: ProgressHandler? = nil, _ body: (FilePath, ItemStatus) async throws -> Value
    ) async throws -> Value {
        try await withAccess(to: location, intent: .writing, option: option, options, progress, body)
    }

    private func withAccess<Value>(
        to location: Location, intent: AccessIntent, option: WritingOption?, _ options: AccessOptions,
        _ progress: ProgressHandler?, _ body: (FilePath, ItemStatus) async throws -> Value
    ) async throws -> Value {
        let request = AccessRequest(
            location: location, intent: intent, writingOption: option, purpose: options.purpose,
            metadataOnly: options.metadataOnly)
        return try await withAccess(request, progress) { items in
            guard let first = items.first else { throw Self.unexpectedAnswer }
            return try await body(FilePath(first.path), first.item)
        }
    }

    /// Asks for an access, runs the closure with its documents, and ends it.
    ///
    /// - Parameters:
    ///   - patience: how long the access may take to come; nil: as long as it does.
    ///   - presented: what a presenter presents when the closure has returned (COORD-29).
    func withAccess<Value>(
        _ request: AccessRequest, _ progress: ProgressHandler?, within patience: Duration? = nil,
        presented: () -> PresentedItem? = { nil }, _ body: ([AccessedItem]) async throws -> Value
    ) async throws -> Value {
        var request = request
        request.nestedIn = enclosing.map(\.access)
        request.onBehalf = OnBehalf.current
        if let answeredMessage { request.answering = answeredMessage }
        guard
            case .beginAccess(let access, let path, let item, let also) = try await begin(request, progress, patience)
        else { throw Self.unexpectedAnswer }

        // Where the documents are by now (COORD-7).
        let granted = zip(request.intentions, [item] + also.map(\.item)).map { intention, item in
            var intention = intention
            intention.location = item.location
            return intention
        }
        return try await inside(
            access, request.isPreparation ? [] : granted, changingNothing: request.changesNothing,
            presented: presented
        ) {
            try await body([AccessedItem(path: path, item: item)] + also)
        }
    }

    /// Asks for an access. What the host may have granted at the last moment counts.
    private func begin(
        _ request: AccessRequest, _ progress: ProgressHandler?, _ patience: Duration?
    ) async throws(DocumentError) -> ServiceReply {
        guard let patience else { return try await ask(.beginAccess(request), progress: progress) }
        let began = ContinuousClock.now
        do throws(DocumentError) {
            return try await ask(.beginAccess(request), deadline: .total(patience), progress: progress)
        } catch {
            // A provider may have missed a deadline of its own before. Clocks differ a little.
            guard error.code == .deadlineExceeded, began.duration(to: .now) >= patience * 0.9 else { throw error }
            let what = request.intentions.map(\.location.description).joined(separator: " and ")
            throw DocumentError(
                .busy,
                "\(what) is still in use, or waits for something, after \(patience). Nothing was done; “docent status” says who uses what."
            )
        }
    }

    /// The message that a presenter of this client's is answering just now.
    var answeredMessage: UInt64? {
        guard let answered = AnsweredMessage.current, answered.desk == ObjectIdentifier(desk) else { return nil }
        return answered.number
    }

    /// Runs the closure inside of an access that was granted, and ends it.
    func inside<Value>(
        _ access: UInt64, _ intentions: [AccessRequest.Intention], changingNothing: Bool,
        presented: () -> PresentedItem? = { nil }, _ body: () async throws -> Value
    ) async throws -> Value {
        let value: Value
        do {
            // The answer may have crossed a cancel on its way.
            try Task.checkCancellation()
            let own = EnclosingAccess(
                connection: ObjectIdentifier(connection), access: access, intentions: intentions)
            value = try await EnclosingAccess.$current.withValue(enclosing + [own], operation: body)
        } catch {
            // What the closure threw is what matters; when the end fails too, the connection is gone, and the claim
            // with it.
            try? await end(access, changingNothing: changingNothing)
            throw error
        }
        try await end(access, changingNothing: changingNothing, presented())
        return value
    }

    /// The number of the access that the running closure is inside of.
    package var innermostAccess: UInt64? { enclosing.last?.access }

    /// What was written in an access so far is on disk when this returns, and so is the document itself, when it was made
    /// for that. The access goes on.
    package func flush(access: UInt64) async throws(DocumentError) { try await tell(.flushAccess(access)) }

    /// Bytes of the file of an access are here when this returns: for one that was asked for ``ReadingOptions/asItComes``.
    ///
    /// - Throws: `versionNoLongerAvailable` when the document has other contents by now, and what its transfer fails with.
    package func awaitContents(_ range: Range<Int64>, access: UInt64) async throws(DocumentError) {
        try await tell(.awaitContents(access, range))
    }

    /// Ends an access, also when the task is cancelled. When it may have changed something, that is safe when this
    /// returns; of one that has only read the host need not be waited for.
    private func end(
        _ access: UInt64, changingNothing: Bool, _ presented: PresentedItem? = nil
    ) async throws(DocumentError) {
        if let presented {
            try await tellToItsEnd(
                .endWrite(access, presenter: presented.presenter, presents: presented.location))
        } else if changingNothing {
            accesses.readHasEnded(access)
        } else {
            try await tellToItsEnd(.endAccess(access))
        }
    }
}

/// What a presenter presents, by its number.
struct PresentedItem {
    let presenter: UInt64
    let location: Location
}

extension AccessRequest {
    /// Neither a document nor a snapshot that the host made of it: nothing is left to be done when it ends.
    fileprivate var changesNothing: Bool {
        !isPreparation && intentions.allSatisfy { $0.intent == .reading && !$0.readingOptions.contains(.forUploading) }
    }
}

/// How a document is accessed, beyond reading or writing.
public struct AccessOptions: Hashable, Sendable {
    /// Accesses with the same purpose never wait for each other (COORD-6); nil: a purpose of its own.
    public var purpose: String?
    /// Contents are not wanted, and not downloaded (COORD-13).
    public var metadataOnly: Bool

    /// By default contents are wanted, and the access has a purpose of its own.
    public init(purpose: String? = nil, metadataOnly: Bool = false) {
        self.purpose = purpose
        self.metadataOnly = metadataOnly
    }
}
