public import DocumentModel
internal import DocumentWire
public import SystemPackage

/// One import, open, export or move, from asking to the granted location: what a program's own file dialogue is made of.
///
/// ```swift
/// let request = try PickerRequest(.open, types: [.plainText])
/// let path = try await client.withPickerSession(request) { session in
///     let listing = try await session.listing(of: session.roots[0].id)
///     let entry = listing.entries.first { $0.isSelectable }
///     return try await entry.map { try await session.open($0.id) }?.path
/// }
/// ```
///
/// Valid until a choice was carried out, or failed to be, and within the closure that it was given to. Choices that break
/// the mode's rules throw, and leave it as it was: `typeNotAccepted`, `outsideStorageRoot`, `destinationExists`, and what
/// the provider says.
public struct PickerSession: Sendable {
    /// What it was begun with.
    public let request: PickerRequest
    /// The domains that it may choose in, by name.
    public let roots: [PickerRoot]

    let client: DocumentClient
    let number: UInt64

    init(_ request: PickerRequest, roots: [PickerRoot], number: UInt64, client: DocumentClient) {
        self.request = request
        self.roots = roots
        self.number = number
        self.client = client
    }

    /// A page of a folder, with everything that is known of its items. The first look into a domain prepares its
    /// provider (PICK-7).
    ///
    /// - Parameters:
    ///   - page: what the page before gave as ``PickerListing/next``; nil for the first one.
    ///   - suggestedCount: how many entries the page should have; the host may give fewer.
    ///   - refresh: ask the provider again, also when the folder is known.
    public func listing(
        of folder: PickerEntryID, after page: PageToken? = nil, suggestedCount: Int = 500, refresh: Bool = false
    ) async throws(DocumentError) -> PickerListing {
        let call = ServiceCall.browsePicker(
            number, folder: folder, page: page, suggestedCount: suggestedCount, refresh: refresh)
        guard case .browsePicker(let listing) = try await client.ask(call) else {
            throw DocumentClient.unexpectedAnswer
        }
        return listing
    }

    /// Looks for items below a folder by their names, in what is known of them here: no provider is asked, so that what was never
    /// listed is not found (``PickerFindings/isLoading``). A page may be empty, and not the last one.
    ///
    /// - Parameters:
    ///   - page: what the page before gave as ``PickerFindings/next``; nil for the first one.
    ///   - suggestedCount: how many entries the page should have; the host may give fewer.
    /// - Throws: ``DocumentError``: `invalidArgument` when the folder has not the action ``PickerActions/search``, or the session
    ///   is over.
    public func search(
        for query: PickerQuery, below folder: PickerEntryID, after page: PageToken? = nil, suggestedCount: Int = 500
    ) async throws(DocumentError) -> PickerFindings {
        let call = ServiceCall.searchPicker(
            number, below: folder, query, page: page, suggestedCount: suggestedCount)
        guard case .searchPicker(let findings) = try await client.ask(call) else {
            throw DocumentClient.unexpectedAnswer
        }
        return findings
    }

    /// Makes a folder to put something into, in export and move.
    @discardableResult
    public func makeFolder(
        named name: ItemName, in folder: PickerEntryID
    ) async throws(DocumentError) -> PickerEntry {
        guard case .pickerEntry(let entry) = try await client.ask(.makePickerFolder(number, in: folder, name: name))
        else { throw DocumentClient.unexpectedAnswer }
        return entry
    }

    /// Ends an open session with an item: its path below the document storage root, to be read and written in place.
    /// Its contents may still have to come: read it in a coordinated way, or ``DocumentClient/download(_:progress:)`` it
    /// first (PICK-2).
    public func open(_ entry: PickerEntryID) async throws(DocumentError) -> PickedDocument {
        try only(try await open(.entries([entry])))
    }

    /// Ends an open session with several items, when it was begun so.
    public func open(_ entries: [PickerEntryID]) async throws(DocumentError) -> [PickedDocument] {
        try await open(.entries(entries))
    }

    /// Ends an open session with a path below the document storage root, as a program's own file dialogue gives it;
    /// nothing need exist there yet.
    public func open(path: FilePath) async throws(DocumentError) -> PickedDocument {
        try only(try await open(.paths([path.string])))
    }

    /// Ends an import session: the document's contents are brought and copied to a place of the tool's (PICK-1). Of a package
    /// all that is in it is.
    ///
    /// - Parameters:
    ///   - destination: the new file, or folder for a package; the folder around it must exist.
    ///   - replacing: replace a file that is there, else the error is `destinationExists`, and the session goes on. A package
    ///     replaces nothing.
    @discardableResult
    public func importDocument(
        _ entry: PickerEntryID, to destination: FilePath, replacing: Bool = false,
        progress: DocumentClient.ProgressHandler? = nil
    ) async throws -> PickedDocument {
        try only(try await importDocuments([(entry, destination)], replacing: replacing, progress: progress))
    }

