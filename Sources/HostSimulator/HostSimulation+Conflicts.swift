import DocumentHost
import DocumentModel
import DocumentStorage
import Glibc

/// How people come into conflict, and what they choose then, on whichever machine (VER-5).
extension HostSimulation {
    /// Several write the same document at once, also at the provider's own place.
    func clash(_ step: HostScenario.Step) {
        let documents = remote.entries.filter { $0.value.contents != nil }.map(\.key).sorted()
        guard !documents.isEmpty else { return }
        let document = documents[step.pick % documents.count]
        for life in living where life.machine == step.machine || (step.other >> life.machine) & 1 == 0 {
            act(step, on: life) { [self] host in
                guard let status = await everything(of: host).first(where: { $0.item.id == document }) else { return }
                try await write(status.location, as: .replaced, step, host)
                if life.machine == step.machine, step.pick % 3 > 0 { try editThere(document, step) }
            }
        }
    }

    func perform(
        _ step: HostScenario.Step, onConflictsOf documents: [ItemStatus], _ host: DocumentHost
    ) async throws {
        let clashing = documents.filter { $0.state == .conflict || $0.item.conflictVersions > 0 }
        guard !clashing.isEmpty else { return }
        let document = clashing[step.pick % clashing.count]
        switch step.action {
        case .keepCurrent: try await choose(.local, in: document, host)
        case .keepOther: try await choose(.remote, in: document, host)
        case .keepBoth: try await choose(.both, in: document, host)
        case .putSide, .dropSide: try await chooseSide(step, of: document, host)
        case .fetchSides: try await host.fetchRemoteVersion(at: document.location)
        case .editSide: try await write(document.location, as: .replaced, step, host)
        default: break
        }
    }

    /// Somebody who has seen both sides says which contents stay.
    func choose(_ choice: ConflictResolution, in document: ItemStatus, _ host: DocumentHost) async throws {
        let here = number(inPlaceOf: document, host)
        let others: [Int]
        if document.state == .conflict {
            others = asPerson {
                document.conflictPath.flatMap { ledger.number(of: SimulatedDisk.bytes(of: $0)) }.map { [$0] } ?? []
            }
        } else {
            let sides = try await sides(of: document, host)
            others = sides.map(\.number)
            settle(sides.map(\.name), host)
        }
        note(
            "a person chooses \(choice) of \(here.map(String.init) ?? "nothing") and \(others) at \(document.location)")
        guard let here else { return try await host.resolveConflict(at: document.location, keeping: choice) }
        for other in others where other != here {
            switch choice {
            case .local: ledger.replace(other, by: here)
            case .remote: ledger.replace(here, by: other)
            case .both: break
            }
        }
        let before = ledger.entries[here].successors.count
        try await host.resolveConflict(at: document.location, keeping: choice)
        guard choice == .remote, let other = others.first else { return }
        // Others may have written meanwhile what goes then, too.
        for later in ledger.entries[here].successors[before...] where later != other {
            ledger.replace(later, by: other)
        }
    }

    /// One of the sides that other machines have left at the remote is put in the document's place, or dropped.
    private func chooseSide(_ step: HostScenario.Step, of document: ItemStatus, _ host: DocumentHost) async throws {
        let sides = try await sides(of: document, host)
        guard document.state != .conflict, !sides.isEmpty, let here = number(inPlaceOf: document, host) else { return }
        let side = sides[step.other % sides.count]
        settle([side.name], host)
        note("a person does \(step.action) of \(side.number) at \(document.location), which has \(here)")
        if step.action == .putSide {
            for number in seen(of: document, host).union([here]) where number != side.number {
                ledger.replace(number, by: side.number)
            }
            try await host.restore(side.identifier, at: document.location)
        } else {
            if side.number != here { ledger.replace(side.number, by: here) }
            try await host.removeVersions([side.identifier], at: document.location)
        }
    }

    private func number(inPlaceOf document: ItemStatus, _ host: DocumentHost) -> Int? {
        // Of one that is not here, another file may lie in its place.
        let isHere = document.state != .placeholder && document.state != .materialising
        let here = asPerson { ledger.number(of: SimulatedDisk.bytes(of: Self.path(document.location, host))) }
        return (isHere ? here : nil) ?? remote.entries[document.item.id]?.contents.flatMap(ledger.number)
    }

    private func settle(_ names: [String], _ host: DocumentHost) {
        guard let machine = living.first(where: { $0.host === host })?.machine else { return }
        settled.formUnion(names.map { SettledSide(machine: machine, id: $0) })
    }

    /// What a host lists of what other machines have left at the remote.
    private func sides(
        of document: ItemStatus, _ host: DocumentHost
    ) async throws -> [(name: String, identifier: String, number: Int)] {
        let listed = Set(try await host.versions(at: document.location).map(\.id))
        return (remote.entries[document.item.id]?.sides ?? []).compactMap { side in
            let identifier = RemoteSide(side.version, of: document.item.id).identifier
            guard listed.contains(identifier), let number = ledger.number(of: side.contents) else { return nil }
            return (side.id, identifier, number)
        }
    }
}
