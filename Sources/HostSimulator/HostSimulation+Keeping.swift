import CHostSimulation
import DocumentHost
import DocumentModel
import DocumentStorage
import Glibc

/// What people want to have kept on their machines: pins, and the trash.
extension HostSimulation {
    /// A document on one machine.
    struct MachineDocument: Hashable {
        var machine: Int
        var id: ItemIdentifier
    }

    func setPinned(_ isPinned: Bool, _ document: ItemStatus, _ host: DocumentHost, _ machine: Int) async throws {
        // What is not shown is nobody's to pin: at its place is another one.
        guard document.state != .nameClash else { return }
        // What is new gets another identifier.
        let key = document.item.id.isArriving ? nil : MachineDocument(machine: machine, id: document.item.id)
        // Until it is acknowledged, it may be either way.
        if let key { pins[key] = nil }
        if mistake != .forgetsPins { try await host.setKeeping(isPinned ? .pinned : nil, at: document.location) }
        if let key { pins[key] = isPinned }
    }

    func restoreTrash(
        _ host: DocumentHost, _ machine: Int, to free: Location, _ step: HostScenario.Step
    ) async throws {
        let trash = try host.trash(.all).documents
        guard !trash.isEmpty else { return }
        let chosen = trash[step.pick % trash.count]
        let restored = try await host.restoreTrash(chosen.id, to: step.other % 2 == 0 ? nil : free)
        let bytes = asPerson { SimulatedDisk.bytes(of: Self.path(restored.location, host)) }
        guard isWhole(bytes) else { return complain("\(restored.location) came damaged out of the trash") }
        guard let number = ledger.number(of: bytes) else { return }
        note("a person has \(number) back out of the trash at \(restored.location)")
        ledger.restore(number)
        excuse(number)
        trashed[machine]?.remove(number)
    }

    func emptyTrash(_ host: DocumentHost, _ machine: Int) async throws {
        trashed[machine] = nil
        _ = try await host.emptyTrash(.all)
    }

    /// What was pinned is, and is here in the remote's version.
    func checkPins(_ host: DocumentHost, _ machine: Int) async {
        for status in await everything(of: host) where status.item.kind == .document {
            let isPinned = status.marks.own == .pinned
            if let said = pins[MachineDocument(machine: machine, id: status.item.id)], said != isPinned {
                return complain("m\(machine) has forgotten that \(status.location) is \(said ? "" : "not ")pinned")
            }
            guard isPinned, status.state != .nameClash, let contents = remote.entries[status.item.id]?.contents
            else { continue }
            guard isSame(contents, host, status) else {
                return complain("m\(machine): \(status.location) is pinned, and is not here as it is on the remote")
            }
        }
    }

    /// What is in the trash was removed by somebody, here or there.
    func checkTrashIsMeant(_ host: DocumentHost, _ machine: Int) async {
        for document in (try? host.trash(.all).documents) ?? [] {
            let path = "\(host.rootPath)/.docent/trash/\(Self.domain)/\(document.id)"
            let bytes = asPerson { SimulatedDisk.bytes(of: path) }
            guard let number = ledger.number(of: bytes), !ledger.isDoneAwayWith(number),
                let there = remote.entries.values.first(where: { $0.contents == bytes })
            else { continue }
            return complain("m\(machine) has \(number) (\(there.name)) in the trash, which nobody has removed")
        }
    }

    func dropTrash() {
        asPerson {
            for machine in lives.indices {
                for path in SimulatedDisk.files(below: root(of: machine) + "/.docent/trash") { unlink(path) }
            }
        }
    }

    private var isDateWrong: Bool { scenario.steps.contains { [.jumpAhead, .jumpBack].contains($0.action) } }

    /// Where a date jumped, what is in the trash is older than it may be when the date is right again: people could have had it.
    func reachTrash() {
        guard isDateWrong else { return }
        asPerson {
            for machine in lives.indices {
                let trash = SimulatedDisk.files(below: root(of: machine) + "/.docent/trash/\(Self.domain)")
                reached.formUnion(trash.compactMap { ledger.number(of: SimulatedDisk.bytes(of: $0)) })
            }
        }
    }

    /// What was here of documents that people have removed can be had from the trash.
    ///
    /// - Parameter found: what is somewhere.
    func checkTrash(_ found: Set<Int>) {
        // It is thrown away when it is too old, and when there is no room.
        guard !isDateWrong, scenario.faults.fullDisk == nil, scenario.faults.badDisk == 0 else { return }
        for (machine, numbers) in trashed.sorted(by: { $0.key < $1.key }) {
            for number in numbers.sorted() where !ledger.isKept(number, found) {
                return complain("m\(machine) has put the contents \(number) into the trash, and they are not there")
            }
        }
    }
}
