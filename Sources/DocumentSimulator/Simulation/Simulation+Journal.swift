internal import DocumentModel
internal import DocumentSync

/// Steps that are written down before they begin, and how they are completed, also after a crash.
extension Simulation {
    /// What the engine writes down of it takes the intent's place.
    func finish(_ ticket: SyncTicket, _ answer: SyncAnswer, on number: Int) {
        step(.answered(ticket, answer), on: number)
        if machines[number].engine != nil { machines[number].index.intent = nil }
    }

    /// After a crash: a step that was begun is completed when it had come far enough, or was never begun.
    func recover(_ number: Int) {
        guard let intent = machines[number].index.intent else { return }
        machines[number].index.intent = nil
        switch intent {
        case .hide(let id, let hidden):
            guard machines[number].file(of: id) == nil,
                machines[number].index.trees.local[id]?.node?.isHidden == false
            else { return }
            record(.hide(id, hidden), .here(hidden), on: number)
        case .relocate(let id, let place, let parked):
            guard var node = machines[number].index.trees.local[id]?.node, node.place != place,
                let entry = machines[number].entry(of: id), entry.name == place.name,
                machines[number].id(ofFile: entry.parent) == place.parentID
            else { return }
            // Whether its contents are still the same, the next look at the disk will tell.
            let from = node.place
            node.place = place
            node.isParked = parked
            record(.relocateHere(id, from: from, to: place, parked: parked), .here(node), on: number)
        case .keepBoth(let id, let divergence, let file):
            recoverKeeping(id, divergence, file, on: number)
        }
    }

    private func record(_ operation: SyncOperation, _ answer: SyncAnswer, on number: Int) {
        machines[number].record(
            SyncRecorder.changes(of: operation, answer, in: machines[number].index.trees, fresh: operation.id))
    }

    /// Names the files after the contents that they hold now.
    func completeKeeping(
        _ id: ItemIdentifier, _ divergence: SyncOperation.Divergence, _ file: Int, on number: Int
    ) -> SyncAnswer? {
        if !divergence.keepsOurs, mistake != .keepsOnlyWinner {
            machines[number].index.files[divergence.copyID] = file
            if machines[number].file(of: id) == file || machines[number].file(of: id) == nil {
                machines[number].index.files[id] = placeholder(of: id, on: number)
            }
            machines[number].disk.flush()
        }
        let stamp = divergence.keepsOurs ? divergence.theirs.stamp : machines[number].index.trees.local[id]?.node?.stamp
        guard var copy = machines[number].observe(divergence.copyID, at: wall) else { return nil }
        copy.stamp = stamp ?? copy.stamp
        return .keptBoth(copy: copy)
    }

    /// In the place of contents that go on under another name; nil when somebody else has it by now.
    private func placeholder(of id: ItemIdentifier, on number: Int) -> Int? {
        guard let known = machines[number].index.trees.local[id]?.node,
            let folder = freeFolder(known.place, for: nil, on: number)
        else { return nil }
        return machines[number].disk.add(.init(parent: folder, name: known.place.name, kind: known.kind))
    }

    private func recoverKeeping(
        _ id: ItemIdentifier, _ divergence: SyncOperation.Divergence, _ file: Int, on number: Int
    ) {
        guard let parent = machines[number].file(of: divergence.copyPlace.parentID) else { return }
        let holder = machines[number].disk.holder(of: divergence.copyPlace.name, in: parent)
        let isDone: Bool
        if divergence.keepsOurs {
            isDone =
                holder.flatMap { machines[number].disk.entries[$0]?.contents } != nil
                && holder == machines[number].index.files[divergence.copyID]
        } else {
            isDone = holder == file
        }
        guard isDone, machines[number].index.trees.local[divergence.copyID] == nil,
            case .keptBoth(let copy)? = completeKeeping(id, divergence, file, on: number)
        else { return }
        record(.keepBoth(id, divergence), .keptBoth(copy: copy), on: number)
    }
}
