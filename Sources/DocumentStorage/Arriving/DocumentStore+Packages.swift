package import DocumentModel
internal import Logging

/// Writes in packages: a tool that has one for writing may make, change and remove files in it as it likes, and when it has
/// ended, what lies there is what the package is (COORD-21). Each part is an item of its own, which is sent like any other.
extension DocumentStore {
    /// The index may change while a package is looked at: then it is looked at again, so often at most.
    private static var mostLooks: Int { 20 }

    /// To be called before such a write is granted: after a crash the package is looked at.
    ///
    /// - Parameter replacing: whatever is in it then is all of it; else parts whose contents are not here stay.
    package func expectEdits(
        of id: ItemIdentifier, in domain: DomainName, replacing: Bool = false
    ) throws -> JournalEntry {
        let entry = try index.write(durably: false) { index in
            var payload = JournalPayload()
            payload.replacesContents = replacing
            payload.place = try index.diskLocation(of: id, in: domain)?.components
            let parts = try index.subtree(of: id, in: domain).filter { $0.item.kind == .document && !$0.isGone }
            let files = try tree.files(at: index.diskPlaces(of: parts, in: domain))
            for (item, file) in zip(parts, files) {
                // What came to it from the remote after its parts were brought nobody has seen who writes in it now, nor what has
                // left it since, and is not recorded as evicted because the disk is full.
                guard replacing || item.local != nil && file != nil else { continue }
                payload.known[item.id] = item.item.version.content
            }
            return try index.begin(.editsExpected, item: id, in: domain, payload: payload)
        }
        try reached(.editsExpected)
        return entry
    }

    /// Documents in a package or a folder that have contents here, as far as the index knows, and whose files are not there.
    package func missingParts(of id: ItemIdentifier, in domain: DomainName) throws -> [IndexedItem] {
        let (parts, places) = try index.read { index in
            let parts = try index.present(within: id, in: domain)
            return (parts, try index.diskPlaces(of: parts, in: domain))
        }
        return try zip(parts, tree.files(at: places)).compactMap { part, file in
            part.local != nil && file == nil ? part : nil
        }
    }

    /// To be called when the write has ended: what was written is on disk when the call returns.
    ///
    /// - Parameter dropping: parts that are not there any more were removed. Who has ended in the middle of a save may have
    ///   been going to write them anew: then they stay, as the provider has them.
    package func recordEdits(_ entry: JournalEntry, dropping: Bool) throws -> PackageEdits {
        for _ in 0..<Self.mostLooks {
            guard let package = try package(of: entry) else {
                // Removed or moved away inside of the access: nothing in it is missed.
                try index.write(durably: false) { try $0.finish(entry) }
                return PackageEdits()
            }
            guard var edits = try record(package, entry, dropping: dropping) else { continue }
            for item in package.touched {
                do {
                    let now = try recordChange(of: item.id, in: entry.domain, givingUp: false)
                    if now.state == .changed { edits.changed.append(now) }
                } catch let error as DocumentError {
                    edits.failures.append((item.id, error))
                }
            }
            try reached(.editsRecorded)
            if !edits.dropped.isEmpty { try reached(.itemDropped) }
            return edits
        }
        throw DocumentError(
            .localStorage,
            "What was written in \(Location(domain: entry.domain, components: entry.payload.place ?? [])) cannot be recorded, because it changes all the time; it is tried again.",
            itemID: entry.itemID)
    }

    /// Makes durable what was written in the package so far. The write goes on.
    package func flushEdits(_ entry: JournalEntry) throws {
        // A folder around it may be moved just now.
        try moves.exclusively {
            guard let package = try package(of: entry) else { return }
            for (path, file) in package.scan.files
            where package.known[path]?.local.map({ file.isUntouched(since: $0) }) != true {
                _ = try tree.flush(package.place(of: path))
            }
            for path in package.scan.folders { try tree.flushNames(in: package.place(of: path)) }
        }
        try index.flush()
    }

    // MARK: -

    /// A package, on disk and in the index.
    private struct Package {
        let location: Location
        let scan: FolderScan
        /// By their paths in it; the package itself has the empty one.
        var known: [[ItemName]: IndexedItem] = [:]

        /// The remote has removed it meanwhile: what was written in it is kept (VER-15), and nothing else of it.
        let isGone: Bool
        /// The parts that were there for who wrote in it, in the versions that were known then.
        let seen: [ItemIdentifier: [UInt8]]

        /// - Parameter items: the package first, with where their files are; nil for what has no place of its own.
        init(
            _ location: Location, _ scan: FolderScan, _ items: [(item: IndexedItem, place: Location?)],
            seen: [ItemIdentifier: [UInt8]]
        ) {
            self.location = location
            self.scan = scan
            self.seen = seen
            isGone = items.first?.item.isGone == true
            for (number, (item, place)) in items.enumerated() {
                guard item.exists || number == 0, item.state != .nameClash, let components = place?.components,
                    components.starts(with: location.components)
                else { continue }
                known[Array(components.dropFirst(location.components.count))] = item
            }
        }

