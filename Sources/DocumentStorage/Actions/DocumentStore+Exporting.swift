package import DocumentModel
internal import Logging
package import SystemPackage

/// A local document, or a new folder, on its way to become an item.
package struct Export: Sendable {
    package var entry: JournalEntry
    package var parentID: ItemIdentifier
    package var name: ItemName
    package var kind: ItemKind
    /// What the provider is to take; nil for a folder.
    package var contents: StagedFile?
    /// The same in every retry.
    package var operation: String
}

extension DocumentStore {
    /// Copies a local document for the provider.
    ///
    /// - Parameters:
    ///   - source: an absolute path outside the storage root; nil for a new folder.
    ///   - removingSource: the local document moves: it ends up materialised at the item's place, and its old name
    ///     goes away.
    ///   - mayBeMade: it may have been made already: what the remote has of that name is not in its way here, and whether
    ///     it is the same the provider says.
    package func beginExport(
        of source: FilePath?, to parent: ItemIdentifier, name: ItemName, kind: ItemKind, in domain: DomainName,
        removingSource: Bool, mayBeMade: Bool = false
    ) throws -> Export {
        if let source, removingSource, source.starts(with: root.path) {
            throw DocumentError(
                .invalidArgument, "\(source) lies in the storage root: rename or move the item itself instead.")
        }
        if try !(mayBeMade && isThere(name, in: parent, of: domain)) { try refuseTaken(name, in: parent, of: domain) }
        var payload = JournalPayload()
        payload.operation = RandomName.make()
        payload.parentID = parent
        payload.name = name
        payload.kind = kind
        payload.boot = root.boot
        payload.source = source.map { source in source.withPlatformString { $0.bytes } }
        let request = try source.map { _ in try root.staging.makeRequest(.sending(domain)) }
        payload.staging = request?.name
        let entry = try takingBack {
            try request?.remove()
        } _: {
            try index.write(durably: false) { index in
                try index.begin(removingSource ? .moveBegan : .exportBegan, item: nil, in: domain, payload: payload)
            }
        }
        try reached(entry.step)
        return try takingBack {
            try takeBackExport(entry)
        } _: {
            try stage(entry)
        }
    }

    /// Makes the copy for an export that was begun.
    func stage(_ entry: JournalEntry) throws -> Export {
        let payload = entry.payload
        guard let operation = payload.operation, let parent = payload.parentID, let name = payload.name,
            let kind = payload.kind
        else { throw DocumentError(.internal, "The journal's entry \(entry.id) lacks what an export needs.") }
        var export = Export(
            entry: entry, parentID: parent, name: name, kind: kind, contents: nil, operation: operation)
        if let staging = payload.staging, let source = payload.sourcePath {
            let contents = try root.staging.snapshot(
                ofFileAt: source, followingLink: entry.action == .export, in: request(named: staging))
            export.contents = contents
            export.entry.payload.file = contents.source
        }
        let staged: JournalStep = entry.action == .move ? .moveStaged : .exportStaged
        export.entry = try index.write(durably: false) { try $0.advance(export.entry, to: staged) }
        try reached(staged)
        return export
    }

    /// The provider has made the item.
    ///
    /// - Parameter leavingSource: the source of a move is left to ``removeSource(ofPlaced:)``, which may block for ever: whoever has
    ///   the item's lock is not to wait for that.
    package func finish(_ export: Export, as item: Item, leavingSource: Bool = false) throws -> IndexedItem {
        let domain = export.entry.domain
        let isMove = export.entry.action == .move
        try reached(isMove ? .moveAnswered : .exportAnswered)
        var entry = export.entry
        entry.itemID = item.id
        // What these contents are, should they come to its place later only.
        entry.payload.base = item.version
        let outcome = try index.write { index in
            let outcome = try index.apply([item], in: domain)
            if isMove {
                entry = try index.advance(entry, to: .moveRecorded)
            } else {
                try index.finish(entry)
            }
            return outcome
        }
        try perform(outcome)
        if let rejected = outcome.rejected.first?.error {
            // It is made, but cannot be shown; the source of a move stays where it is.
            try takeBackExport(entry)
            throw rejected
        }
        refreshPlaceholder(item.id, in: domain)
        try reached(isMove ? .moveRecorded : .exportRecorded)
        if isMove {
            entry = try placeMoved(entry, export.contents)
            if !leavingSource { try endMove(entry) }
        } else {
            discard(request: entry.payload.staging)
        }
        return try current(item.id, in: domain)
    }

    /// Puts what a provider has just taken in the place of what it has replaced there: that is what the document is now (VER-1).
    /// Where that cannot be done, it comes when somebody wants it. The request ends in any case.
    package func putSent(
        _ contents: StagedFile, of request: StagingRequest, as item: Item, in domain: DomainName
    ) throws {
        do {
            let known = try current(item.id, in: domain)
            guard known.state == .outdated, known.item.version.content == item.version.content,
                item.size.map({ $0 == contents.identity.size }) ?? true
            else { return try request.remove() }
            tree.markWritten(contents, as: item.version, in: try root.staging.folder(of: contents))
            let materialisation = try beginMaterialising(item.id, in: domain, request, contents)
            try takingBack {
                try abandon(materialisation, because: nil)
            } _: {
                _ = try finish(materialisation, as: item)
            }
        } catch let error as StoppedByObserver {
            throw error
        } catch {
            logger.notice(
                "what was sent is not put in place; it is brought when it is wanted",
                metadata: ["item.id": "\(item.id)", "error": "\(error)"])
            try? request.remove()
        }
    }

