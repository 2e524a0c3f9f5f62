internal import DocumentModel
internal import DocumentSync

/// What people do: on the machines, and at the provider's own place.
extension Simulation {
    func act(_ given: Scenario.Step) {
        let number = given.machine
        var choice = SeededRandom(seed: given.choice)
        switch given.kind {
        case .webCreate, .webEdit, .webMove, .webDelete, .webMakeFolder, .webSwap, .webClash:
            return actOnWeb(given.kind, &choice)
        case .crash: return crash(number)
        case .jumpClock:
            machines[number].clockError = [0, 1, -1][choice.below(3)] * 31_536_000_000_000
            return
        case .loseIndex:
            crash(number)
            machines[number].index = .init()
            return
        default: break
        }
        guard machines[number].engine != nil else { return }
        switch given.kind {
        case .create, .copy, .makeFolder: create(given.kind, &choice, on: number)
        case .edit: edit(&choice, on: number)
        case .editUncoordinated, .saveByRename: editUncoordinated(given.kind, &choice, on: number)
        case .move: move(&choice, on: number, isCoordinated: true)
        case .moveUncoordinated: move(&choice, on: number, isCoordinated: false)
        case .delete: delete(&choice, on: number)
        case .open, .evict:
            guard let id = choice.pick(documents(number)).flatMap({ machines[number].id(ofFile: $0) }) else { return }
            step(given.kind == .open ? .wanted(id) : .unwanted(id), on: number)
        default: break
        }
    }

    private func documents(_ number: Int) -> [Int] {
        machines[number].disk.numbers.filter { machines[number].disk.entries[$0]?.kind != .folder }
    }

    private func folders(_ number: Int) -> [Int] {
        [0] + machines[number].disk.numbers.filter { machines[number].disk.entries[$0]?.kind == .folder }
    }

    /// The engine hears of it at once; after a crash, by looking.
    private func tell(_ number: Int) {
        if crashes(number) { return }
        step(.learned(machines[number].scan(at: wall)), on: number)
    }

    /// The engine hears of it when somebody looks.
    private func tellLater(_ number: Int, _ choice: inout SeededRandom) {
        queue.add(.scan(number, incarnation: machines[number].incarnation), at: now + choice.below(3000))
    }

    // MARK: On a machine

    private func create(_ kind: Scenario.Step.Kind, _ choice: inout SeededRandom, on number: Int) {
        guard !isFull(number), let folder = choice.pick(folders(number)), let name = choice.pick(PlannerCase.names),
            machines[number].disk.holder(of: name, in: folder) == nil
        else { return }
        if kind == .makeFolder {
            _ = machines[number].disk.add(.init(parent: folder, name: name, kind: .folder))
            machines[number].disk.flush()
            return tell(number)
        }
        var contents = ledger.newContents()
        if kind == .copy {
            let seen = documents(number).compactMap { machines[number].disk.entries[$0]?.contents }
            guard let source = choice.pick(seen) else { return }
            contents = source
        }
        let itemKind: ItemKind = choice.once(in: 4) && !scenario.isOfDocuments ? .package : .document
        // Whole and flushed before it has its name.
        let made = machines[number].disk.add(.init(parent: folder, name: name, kind: itemKind, contents: contents))
        _ = machines[number].disk.replace(made, contents)
        acknowledge(contents, over: nil, on: number)
        tell(number)
    }

    private func acknowledge(_ contents: UInt64, over seen: UInt64?, on number: Int) {
        if mistake != .skipsFlushOfSave { machines[number].disk.flush() }
        ledger.write(contents, over: seen, acknowledged: true)
    }

    private func edit(_ choice: inout SeededRandom, on number: Int) {
        guard !isFull(number), let file = choice.pick(documents(number)) else { return }
        guard let seen = machines[number].disk.entries[file]?.contents else {
            if let id = machines[number].id(ofFile: file) { step(.wanted(id), on: number) }
            return
        }
        let contents = ledger.newContents()
        _ = machines[number].disk.replace(file, contents)
        acknowledge(contents, over: seen, on: number)
        tell(number)
    }