    /// Ends an import session with several documents, when it was begun so. Copies that were made before one failed stay.
    ///
    /// - Parameters:
    ///   - copies: the documents, and the new files; no two the same.
    ///   - replacing: replace files that are there, else the error is `destinationExists`, and the session goes on.
    public func importDocuments(
        _ copies: [(entry: PickerEntryID, destination: FilePath)], replacing: Bool = false,
        progress: DocumentClient.ProgressHandler? = nil
    ) async throws -> [PickedDocument] {
        try expect(.import)
        var destinations: Set<FilePath> = []
        for copy in copies {
            guard destinations.insert(copy.destination.lexicallyNormalized()).inserted else {
                throw DocumentError(
                    .destinationExists, "Two of the documents would become \(copy.destination): import one at a time.")
            }
            try LocalCopy.check(copy.destination, replacing: replacing)
        }
        let items = try await choose(.entries(copies.map(\.entry)), progress)
        let accesses = items.compactMap(\.access)
        var documents: [PickedDocument] = []
        do {
            guard items.count == copies.count, accesses.count == copies.count else {
                throw DocumentClient.unexpectedAnswer
            }
            for (item, copy) in zip(items, copies) {
                guard let access = item.access else { throw DocumentClient.unexpectedAnswer }
                try await makeCopy(of: item.status, access, at: copy.destination, replacing: replacing)
                documents.append(PickedDocument(mode: .import, status: item.status, path: copy.destination))
            }
        } catch {
            for access in accesses { try? await client.tellToItsEnd(.endAccess(access)) }
            throw error
        }
        for access in accesses { try await client.tellToItsEnd(.endAccess(access)) }
        return documents
    }

    /// The access keeps it as it is until it is copied.
    private func makeCopy(
        of status: ItemStatus, _ access: UInt64, at destination: FilePath, replacing: Bool
    ) async throws {
        guard status.item.kind == .package else {
            let contents = try await client.open(access: access)
            defer { try? contents.close() }
            return try await LocalCopy.make(of: contents, at: destination, replacing: replacing)
        }
        guard !status.path.isEmpty else {
            throw DocumentError(
                .notPermitted,
                "\(status.location) is a package, and a confined tool cannot copy one: read its parts one by one.")
        }
        _ = try await LocalTree.copy(FilePath(status.path), isFolder: true, to: destination)
    }

    /// Ends an export or a move session: the local document is copied, or moved, to a new name in a folder (PICK-3,
    /// PICK-4).
    ///
    /// - Parameter replacing: replace a document that is there, else the error is `destinationExists`, and the session
    ///   goes on.
    public func put(
        as name: ItemName, in folder: PickerEntryID, replacing: Bool = false,
        progress: DocumentClient.ProgressHandler? = nil
    ) async throws(DocumentError) -> PickedDocument {
        let items = try await choose(.target(folder: folder, name: name, replacing: replacing), progress)
        return try only(items.map(granted))
    }

    /// Ends the session without a choice (PICK-16). After a choice it is over already, and this throws.
    public func cancel() async throws(DocumentError) {
        try await client.tell(.cancelPicker(number))
    }

    private func open(_ selection: PickerSelection) async throws(DocumentError) -> [PickedDocument] {
        try expect(.open)
        return try await choose(selection, nil).map(granted)
    }

    private func choose(
        _ selection: PickerSelection, _ progress: DocumentClient.ProgressHandler?
    ) async throws(DocumentError) -> [PickedItem] {
        guard case .choosePicker(let items) = try await client.ask(.choosePicker(number, selection), progress: progress)
        else { throw DocumentClient.unexpectedAnswer }
        return items
    }

    private func granted(_ item: PickedItem) -> PickedDocument {
        PickedDocument(
            mode: request.mode, status: item.status,
            path: item.status.path.isEmpty ? nil : FilePath(item.status.path))
    }

    private func only(_ documents: [PickedDocument]) throws(DocumentError) -> PickedDocument {
        guard documents.count == 1, let document = documents.first else { throw DocumentClient.unexpectedAnswer }
        return document
    }

    private func expect(_ mode: PickerMode) throws(DocumentError) {
        guard request.mode == mode else {
            throw DocumentError(
                .invalidArgument,
                "This picker session is for \(request.mode.rawValue), and was asked to \(mode.rawValue).")
        }
    }
}

/// What a picker session has granted.
public struct PickedDocument: Hashable, Sendable {
    /// What the session was for.
    public let mode: PickerMode
    /// The document in its domain.
    public let status: ItemStatus
    /// In import the copy, in open and move the document in its place; nil in export, where success is all that is
    /// granted (PICK-3).
    public let path: FilePath?

    /// Where it is in its domain. In export a sign of success only.
    public var location: Location { status.location }

    init(mode: PickerMode, status: ItemStatus, path: FilePath?) {
        self.mode = mode
        self.status = status
        self.path = path
    }
}

extension DocumentClient {
    /// Begins a picker session and gives it to a closure. When that ends without a choice, the session is cancelled.
    ///
    /// - Throws: `notConfigured` when no domain offers the mode and a type, `notPermitted` when the one that was named
    ///   does not, and what the closure throws.
    public func withPickerSession<Value>(
        _ request: PickerRequest, _ body: (PickerSession) async throws -> Value
    ) async throws -> Value {
        guard case .beginPicker(let number, let roots) = try await ask(.beginPicker(request)) else {
            throw Self.unexpectedAnswer
        }
        let session = PickerSession(request, roots: roots, number: number, client: self)
        let outcome: Result<Value, any Error>
        do {
            outcome = .success(try await body(session))
        } catch {
            outcome = .failure(error)
        }
        // Over already, as a rule.
        try? await tellToItsEnd(.cancelPicker(number))
        return try outcome.get()
    }
}
