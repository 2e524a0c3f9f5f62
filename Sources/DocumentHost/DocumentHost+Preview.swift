public import DocumentModel
import DocumentStorage
import DocumentSync
import FileCoordination

/// Dry runs (CONT-13): what would be done, as the planner that ships says of what the index knows. Nothing is asked of a
/// provider, and nothing is written.
extension DocumentHost {
    /// What would be done at and below a location, and what waits, and for what.
    ///
    /// - Parameter tool: who asks; what comes from elsewhere, or goes there, is not told to those who may not see all.
    /// - Throws: `noSuchItem` for a location that is not known here, and of which nothing is to be done either.
    public func preview(below location: Location, for tool: Tool? = nil) throws(DocumentError) -> SyncPreview {
        let domain = try domains.domain(location.domain)
        try domain.requireVisible()
        let backlog = backlog.entries(of: domain.name)
        let (steps, isKnown) = try storage.read { index in
            let steps =
                try restlessSteps(in: domain.name, index) + heldSteps(in: domain.name, index)
                + arrangements(backlog, in: domain.name, index)
            let shown = steps.compactMap { step -> PlannedStep? in
                guard [step.location, step.destination].contains(where: { $0?.isWithin(location) == true }) else {
                    return nil
                }
                guard let tool, isConfined(tool) else { return step }
                guard step.location.isWithin(location) else { return nil }
                var step = step
                if step.destination?.isWithin(location) == false { step.destination = nil }
                return step
            }
            return (shown, try location.isRoot || index.shownItem(at: location) != nil)
        }
        // What was removed or renamed here, and is not yet on the remote, is told by its former name.
        guard isKnown || !steps.isEmpty else { throw DocumentError.isUnknownHere(location) }
        let sorted = steps.sorted { one, other in
            one.location.components.lexicographicallyPrecedes(other.location.components)
        }
        return SyncPreview(
            steps: Array(sorted.prefix(SyncPreview.mostSteps)),
            more: UInt64(max(sorted.count - SyncPreview.mostSteps, 0)))
    }

    // MARK: Documents and folders

    private func restlessSteps(in domain: DomainName, _ index: IndexReader) throws -> [PlannedStep] {
        var items = try restless(in: domain, index)
        let known = Set(items.map(\.id))
        items += try pinnedAndMissing(in: domain, index).filter { !known.contains($0.id) }
        return try items.compactMap { try step(for: $0, index) }
    }

    private func step(for item: IndexedItem, _ index: IndexReader) throws -> PlannedStep? {
        guard let place = try? index.shownLocation(of: item) else { return nil }
        let status = try status(of: item, index)
        guard let kind = try kind(of: item, status, index) else { return nil }
        let transfer = status.transfers.upload ?? status.transfers.download
        let isHeld = status.marks.keeping == .excluded ? TransferWait.inclusion : .resume
        return PlannedStep(
            kind, place, size: item.item.kind == .document ? transfer?.expected : nil,
            wait: transfer?.wait
                ?? (kind == .makeFolder && (status.marks.isPaused || status.marks.keeping == .excluded) ? isHeld : nil),
            ignoredBy: status.marks.ignoredBy, problem: transfer?.problem ?? status.problem)
    }

    private func kind(
        of item: IndexedItem, _ status: ItemStatus, _ index: IndexReader
    ) throws -> PlannedStep.Kind? {
        if item.state == .conflict { return .keepBoth }
        let isWanted = board.wanted.contains(item.key) || status.marks.keeping == .pinned
        var operation = try index.operation(on: item)
        if operation == nil, isWanted, !item.isCurrent {
            operation = try index.wanted(item.id, in: item.domain)?.operation
        }
        switch operation {
        case .create: return item.item.kind == .document ? .sendNew : .makeFolder
        case .send: return .send
        case .revive: return .sendAgain
        case .compare: return .compare
        case .fetch: return .bring
        default: return item.isGone && !item.isUnsent ? .removeHere : nil
        }
    }

    /// What is kept here, and is not here yet.
    private func pinnedAndMissing(in domain: DomainName, _ index: IndexReader) throws -> [IndexedItem] {
        var found: [IndexedItem] = []
        for (item, marks) in try index.markedItems(in: domain) where marks.own == .pinned {
            for child in try index.subtree(of: item.id, in: domain)
            where child.item.kind == .document && !child.isCurrent && !child.isUnsent && !child.isGone
                && child.state != .nameClash
            {
                if try index.marks(of: child).keeping == .pinned { found.append(child) }
            }
        }
        var seen: Set<ItemIdentifier> = []
        return found.filter { seen.insert($0.id).inserted }
    }

