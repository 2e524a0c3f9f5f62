internal import DocumentModel
internal import DocumentProvider
internal import Logging
internal import SystemPackage

// Changes of documents are made by the way that the server was found fit for: contents under a condition where it keeps
// conditions atomically, everything else under a claim. Folders are moved as they are, which servers do one at a time.

extension WebDAVDomain {
    func create(_ creation: ItemCreation, _ transfer: Transfer) async throws -> Item {
        guard let parent = RemotePath(creation.parentID) else { throw Self.unknown(creation.parentID) }
        let name = RemoteName(creation.name)
        let path = parent.appending(name)
        _ = try path.identifier
        let what = "\(path.quoted) cannot be made"
        return try await item(
            once(creation.operation, transfer) { way in
                try Self.checkName(name)
                guard creation.kind == .document ? creation.contents != nil : creation.contents == nil else {
                    throw DocumentError(.invalidArgument, "\(what): a document needs contents, and a folder has none.")
                }
                return try await checked(parent, what) {
                    try await requireFolder(parent, what)
                    try await requireListed(name)
                    try await requireReadable(path)
                    guard let file = creation.contents else { return try await makeFolder(path, creation.operation) }
                    let contents = try parts(file, transfer)
                    try await requireRoom(contents.length, in: parent, what)
                    if way == .conditions, Self.isShort(name) {
                        let write = conditional(creation.operation, transfer)
                        return try outcome(try await write.put(contents, to: path, base: nil), path, creation.operation)
                    }
                    let change = ClaimedWrite.Change(
                        key: try OwnNames.key(of: creation.operation, or: link.timing.mark()), kind: .put, source: nil,
                        target: path,
                        contents: contents, base: .none, hasExactTags: gate?.hasExactTags ?? false)
                    return try await claimed(change, creation.operation, transfer)
                }
            })
    }

    func modify(_ modification: ItemModification, _ transfer: Transfer) async throws -> Item {
        guard let source = RemotePath(modification.id) else { throw Self.unknown(modification.id) }
        let target = try target(of: modification, from: source)
        let what = "\(source.quoted) cannot be changed"
        return try await item(
            once(modification.operation, transfer) { way in
                try await checked(source, what) {
                    let seen = try await link.lookIfThere(source)?.properties
                    if seen == nil,
                        let outcome = try await resumed(modification, from: source, to: target, transfer)
                    {
                        return outcome
                    }
                    let found: Properties
                    if let seen { found = seen } else { found = try await lookAgain(source) }
                    if modification.name != nil, let name = target.name, source != target {
                        try Self.checkName(name)
                        try await requireListed(name)
                    }
                    if found.isFolder, modification.contents != nil {
                        throw DocumentError(
                            .invalidArgument, "\(source.quoted) is a folder, and has no contents of its own.")
                    }
                    if source.isRoot || target.names.starts(with: source.names), source != target {
                        throw DocumentError(.invalidArgument, "\(source.quoted) cannot be moved into itself.")
                    }
                    if let parent = target.parent, parent != source.parent {
                        try await checked(parent, what) { try await requireFolder(parent, what) }
                    }
                    guard source != target || modification.contents != nil else {
                        // A time alone: no server that is known keeps one that it is told.
                        try Self.check(found, modification.baseVersion, source)
                        return .made(source, found)
                    }
                    let isInPlace = way == .conditions && source == target
                    // What is refused goes back to where it was.
                    for path in isInPlace ? [] : [source, target] { try await requireReadable(path) }
                    if found.isFolder {
                        try Self.check(found, modification.baseVersion, source)
                        return try await moveFolder(source, to: target, modification.operation)
                    }
                    var change = try move(modification, from: source, to: target)
                    if let file = modification.contents {
                        let contents = try parts(file, transfer)
                        try await requireRoom(contents.length, in: target.parent ?? .root, what)
                        // lighttpd goes on sending what was there for a second after a document was emptied in its place.
                        let isFit = contents.length > 0 && source.name.map(Self.isShort) ?? false
                        if isInPlace, !isFit { try await requireReadable(source) }
                        if isInPlace, isFit {
                            let write = conditional(modification.operation, transfer)
                            return try outcome(
                                try await write.put(contents, to: source, base: modification.baseVersion), source,
                                modification.operation)
                        }
                        (change.kind, change.contents) = (.put, contents)
                    }
                    return try await claimed(change, modification.operation, transfer)
                }
            })
    }