        func place(of path: [ItemName]) -> Location {
            Location(domain: location.domain, components: location.components + path)
        }

        /// Names that nothing new can have: of what is there, or was never here.
        var takenNames: Set<[FoldedName]> {
            let gone = Set(missing { $0.local != nil }.map(\.path))
            return Set(known.keys.filter { !gone.contains($0) }.map { $0.map { FoldedName($0) } })
        }

        /// Files of items whose contents are here that are not what they were.
        var touched: [IndexedItem] {
            scan.files.compactMap { path, file in
                guard let item = known[path], item.item.kind == .document, let local = item.local,
                    !file.isUntouched(since: local)
                else { return nil }
                return item
            }.sorted { $0.row < $1.row }
        }

        /// Files where an item has no contents.
        var filled: [(item: IndexedItem, path: [ItemName])] {
            scan.files.keys.compactMap { path in
                guard let item = known[path], item.item.kind == .document, item.local == nil,
                    item.state == .placeholder
                else { return nil }
                return (item, path)
            }.sorted { $0.item.row < $1.item.row }
        }

        /// Parts that are not there any more: documents, then folders, the innermost first.
        ///
        /// - Parameter isSeen: whether a document was there for who wrote.
        func missing(isSeen: (IndexedItem) -> Bool) -> [(item: IndexedItem, path: [ItemName])] {
            let documents = known.filter { path, item in
                item.item.kind == .document && scan.files[path] == nil
                    && ![.conflict, .materialising].contains(item.state) && isSeen(item)
            }
            // A folder with nothing in it is made on disk when something comes into it, and not before.
            let folders = known.filter { path, item in
                item.item.kind != .document && !path.isEmpty && !scan.folders.contains(path)
                    && documents.keys.contains { $0.starts(with: path) }
                    && !known.contains { other, inside in
                        inside.item.kind == .document && other.starts(with: path) && documents[other] == nil
                    }
            }
            let byDepth = folders.sorted { ($0.key.count, $0.value.row) > ($1.key.count, $1.value.row) }
            return documents.sorted { $0.value.row < $1.value.row }.map { ($0.value, $0.key) }
                + byDepth.map { ($0.value, $0.key) }
        }
    }

    private func package(of entry: JournalEntry) throws -> Package? {
        let found = try index.read {
            index -> (Location, [(item: IndexedItem, place: Location?)], [ItemIdentifier: [UInt8]])? in
            guard let id = try index.subject(of: entry) ?? entry.itemID,
                let item = try index.item(id, in: entry.domain), try !item.isGone || index.isRemovedByOthers(item),
                let location = try index.diskLocation(of: id, in: entry.domain)
            else { return nil }
            // Moves that wait for this write to end are not in the tree yet.
            let all = try index.subtree(of: id, in: entry.domain)
            let items = zip(all, try index.diskPlaces(of: all, in: entry.domain)).map { (item: $0, place: $1) }
            // What was made here may have its provider's identifier by now.
            let own = try index.reference(to: entry.domain)
            let seen = try entry.payload.known.map { (try index.known($0.key, own), $0.value) }
            return (location, items, Dictionary(seen) { first, _ in first })
        }
        guard let (location, items, seen) = found, let scan = try tree.scan(location) else { return nil }
        return Package(location, scan, items, seen: seen)
    }

