internal import DocumentModel
internal import DocumentSync

/// Carries out what an engine starts: the shell that a host is, with a simulated disk and a simulated provider.
extension Simulation {
    private var isDiskFull: Bool { isFaulty && scenario.faults.fullDisk?.contains(now) == true }

    func isFull(_ number: Int) -> Bool { isDiskFull && scenario.faults.fullMachine == number }

    func carryOut(_ ticket: SyncTicket, _ name: String, on number: Int) {
        guard let operation = machines[number].engine?.operation(of: ticket) else { return }
        if operation.side == .here, isFull(number) {
            return step(.failed(ticket, DocumentError(.localStorage, "The disk is full.")), on: number)
        }
        let purpose = Purpose.operation(ticket)
        switch operation {
        case .create(let id, let node):
            guard let contents = snapshot(id, node.revision, node.kind, ticket, on: number) else { return }
            var name = name
            if mistake == .nameWithoutRevision { name = "\(number)/\(id)" }
            ask(
                .create(
                    node.place, node.kind, contents: node.kind == .folder ? nil : contents, node.stamp, name: name,
                    replacing: mistake == .createsOverOthers), for: purpose, on: number)
        case .send(let id, let base, let revision):
            guard let contents = snapshot(id, revision, .document, ticket, on: number),
                let stamp = machines[number].index.trees.local[id]?.node?.stamp
            else { return }
            var name = name
            if mistake == .nameWithoutRevision { name = "\(number)/\(id)" }
            ask(
                .send(id, base: mistake == .sendsWithoutBase ? nil : base, contents: contents, stamp, name: name),
                for: purpose, on: number)
        case .relocate(let id, let from, let place): ask(.relocate(id, from: from, to: place), for: purpose, on: number)
        case .delete(let id, let base):
            ask(.delete(id, base: base, recursive: mistake == .deletesRecursively), for: purpose, on: number)
        case .compare(let id, let version, _): ask(.fetch(id, version: version), for: purpose, on: number)
        case .fetch(let id, let version, _):
            ask(.fetch(id, version: mistake == .fetchesAnyVersion ? [] : version), for: purpose, on: number)
        case .evict(let id, _, _): ask(.look(id), for: purpose, on: number)
        default: changeDisk(ticket, operation, on: number)
        }
    }

    /// What is sent is as it was at one moment, and is kept until it is known what became of it.
    private func snapshot(
        _ id: ItemIdentifier, _ revision: UInt64?, _ kind: ItemKind, _ ticket: SyncTicket, on number: Int
    ) -> UInt64? {
        guard let entry = machines[number].entry(of: id) else {
            overtake(ticket, on: number)
            return nil
        }
        if kind == .folder { return 0 }
        guard let contents = entry.contents, let revision, entry.revision == revision || mistake == .sendsLiveFile
        else {
            overtake(ticket, on: number)
            return nil
        }
        machines[number].index.sent[id] = .init(revision: revision, contents: contents)
        // Half of it as it was, half of it as it is now.
        return entry.revision == revision ? contents : contents | Ledger.damage
    }

    /// Nothing was done, because something else was seen than was planned with.
    func overtake(_ ticket: SyncTicket, on number: Int) {
        step(.answered(ticket, .overtaken(machines[number].scan(at: wall))), on: number)
    }

    // MARK: Answers

    func finish(
        _ ticket: SyncTicket, _ operation: SyncOperation, _ reply: SimulatedProvider.Reply, on number: Int
    ) {
        switch (operation, reply) {
        case (.create(let id, let node), .item(let made, let there, _)):
            if mistake == .changedWhileSent, node.kind != .folder, let entry = machines[number].entry(of: id) {
                let agreed = SyncTrees.Synced(
                    place: there.place, kind: there.kind, version: there.version, revision: entry.revision)
                return step(
                    .answered(
                        ticket,
                        .overtaken([
                            .identified(id, as: made), .remote(made, .present(there)), .synced(made, agreed),
                        ])), on: number)
            }
            step(.answered(ticket, .item(made, there)), on: number)
        case (.send(let id, _, _), .item(_, let there, _)):
            if mistake == .changedWhileSent, var agreed = machines[number].index.trees.synced[id] {
                agreed.version = there.version
                agreed.revision = machines[number].entry(of: id)?.revision
                return step(
                    .answered(ticket, .overtaken([.remote(id, .present(there)), .synced(id, agreed)])), on: number)
            }
            step(.answered(ticket, .item(id, there)), on: number)
        case (.relocate(let id, _, _), .item(_, let there, _)):
            if mistake == .moveTakesVersion, var agreed = machines[number].index.trees.synced[id] {
                agreed.place = there.place
                agreed.version = there.version
                return step(
                    .answered(ticket, .overtaken([.remote(id, .present(there)), .synced(id, agreed)])), on: number)
            }
            step(.answered(ticket, .item(id, there)), on: number)
        case (.delete, .deleted): step(.answered(ticket, .deleted), on: number)
        case (.compare(let id, _, let revision), .item(_, let there, let contents)):
            compare(ticket, id, revision, there, contents, on: number)
        case (.fetch(let id, let version, let replaced), .item(_, let there, let contents)):
            publish(ticket, id, version, replaced, there, contents, on: number)
        case (.evict(let id, let node, let version), .item(_, let there, _)):
            evict(ticket, id, node, version, there, on: number)
        default:
            // An answer to something else.
            step(.failed(ticket, DocumentError(.protocolViolation, "no answer to this")), on: number)
        }
    }

