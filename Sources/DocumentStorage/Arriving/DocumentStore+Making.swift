package import DocumentModel
internal import Logging

/// Documents that are made in their place: a tool writes a file where no item is, and when it has ended, what lies there is
/// taken in (COORD-19, PICK-2). The provider hears of it later.
extension DocumentStore {
    /// More names are not tried for what was written to a place that somebody else has taken meanwhile.
    private static var mostNames: Int { 20 }

    /// To be called before such a write is granted: after a crash the place is looked at. The folders around it are there
    /// then.
    ///
    /// - Returns: the journal's word, whose ``JournalPayload/place`` is where the file belongs.
    /// - Throws: `destinationExists`, `nameClash` when the place is taken, be it by a file that belongs to no item.
    package func expectDocument(
        named name: ItemName, in parent: ItemIdentifier, of domain: DomainName
    ) throws -> JournalEntry {
        let folder = try index.read { try $0.diskLocation(of: parent, in: domain) }
        guard let folder else { throw IndexReader.unknown(parent, domain) }
        try refuseTaken(name, in: parent, of: domain)
        try tree.makeFolder(at: folder)
        let place = folder.appending(name)
        guard try tree.inode(at: place) == nil else {
            throw DocumentError(
                .destinationExists,
                "Something lies at \(tree.path(of: place)) that belongs to no item: move it elsewhere, or choose another name."
            )
        }
        var payload = JournalPayload()
        payload.parentID = parent
        payload.name = name
        payload.place = place.components
        let id = try ItemIdentifier.makeArriving()
        let entry = try index.write(durably: false) {
            try $0.begin(.makeExpected, item: id, in: domain, payload: payload)
        }
        try reached(.makeExpected)
        return entry
    }

    /// To be called when the write has ended: what lies there is an item from now on, flushed, and is to be sent.
    ///
    /// - Parameter other: another name, tried when the place was taken meanwhile; from the file's time, counted from 1.
    /// - Returns: the item; one that was there already, when the file is that one's; nil when nothing was written.
    /// - Throws: when what lies there is no document: it stays where it is, and the next start tries again.
    package func takeIn(
        _ entry: JournalEntry, other: (ItemName, Timestamp, Int) throws -> ItemName
    ) throws -> IndexedItem? {
        guard let id = entry.itemID, let name = entry.payload.name else {
            throw DocumentError(.internal, "The journal's entry \(entry.id) lacks what a new document needs.")
        }
        var entry = entry
        guard let (parent, folder) = try folder(of: entry) ?? folderAnew(of: entry) else {
            try index.write(durably: false) { try $0.finish(entry) }
            return nil
        }
        var place = folder.appending(name)
        // A crash came between the file's other name and the index.
        if let renamed = entry.payload.destination?.last, try tree.inode(at: place) == nil {
            place = folder.appending(renamed)
        }
        guard let (parts, modified) = try tree.flushWhole(place) else {
            try index.write(durably: false) { try $0.finish(entry) }
            return nil
        }
        try tree.flushFolders(around: place)
        if parts.first?.kind == .folder,
            let there = try folderThere(named: name, in: parent, of: entry.domain, at: place, holding: parts)
        {
            try index.write(durably: false) { try $0.finish(entry) }
            return there
        }
        if let holder = try index.read({ try $0.holder(of: name, in: parent, of: entry.domain) }),
            holder.item.name == name, let local = holder.local,
            // One that the remote has just moved there may have its own file elsewhere still.
            try parts.first?.file?.inode == local.inode
                || index.read({ try $0.diskLocation(of: holder.id, in: entry.domain) }) == place
        {
            // Moved there inside of the access, perhaps: the file is its own.
            try index.write(durably: false) { try $0.finish(entry) }
            return try recordChange(of: holder.id, in: entry.domain)
        }
        for attempt in 0..<Self.mostNames {
            let free = attempt == 0 ? place.name ?? name : try other(name, modified, attempt)
            guard try index.read({ try $0.holder(of: free, in: parent, of: entry.domain) }) == nil else { continue }
            if folder.appending(free) != place {
                guard try tree.inode(at: folder.appending(free)) == nil else { continue }
                entry.payload.destination = folder.appending(free).components
                entry = try index.write { try $0.advance(entry, to: .makeExpected) }
                guard try tree.rename(place, to: free) else { continue }
                place = folder.appending(free)
            }
            // Another name has changed the inode's time.
            let files = try parts.filter { $0.file != nil }.reduce(into: [[ItemName]: FileIdentity]()) { files, part in
                files[part.path] = try tree.file(at: part.path.reduce(place) { $0.appending($1) }) ?? part.file
            }
            let isRecorded = try index.write { index in
                // A change of the remote may have been quicker.
                guard try index.holder(of: free, in: parent, of: entry.domain) == nil else { return false }
                // A folder whose name says so is one document, as one that is moved in.
                try index.insertArrival(
                    parts, in: parent, named: free, of: entry.domain, as: id, findsPackages: true
                ) { part in files[part.path] ?? FileIdentity(inode: 0, size: 0, modified: .zero) }
                try index.finish(entry)
                return true
            }
            guard isRecorded else { continue }
            try reached(.makeRecorded)
            return try current(id, in: entry.domain)
        }
        throw DocumentError(
            .destinationExists,
            "What was written lies at \(tree.path(of: place)), and no name was free for it: rename it.")
    }

