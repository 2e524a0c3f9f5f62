package import DocumentModel
internal import Logging
package import SystemPackage

/// A local document or folder on its way into the tree.
package struct Arrival: Sendable {
    package var entry: JournalEntry
    package var location: Location
    var request: StagingRequest
}

/// Moving in (CONT-7): the contents are flushed, put at their place and written down before the source goes; the
/// provider hears of them later.
extension DocumentStore {
    /// Copies a document, or a folder with all that is in it, from outside the storage root, durably. The source is as it
    /// was.
    ///
    /// - Parameters:
    ///   - missing: folders between `parent` and the item, which are made with it, the outermost first.
    ///   - keepingSource: the source is not to go when it has arrived.
    ///   - trashed: the source is the trash's; it is not copied where a file can have two names.
    package func beginArrival(
        of source: FilePath, to parent: ItemIdentifier, making missing: [ItemName] = [], name: ItemName,
        in domain: DomainName, keepingSource: Bool = false, from trashed: TrashRecord? = nil
    ) throws -> Arrival {
        guard trashed != nil || !source.starts(with: root.path) && !root.path.starts(with: source) else {
            throw DocumentError(
                .invalidArgument,
                "\(source) is in the storage root, or around it: rename the item itself instead. Nothing was moved.")
        }
        let folder = try index.read { try $0.diskLocation(of: parent, in: domain) }
        guard let folder else { throw IndexReader.unknown(parent, domain) }
        let outermost = missing.first ?? name
        try refuseTaken(outermost, in: parent, of: domain)
        var payload = JournalPayload()
        payload.parentID = parent
        payload.name = outermost
        if !keepingSource { payload.source = source.string.utf8.map { $0 } }
        payload.place = folder.components + missing + [name]
        payload.destination = folder.components + [outermost]
        let request = try root.staging.makeRequest(.own)
        payload.staging = request.name
        let id = try ItemIdentifier.makeArriving()
        let entry = try takingBack {
            try request.remove()
        } _: {
            try index.write(durably: false) { try $0.begin(.arriveBegan, item: id, in: domain, payload: payload) }
        }
        var arrival = Arrival(
            entry: entry, location: folder.appending(contentsOf: missing + [name]), request: request)
        try reached(.arriveBegan)
        try takingBack {
            try abandon(arrival)
        } _: {
            arrival.entry.payload.parts =
                try trashed.flatMap { try gather($0, in: request) } ?? root.staging.gather(source, in: request)
            try request.wrap(in: missing + [name])
            arrival.entry.payload.file = try request.contentsIdentity()
            arrival.entry = try index.write { try $0.advance(arrival.entry, to: .arriveStaged) }
        }
        try reached(.arriveStaged)
        return arrival
    }

    private func gather(_ trashed: TrashRecord, in request: StagingRequest) throws -> [CopiedPart]? {
        let file = try root.trash.link(
            trashed.document.id, in: trashed.document.location.domain, to: request.folder, StagingRequest.contents)
        guard let file else { return nil }
        try request.folder.file(StagingRequest.contents)?.flush()
        try request.folder.flush()
        // It gets a name in the tree, which changes its inode: that tells nothing of its contents.
        let contents = FileIdentity(inode: file.inode, size: file.size, modified: file.modified)
        return [CopiedPart(path: [], file: contents)]
    }

    /// Puts it at its place, where it is to be sent from; then the source goes, as far as it is what was copied.
    ///
    /// - Returns: the item.
    package func finish(_ arrival: Arrival) throws -> IndexedItem {
        let place = Location(domain: arrival.entry.domain, components: arrival.entry.payload.destination ?? [])
        var staged: [CopiedPart] = []
        let recorded = try takingBack {
            try withdraw(staged, of: arrival, from: place)
        } _: {
            staged = try arrival.request.asStaged(arrival.entry.arrivingParts)
            try tree.publishWhole(arrival.request, at: place)
            try reached(.arrivePublished)
            return try record(arrival.entry)
        }
        try reached(.arriveRecorded)
        try removeSource(of: recorded)
        guard let item = try index.read({ try $0.item(at: arrival.location) }) else {
            throw DocumentError(.internal, "\(arrival.location) was moved in, and is not in the index.")
        }
        return item
    }