    func delete(_ deletion: ItemDeletion) async throws {
        guard let path = RemotePath(deletion.id) else { return }
        guard !path.isRoot else {
            throw DocumentError(
                .deletionRejected, "The domain's top folder cannot be removed; remove the domain instead.")
        }
        let what = "\(path.quoted) cannot be removed"
        _ = try await once(deletion.operation, nil) { _ in
            do {
                return try await checked(path, what) {
                    if let outcome = try await resumedRemoval(of: path, deletion) { return outcome }
                    let change = ClaimedWrite.Change(
                        key: try OwnNames.key(of: deletion.operation, or: link.timing.mark()), kind: .remove,
                        source: path, target: path, contents: nil, base: deletion.baseVersion)
                    guard let found = try await link.lookIfThere(path)?.properties else {
                        guard try await !isUnderWay(deletion.operation, at: path) else {
                            return try await claimed(change, deletion.operation, nil)
                        }
                        return try await removed(try await lookAgain(path), change, deletion)
                    }
                    return try await removed(found, change, deletion)
                }
            } catch let error as DocumentError where error.code == .noSuchItem {
                // Gone: that is what was asked for.
                return .removed
            }
        }
    }

    private func removed(
        _ found: Properties, _ change: ClaimedWrite.Change, _ deletion: ItemDeletion
    ) async throws -> WriteLedger.Outcome {
        try Self.check(found, deletion.baseVersion, change.target)
        try await requireReadable(change.target)
        if found.isFolder { return try await removeFolder(change.target, deletion) }
        return try await claimed(change, deletion.operation, nil)
    }

    // MARK: Begun before

    /// An earlier run of the same operation may have taken the item from its place, and have ended before it was done.
    private func resumed(
        _ modification: ItemModification, from source: RemotePath, to target: RemotePath, _ transfer: Transfer
    ) async throws -> WriteLedger.Outcome? {
        if source != target, ledger.wasBegun(modification.operation),
            let there = try await link.lookIfThere(target)?.properties,
            there.isFolder
        {
            return done(source, target, there)
        }
        guard try await isUnderWay(modification.operation, at: source) else { return nil }
        var change = try move(modification, from: source, to: target)
        if let file = modification.contents { (change.kind, change.contents) = (.put, try parts(file, transfer)) }
        return try await claimed(change, modification.operation, transfer)
    }

    /// Whether an earlier run of an operation still has its claim.
    private func isUnderWay(_ operation: String, at source: RemotePath) async throws -> Bool {
        guard !operation.isEmpty else { return false }
        let names = try ClaimNames(try OwnNames.key(of: operation, or: 0), from: source, to: source)
        return try await link.entries(of: names.own) != nil
    }

    private func move(
        _ modification: ItemModification, from source: RemotePath, to target: RemotePath
    ) throws -> ClaimedWrite.Change {
        ClaimedWrite.Change(
            key: try OwnNames.key(of: modification.operation, or: link.timing.mark()), kind: .move, source: source,
            target: target, contents: nil, base: modification.baseVersion, hasExactTags: gate?.hasExactTags ?? false)
    }

    // MARK: Parts

    /// Does an operation, or answers with what it came to when it was done before.
    private func once(
        _ operation: String, _ transfer: Transfer?,
        _ body: (WriteGate.Way) async throws -> WriteLedger.Outcome
    ) async throws -> WriteLedger.Outcome {
        guard let gate else { throw DocumentError(.notPermitted, "This domain is read-only.") }
        if let earlier = try ledger.begin(operation) { return earlier }
        defer { ledger.end(operation) }
        let way = try await checked(.root, "Nothing can be changed here") {
            try await gate.writing { transfer?.heartbeat() }
        }
        do {
            let outcome = try await body(way)
            try ledger.finish(operation, outcome)
            return outcome
        } catch let error as DocumentError where error.code.errorClass == .definitive {
            ledger.refuse(operation)
            throw error
        }
    }

    private func item(_ outcome: WriteLedger.Outcome) throws -> Item {
        guard case .made(let path, let found) = outcome else {
            throw DocumentError(.invalidArgument, "This operation's name was used for a deletion; use a new one.")
        }
        return try found.item(at: path, capabilities)
    }

    private func target(of modification: ItemModification, from source: RemotePath) throws -> RemotePath {
        guard modification.name != nil || modification.parentID != nil else { return source }
        guard let ownParent = source.parent, let ownName = source.name else {
            throw DocumentError(.invalidArgument, "The domain's top folder cannot be changed.")
        }
        var parent = ownParent
        if let id = modification.parentID {
            guard let path = RemotePath(id) else { throw Self.unknown(id) }
            parent = path
        }
        // What is called here as before is called so there, however long that is.
        let name = modification.name.flatMap { $0 == ownName.shown ? nil : RemoteName($0) } ?? ownName
        let target = parent.appending(name)
        _ = try target.identifier
        return target
    }

    private func conditional(_ operation: String, _ transfer: Transfer) -> ConditionalWrite {
        ConditionalWrite(
            link: link, logger: logger, hasExactTags: gate?.hasExactTags ?? false,
            wasBegun: ledger.wasBegun(operation), isWaiting: { transfer.heartbeat() },
            noteBegun: { [ledger] in try ledger.noteBegun(operation) })
    }