    /// Contents as they arrive; nil when they were damaged on the way and that was noticed.
    private func receive(_ contents: UInt64?, _ ticket: SyncTicket, on number: Int) -> UInt64? {
        guard var contents, !isFull(number) || mistake == .fullDiskIsIgnored else {
            step(.failed(ticket, DocumentError(.localStorage, "The disk is full.")), on: number)
            return nil
        }
        if isFull(number) { contents |= Ledger.damage }
        if happens(\.flippedBits) {
            contents |= Ledger.damage
            guard mistake == .fetchesWithoutVerifying else {
                step(.failed(ticket, DocumentError(.contractBroken, "The contents are damaged.")), on: number)
                return nil
            }
        }
        return contents
    }

    private func compare(
        _ ticket: SyncTicket, _ id: ItemIdentifier, _ revision: UInt64, _ there: SyncTrees.Remote, _ contents: UInt64?,
        on number: Int
    ) {
        guard let theirs = receive(contents, ticket, on: number) else { return }
        guard let entry = machines[number].entry(of: id), let ours = entry.contents, entry.revision == revision else {
            return overtake(ticket, on: number)
        }
        var there = there
        if mistake == .comparerWins { there.stamp = .zero }
        let sent = machines[number].index.sent[id]
        let result: SyncAnswer.Comparison
        if ours == theirs || mistake == .callsAllEqual {
            result = .same
        } else if let sent, sent.contents == theirs || mistake == .callsAllSent {
            result = .sent(revision: sent.revision)
        } else {
            machines[number].staged[id] = theirs
            result = .different
        }
        step(.answered(ticket, .compared(there, result)), on: number)
    }

    private func publish(
        _ ticket: SyncTicket, _ id: ItemIdentifier, _ version: [UInt8], _ replaced: UInt64?, _ there: SyncTrees.Remote,
        _ contents: UInt64?, on number: Int
    ) {
        guard let contents = receive(contents, ticket, on: number) else { return }
        guard let file = machines[number].file(of: id), let entry = machines[number].entry(of: id),
            (entry.contents == nil ? nil : entry.revision) == replaced || mistake == .publishesOverEdit
        else { return overtake(ticket, on: number) }
        if mistake == .skipsFlushOfContents {
            _ = machines[number].disk.overwrite(file, contents)
        } else {
            _ = machines[number].disk.replace(file, contents)
            machines[number].disk.flush()
        }
        if crashes(number) { return }
        guard var node = machines[number].observe(id, at: wall) else { return overtake(ticket, on: number) }
        node.stamp = there.stamp
        step(.answered(ticket, .here(node)), on: number)
    }

    private func evict(
        _ ticket: SyncTicket, _ id: ItemIdentifier, _ node: SyncTrees.Local, _ version: [UInt8],
        _ there: SyncTrees.Remote, on number: Int
    ) {
        guard there.version == version else { return overtake(ticket, on: number) }
        guard let file = machines[number].file(of: id), let entry = machines[number].entry(of: id),
            entry.revision == node.revision || mistake == .evictsWhatChanged
        else { return overtake(ticket, on: number) }
        _ = machines[number].disk.replace(file, nil)
        machines[number].disk.flush()
        if crashes(number) { return }
        guard let now = machines[number].observe(id, at: wall) else { return overtake(ticket, on: number) }
        step(.answered(ticket, .here(now)), on: number)
    }
}