    /// Gives something that the provider does not know yet another name or folder.
    package func moveArriving(
        _ item: IndexedItem, to parent: ItemIdentifier, name: ItemName
    ) throws -> IndexedItem {
        try refuseTaken(name, in: parent, of: item.domain, except: item.id)
        let outcome = try index.write { try $0.moveArriving(item.id, to: parent, name: name, in: item.domain) }
        try perform(outcome)
        if let rejected = outcome.rejected.first?.error { throw rejected }
        return try current(item.id, in: item.domain)
    }

    /// The same while it is just being sent, which nobody waits for: its provider hears of the place when it has answered.
    ///
    /// - Returns: nil when its provider knows it by now, or it is not being sent: nothing is done then.
    package func moveSending(
        _ item: IndexedItem, to parent: ItemIdentifier, name: ItemName
    ) throws -> IndexedItem? {
        try refuseTaken(name, in: parent, of: item.domain, except: item.id)
        let outcome = try index.write { index -> ApplyOutcome? in
            guard let now = try index.item(item.id, in: item.domain), now.isArriving, now.state == .sending,
                let folder = try index.item(parent, in: item.domain), folder.exists
            else { return nil }
            return try index.moveArriving(now.id, to: folder.id, name: name, in: item.domain)
        }
        guard let outcome else { return nil }
        try perform(outcome)
        if let rejected = outcome.rejected.first?.error { throw rejected }
        return try index.read { try $0.item(item.id, in: item.domain) }
    }

    /// Nothing of it stays; the source is as it was.
    package func abandon(_ arrival: Arrival) throws {
        try index.write(durably: false) { try $0.finish(arrival.entry) }
        discard(request: arrival.request.name)
    }

    /// Nothing of it stays but what somebody has saved in it since it was at its place; the source is as it was.
    private func withdraw(_ parts: [CopiedPart], of arrival: Arrival, from place: Location) throws {
        guard let whole = arrival.entry.payload.file?.inode, try tree.inode(at: place) == whole else {
            return try abandon(arrival)
        }
        // A start that found the entry would take what is left for all of it, and have the source go.
        try index.write { try $0.finish(arrival.entry) }
        leftFiles.left(try tree.withdraw(parts, from: place))
        discard(request: arrival.request.name)
    }

    /// Takes what lies at its place into the index, in one transaction.
    func record(_ entry: JournalEntry) throws -> JournalEntry {
        guard let parent = entry.payload.parentID, let id = entry.itemID, let name = entry.payload.name,
            let destination = entry.payload.destination
        else { throw DocumentError(.internal, "The journal's entry \(entry.id) lacks what an arrival needs.") }
        let parts = entry.arrivingParts
        let top = Location(domain: entry.domain, components: destination)
        let files = try parts.filter { $0.file != nil }.reduce(into: [[ItemName]: FileIdentity]()) { files, part in
            files[part.path] = try tree.file(at: top.appending(contentsOf: part.path))
        }
        // What was taken away by somebody meanwhile is not part of it.
        let here = parts.filter { $0.file == nil || files[$0.path] != nil }
        return try index.write { index in
            guard try index.holder(of: name, in: parent, of: entry.domain) == nil else {
                throw DocumentError(
                    .destinationExists,
                    "\(top) exists by now: choose another name. Nothing was moved.")
            }
            try index.insertArrival(here, in: parent, named: name, of: entry.domain, as: id, findsPackages: true) {
                part in
                files[part.path] ?? FileIdentity(inode: 0, size: 0, modified: .zero)
            }
            return try index.advance(entry, to: .arriveRecorded)
        }
    }

