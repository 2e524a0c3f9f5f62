public import DocumentModel
internal import DocumentTransport
internal import DocumentWire

extension DocumentClient {
    /// The items of a folder, page by page as they are asked for.
    ///
    /// ```swift
    /// for try await item in client.items(in: folder) { print(item.location, item.state) }
    /// ```
    ///
    /// - Parameter refresh: ask the provider again, also when the folder is known.
    public func items(in folder: Location, refresh: Bool = false) -> ItemSequence {
        ItemSequence(client: self, folder: folder, refresh: refresh)
    }

    /// One page of a folder's items.
    ///
    /// - Parameters:
    ///   - page: what the page before gave as ``ItemStatusPage/next``; nil for the first one.
    ///   - suggestedCount: how many items the page should have; the host may give fewer.
    ///   - refresh: ask the provider again, also when the folder is known. For the first page only.
    public func itemPage(
        in folder: Location, after page: PageToken? = nil, suggestedCount: Int = 500, refresh: Bool = false
    ) async throws(DocumentError) -> ItemStatusPage {
        let call = ServiceCall.listItems(folder, page: page, suggestedCount: suggestedCount, refresh: refresh)
        guard case .listItems(let page) = try await ask(call) else { throw Self.unexpectedAnswer }
        return page
    }

    /// What is known of an item: metadata, version, and where it stands between here and the remote.
    public func item(at location: Location) async throws(DocumentError) -> ItemStatus {
        guard case .item(let item) = try await ask(.getItem(location)) else { throw Self.unexpectedAnswer }
        return item
    }

    /// One page of a folder's items, as they are known on this machine: the provider is asked only when the folder was never
    /// listed. ``changes(below:waitingForHost:)`` tells when something is not so any more.
    ///
    /// - Parameters:
    ///   - page: what the page before gave as ``ItemStatusPage/next``; nil for the first one.
    ///   - suggestedCount: how many items the page should have; the host may give fewer.
    ///   - patience: how long the provider is waited for, should it be asked; nil: as long as it may take. The host goes on
    ///     without who asks.
    /// - Throws: ``DocumentError``: `deadlineExceeded` when it takes longer.
    public func knownItemPage(
        in folder: Location, after page: PageToken? = nil, suggestedCount: Int = 500, within patience: Duration? = nil
    ) async throws(DocumentError) -> ItemStatusPage {
        let call = ServiceCall.listItems(
            folder, page: page, suggestedCount: suggestedCount, refresh: false, known: true)
        guard case .listItems(let page) = try await ask(call, deadline: patience.map(Deadline.total) ?? .none) else {
            throw Self.unexpectedAnswer
        }
        return page
    }

    /// What is known of an item on this machine: the provider is asked only when a folder around it was never listed.
    ///
    /// - Parameter patience: how long the provider is waited for, should it be asked; nil: as long as it may take. The host goes
    ///   on without who asks.
    /// - Throws: ``DocumentError``: `noSuchItem` for what is not known in a folder that was listed, `deadlineExceeded` when it
    ///   takes longer.
    public func knownItem(
        at location: Location, within patience: Duration? = nil
    ) async throws(DocumentError) -> ItemStatus {
        let answer = try await ask(.getItem(location, known: true), deadline: patience.map(Deadline.total) ?? .none)
        guard case .item(let item) = answer else { throw Self.unexpectedAnswer }
        return item
    }

    /// Makes a folder; the one around it must exist.
    ///
    /// - Parameter atOnce: here, whether or not the provider can be reached; it is sent later.
    @discardableResult
    public func makeFolder(at location: Location, atOnce: Bool = false) async throws(DocumentError) -> ItemStatus {
        guard case .item(let item) = try await ask(.makeFolder(location, atOnce: atOnce)) else {
            throw Self.unexpectedAnswer
        }
        return item
    }

    /// Gives an item another name, or another folder of the same domain.
    ///
    /// Inside of a coordinated write for moving the item, it moves under that (COORD-30); inside of any other access to
    /// it, the error is `deadlock` (COORD-38). A document that is at the destination is replaced inside of a coordinated
    /// write for replacing it, and nowhere else.
    ///
    /// - Parameter atOnce: a document, to a place where nothing is: here, whether or not the provider can be reached, which
    ///   hears of it later. What it does not allow then is undone.
    @discardableResult
    public func rename(
        itemAt location: Location, to destination: Location, atOnce: Bool = false
    ) async throws(DocumentError) -> ItemStatus {
        try checkNotInside(an: "A rename", of: location, except: .forMoving)
        let call = ServiceCall.renameItem(location, destination: destination, atOnce: atOnce)
        guard case .item(let item) = try await ask(call) else { throw Self.unexpectedAnswer }
        return item
    }

    /// Removes an item, here and on the remote.
    ///
    /// Inside of a coordinated write for deleting the item, it goes under that; inside of any other access to it, the
    /// error is `deadlock` (COORD-38).
    ///
    /// - Parameters:
    ///   - recursive: also a folder that is not empty.
    ///   - discardUnsent: also when it has changes that were not sent; they are lost.
    ///   - atOnce: here, whether or not the provider can be reached, which hears of it later: a document, or a folder that is
    ///     known to be empty. What the remote has changed since, or refuses to remove, comes back (VER-15).
    public func remove(
        itemAt location: Location, recursive: Bool = false, discardUnsent: Bool = false, atOnce: Bool = false
    ) async throws(DocumentError) {
        try checkNotInside(an: "A removal", of: location, except: .forDeleting)
        try await tell(.removeItem(location, recursive: recursive, discardUnsent: discardUnsent, atOnce: atOnce))
    }

    /// Looks for changes of the remote now.
    public func refresh(_ location: Location) async throws(DocumentError) {
        try await tell(.refresh(location))
    }
}

/// The items of a folder. Pages are asked for when they are needed, so a folder of any size takes little memory.
public struct ItemSequence: AsyncSequence, Sendable {
    /// What the host knows of one item.
    public typealias Element = ItemStatus
    /// What goes wrong on the way.
    public typealias Failure = DocumentError

    let client: DocumentClient
    let folder: Location
    let refresh: Bool

    /// Begins at the first page.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(sequence: self)
    }

    /// Goes through a folder once.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let sequence: ItemSequence
        private var items: ArraySlice<ItemStatus> = []
        private var next: PageToken?
        private var isAtLastPage = false

        fileprivate init(sequence: ItemSequence) {
            self.sequence = sequence
        }

        /// The next item; nil after the last one.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(DocumentError) -> ItemStatus? {
            while items.isEmpty {
                if isAtLastPage { return nil }
                let page = try await sequence.client.itemPage(
                    in: sequence.folder, after: next, refresh: sequence.refresh && next == nil)
                items = page.items[...]
                next = page.next
                isAtLastPage = page.next == nil
            }
            return items.removeFirst()
        }
    }
}