    // MARK: Removals, renames and moves

    private func heldSteps(in domain: DomainName, _ index: IndexReader) throws -> [PlannedStep] {
        try [(RemovalSide.told, PlannedStep.Kind.removeHere), (.asked, .removeThere)].flatMap { side, kind in
            let isAsked = try index.removalWatch(of: side, in: domain).asked != nil
            return try index.heldRemovals(of: side, in: domain).compactMap { held -> PlannedStep? in
                guard let place = try index.shownLocation(of: held.item) else { return nil }
                return PlannedStep(
                    kind, place, items: UInt64(try index.countSubtree(of: held.item.id, in: domain)),
                    needsApproval: isAsked)
            }
        }
    }

    /// - Parameter backlog: what was done here, and its provider has not heard of yet.
    private func arrangements(
        _ backlog: [JournalEntry], in domain: DomainName, _ index: IndexReader
    ) throws -> [PlannedStep] {
        let asked = try index.journal().filter {
            $0.domain == domain && [.renameBegan, .removeBegan].contains($0.step)
        }
        return try (asked + backlog).compactMap { entry in
            guard let components = entry.payload.place else { return nil }
            let place = Location(domain: domain, components: components)
            if [.drop, .remove].contains(entry.action) { return PlannedStep(.removeThere, place) }
            var destination = entry.payload.destination.map { Location(domain: domain, components: $0) }
            if destination == nil, let parent = entry.payload.parentID, let name = entry.payload.name {
                destination = try index.location(of: parent, in: domain)?.appending(name)
            }
            return PlannedStep(.moveThere, place, to: destination)
        }
    }

    // MARK: One removal

    /// What `remove(_:recursive:discardingUnsent:atOnce:for:)` would take along.
    ///
    /// - Throws: `noSuchItem` for what is not known here.
    public func previewRemoval(
        of location: Location, recursive: Bool, discardingUnsent: Bool
    ) throws(DocumentError) -> RemovalPreview {
        let domain = try domains.domain(location.domain)
        try domain.requireModifying(location)
        let found = try storage.read { index -> (RemovalPreview, IndexedItem)? in
            guard let item = try index.item(at: location), item.exists else { return nil }
            var preview = RemovalPreview(location: location)
            for part in try index.subtree(of: item.id, in: item.domain) {
                if part.item.kind == .document {
                    preview.documents += 1
                    let size = part.local?.size ?? part.item.size ?? 0
                    preview.bytes = preview.bytes.addingReportingOverflow(UInt64(max(size, 0))).partialValue
                } else {
                    preview.folders += 1
                    if try !part.isArriving && !index.listing(of: part.id, in: part.domain).isComplete {
                        preview.isComplete = false
                    }
                }
                if part.local != nil { preview.here += 1 }
                if part.isUnsent { preview.unsent += 1 }
            }
            return (preview, item)
        }
        guard let (known, item) = found else {
            throw DocumentError.isUnknownHere(location)
        }
        var preview = known
        preview.refusal = refusal(of: preview, item, recursive: recursive, discardingUnsent: discardingUnsent)
        // What its provider does not know is none of the remote's.
        if !item.isArriving { preview.needsApproval = try deletions.wouldAsk(item) }
        return preview
    }

    private func refusal(
        of preview: RemovalPreview, _ item: IndexedItem, recursive: Bool, discardingUnsent: Bool
    ) -> DocumentError? {
        if preview.location.isRoot {
            return DocumentError(.invalidArgument, "The domain itself cannot be removed so; use: docent domain remove.")
        }
        if !item.isArriving, !item.item.capabilities.contains(.delete) {
            return DocumentError(.deletionRejected, "\(preview.location) cannot be removed on the remote.")
        }
        if item.item.kind != .document, !recursive, preview.documents + preview.folders > 1 {
            return DocumentError(
                .directoryNotEmpty, "\(preview.location) is not empty; remove it with what is in it: docent rm -r")
        }
        if preview.unsent > 0, !discardingUnsent {
            return DocumentError(
                .unsyncedEdits,
                "Something of \(preview.location) was not sent yet: send it first, or say that it may be lost."
            )
        }
        return nil
    }
}
