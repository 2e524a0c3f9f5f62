internal import DocumentModel
internal import Logging

/// Files that the start finds in the tree and in staging, and the index does not know.
extension DocumentStore {
    /// All files in the domains' folders but those of items.
    func unrecordedFiles(
        besides inodes: Set<UInt64>, _ report: inout ReconciliationReport
    ) throws -> [FoundFile] {
        let domains = Set(try index.read { try $0.domains().map(\.name) })
        var files: [FoundFile] = []
        for name in try tree.topFolders().sorted() {
            guard let domain = try? DomainName(name), domains.contains(domain) else {
                report.findings.append("The folder “\(name)” among the documents belongs to no domain: it stays.")
                continue
            }
            var unusable: [String] = []
            try tree.forEachFile(of: domain) {
                unusable.append($0)
            } _: { file in
                if !inodes.contains(file.inode) { files.append(file) }
            }
            report.findings += unusable.map {
                "\($0) cannot be an item (a link, a device, or a name that none can have): it stays."
            }
        }
        return files
    }

    /// - Returns: where it stays, and says that it is a new document: the identifier that this one got here.
    func judge(_ location: Location, _ report: inout ReconciliationReport) throws -> ItemIdentifier? {
        guard case .file(let file, let stamp) = place(at: location) else { return nil }
        // At an item's own place, with its stamp, it is the item's: everything else stays as it is.
        if let item = try index.read({ try $0.item(at: location) }), item.local == nil, item.item.kind == .document,
            item.state != .nameClash, let stamp, stamp.isOf(item.id, in: item.domain)
        {
            try adopt(item, file, at: location, version: stamp.contentVersion, isChanged: !stamp.matches(file))
            report.adopted += 1
            report.findings.append("The contents of \(location) were here and not in the index: they are kept.")
            return nil
        }
        if let made = try takeIn(location, stamp) {
            report.adopted += 1
            report.findings.append(
                "\(made) had just been made when this machine stopped: it is kept, and is to be sent.")
            return nil
        }
        report.unknownFiles.append(location)
        report.findings.append(
            "\(tree.path(of: location)) belongs to no item: it stays, and is neither sent nor removed.")
        return stamp?.domain == location.domain ? stamp?.arrivingID : nil
    }

    /// A document that was made here came to the disk, and the index did not: it is an item once more.
    ///
    /// - Returns: nil when it is something else.
    private func takeIn(_ location: Location, _ stamp: ItemStamp?) throws -> Location? {
        guard let id = stamp?.arrivingID, stamp?.domain == location.domain, let name = location.name,
            let around = location.parent
        else { return nil }
        let parent = try index.read { index -> ItemIdentifier? in
            // A copy of one that is known, or was, is somebody else's.
            guard try index.item(id, in: location.domain) == nil, try !index.hasArrived(id, in: location.domain),
                let parent = try index.item(at: around), !parent.isGone, parent.item.kind != .document,
                try index.holder(of: name, in: parent.id, of: location.domain) == nil
            else { return nil }
            return parent.id
        }
        guard let parent, let file = try tree.flush(location) else { return nil }
        try tree.flushFolders(around: location)
        try index.write { index in
            try index.insertArrival(
                [CopiedPart(path: [], file: file)], in: parent, named: name, of: location.domain, as: id
            ) { _ in file }
        }
        return location
    }

    /// Files of the tree that were in staging when the host ended, because they were just being replaced or removed:
    /// those that hold what nobody else has are kept as versions.
    ///
    /// - Returns: the names of those that stay in staging, as they cannot be kept now: the next start tries that again. They keep
    ///   nothing else from being recovered.
    func rescueStaged(_ report: inout ReconciliationReport) throws -> Set<String> {
        var staying: Set<String> = []
        for name in try root.staging.leaving() {
            do {
                try rescueLeaving(name, &report)
            } catch let error as DocumentError where !error.isOutOfSpace {
                staying.insert(name)
                report.findings.append(staysInStaging(name, because: error))
            }
        }
        for entry in try index.read({ try $0.journal() }) where entry.action == .materialise {
            guard let name = entry.payload.staging, let id = entry.itemID,
                let request = try root.staging.request(named: name), let staged = try request.existingFile(),
                staged.identity.inode != entry.payload.file?.inode,
                let item = try index.read({ try $0.item(id, in: entry.domain) }),
                item.local?.hasSameContents(as: staged.identity) != true,
                // What has come may have been copied, and the copy be what it was.
                (try? request.stamp(of: staged))?.matches(staged.identity) != true
            else { continue }
            do {
                try rescue(staged, entry.domain, &report)
            } catch let error as DocumentError where !error.isOutOfSpace {
                // The request goes with its entry.
                let name = try root.staging.setAside(staged)
                staying.insert(name)
                report.findings.append(staysInStaging(name, because: error))
            }
        }
        return staying
    }

    private func rescueLeaving(_ name: String, _ report: inout ReconciliationReport) throws {
        guard let staged = try root.staging.leavingFile(name) else { return }
        if let place = staged.trashed, try index.read({ try $0.domain(place.domain) }) != nil {
            return try root.staging.hand(staged.file, to: root.trash.slot(for: place))
        }
        guard staged.stamp?.matches(staged.file.identity) != true else { return }
        try rescue(staged.file, staged.stamp?.domain, &report)
    }

    private func staysInStaging(_ name: String, because error: DocumentError) -> String {
        "\(root.staging.place(of: name)) was just being replaced or removed when the host ended, and cannot be kept as a version now: \(error.message) It stays there, and the next start tries again."
    }

    private func rescue(_ file: StagedFile, _ domain: DomainName?, _ report: inout ReconciliationReport) throws {
        let kept = try root.versions.keep(
            file, of: Location(domain: domain ?? DomainName("unknown"), components: [ItemName("rescued")]))
        report.findings.append(
            "A file was changed in the moment in which it was replaced or removed: what was in it is kept as \(root.versions.path(of: kept))."
        )
    }
}