    private func claimed(
        _ change: ClaimedWrite.Change, _ operation: String, _ transfer: Transfer?
    ) async throws -> WriteLedger.Outcome {
        let write = ClaimedWrite(
            link: link, watch: claims, logger: logger, isWaiting: { transfer?.heartbeat() },
            record: { [ledger] made in
                try ledger.finish(operation, made.map { .made(change.target, $0) } ?? .removed)
            })
        let outcome = try await write.make(change)
        if let source = change.source, source != change.target || change.kind == .remove { forget(source) }
        return try self.outcome(outcome, change.kind == .remove ? nil : change.target, operation, change.source)
    }

    /// - Parameter path: of what was made; nil when something was removed.
    private func outcome(
        _ outcome: ClaimedWrite.Outcome, _ path: RemotePath?, _ operation: String, _ source: RemotePath? = nil
    ) throws -> WriteLedger.Outcome {
        switch outcome {
        case .done(let made?):
            guard let path else { return .removed }
            return .made(path, made)
        case .done(nil): return .removed
        case .refused(let refusal):
            let name = (source ?? path ?? .root).quoted
            switch refusal {
            case .changed:
                throw DocumentError(
                    .versionNoLongerAvailable,
                    "\(name) has changed on the server meanwhile: list its folder again, and try again.")
            case .taken: throw Self.collision(path ?? .root)
            case .gone: throw DocumentError(.noSuchItem, "\(name) is not there any more, or its folder is not.")
            case .tooSoon:
                throw DocumentError(.busy, "\(name) was changed a moment ago; try again in a second.")
            case .reserved:
                let name = (path ?? .root).quoted
                throw DocumentError(
                    .busy, "Somebody else is making \(name), or changing it; try again in a moment.")
            }
        }
    }

    private func parts(_ file: FilePath, _ transfer: Transfer) throws -> FileParts {
        let length = try OpenContents(file).length()
        return try FileParts(file) { done in
            try transfer.checkCancellation()
            transfer.report(UInt64(max(done, 0)), of: UInt64(max(length, 0)))
        } isWaiting: {
            transfer.heartbeat()
        }
    }

    /// What is being changed by somebody else is out of sight for a moment.
    private func lookAgain(_ path: RemotePath) async throws -> Properties {
        try await link.timing.pause(link.timing.gap)
        return try await link.look(at: path).properties
    }

    private func requireFolder(_ path: RemotePath, _ what: String) async throws {
        guard try await link.look(at: path).properties.isFolder else {
            throw DocumentError(.invalidArgument, "\(what): \(path.quoted) is a document, and nothing can be in it.")
        }
    }

    /// Before contents are sent for nothing (RFC 4331).
    private func requireRoom(_ length: Int64, in folder: RemotePath, _ what: String) async throws {
        guard length >= 1 << 16 else { return }
        let room: Int64?
        do {
            room = try await link.quota(of: folder).available
        } catch ServerFailure.status, ServerFailure.unusable, ServerFailure.interrupted {
            // It does not say, or not in time, and will when there is none.
            return
        }
        guard let room, room < length else { return }
        throw DocumentError(
            .insufficientQuota,
            "\(what): it has \(length) bytes, and there is room for \(room) on “\(link.address.origin)”; make some.")
    }

    private static func check(_ found: Properties, _ base: ItemVersion, _ path: RemotePath) throws(DocumentError) {
        guard try found.version(at: path).satisfies(base) else {
            throw DocumentError(
                .versionNoLongerAvailable,
                "\(path.quoted) has changed on the server meanwhile: list its folder again, and try again.")
        }
    }

    /// Servers put something to the names of what is on its way, and can only be given longer ones by a move.
    private static func isShort(_ name: RemoteName) -> Bool { name.rawValue.utf8.count <= 200 }

    static func checkName(_ name: RemoteName) throws(DocumentError) {
        guard !OwnNames.isOwn(name) else {
            throw DocumentError(.invalidArgument, "“\(name)” is a name that Docent itself uses; choose another one.")
        }
    }

    /// What the server never lists would be taken for removed.
    private func requireListed(_ name: RemoteName) async throws {
        guard name.rawValue.hasPrefix("."), try await !dotNames.outcome() else { return }
        throw DocumentError(
            .invalidArgument,
            "“\(name)” begins with a dot, and “\(link.address.origin)” lists no such names; choose another one.")
    }

    /// What the server misreads would come to another place when it is moved there.
    private func requireReadable(_ path: RemotePath) async throws {
        guard path.names.contains(where: NameTrial.isOdd) else { return }
        let misread = try await misreadNames.outcome()
        for name in path.names {
            guard let byte = name.unescaped.first(where: misread.contains) else { continue }
            throw DocumentError(
                .invalidArgument,
                "“\(name)” has a “\(Unicode.Scalar(byte))” in it, and “\(link.address.origin)” cannot move anything there; choose another name."
            )
        }
    }

    static func collision(_ path: RemotePath) -> DocumentError {
        DocumentError(.nameCollision, "There is something called \(path.quoted) already; choose another name.")
    }

    private static func unknown(_ id: ItemIdentifier) -> DocumentError {
        DocumentError(.noSuchItem, "“\(id)” was never an item of this domain.")
    }
}