    private func editUncoordinated(_ kind: Scenario.Step.Kind, _ choice: inout SeededRandom, on number: Int) {
        let present = documents(number).filter { machines[number].disk.entries[$0]?.contents != nil }
        guard !isFull(number), let file = choice.pick(present), var entry = machines[number].disk.entries[file] else {
            return
        }
        let seen = entry.contents
        let contents = ledger.newContents()
        if kind == .saveByRename {
            machines[number].disk.set(file, nil)
            entry.contents = contents
            let made = machines[number].disk.add(entry)
            _ = machines[number].disk.replace(made, contents)
            // As one rename does it: never neither.
            machines[number].disk.flush()
            ledger.write(contents, over: seen, acknowledged: true)
        } else {
            _ = machines[number].disk.replace(file, contents)
            ledger.write(contents, over: seen, acknowledged: false)
        }
        tellLater(number, &choice)
    }

    private func move(_ choice: inout SeededRandom, on number: Int, isCoordinated: Bool) {
        let disk = machines[number].disk
        guard let file = choice.pick(disk.numbers), var entry = disk.entries[file],
            let folder = choice.pick(folders(number).filter { !disk.isBelow($0, file) }),
            let name = choice.once(in: 2) ? entry.name : choice.pick(PlannerCase.names)
        else { return }
        if let holder = disk.holder(of: name, in: folder), holder != file { return }
        noteMove(to: name)
        // A crash may take it back.
        noteMove(to: entry.name)
        entry.parent = folder
        entry.name = name
        machines[number].disk.set(file, entry)
        guard isCoordinated else { return tellLater(number, &choice) }
        machines[number].disk.flush()
        tell(number)
    }

    private func delete(_ choice: inout SeededRandom, on number: Int) {
        let disk = machines[number].disk
        guard let file = choice.pick(disk.numbers) else { return }
        for below in disk.numbers.reversed() where disk.isBelow(below, file) {
            // What somebody saw there, or the version that a placeholder stood for.
            if let seen = disk.entries[below]?.contents { ledger.delete(seen) }
            guard let id = machines[number].id(ofFile: below) else { continue }
            let version = machines[number].index.trees.synced[id]?.version
            if disk.entries[below]?.contents == nil, let version,
                let seen = provider.contents(of: id, version: version)
            {
                ledger.delete(seen)
            }
        }
        for below in disk.numbers where disk.isBelow(below, file) { machines[number].disk.set(below, nil) }
        machines[number].disk.flush()
        tell(number)
    }

    // MARK: At the provider's own place

