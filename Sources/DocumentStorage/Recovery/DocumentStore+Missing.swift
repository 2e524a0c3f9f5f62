internal import DocumentModel

/// Documents whose files programs have given other places, or removed, while no host ran.
extension DocumentStore {
    /// Those whose files lie somewhere else in their domain are to follow them, with what was changed of them; the others
    /// are placeholders again.
    ///
    /// - Parameter files: all that no item has recorded.
    /// - Returns: the places of those that are items' files.
    func settleMissing(
        _ missing: [IndexedItem], among files: [FoundFile], _ report: inout ReconciliationReport
    ) throws -> Set<Location> {
        let wanted = Set(missing.compactMap(\.local?.inode))
        let places = Dictionary(grouping: files.filter { wanted.contains($0.inode) }, by: \.inode)
        var taken: Set<Location> = []
        var whole: [Location: [MovedFile]] = [:]
        var lost: [IndexedItem] = []
        for item in missing {
            let candidates = (item.local.flatMap { places[$0.inode] } ?? []).map(\.location)
                .filter { !taken.contains($0) }
            if let unreadable = candidates.first(where: { isUnreadable($0, of: item) }) {
                // What was changed is not given up because of that, and nobody is kept from all else.
                report.findings.append(
                    "\(try locate(item.id, in: item.domain).location) has no file, and \(tree.path(of: unreadable)), which may be it, cannot be read: change its permissions."
                )
                continue
            }
            guard let moved = try movedFile(of: item, among: candidates),
                moved.folder != nil || moved.unknownFolder != nil
            else {
                lost.append(item)
                continue
            }
            taken.insert(moved.location)
            try recordMoved(item, moved, &report)
            if moved.unknownFolder?.former != nil, let around = try locate(item.id, in: item.domain).location.parent {
                whole[around, default: []].append(moved)
            }
        }
        for item in lost {
            let location = try locate(item.id, in: item.domain).location
            if let moved = try location.parent.flatMap({ whole[$0] }).flatMap({ try savedAnew(item, beside: $0) }),
                taken.insert(moved.location).inserted
            {
                try recordMoved(item, moved, &report)
            } else {
                try reportMissing(item, at: location, &report)
            }
        }
        return taken
    }

    /// Whether nobody can tell if a file is an item's: it was changed, and may not be read.
    private func isUnreadable(_ place: Location, of item: IndexedItem) -> Bool {
        guard let file = try? tree.file(at: place), !isFile(file, nil, of: item) else { return false }
        do {
            _ = try tree.stamp(at: place)
            return false
        } catch {
            return true
        }
    }

    /// Those whose own files lie somewhere in their domain are missing at their places; the others were saved over with
    /// others' files, and have their contents.
    ///
    /// - Returns: the former, and the places of the latter.
    func settleDisplaced(
        _ displaced: [IndexedItem], among files: [FoundFile], _ report: inout ReconciliationReport
    ) throws -> (missing: [IndexedItem], taken: Set<Location>) {
        let inodes = displaced.isEmpty ? [] : Set(files.map(\.inode))
        var missing: [IndexedItem] = []
        var taken: Set<Location> = []
        for item in displaced {
            if let local = item.local, inodes.contains(local.inode) {
                missing.append(item)
            } else if try look(at: item, &report, &missing) != nil {
                taken.insert(try locate(item.id, in: item.domain).location)
            }
        }
        return (missing, taken)
    }

    /// Whatever becomes of its name, what was changed of it is known from now on.
    private func recordMoved(
        _ item: IndexedItem, _ moved: MovedFile, _ report: inout ReconciliationReport
    ) throws {
        let location = try locate(item.id, in: item.domain).location
        if let local = item.local, !local.hasSameContents(as: moved.file) {
            try recordEdit(of: item, in: moved)
            report.changed += 1
        }
        report.moved.append(moved)
        report.findings.append(
            "The file of \(location) is \(tree.path(of: moved.location)) by now: the document follows it.")
    }

    private func reportMissing(
        _ item: IndexedItem, at location: Location, _ report: inout ReconciliationReport
    ) throws {
        _ = try recordMissing(item, at: location)
        report.missing += 1
        report.findings.append(
            item.isArriving
                ? "\(location) was new and not sent yet, and its file is gone: nothing is left of it."
                : item.isUnsent
                    ? "\(location) had unsent changes, and its file is gone: the provider's contents stand."
                    : "The file of \(location) is gone: it is a placeholder again.")
    }
}
