package import DocumentModel
internal import Logging

/// Writes in packages: a tool that has one for writing may make, change and remove files in it as it likes, and when it has
/// ended, what lies there is what the package is (COORD-21). Each part is an item of its own, which is sent like any other.
extension DocumentStore {
    /// To be called before such a write is granted: after a crash the package is looked at.
    ///
    /// - Parameter replacing: whatever is in it then is all of it; else parts whose contents are not here stay.
    package func expectEdits(
        of id: ItemIdentifier, in domain: DomainName, replacing: Bool = false
    ) throws -> JournalEntry {
        var payload = JournalPayload()
        payload.replacesContents = replacing
        let entry = try index.write(durably: false) { index in
            payload.place = try index.diskLocation(of: id, in: domain)?.components
            return try index.begin(.editsExpected, item: id, in: domain, payload: payload)
        }
        try reached(.editsExpected)
        return entry
    }

    /// To be called when the write has ended: what was written is on disk when the call returns.
    ///
    /// - Parameter dropping: parts that are not there any more were removed. Who has ended in the middle of a save may have
    ///   been going to write them anew: then they stay, as the provider has them.
    package func recordEdits(_ entry: JournalEntry, dropping: Bool) throws -> PackageEdits {
        while true {
            guard let package = try package(of: entry) else {
                // Removed or moved away inside of the access: nothing in it is missed.
                try index.write(durably: false) { try $0.finish(entry) }
                return PackageEdits()
            }
            guard var edits = try record(package, entry, dropping: dropping) else { continue }
            for item in package.touched {
                let now = try recordChange(of: item.id, in: entry.domain, givingUp: false)
                if now.state == .changed { edits.changed.append(now) }
            }
            try reached(.editsRecorded)
            if !edits.dropped.isEmpty { try reached(.partDropped) }
            return edits
        }
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

    /// A part that was removed here is removed at its provider, too, or has come back.
    package func finishDropping(_ entry: JournalEntry, removed: Bool) throws {
        let outcome = try index.write { index in
            // A listing may have told of it meanwhile.
            let outcome = try removed ? entry.itemID.map { try index.delete([$0], in: entry.domain) } : nil
            try index.finish(entry)
            return outcome
        }
        try reached(.partDropFinished)
        if let outcome { try follow(outcome) }
    }

    // MARK: -

    /// A package, on disk and in the index.
    private struct Package {
        let location: Location
        let scan: FolderScan
        /// By their paths in it; the package itself has the empty one.
        var known: [[ItemName]: IndexedItem] = [:]

        init(_ location: Location, _ scan: FolderScan, _ items: [IndexedItem]) {
            self.location = location
            self.scan = scan
            var paths: [ItemIdentifier: [ItemName]] = [:]
            for (number, item) in items.enumerated() where number == 0 || item.exists {
                // One that waits for its place lies elsewhere.
                guard number > 0 else {
                    paths[item.id] = []
                    known[[]] = item
                    continue
                }
                guard item.wanted == nil, item.state != .nameClash, let name = item.item.name,
                    let around = item.item.parentID.flatMap({ paths[$0] })
                else { continue }
                paths[item.id] = around + [name]
                known[around + [name]] = item
            }
        }

        func place(of path: [ItemName]) -> Location {
            Location(domain: location.domain, components: location.components + path)
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
        /// - Parameter replacing: documents without contents here, too.
        func missing(replacing: Bool) -> [(item: IndexedItem, path: [ItemName])] {
            let documents = known.filter { path, item in
                item.item.kind == .document && scan.files[path] == nil
                    && ![.conflict, .materialising].contains(item.state)
                    && (item.local != nil || replacing)
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
        let (location, items) = try index.read { index -> (Location?, [IndexedItem]) in
            guard let id = try index.subject(of: entry) ?? entry.itemID,
                let item = try index.item(id, in: entry.domain), !item.isGone
            else { return (nil, []) }
            return (try index.diskLocation(of: id, in: entry.domain), try index.subtree(of: id, in: entry.domain))
        }
        guard let location, let scan = try tree.scan(location) else { return nil }
        return Package(location, scan, items)
    }

    /// - Returns: nil when the index was changed since it was read: it is to be looked at once more.
    private func record(
        _ package: Package, _ entry: JournalEntry, dropping: Bool
    ) throws -> PackageEdits? {
        var edits = PackageEdits()
        edits.refused = package.scan.refused
        let arrivals = try package.scan.outermost(besides: package.known).compactMap {
            try flushNew($0, in: package, &edits)
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
        let missing = dropping ? package.missing(replacing: isReplaced) : []
        if !missing.isEmpty { for path in package.scan.folders { try tree.flushNames(in: package.place(of: path)) } }
        let recorded = try index.write { index -> (made: [IndexedItem], dropped: [JournalEntry])? in
            guard try filled.allSatisfy({ try index.isStill($0.item, at: $0.place) }),
                try missing.allSatisfy({ item, path in
                    try item.item.kind != .document || index.isStill(item, at: package.place(of: path))
                })
            else { return nil }
            for (item, file, _) in filled {
                try index.setMaterialised(
                    item.id, in: item.domain, version: item.item.version, file: file, state: .changed)
            }
            var dropped: [JournalEntry] = []
            for (item, path) in missing {
                if let entry = try drop(item, from: package.place(of: path), index) { dropped.append(entry) }
            }
            var made: [IndexedItem] = []
            for arrival in arrivals {
                guard try index.holder(of: arrival.name, in: arrival.parent, of: entry.domain) == nil else {
                    edits.refused.append(
                        DocumentError(
                            .nameClash,
                            "\(arrival.place) has the name of another part but for case or Unicode form, and is not sent: rename one of them."
                        ))
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
        for (_, path) in missing { try root.placeholders.remove(at: package.place(of: path)) }
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

    /// What is new, flushed, with all that is in it.
    private func flushNew(_ path: [ItemName], in package: Package, _ edits: inout PackageEdits) throws -> Arrival? {
        guard let name = path.last, let parent = package.known[Array(path.dropLast())], parent.item.kind != .document
        else { return nil }
        let place = package.place(of: path)
        do {
            guard let (parts, _) = try tree.flushWhole(place) else { return nil }
            try tree.flushFolders(around: place)
            return Arrival(parent: parent.id, name: name, place: place, parts: parts)
        } catch let error as DocumentError where [.invalidArgument, .nameClash].contains(error.code) {
            edits.refused.append(error)
            return nil
        }
    }

    /// Takes a part out of the index.
    ///
    /// - Returns: what its provider is to hear; nil when it does not know it.
    private func drop(
        _ item: IndexedItem, from place: Location, _ index: IndexTransaction
    ) throws -> JournalEntry? {
        guard !item.isArriving else {
            _ = try index.deleteCleared(item.id, in: item.domain)
            return nil
        }
        var payload = JournalPayload()
        payload.operation = RandomName.make()
        payload.base = item.synced ?? item.item.version
        payload.place = place.components
        payload.parentID = item.item.parentID
        payload.name = item.item.name
        payload.kind = item.item.kind
        if item.item.kind == .document { try index.setPlaceholder(item.id, in: item.domain) }
        _ = try index.deleteCleared(item.id, in: item.domain)
        return try index.begin(.partDropped, item: item.id, in: item.domain, payload: payload)
    }
}

extension IndexReader {
    /// Parts of packages that were removed here, and that their providers have not heard of yet.
    package func droppedParts(in domain: DomainName) throws -> [JournalEntry] {
        try journal().filter { $0.domain == domain && $0.action == .dropPart }
    }
}