    private func actOnWeb(_ kind: Scenario.Step.Kind, _ choice: inout SeededRandom) {
        if let remote { return act(on: remote, kind, &choice) }
        let all = provider.identifiers
        let folders = [provider.root] + all.filter { provider.isFolder($0) }
        switch kind {
        case .webCreate, .webMakeFolder:
            guard let folder = choice.pick(folders), let name = choice.pick(PlannerCase.names) else { return }
            let place = SyncPlace(parentID: folder, name: name)
            guard provider.holder(of: place) == nil else { return }
            guard kind == .webCreate else {
                _ = provider.create(place, .folder, nil, VersionStamp(time: wall, device: 0))
                return
            }
            let contents = ledger.newContents()
            ledger.write(contents, over: nil, acknowledged: true)
            _ = provider.create(
                place, choice.once(in: 4) ? .package : .document, contents, VersionStamp(time: wall, device: 0))
        case .webEdit:
            guard let id = choice.pick(all.filter { !provider.isFolder($0) }), let item = provider.items[id] else {
                return
            }
            let contents = ledger.newContents()
            ledger.write(contents, over: item.contents, acknowledged: true)
            let time = max(wall, item.remote.stamp.time + 1)
            provider.write(id, contents, VersionStamp(time: time, device: 0))
        case .webMove:
            guard let id = choice.pick(all), let folder = choice.pick(folders),
                let name = choice.pick(PlannerCase.names)
            else { return }
            moveOnWeb(id, to: SyncPlace(parentID: folder, name: name))
        case .webSwap:
            guard let one = choice.pick(all), let other = choice.pick(all) else { return }
            swap(one, other)
            // Some change their minds, while machines are still following.
            if choice.once(in: 2) {
                queue.add(.swap(one, other), at: now + choice.below(choice.once(in: 2) ? 150 : 6000))
            }
        case .webClash:
            // The older one of two holds a name: the other, which is shown by now, is to give way.
            guard let other = choice.pick(all), let place = provider.items[other]?.remote.place,
                let id = choice.pick(all.filter { $0 < other }),
                let name = PlannerCase.names.first(where: {
                    $0 != place.name && PlannerCase.folded($0) == PlannerCase.folded(place.name)
                })
            else { return }
            moveOnWeb(id, to: SyncPlace(parentID: place.parentID, name: name))
        case .webDelete:
            guard let id = choice.pick(all) else { return }
            for other in all where isBelow(other, id) {
                if let contents = provider.items[other]?.contents { ledger.delete(contents) }
            }
            provider.delete(id)
        default: break
        }
    }

    /// The same with a server: other programs write there, too.
    private func act(on remote: any SimulatedRemote, _ kind: Scenario.Step.Kind, _ choice: inout SeededRandom) {
        let id = choice.pick(provider.identifiers)
        switch kind {
        case .webCreate:
            guard let name = choice.pick(PlannerCase.names),
                provider.holder(of: SyncPlace(parentID: provider.root, name: name)) == nil
            else { return }
            let contents = ledger.newContents()
            ledger.write(contents, over: nil, acknowledged: true)
            remote.write(contents, to: name.rawValue)
        case .webEdit:
            guard let id, let item = provider.items[id] else { return }
            let contents = ledger.newContents()
            ledger.write(contents, over: item.contents, acknowledged: true)
            remote.write(contents, to: item.remote.place.name.rawValue)
        case .webDelete:
            guard let id, let item = provider.items[id] else { return }
            if let contents = item.contents { ledger.delete(contents) }
            remote.remove(item.remote.place.name.rawValue)
        default: break
        }
    }

    /// Who exchanges a document's name with a conflict copy's has given it that name.
    private func noteMove(to name: ItemName) { namesOfMoves.insert(FoldedName(Self.conflicting(name) ?? name)) }

    private func moveOnWeb(_ id: ItemIdentifier, to place: SyncPlace) {
        noteMove(to: place.name)
        provider.move(id, to: place)
    }

    /// By way of a third name, as people do it.
    func swap(_ one: ItemIdentifier, _ other: ItemIdentifier) {
        guard one != other, !isBelow(one, other), !isBelow(other, one), let aside = try? ItemName("aside"),
            let first = provider.items[one]?.remote.place, let second = provider.items[other]?.remote.place
        else { return }
        let between = SyncPlace(parentID: first.parentID, name: aside)
        guard case .item = provider.move(one, to: between) else { return }
        guard case .item = provider.move(other, to: first) else {
            provider.move(one, to: first)
            return
        }
        moveOnWeb(one, to: second)
        noteMove(to: first.name)
        // The provider says that there is something new.
        for machine in machines.indices { schedulePoll(machine, at: now + random.below(60)) }
    }

    private func isBelow(_ id: ItemIdentifier, _ folder: ItemIdentifier) -> Bool {
        var next = id
        while next != provider.root {
            if next == folder { return true }
            guard let above = provider.items[next]?.remote.place.parentID else { return false }
            next = above
        }
        return false
    }
}