    /// From `arriveRecorded` on, also after a crash.
    func removeSource(of entry: JournalEntry) throws {
        if let source = entry.payload.sourcePath {
            let left: [FilePath]
            do {
                left = try OutsideTree.remove(source, expecting: entry.payload.parts)
            } catch let error as DocumentError {
                logger.warning("what was moved in stays in its old place, too", metadata: ["error": "\(error)"])
                left = [source]
            }
            if let first = left.last, let id = try arrived(by: entry) {
                let error = StayingSource(at: first).problem
                logger.warning("\(error.message)", metadata: ["item.id": "\(id)"])
                try index.write(durably: false) { try $0.setProblem(error, of: id, in: entry.domain) }
            }
        }
        try index.write(durably: false) { try $0.finish(entry) }
        discard(request: entry.payload.staging)
        try reached(.arriveSourceRemoved)
    }

    /// What was moved in: the folders that were made with it are around it.
    private func arrived(by entry: JournalEntry) throws -> ItemIdentifier? {
        guard let place = entry.payload.place else { return entry.itemID }
        let location = Location(domain: entry.domain, components: place)
        return try index.read { try $0.item(at: location) }?.id ?? entry.itemID
    }

    /// After a crash: what is at its place goes on, everything else never happened (the source is whole).
    ///
    /// - Returns: the entry, whose source is to go; nil when nothing is to be done any more.
    func resumeArrival(_ entry: JournalEntry) throws -> JournalEntry? {
        let place = Location(domain: entry.domain, components: entry.payload.destination ?? [])
        let isThere = try entry.payload.file.map { try tree.inode(at: place) == $0.inode } ?? false
        guard isThere else {
            try index.write { try $0.finish(entry) }
            if entry.step == .arriveStaged { discard(request: entry.payload.staging) }
            return nil
        }
        guard entry.step == .arriveStaged else { return entry }
        return try record(entry)
    }
}

extension JournalEntry {
    /// Of an arrival: the folders that are made with it, and then what was copied, below the last of them.
    fileprivate var arrivingParts: [CopiedPart] {
        let made = Array((payload.place ?? []).dropFirst(payload.destination?.count ?? 0))
        return made.indices.map { CopiedPart(path: Array(made[..<$0]), file: nil) }
            + payload.parts.map { CopiedPart(path: made + $0.path, file: $0.file) }
    }
}

extension StagingRequest {
    /// What was copied, with each file as it lies here.
    ///
    /// - Parameter parts: below its contents.
    fileprivate func asStaged(_ parts: [CopiedPart]) throws -> [CopiedPart] {
        try parts.map { part in
            guard part.file != nil else { return part }
            let path = [Self.contents] + part.path.map(\.rawValue)
            guard let status = try folder.folderIfPresent(path.dropLast())?.status(path[path.count - 1]) else {
                throw DocumentError(.internal, "The request \(name) has lost “\(path[path.count - 1])”: try again.")
            }
            return CopiedPart(path: part.path, file: status.identity)
        }
    }

    /// Puts its contents into folders, the outermost first; the last name is that of the contents themselves.
    func wrap(in names: [ItemName]) throws {
        guard names.count > 1, let name = names.last else { return }
        let outer = "made"
        guard try folder.makeFolder(outer) else {
            throw DocumentError(.internal, "The request \(self.name) was wrapped already.")
        }
        var inner = try folder.folder([outer])
        var opened = [inner]
        for next in names.dropFirst().dropLast() {
            _ = try inner.makeFolder(next.rawValue)
            inner = try inner.folder([next.rawValue])
            opened.append(inner)
        }
        _ = try folder.rename(Self.contents, to: inner, name.rawValue, .notReplacing)
        for folder in opened.reversed() { try folder.flush() }
        _ = try folder.rename(outer, to: folder, Self.contents, .notReplacing)
        try folder.flush()
    }

    /// Of its contents, be they a document or a folder.
    func contentsIdentity() throws -> FileIdentity {
        guard let status = try folder.status(Self.contents) else {
            throw DocumentError(.internal, "The request \(name) has no contents.")
        }
        return status.identity
    }
}

extension Location {
    fileprivate func appending(contentsOf names: [ItemName]) -> Location {
        Location(domain: domain, components: components + names)
    }
}
