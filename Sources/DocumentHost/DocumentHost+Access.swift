public import DocumentModel
import DocumentStorage
import DocumentWire
import FileCoordination
import Glibc
import Logging
import Synchronization
public import SystemPackage

extension DocumentHost {
    /// Registers a host tool's connection, with the rights of the user.
    ///
    /// - Parameter name: for messages that say who waits for whom: "docent edit (process 4711)".
    public func connect(tool name: String) -> Tool {
        connect(tool: name, process: getpid(), standing: .user)
    }

    func connect(tool name: String, process: Int32, standing: ToolStanding) -> Tool {
        let isRestricted = if case .user = standing { false } else { true }
        let owner = ClaimOwner(id: tools.next(), name: name, isRestricted: isRestricted)
        granter.accesses.quota.connected(owner, process: process)
        return Tool(owner: owner, process: process, standing: standing)
    }

    /// A tool's connection is over: nobody waits any more for its presenters, nor for its accesses, but for those under which
    /// something is still done (COORD-39). ``disconnect(_:)`` is to follow when all that it asked for has come to its end.
    package func connectionEnded(_ tool: Tool) {
        attributes.remove(presenters.removeAll(of: tool.owner))
        broker.presentersEnded(of: tool.owner)
        granter.endAll(of: tool.owner, unused: true)
    }

    /// Ends all that a tool holds or waits for. What it wrote until then counts.
    public func disconnect(_ tool: Tool) {
        endPickers(of: tool)
        events.endAll(of: tool.owner)
        let unstopped = bookmarks.end(tool.owner)
        if unstopped > 0 {
            logger.notice(
                "a tool ended with accesses by bookmarks that it had not stopped",
                metadata: ["tool": "\(tool.owner.name)", "accesses": "\(unstopped)"])
        }
        registry.end(tool.owner.id)
        connectionEnded(tool)
        granter.endAll(of: tool.owner)
        granter.accesses.quota.disconnected(tool.owner)
        tools.end()
    }

    /// Waits for a claim, has the contents provided, and holds the claim until ``endAccess(_:of:)``.
    public func beginAccess(
        _ request: AccessRequest, for tool: Tool, onProgress: @escaping @Sendable (TransferProgress?) -> Void = { _ in }
    ) async throws(DocumentError) -> (number: UInt64, items: [AccessedItem]) {
        let rights: AccessRights = { [self] intentions async throws(DocumentError) in
            try await permit(for: intentions, by: request.bookmark, of: tool)
        }
        var request = request
        // It opens no paths, and what it is handed is to be whole.
        if isConfined(tool) { request.readingOptions.remove(.asItComes) }
        let attempt: AccessAttempts.Attempt = { [granter, request] () async throws(DocumentError) in
            try await granter.begin(request, by: tool.owner, rights: rights, onProgress: onProgress)
        }
        let coordinator = request.coordinator.map { CoordinatorID(owner: tool.owner.id, number: $0) }
        let grant =
            if let coordinator { try await attempts.run(by: coordinator, attempt) } else { try await attempt() }
        let items = grant.items.map { granted in
            switch granted {
            case .place(let status): return AccessedItem(path: status.path, item: status)
            case .item(let item, let otherPath):
                let status = status(of: item)
                return AccessedItem(path: otherPath?.string ?? status.path, item: status)
            }
        }
        recordUse(of: grant.items.compactMap { if case .item(let item, _) = $0 { item.key } else { nil } })
        return (grant.number, items)
    }

    private func recordUse(of keys: [ItemKey]) {
        readAhead.opened(keys)
        guard uses.used(keys) else { return }
        work.add { [uses, storage] in try? await uses.writeDown(in: storage) }
    }

    /// The same for the usual read, without a pause: gives the answer as it travels. Nil when it is not one.
    package func beginAccessAtOnce(_ request: AccessRequest, for tool: Tool) -> [UInt8]? {
        guard !isConfined(tool), request.bookmark == nil, let permit = try? permit(for: request.intentions, of: tool),
            let (number, item) = granter.beginAtOnce(request, by: tool.owner, permit)
        else { return nil }
        return answer(number, item)
    }

    /// What tells a tool of an access that was granted without a pause, as it travels.
    func answer(_ number: UInt64, _ item: KnownItem) -> [UInt8] {
        recordUse(of: [item.key])
        guard isQuiet(item) else {
            let status = status(of: item)
            return EncodedAccess(AccessedItem(path: status.path, item: status)).answer(access: number)
        }
        return item.encodedAccess.answer(access: number)
    }