    /// Makes what was written to such a place so far durable, and that it is expected there. The write goes on.
    package func flushExpected(_ entry: JournalEntry) throws {
        // A folder around it may be moved just now.
        try moves.exclusively {
            guard let name = entry.payload.name else { return }
            let place = try (folder(of: entry)?.location ?? formerFolder(of: entry)).appending(name)
            if try tree.flushWhole(place) != nil { try tree.flushFolders(around: place) }
        }
        try index.flush()
    }

    /// A folder that is an item already, and lies where one was expected: moved there inside of the access, perhaps.
    ///
    /// - Throws: `destinationExists` when something in it belongs to no item: it stays where it is.
    private func folderThere(
        named name: ItemName, in parent: ItemIdentifier, of domain: DomainName, at place: Location,
        holding parts: [CopiedPart]
    ) throws -> IndexedItem? {
        guard let holder = try index.read({ try $0.holder(of: name, in: parent, of: domain) }),
            holder.item.name == name, holder.item.kind != .document
        else { return nil }
        for part in parts where part.file != nil {
            let inside = part.path.reduce(place) { $0.appending($1) }
            guard try index.read({ try $0.item(at: inside) })?.local != nil else {
                throw DocumentError(
                    .destinationExists,
                    "\(place) is another folder by now, and \(tree.path(of: inside)) belongs to no item: move it elsewhere."
                )
            }
        }
        return holder
    }

    /// Makes a document with nothing in it, which is going to be written at once, and is to be sent then.
    ///
    /// It is on disk when the write has ended, with what was written: as with any new file, and not before, unless
    /// ``flushChange(_:)`` says so.
    ///
    /// - Returns: the item, and the journal's word that it is being written, for ``recordChange(_:)``.
    /// - Throws: `destinationExists`, `nameClash` when the place is taken.
    package func makeDocument(
        named name: ItemName, in parent: ItemIdentifier, of domain: DomainName
    ) throws -> (item: IndexedItem, change: JournalEntry) {
        // A folder around it may be moved just now.
        try moves.exclusively { try makeDocument(at: name, in: parent, of: domain) }
    }

    private func makeDocument(
        at name: ItemName, in parent: ItemIdentifier, of domain: DomainName
    ) throws -> (item: IndexedItem, change: JournalEntry) {
        let entry = try expectDocument(named: name, in: parent, of: domain)
        let place = Location(domain: domain, components: entry.payload.place ?? [])
        return try takingBack {
            try index.write(durably: false) { try $0.finish(entry) }
        } _: {
            let made = try orRemovingEmptyFile(at: place) { () throws -> (IndexedItem, JournalEntry)? in
                guard let id = entry.itemID, let file = try tree.makeFile(at: place, for: id) else { return nil }
                var payload = JournalPayload()
                payload.place = place.components
                payload.file = file
                payload.isNew = true
                let written = try index.write(durably: false) { index in
                    guard try index.holder(of: name, in: parent, of: domain) == nil else { throw taken(place) }
                    try index.insertArrival(
                        [CopiedPart(path: [], file: file)], in: parent, named: name, of: domain, as: id
                    ) { _ in file }
                    try index.finish(entry)
                    payload.base = try index.item(id, in: domain)?.synced
                    let change = try index.begin(.changeExpected, item: id, in: domain, payload: payload)
                    return (try index.located(id, in: domain).item, change)
                }
                return written
            }
            guard let made else { throw taken(place) }
            try reached(.changeExpected)
            return made
        }
    }

