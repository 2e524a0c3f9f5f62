import DocumentHost
import DocumentModel
import Glibc

/// What must hold of the sides of conflicts that the remote keeps (VER-2, VER-6).
extension HostSimulation {
    /// A side of another machine that somebody has resolved on this one.
    struct SettledSide: Hashable {
        var machine: Int
        var id: String
    }

    /// Nobody has a side go that is not somewhere else by then, or that somebody has done away with.
    func checkRemoval(ofSide name: String, of id: ItemIdentifier, by device: String) {
        guard let sides = remote.entries[id]?.sides, let side = sides.first(where: { $0.id == name }),
            let number = ledger.number(of: side.contents), !ledger.isDoneAwayWith(number)
        else { return }
        let isElsewhere = remote.entries.values.contains { entry in
            entry.contents == side.contents
                || entry.sides.contains { $0.id != name && $0.contents == side.contents }
        }
        if !isElsewhere { complain("\(device) removes the side \(number) of \(id), which nobody has resolved") }
    }

    /// Both sides of each conflict are on the remote, and each machine shows them and can have them.
    func checkSides(of host: DocumentHost, _ machine: Int) async {
        for status in await everything(of: host) where status.item.kind == .document && status.state != .nameClash {
            guard let entry = remote.entries[status.item.id] else { continue }
            if status.state == .conflict {
                let here = asPerson { SimulatedDisk.bytes(of: Self.path(status.location, host)) }
                let isThere = entry.sides.contains { $0.contents == here } || entry.contents == here
                guard isThere || here.isEmpty else {
                    return complain("m\(machine) has not given the remote its side of \(status.location)")
                }
            }
            // What was resolved here goes at the remote when nothing is unsent any more.
            let sides = entry.sides.filter { !settled.contains(SettledSide(machine: machine, id: $0.id)) }
            guard !sides.isEmpty else { continue }
            guard status.item.conflictVersions > 0 || sides.allSatisfy({ $0.savedBy == "m\(machine)" }) else {
                return complain("m\(machine) does not show that \(status.location) is in conflict elsewhere")
            }
            await checkContents(of: sides, of: status, host, machine)
        }
    }

    private func checkContents(
        of sides: [SimulatedRemote.Side], of status: ItemStatus, _ host: DocumentHost, _ machine: Int
    ) async {
        do {
            try await host.fetchRemoteVersion(at: status.location)
            let versions = try await host.versions(at: status.location)
            let found = asPerson { versions.compactMap(\.path).map(SimulatedDisk.bytes) }
            for side in sides where !found.contains(side.contents) {
                let number = ledger.number(of: side.contents) ?? -1
                return complain("m\(machine) does not have the side \(number) of \(status.location)")
            }
            note("m\(machine) has all sides of \(status.location)")
        } catch {
            complain("m\(machine) cannot bring the sides of \(status.location): \(error)")
        }
    }

    /// Somebody chooses in each conflict, each time otherwise, and on any machine that shows it.
    func resolveSides(of host: DocumentHost, _ machine: Int) async {
        for (number, status) in await everything(of: host, refreshing: true).enumerated()
        where status.state == .conflict || status.item.conflictVersions > 0 {
            guard status.state != .nameClash else { continue }
            let choices: [ConflictResolution] = [.both, .local, .remote]
            let choice = choices[(Int(scenario.seed & 0xFFFF) + number + machine) % choices.count]
            do {
                try await choose(choice, in: status, host)
            } catch {
                note("\(status.location): \(error)")
            }
        }
    }

    /// When all conflicts are resolved the remote keeps nothing of them, and no machine shows any.
    func checkNoSides(of host: DocumentHost, _ machine: Int) async {
        for (id, entry) in remote.entries.sorted(by: { $0.key < $1.key }) where !entry.sides.isEmpty {
            return complain(
                "\(entry.sides.count) sides of \(id) are still kept, of \(entry.sides.compactMap(\.savedBy))")
        }
        for status in await everything(of: host) where status.item.kind == .document {
            guard let versions = try? await host.versions(at: status.location) else { continue }
            let isOver =
                status.state != .conflict && status.item.conflictVersions == 0
                && !versions.contains { $0.kind == .conflict }
            guard isOver || status.state == .nameClash else {
                return complain("m\(machine) shows a conflict of \(status.location) that is over")
            }
        }
    }
}