    /// - Returns: nil when the index was changed since it was read: it is to be looked at once more.
    private func record(
        _ package: Package, _ entry: JournalEntry, dropping: Bool
    ) throws -> PackageEdits? {
        var edits = PackageEdits()
        edits.refused = package.scan.refused
        var taken = package.takenNames
        var arrivals: [Arrival] = []
        for path in package.scan.outermost(besides: package.known) {
            guard taken.insert(path.map { FoldedName($0) }).inserted else {
                edits.refused.append(Self.clash(package.place(of: path)))
                continue
            }
            if let arrival = try flushNew(path, in: package, &edits) { arrivals.append(arrival) }
        }
        var filled: [(item: IndexedItem, file: FileIdentity, place: Location)] = []
        for (item, path) in package.filled {
            let place = package.place(of: path)
            guard let file = try tree.flush(place) else { continue }
            try tree.flushFolders(around: place)
            filled.append((item, file, place))
        }
        // Who was to replace all of it, and has written nothing, has replaced nothing.
        let isReplaced =
            entry.payload.replacesContents && !(arrivals.isEmpty && filled.isEmpty && package.touched.isEmpty)
        // What cannot be sent may be what is missing.
        let missing =
            dropping && !package.isGone && edits.refused.isEmpty
            ? package.missing { item in
                let version = package.seen[item.id]
                return item.local != nil ? version != nil : isReplaced && version == item.item.version.content
            } : []
        if !missing.isEmpty { for path in package.scan.folders { try tree.flushNames(in: package.place(of: path)) } }
        let recorded = try index.write { index -> (made: [IndexedItem], dropped: [JournalEntry])? in
            guard try filled.allSatisfy({ try index.isStill($0.item, at: $0.place) }),
                try missing.allSatisfy({ item, path in
                    try item.item.kind != .document || index.isStill(item, at: package.place(of: path))
                })
            else { return nil }
            // The remote has just told of something with the name of a new part: what is missing may be that part.
            let leaving = Set(missing.map(\.item.id))
            let hasClash = try arrivals.contains { arrival in
                let holder = try index.holder(of: arrival.name, in: arrival.parent, of: entry.domain)
                return holder.map { !leaving.contains($0.id) } ?? false
            }
            let missing = hasClash ? [] : missing
            for (item, file, _) in filled {
                // What came from the remote meanwhile nobody has seen who wrote here: that is a conflict.
                let isSeen = package.seen[item.id] == item.item.version.content
                let base = isSeen ? item.item.version : try ItemVersion(content: Array(RandomName.make().utf8))
                try index.setMaterialised(item.id, in: item.domain, version: base, file: file, state: .changed)
            }
            var dropped: [JournalEntry] = []
            for (item, path) in missing {
                if let entry = try drop(item, from: package.place(of: path), index) { dropped.append(entry) }
            }
            var made: [IndexedItem] = []
            for arrival in arrivals {
                // Told of by the remote just now; or the name of a part that stays, although its file is gone.
                guard try index.holder(of: arrival.name, in: arrival.parent, of: entry.domain) == nil else {
                    edits.refused.append(Self.clash(arrival.place))
                    continue
                }
                let id = try ItemIdentifier.makeArriving()
                try index.insertArrival(
                    arrival.parts, in: arrival.parent, named: arrival.name, of: entry.domain, as: id
                ) { $0.file ?? FileIdentity(inode: 0, size: 0, modified: .zero) }
                made.append(try index.located(id, in: entry.domain).item)
            }
            try index.finish(entry)
            return (made, dropped)
        }
        guard let recorded else { return nil }
        for entry in recorded.dropped {
            try root.placeholders.remove(at: Location(domain: entry.domain, components: entry.payload.place ?? []))
        }
        edits.made = recorded.made
        edits.dropped = recorded.dropped
        edits.changed = try filled.map { try current($0.item.id, in: entry.domain) }
        return edits
    }

    private struct Arrival {
        let parent: ItemIdentifier
        let name: ItemName
        let place: Location
        let parts: [CopiedPart]
    }

    /// What is new, flushed, with all that is in it and can be an item.
    private func flushNew(_ path: [ItemName], in package: Package, _ edits: inout PackageEdits) throws -> Arrival? {
        guard let name = path.last, let parent = package.known[Array(path.dropLast())], parent.item.kind != .document
        else { return nil }
        var parts: [CopiedPart] = []
        var names: Set<[FoldedName]> = []
        let files = package.scan.files.keys.filter { $0.starts(with: path) }
        let folders = package.scan.folders.filter { $0.starts(with: path) }
        // Folders before what lies in them.
        for part in (files + folders).sorted(by: Self.isBefore) {
            let inside = Array(part.dropFirst(path.count))
            // In a folder that is not sent.
            guard inside.isEmpty || names.contains(inside.dropLast().map { FoldedName($0) }) else { continue }
            guard names.insert(inside.map { FoldedName($0) }).inserted else {
                edits.refused.append(Self.clash(package.place(of: part)))
                continue
            }
            let place = package.place(of: part)
            if package.scan.folders.contains(part) {
                parts.append(CopiedPart(path: inside, file: nil))
                try tree.flushNames(in: place)
            } else if let file = try tree.flush(place) {
                parts.append(CopiedPart(path: inside, file: file))
            }
        }
        let place = package.place(of: path)
        guard !parts.isEmpty else { return nil }
        try tree.flushFolders(around: place)
        return Arrival(parent: parent.id, name: name, place: place, parts: parts)
    }

    private static func clash(_ place: Location) -> DocumentError {
        DocumentError(
            .nameClash,
            "\(place) has another's name but for case or Unicode form, and is not sent: rename one of them.")
    }

    private static func isBefore(_ path: [ItemName], _ other: [ItemName]) -> Bool {
        path.count == other.count
            ? path.map(\.rawValue).lexicographicallyPrecedes(other.map(\.rawValue)) : path.count < other.count
    }

    /// Takes a part out of the index; its file is gone already.
    ///
    /// - Returns: what its provider is to hear; nil when it does not know it.
    private func drop(
        _ item: IndexedItem, from place: Location, _ index: IndexTransaction
    ) throws -> JournalEntry? {
        let entry = item.isArriving ? nil : try index.beginDropping(item, from: place, base: item.versionToRemove)
        if item.item.kind == .document, !item.isArriving { try index.setPlaceholder(item.id, in: item.domain) }
        _ = try index.deleteCleared(item.id, in: item.domain)
        return entry
    }
}
