internal import DocumentModel
internal import DocumentSync

/// What must hold once all is quiet.
extension Simulation {
    func judge(expectingContents: Bool = false) {
        var current: Set<UInt64> = []
        for id in provider.identifiers { if let contents = provider.items[id]?.contents { current.insert(contents) } }
        // INV-1
        let lost = ledger.lost(among: current)
        if let first = lost.first { complain("the contents \(first) are lost, and \(lost.count - 1) others") }
        // A machine whose index was lost takes the name that it finds for somebody's.
        let remembersParking = !scenario.steps.contains { $0.kind == .loseIndex }
        for id in provider.identifiers where remembersParking {
            guard let item = provider.items[id], item.remote.place.name.rawValue.contains("(moving") else { continue }
            complain("\(id) keeps the name that it had for a moment")
        }
        for id in provider.identifiers {
            guard let item = provider.items[id], item.isMadeThere, Self.conflicting(item.firstName) == nil,
                let name = Self.conflicting(item.remote.place.name), !namesOfMoves.contains(FoldedName(name))
            else { continue }
            complain("\(id) is called \(item.remote.place.name), and nobody has moved it")
        }
        for machine in machines { judge(machine, expectingContents) }
    }

    /// The name that a conflict's copy is named after; nil for one that is no copy's.
    static func conflicting(_ name: ItemName) -> ItemName? {
        let text = name.rawValue
        guard let start = text.firstRange(of: " (conflict ")?.lowerBound, let end = text.lastIndex(of: ")") else {
            return nil
        }
        return try? ItemName(String(text[..<start]) + String(text[text.index(after: end)...]))
    }

    /// INV-2, INV-3, INV-4: the same tree as the provider's, and the same contents.
    private func judge(_ machine: SimulatedMachine, _ expectingContents: Bool) {
        let number = machine.number
        var shown = 0
        var names: [String: ItemIdentifier] = [:]
        for id in provider.identifiers {
            guard let item = provider.items[id] else { continue }
            guard let node = machine.index.trees.local[id]?.node else {
                complain("machine \(number) does not know \(id)")
                continue
            }
            let name = "\(item.remote.place.parentID)/\(PlannerCase.folded(item.remote.place.name))"
            let holder = names[name]
            if holder == nil { names[name] = id }
            guard !node.isHidden else {
                if holder == nil, !isHidden(item.remote.place.parentID, machine) {
                    complain("machine \(number) hides \(id) without a reason")
                }
                continue
            }
            if holder != nil { complain("machine \(number) shows \(id) beside \(holder.map { "\($0)" } ?? "")") }
            shown += 1
            guard let entry = machine.entry(of: id) else {
                complain("machine \(number) has no file of \(id)")
                continue
            }
            if entry.name != item.remote.place.name || machine.id(ofFile: entry.parent) != item.remote.place.parentID {
                complain("machine \(number) has \(id) elsewhere")
            }
            if machine.index.trees.isChanged(id) { complain("machine \(number) has not sent \(id)") }
            judge(id, entry, item, machine, expectingContents)
        }
        if machine.disk.entries.count != shown {
            complain("machine \(number) has \(machine.disk.entries.count) files of \(shown) items")
        }
    }

    private func judge(
        _ id: ItemIdentifier, _ entry: SimulatedDisk.Entry, _ item: SimulatedProvider.Stored,
        _ machine: SimulatedMachine, _ expectingContents: Bool
    ) {
        guard entry.kind != .folder else { return }
        guard let contents = entry.contents else {
            if expectingContents { complain("machine \(machine.number) does not get the contents of \(id)") }
            return
        }
        if contents & Ledger.damage != 0 { complain("machine \(machine.number) has damaged contents of \(id)") }
        let version = machine.index.trees.synced[id]?.version ?? []
        // INV-9: what is said to be a version is that version.
        if contents != provider.contents(of: id, version: version) {
            complain("machine \(machine.number) has other contents of \(id) than it says")
        }
        if expectingContents, contents != item.contents {
            complain("machine \(machine.number) has old contents of \(id)")
        }
    }

    private func isHidden(_ id: ItemIdentifier, _ machine: SimulatedMachine) -> Bool {
        machine.index.trees.local[id]?.node?.isHidden == true
    }
}
