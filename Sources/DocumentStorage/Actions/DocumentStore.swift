package import DocumentModel
package import Logging

/// The journaled actions on items: tree, placeholders, staging, index and journal joined. The host puts the provider's
/// calls between `begin…` and `finish`; what must hold over a crash is in here.
///
/// Calls block, may come from any thread, and throw ``DocumentError``. The host sees to it that only one action at a
/// time runs on an item.
package struct DocumentStore: Sendable {
    package let root: StorageRoot
    let observer: (any StepObserver)?
    let logger: Logger
    /// In seconds since 1970.
    let date: @Sendable () -> Int64
    package let follower = TreeFollower()
    package let questions = ProviderQuestions()
    package let versionNews = VersionNews()
    package let leftFiles = LeftFiles()
    package let keptEdits = KeptEdits()

    package init(
        _ root: StorageRoot, observer: (any StepObserver)? = nil, date: @escaping @Sendable () -> Int64, logger: Logger
    ) {
        self.root = root
        self.observer = observer
        self.date = date
        self.logger = logger
    }

    var index: ItemIndex { root.index }
    var tree: DocumentTree { root.tree }
    var moves: TreeMoves { root.moves }

    /// Tells the observer that a step is durable.
    func reached(_ step: JournalStep) throws {
        guard let observer else { return }
        do {
            try observer.reached(step)
        } catch {
            throw StoppedByObserver(step: step)
        }
    }

    package func takes(_ precaution: Precaution) -> Bool { observer?.leavesOut(precaution) != true }

    /// Runs a body; when it fails, what it had begun is taken back. After a stop by the observer nothing is: that is
    /// what a crash leaves.
    func takingBack<T>(_ takeBack: () throws -> Void, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as StoppedByObserver {
            throw error
        } catch {
            // What the index has, it may have for good, though nobody knows: the next start sees which it is.
            guard !index.hasFailed else { throw error }
            do {
                try takeBack()
            } catch let second {
                logger.error("an action could not be taken back", metadata: ["error": "\(second)"])
            }
            throw error
        }
    }

    /// Takes back a request; of a domain that was removed meanwhile nothing is left.
    func remove(_ request: StagingRequest, of domain: DomainName) throws {
        try root.staging.end(request.name)
        if try index.read({ try $0.domain(domain) }) == nil { try root.staging.removeFolders(of: domain) }
    }

    /// An item with the place of its file on disk; throws for an unknown one, and for one that is not in the tree.
    package func locate(_ id: ItemIdentifier, in domain: DomainName) throws -> (item: IndexedItem, location: Location) {
        try index.read { try $0.located(id, in: domain) }
    }

    /// What the index has after an action.
    func current(_ id: ItemIdentifier, in domain: DomainName) throws -> IndexedItem {
        try locate(id, in: domain).item
    }

    /// Removes a request's folder; what stays because of an error is swept at the next start.
    ///
    /// - Parameter keeping: where it may be another one's.
    func discard(request name: String?, keeping: Bool = false) {
        guard let name else { return }
        do {
            try root.staging.end(name, keeping: keeping)
        } catch {
            logger.warning("a staging folder could not be removed", metadata: ["error": "\(error)"])
        }
    }

    func request(named name: String) throws -> StagingRequest {
        guard let request = try root.staging.request(named: name) else {
            throw DocumentError(.contractBroken, "The staging folder \(name) is gone: a provider must not remove it.")
        }
        return request
    }

    /// Writes an item's placeholder, where it is to have one. Placeholders are derived: an error is no failure of the
    /// action.
    func refreshPlaceholder(_ id: ItemIdentifier, in domain: DomainName) {
        do {
            let (item, location) = try locate(id, in: domain)
            guard item.local == nil, let placeholder = Placeholder(item.item) else { return }
            try root.placeholders.write(placeholder, at: location)
        } catch {
            logger.debug("a placeholder was not written", metadata: ["item.id": "\(id)", "error": "\(error)"])
        }
    }
}

extension IndexReader {
    package func located(_ id: ItemIdentifier, in domain: DomainName) throws -> (item: IndexedItem, location: Location)
    {
        guard let item = try item(id, in: domain) else { throw Self.unknown(id, domain) }
        let place = try OpenMoves(in: domain, self).undone(try place(of: item.row))
        return (item, Location(domain: domain, components: place))
    }
}

/// Thrown when the observer threw: the action stands as if the process had died at that step.
package struct StoppedByObserver: Error {
    package let step: JournalStep
}
