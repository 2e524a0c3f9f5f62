public import DocumentModel
internal import DocumentWire

extension DocumentClient {
    /// The folder of a container, made when it is missing. Needed once on a connection before the container is used
    /// (CONT-3).
    ///
    /// - Parameter container: nil for the tool's main container, the first one of its manifest.
    /// - Returns: nil when the service is off, since nobody has said where containers are, or when there is no account.
    /// - Throws: ``DocumentError``: `notPermitted` when the tool's manifest does not name the container.
    public func location(forContainer container: ContainerIdentifier?) async throws(DocumentError) -> Location? {
        guard case .tools(.openContainer(let location)) = try await ask(.tools(.openContainer(container))) else {
            throw Self.unexpectedAnswer
        }
        return location
    }

    /// The containers that are there and that the tool can see: its own, and public ones of others (CONT-6).
    public func containers() async throws(DocumentError) -> [ContainerDescription] {
        try await listContainers().containers
    }

    /// Where containers are; nil when there are to be none. Only for the user's own programs.
    public func containerPlace() async throws(DocumentError) -> Location? {
        try await listContainers().place
    }

    /// Says in which folder containers are from now on; nil: there are none, the service is off. Only for the user's own
    /// programs.
    public func placeContainers(in folder: Location?) async throws(DocumentError) {
        try await tell(.tools(.placeContainers(folder)))
    }

    /// The documents of all containers that the tool may use, as one list (CONT-4). Containers that are not made yet have
    /// none; with the service off there are none (QUERY-6).
    ///
    /// - Parameter scope: those below `Documents`, or all others (CONT-5).
    public func containerDocuments(_ scope: ContainerScope = .documents) -> ContainerDocuments {
        ContainerDocuments(client: self, scope: scope)
    }

    /// Removes everything of a container but the user's documents, as a whole (CONT-5): in one access, which waits until
    /// nobody uses any of it, and after a look at all of it, so that nothing goes when something has to stay. Once it has begun
    /// the host brings it to its end, whatever becomes of this tool, and after its own death at its next start.
    ///
    /// - Throws: ``DocumentError``: `noSuchItem` when there is no such container, `unsyncedEdits` when something in it was not
    ///   sent yet, and what else keeps it from being removed; the message says when some of it is.
    public func removeData(ofContainer container: ContainerIdentifier) async throws(DocumentError) {
        try await tell(.tools(.removeContainerData(container)))
    }

    private func listContainers() async throws(DocumentError) -> (containers: [ContainerDescription], place: Location?)
    {
        guard case .tools(.containers(let containers, let place)) = try await ask(.tools(.listContainers)) else {
            throw Self.unexpectedAnswer
        }
        return (containers, place)
    }
}

extension ItemStatus {
    fileprivate func isDocumentsFolder(of container: ContainerDescription) -> Bool {
        location.parent == container.location && location.name?.rawValue == ContainerScope.documentsFolder
    }
}

/// The documents of several containers, one container after the other. Folders are listed when they are needed.
public struct ContainerDocuments: AsyncSequence, Sendable {
    /// What the host knows of one document.
    public typealias Element = ItemStatus
    /// What goes wrong on the way.
    public typealias Failure = DocumentError

    let client: DocumentClient
    let scope: ContainerScope

    /// Begins at the first container.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(client: client, scope: scope) }

    /// Goes through them once.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let client: DocumentClient
        private let scope: ContainerScope
        /// Still to be listed, the next one last.
        private var folders: [Location] = []
        private var items: ItemSequence.AsyncIterator?
        /// What of a container's own folder is not in the scope, or is all that is.
        private var containers: [ContainerDescription]?

        fileprivate init(client: DocumentClient, scope: ContainerScope) {
            self.client = client
            self.scope = scope
        }

        /// The next document; nil after the last one.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(DocumentError) -> ItemStatus? {
            if containers == nil {
                // Each is opened, and so may be used.
                var usable: [ContainerDescription] = []
                for container in try await client.containers() where container.isEntitled {
                    if try await client.location(forContainer: container.identifier) != nil { usable.append(container) }
                }
                containers = usable
                folders = usable.reversed().map(\.location)
            }
            while true {
                if let item = try await nextItem() {
                    guard isInScope(item) else { continue }
                    guard item.item.kind == .folder else { return item }
                    folders.append(item.location)
                } else {
                    guard let folder = folders.popLast() else { return nil }
                    items = client.items(in: folder).makeAsyncIterator()
                }
            }
        }

        private mutating func nextItem() async throws(DocumentError) -> ItemStatus? {
            guard var iterator = items else { return nil }
            let item = try await iterator.next()
            items = item == nil ? nil : iterator
            return item
        }

        private func isInScope(_ item: ItemStatus) -> Bool {
            guard let container = containers?.first(where: { $0.location == item.location.parent }) else { return true }
            return item.isDocumentsFolder(of: container) == (scope == .documents)
        }
    }
}
