import DocumentHost
import DocumentModel

/// Names that differ only by case or by Unicode form (CONT-12): of documents, and not in packages.
extension HostSimulation {
    /// Each row is one name, to whoever makes no difference.
    private static let likeNames = [
        ["b.txt", "B.txt", "b.TXT"], ["c.txt", "C.TXT"], ["d.txt", "D.txt"],
        ["\u{E9}.txt", "e\u{301}.txt", "\u{C9}.txt", "E\u{301}.TXT"],
    ]

    /// Another name that is the same but for case and Unicode form; where there is none, one that may have such others.
    private static func name(like name: ItemName?, _ step: HostScenario.Step) throws -> ItemName {
        let folded = name.map { FoldedName($0) }
        for row in likeNames {
            let others = try row.map { try ItemName($0) }.filter { $0 != name }
            guard others.count < row.count || others.contains(where: { FoldedName($0) == folded }) else { continue }
            return others[step.other % others.count]
        }
        let row = likeNames[step.pick % likeNames.count]
        return try ItemName(row[step.other % row.count])
    }

    // MARK: Through the host

    func perform(
        _ step: HostScenario.Step, onNamesOf sight: Sight, _ host: DocumentHost
    ) async throws {
        let packages = sight.shown.filter { $0.item.kind == .package }.map(\.location)
        let places = sight.shown.filter { $0.item.kind == .document }.map(\.location)
            .filter { place in !packages.contains { place.isBelow($0) } }
        let like = places.isEmpty ? nil : places[step.other % places.count]
        let folder = like?.parent ?? Location(domain: Self.domainName)
        let place = folder.appending(try Self.name(like: like?.name, step))
        if step.action == .createLike {
            try await write(place, as: .new, step, host)
        } else if !places.isEmpty {
            _ = try await host.rename(places[step.pick % places.count], to: place, atOnce: step.other % 3 == 0)
        }
    }

    /// Somebody makes a document on each machine, before any of them knows of the others'.
    func createLikeAtOnce(_ step: HostScenario.Step) {
        let row = Self.likeNames[step.pick % Self.likeNames.count]
        for life in living {
            act(step, on: life) { [self] host in
                let name = try ItemName(row[(life.machine + step.other) % row.count])
                try await write(Location(domain: Self.domainName).appending(name), as: .new, step, host)
            }
        }
    }

    // MARK: At the provider's own place

    func performThere(_ step: HostScenario.Step, onNamesOf documents: [ItemIdentifier]) throws {
        let plain = documents.filter { !isInPackage($0) }
        let like = plain.isEmpty ? nil : plain[step.other % plain.count]
        let folder = like.flatMap { remote.entries[$0]?.parent } ?? .root
        let name = try Self.name(like: like.flatMap { remote.entries[$0]?.name }, step)
        if step.action == .createLikeThere {
            let new = ledger.make(size: step.other * 3)
            _ = try remote.create(
                name, in: folder, contents: new.bytes, modified: date, savedBy: "there", operation: nil)
            ledger.acknowledge(new.number)
        } else if !plain.isEmpty {
            _ = try remote.modify(plain[step.pick % plain.count], base: .none, name: name, parent: folder)
        }
    }

    func isInPackage(_ id: ItemIdentifier) -> Bool {
        var next = remote.entries[id]
        while let entry = next {
            if entry.isPackage { return true }
            next = remote.entries[entry.parent]
        }
        return false
    }

    // MARK: What must hold

    /// As long as names clash on the remote each host shows one of them at most, and tells of all. Then somebody gives the others
    /// other names there, as hosts ask for: from then on all is shown again, with its contents.
    func endClashes() {
        guard scenario.likeNames == .taken, complaint == nil else { return }
        // What was done last has to come to its end.
        run(until: time + 12 * Self.minute)
        listAll()
        let clashes = remote.clashes
        guard !clashes.isEmpty else { return }
        for machine in lives.indices {
            askAll(only: machine) { [self] host in await check(clashes, on: host, machine) }
        }
        for (number, clash) in clashes.enumerated() {
            let kept = (Int(scenario.seed & 0xFF) + number) % clash.count
            for (place, id) in clash.enumerated() where place != kept {
                do {
                    _ = try remote.modify(id, base: .none, name: ItemName("\(id) apart.txt"))
                    note("others rename \(id): it is \(remote.path(of: id)) now")
                } catch {
                    complain("others cannot rename \(id): \(error)")
                }
            }
        }
        run(until: time + 12 * Self.minute)
        listAll()
    }

    private func check(_ clashes: [[ItemIdentifier]], on host: DocumentHost, _ machine: Int) async {
        let sight = await look(at: host, refreshing: true)
        var holders: [String: Location] = [:]
        for status in sight.shown where status.state != .nameClash {
            guard let name = status.location.name, let folder = status.location.parent else { continue }
            let other = holders.updateValue(status.location, forKey: "\(folder)/\(FoldedName(name).text)")
            if let other { return complain("m\(machine) shows both \(other) and \(status.location)") }
        }
        // What was removed here and waits for a yes is not shown.
        guard sight.unlisted.isEmpty, !scenario.asksBeforeDeleting else { return }
        let shown = Set(sight.shown.map(\.item.id))
        for id in clashes.joined() where !shown.contains(id) {
            return complain("m\(machine) tells nothing of \(remote.path(of: id)), whose name others have, too")
        }
    }
}