    /// Runs a body that makes a file and tells the index of it. When it fails, the index does not know of the file, also where that
    /// can take nothing any more, and the journal's word stays: the next start would find the file there, and send it.
    private func orRemovingEmptyFile<T>(at place: Location, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch {
            do {
                // Only what nobody has written to.
                if let file = try tree.file(at: place), file.size == 0 {
                    try tree.removeFile(at: place, expecting: file)
                    // Otherwise a power failure brings it back, and it is taken for one that was made.
                    try tree.flushFolders(left: [place])
                }
            } catch let second {
                logger.error("a document that was not made could not be removed", metadata: ["error": "\(second)"])
            }
            throw error
        }
    }

    /// Makes a folder with nothing in it; it is to be sent.
    ///
    /// - Throws: `destinationExists`, `nameClash` when the place is taken.
    package func makeFolder(
        named name: ItemName, in parent: ItemIdentifier, of domain: DomainName
    ) throws -> IndexedItem {
        let folder = try index.read { try $0.diskLocation(of: parent, in: domain) }
        guard let folder else { throw IndexReader.unknown(parent, domain) }
        try refuseTaken(name, in: parent, of: domain)
        let id = try ItemIdentifier.makeArriving()
        // No folder leaves its place meanwhile.
        return try moves.exclusively {
            try index.write { index in
                guard try index.holder(of: name, in: parent, of: domain) == nil else {
                    throw taken(folder.appending(name))
                }
                try index.insertArrival([CopiedPart(path: [], file: nil)], in: parent, named: name, of: domain, as: id)
                { _ in FileIdentity(inode: 0, size: 0, modified: .zero) }
                _ = try index.keepApart(id, in: domain)
                // An empty folder that a crash leaves, or that a move around it does, is nobody's, and in nobody's way.
                if let place = try index.diskLocation(of: id, in: domain) { try tree.makeFolder(at: place) }
            }
            return try current(id, in: domain)
        }
    }

    /// After a crash: nobody writes there any more.
    func resumeMaking(_ entry: JournalEntry) throws -> IndexedItem? {
        try takeIn(entry) { name, _, attempt in
            let ending = name.pathExtension.map { ".\($0)" } ?? ""
            let stem = name.rawValue.utf8.count > ending.utf8.count ? name.rawValue.dropLast(ending.count) : ""
            return try ItemName("\(stem) (\(attempt + 1))\(ending)")
        }
    }

    /// The folder, wherever it is by now and whatever it is called.
    private func folder(of entry: JournalEntry) throws -> (id: ItemIdentifier, location: Location)? {
        guard let parent = entry.payload.parentID else {
            throw DocumentError(.internal, "The journal's entry \(entry.id) lacks what a new document needs.")
        }
        let around = try formerFolder(of: entry)
        return try index.read { index in
            guard let folder = try index.item(parent, in: entry.domain) ?? index.item(at: around),
                let location = try index.diskLocation(of: folder.id, in: entry.domain)
            else { return nil }
            return (folder.id, location)
        }
    }

    /// Where the folder was when the place was granted.
    private func formerFolder(of entry: JournalEntry) throws -> Location {
        guard let place = entry.payload.place else {
            throw DocumentError(.internal, "The journal's entry \(entry.id) lacks what a new document needs.")
        }
        return Location(domain: entry.domain, components: Array(place.dropLast()))
    }

    /// The folder was removed on the remote while somebody wrote there: what was written survives, and so does its place
    /// (VER-15).
    ///
    /// - Returns: nil when nothing was written.
    private func folderAnew(of entry: JournalEntry) throws -> (id: ItemIdentifier, location: Location)? {
        let around = try formerFolder(of: entry)
        guard let name = entry.payload.name, try tree.inode(at: around.appending(name)) != nil else { return nil }
        return (try folderAnew(at: around), around)
    }

    private func folderAnew(at place: Location) throws -> ItemIdentifier {
        let there = try index.read { index in
            try place.isRoot ? index.rootID(of: place.domain) : index.item(at: place)?.id
        }
        if let there { return there }
        guard let name = place.name, let around = place.parent else { return .root }
        return try makeFolder(named: name, in: try folderAnew(at: around), of: place.domain).id
    }

    private func taken(_ place: Location) -> DocumentError {
        DocumentError(.destinationExists, "\(place) exists by now: choose another name.")
    }
}
