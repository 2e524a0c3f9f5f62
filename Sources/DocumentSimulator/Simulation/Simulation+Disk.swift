internal import DocumentModel
internal import DocumentSync

/// Steps on a machine's disk. Each looks first whether what it was planned with is still so, and is flushed before
/// anything is written down of it.
extension Simulation {
    func changeDisk(_ ticket: SyncTicket, _ operation: SyncOperation, on number: Int) {
        let id = operation.id
        switch operation {
        case .place(_, let there):
            guard machines[number].entry(of: id) == nil, let parent = freeFolder(there.place, for: nil, on: number)
            else { return overtake(ticket, on: number) }
            let entry = SimulatedDisk.Entry(parent: parent, name: there.place.name, kind: there.kind)
            machines[number].index.files[id] = machines[number].disk.add(entry)
            observed(ticket, id, on: number)
        case .show(_, let node):
            guard machines[number].entry(of: id) == nil, let parent = freeFolder(node.place, for: nil, on: number)
            else { return overtake(ticket, on: number) }
            let entry = SimulatedDisk.Entry(parent: parent, name: node.place.name, kind: node.kind)
            machines[number].index.files[id] = machines[number].disk.add(entry)
            observed(ticket, id, on: number)
        case .relocateHere(_, let from, let place, let parked):
            relocate(ticket, id, from, place, parked, on: number)
        case .remove(_, let node):
            guard isAsPlanned(id, node, on: number), let file = machines[number].file(of: id),
                machines[number].disk.children(of: file).isEmpty
            else { return overtake(ticket, on: number) }
            machines[number].disk.set(file, nil)
            machines[number].disk.flush()
            if crashesBetween(number) { return }
            step(.answered(ticket, .removed), on: number)
        case .hide(_, let node): hide(ticket, id, node, on: number)
        case .keepBoth(_, let divergence): keepBoth(ticket, id, divergence, on: number)
        default: overtake(ticket, on: number)
        }
    }

    /// Written down first: after a crash, nobody takes it for a deletion.
    private func hide(_ ticket: SyncTicket, _ id: ItemIdentifier, _ node: SyncTrees.Local, on number: Int) {
        var hidden = node
        hidden.revision = nil
        if let file = machines[number].file(of: id) {
            guard let known = machines[number].index.trees.local[id]?.node, isAsPlanned(id, known, on: number),
                known.revision == node.revision, machines[number].disk.children(of: file).isEmpty
            else { return overtake(ticket, on: number) }
            if mistake != .hidesBeforeWritingDown {
                machines[number].index.intent = .hide(id, hidden)
                if crashesBetween(number) { return }
            }
            machines[number].disk.set(file, nil)
            machines[number].disk.flush()
            if crashesBetween(number) { return }
        } else if machines[number].index.trees.local[id]?.node?.isHidden == false {
            // Somebody has removed it, or saved another file in its place: what is there now is looked at first.
            return overtake(ticket, on: number)
        }
        finish(ticket, .here(hidden), on: number)
    }

    private func isAsPlanned(_ id: ItemIdentifier, _ node: SyncTrees.Local, on number: Int) -> Bool {
        guard let entry = machines[number].entry(of: id) else { return false }
        return entry.name == node.place.name && machines[number].id(ofFile: entry.parent) == node.place.parentID
            && (entry.contents == nil ? nil : entry.revision) == node.revision
    }

    /// The folder of a place whose name is free.
    func freeFolder(_ place: SyncPlace, for file: Int?, on number: Int) -> Int? {
        guard let folder = machines[number].file(of: place.parentID) else { return nil }
        if let holder = machines[number].disk.holder(of: place.name, in: folder), holder != file { return nil }
        return folder
    }

    private func observed(_ ticket: SyncTicket, _ id: ItemIdentifier, on number: Int) {
        machines[number].disk.flush()
        if crashesBetween(number) { return }
        guard let node = machines[number].observe(id, at: wall) else { return overtake(ticket, on: number) }
        step(.answered(ticket, .here(node)), on: number)
    }

    private func relocate(
        _ ticket: SyncTicket, _ id: ItemIdentifier, _ from: SyncPlace, _ place: SyncPlace, _ parked: Bool,
        on number: Int
    ) {
        guard let file = machines[number].file(of: id), var entry = machines[number].disk.entries[file],
            entry.name == from.name, machines[number].id(ofFile: entry.parent) == from.parentID,
            let folder = freeFolder(place, for: file, on: number), !machines[number].disk.isBelow(folder, file)
        else { return overtake(ticket, on: number) }
        // Written down first: after a crash, nobody takes it for somebody's rename.
        let marks = parked && mistake != .forgetsParking
        if marks || !parked {
            machines[number].index.intent = .relocate(id, place, parked: marks)
            if crashesBetween(number) { return }
        }
        entry.parent = folder
        entry.name = place.name
        machines[number].disk.set(file, entry)
        machines[number].disk.flush()
        if crashesBetween(number) { return }
        guard var node = machines[number].observe(id, at: wall) else { return overtake(ticket, on: number) }
        node.isParked = marks
        finish(ticket, .here(node), on: number)
    }

    // MARK: Both sides of a conflict

    private func keepBoth(
        _ ticket: SyncTicket, _ id: ItemIdentifier, _ divergence: SyncOperation.Divergence, on number: Int
    ) {
        var divergence = divergence
        if mistake == .copyOverwrites { overwrite(&divergence, on: number) }
        guard let file = machines[number].file(of: id), let entry = machines[number].disk.entries[file],
            entry.revision == divergence.revision, entry.contents != nil,
            let theirs = machines[number].staged.removeValue(forKey: id),
            let folder = freeFolder(divergence.copyPlace, for: nil, on: number)
        else { return overtake(ticket, on: number) }
        if mistake != .skipsIntent {
            machines[number].index.intent = .keepBoth(id, divergence, file: file)
            if crashesBetween(number) { return }
        }
        if divergence.keepsOurs {
            if mistake != .keepsOnlyWinner {
                let copy = SimulatedDisk.Entry(parent: folder, name: divergence.copyPlace.name, kind: entry.kind)
                let made = machines[number].disk.add(copy)
                machines[number].index.files[divergence.copyID] = made
                _ = machines[number].disk.replace(made, theirs)
            }
        } else if mistake == .keepsOnlyWinner {
            _ = machines[number].disk.replace(file, nil)
        } else {
            var moved = entry
            moved.parent = folder
            moved.name = divergence.copyPlace.name
            machines[number].disk.set(file, moved)
        }
        machines[number].disk.flush()
        if crashesBetween(number) { return }
        guard let answer = completeKeeping(id, divergence, file, on: number) else {
            machines[number].index.intent = nil
            return overtake(ticket, on: number)
        }
        if crashes(number) { return }
        finish(ticket, answer, on: number)
    }

    /// For a mistake: all copies have one name, and the last one has it.
    private func overwrite(_ divergence: inout SyncOperation.Divergence, on number: Int) {
        divergence.copyPlace.name = PlannerCase.names[0]
        guard let folder = machines[number].file(of: divergence.copyPlace.parentID),
            let holder = machines[number].disk.holder(of: divergence.copyPlace.name, in: folder),
            machines[number].id(ofFile: holder).map({ machines[number].staged[$0] == nil }) ?? true
        else { return }
        machines[number].disk.set(holder, nil)
    }
}