    /// The provider has refused it, for sure; the local document is as it was.
    package func abandon(_ export: Export) throws {
        try takeBackExport(export.entry)
    }

    func takeBackExport(_ entry: JournalEntry) throws {
        try index.write(durably: false) { try $0.finish(entry) }
        discard(request: entry.payload.staging)
    }

    // MARK: Moves

    /// From `moveRecorded` on, also after a crash: contents to the item's place.
    ///
    /// - Returns: the entry, whose source is to go.
    func placeMoved(_ entry: JournalEntry, _ contents: StagedFile?) throws -> JournalEntry {
        guard let id = entry.itemID else {
            throw DocumentError(.internal, "A move without an item was to be finished.")
        }
        var entry = entry
        if entry.step == .moveRecorded {
            let (item, location) = try locate(id, in: entry.domain)
            // The remote may have got others since.
            let isCurrent = entry.payload.base?.content == item.item.version.content
            if let contents, item.local == nil, isCurrent {
                let (file, digest) = try publish(contents, of: item, at: location)
                entry = try index.write { index in
                    try index.setMaterialised(
                        id, in: entry.domain, version: item.item.version, file: file, state: .materialised,
                        digest: digest)
                    return try index.advance(entry, to: .movePublished)
                }
                try? root.placeholders.remove(at: location)
            } else {
                entry = try index.write { try $0.advance(entry, to: .movePublished) }
            }
            try reached(.movePublished)
        }
        return entry
    }

    /// From `movePublished` on, also after a crash: the source away.
    private func endMove(_ entry: JournalEntry) throws {
        if let id = entry.itemID, let source = entry.payload.sourcePath, let expected = entry.payload.file {
            do {
                // Only if it still is what was sent: otherwise it stays, and the item says so.
                try removeSource(source, expecting: expected, of: id, in: entry.domain)
            } catch let error as DocumentError {
                // The provider has the item: nothing has failed but that.
                logger.warning("what was moved in stays in its old place, too", metadata: ["error": "\(error)"])
                let problem = StayingSource(at: source).problem
                try index.write(durably: false) { try $0.setProblem(problem, of: id, in: entry.domain) }
            }
        }
        try index.write(durably: false) { try $0.finish(entry) }
        discard(request: entry.payload.staging)
        try reached(.moveSourceRemoved)
    }

    /// What an arrival or a move still has to do when its contents are in their place: its source goes, as far as it still is what
    /// was copied. Blocks for ever where that is on a disk or a network that gives no answer.
    ///
    /// The source stays when what was moved is gone from here by then, perhaps with its domain.
    package func removeSource(ofPlaced entry: JournalEntry) throws {
        guard let open = try index.read({ try $0.open(entry) }) else { return }
        let isHere = try index.read { index in
            try open.itemID.map { try index.item($0, in: open.domain)?.exists ?? false } ?? false
        }
        guard isHere else {
            try index.write(durably: false) { try $0.finish(open) }
            return discard(request: open.payload.staging)
        }
        switch open.step {
        case .arriveRecorded: try removeSource(of: open)
        case .movePublished: try endMove(open)
        default: break
        }
    }

    private func publish(
        _ contents: StagedFile, of item: IndexedItem, at location: Location
    ) throws -> (file: FileIdentity, digest: [UInt8]?) {
        let stamp = ItemStamp(
            domain: item.domain, id: item.id, contentVersion: item.item.version.content, size: 0,
            modified: item.item.modified)
        let staged = try request(named: contents.request).stamp(contents, stamp)
        return (try tree.publish(staged, at: location, replacing: nil, durably: true), staged.digest)
    }

    /// Removes what was sent, also in place of a document, where it still is that. Else the item says that it stays. May block for
    /// ever.
    package func removeSource(
        _ source: FilePath, expecting expected: FileIdentity, of id: ItemIdentifier, in domain: DomainName
    ) throws {
        guard try !OutsideFile.remove(source, expecting: expected) else { return }
        let error = StayingSource(at: source).problem
        logger.warning("\(error.message)", metadata: ["item.id": "\(id)"])
        try index.write(durably: false) { try $0.setProblem(error, of: id, in: domain) }
    }

    func refuseTaken(
        _ name: ItemName, in parent: ItemIdentifier, of domain: DomainName, except id: ItemIdentifier? = nil
    )
        throws
    {
        guard let holder = try index.read({ try $0.holder(of: name, in: parent, of: domain) }), holder.id != id else {
            return
        }
        guard let other = holder.item.name, other != name else {
            throw DocumentError(
                .destinationExists, "There is an item named “\(name)” already: choose another name.", itemID: holder.id)
        }
        throw DocumentError(
            .nameClash,
            "“\(name)” differs from “\(other)”, which lies there, by case or Unicode form only: choose another name.",
            itemID: holder.id)
    }
}

extension JournalPayload {
    var sourcePath: FilePath? {
        source.map { bytes in
            (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
                buffer.baseAddress.map { FilePath(platformString: $0) } ?? FilePath()
            }
        }
    }
}

extension UnsafePointer<CChar> {
    /// The bytes before the NUL.
    fileprivate var bytes: [UInt8] {
        var bytes: [UInt8] = []
        var next = self
        while next.pointee != 0 {
            bytes.append(UInt8(bitPattern: next.pointee))
            next += 1
        }
        return bytes
    }
}