    /// Ends an access. After a writing one, a change is recorded durably before this returns, and is sent then.
    public func endAccess(_ number: UInt64, of tool: Tool) async throws(DocumentError) {
        defer { bookmarkedAccessEnded(number, of: tool) }
        try await granter.end(number, by: tool.owner)
    }

    /// Ends an access in which a presenter has written; from then on it presents a document, before whoever waits goes on: of what
    /// they do it hears (COORD-29).
    ///
    /// - Throws: what the end throws; `notPermitted` when the tool may not read what is to be presented: the access has ended
    ///   then.
    package func endWrite(
        _ number: UInt64, presenter: UInt64, presents location: Location, of tool: Tool
    ) async throws(DocumentError) {
        defer { bookmarkedAccessEnded(number, of: tool) }
        var refusal: DocumentError?
        do throws(DocumentError) {
            try authorise(.setPresentedItem(presenter, .item(location)), for: tool)
        } catch {
            refusal = error
        }
        var isPresented = false
        try await granter.end(number, by: tool.owner) { [self] in
            // What nobody knows yet is looked for afterwards: to ask a provider takes its time.
            guard refusal == nil, (try? domains.domain(location.domain).requireVisible()) != nil,
                let id = try? presenters.presenter(presenter, of: tool.owner),
                let item = try? granter.known.item(at: location), item.item.exists,
                (try? exported.check(item.key, at: location, by: tool.owner)) != nil
            else { return }
            present(item.coordinated, by: id)
            isPresented = true
        }
        // Who presents no more is no reason for the write to have failed.
        guard !isPresented, (try? presenters.presenter(presenter, of: tool.owner)) != nil else { return }
        if let refusal { throw refusal }
        do throws(DocumentError) {
            try await setPresented(.item(location), of: presenter, tool: tool)
        } catch {
            // Nothing was written, and it is still to come.
            guard error.code == .noSuchItem else { throw error }
        }
    }

    /// What was written in an access so far is on disk when this returns, and a document that was made for it, too; of an
    /// access to a folder, also one for reading, what was made, renamed and removed in it.
    public func flushAccess(_ number: UInt64, of tool: Tool) async throws(DocumentError) {
        try await granter.flush(number, by: tool.owner)
    }

    /// Bytes of the file of a reading access are here when this returns; where they are not, they are what is brought next.
    ///
    /// - Throws: `invalidArgument` when the tool holds no such access, `versionNoLongerAvailable` when the document has other
    ///   contents by now, and what its transfer fails with.
    package func awaitContents(
        _ range: Range<Int64>, of number: UInt64, for tool: Tool
    ) async throws(DocumentError) {
        try await granter.awaitContents(range, of: number, by: tool.owner)
    }

    /// The open file of a document of an access, for tools that cannot open paths (PICK-21, BOOK-5). The caller closes it.
    ///
    /// - Parameters:
    ///   - index: which of the access's documents, from 0.
    ///   - part: of a package, the names that lead to the file in it; else empty.
    ///   - making: of a package that is written: make the file when there is none.
    /// - Throws: `invalidArgument` when the tool holds no such access, or what is wanted is no file; `noSuchItem` when its
    ///   contents are not here.
    public func openAccessed(
        _ number: UInt64, _ index: Int = 0, part: [ItemName] = [], making: Bool = false, of tool: Tool
    ) async throws(DocumentError) -> FileDescriptor {
        try await granter.open(number, index, part: part, making: making, by: tool.owner)
    }

    /// Copies a local document to a location, or moves it there: returns when the provider has it.
    public func export(
        _ source: FilePath, to destination: Location, removingSource: Bool, replacing: Bool,
        onProgress: @escaping @Sendable (TransferProgress?) -> Void = { _ in }
    ) async throws(DocumentError) -> ItemStatus {
        let domain = try domains.domain(destination.domain)
        return try await put(
            source, at: destination, on: domain, removingSource: removingSource, replacing: replacing,
            onProgress: onProgress
        ).status
    }
}

/// Numbers and counts the connected tools.
final class ToolCounter: Sendable {
    private let state = Mutex((last: UInt64(0), connected: 0))

    func next() -> UInt64 {
        state.withLock { state in
            state.last += 1
            state.connected += 1
            return state.last
        }
    }

    func end() { state.withLock { $0.connected -= 1 } }

    var connected: Int { state.withLock { $0.connected } }
}
