import DocumentHost
import DocumentModel
import Glibc

/// What people decide of documents whose transfers wait (VER-14), and who wins a conflict (VER-12).
extension HostSimulation {
    /// A document, or once in a while everything.
    func pause(_ document: ItemStatus, _ step: HostScenario.Step, _ host: DocumentHost) async throws {
        let place = step.other % 6 == 0 ? Location(domain: Self.domainName) : document.location
        try await host.setPaused(true, at: place)
    }

    /// Ends a pause in one of the ways there are. What goes out of its place for that has to be a version afterwards.
    func resume(_ documents: [ItemStatus], _ step: HostScenario.Step, _ host: DocumentHost) async throws {
        let behavior = ResumeBehavior.allCases[step.other % ResumeBehavior.allCases.count]
        let paused = documents.filter(\.marks.isPausedItself)
        guard let document = paused.isEmpty ? documents.first : paused[step.pick % paused.count] else { return }
        if step.pick % 2 == 0 {
            // Both sides go on while it waits.
            try await host.setPaused(true, at: document.location)
            try await write(document.location, as: .replaced, step, host)
            try editThere(document.item.id, step)
        }
        try await resume(document, behavior, host)
    }

    private func resume(
        _ document: ItemStatus, _ behavior: ResumeBehavior, _ host: DocumentHost
    ) async throws {
        let place = document.location
        // Where nothing of it is here, another file may lie in its place.
        let here = number(of: (try? await host.item(at: place)) ?? document, host)
        let there = remote.entries[document.item.id]?.contents.flatMap(ledger.number)
        var dropped: (number: Int, for: Int)?
        if let here, let there, here != there {
            switch behavior {
            case .keepLocal: dropped = (there, here)
            case .dropLocal: dropped = (here, there)
            case .keepBoth, .failOnConflict: break
            }
        }
        // Others may write over it at the same time.
        let isAlone = dropped.map { ledger.entries[$0.number].successors.isEmpty } ?? false
        if let dropped { ledger.replace(dropped.number, by: dropped.for) }
        try await host.resume(place, behavior)
        note("a person resumes \(place): \(behavior)")
        if mistake == .dropsVersions { await dropVersions(of: place, host) }
        guard let dropped, isAlone, ledger.entries[dropped.number].successors.count == 1,
            !ledger.entries[dropped.number].isRemoved
        else { return }
        let versions = (try? await host.versions(at: place)) ?? []
        let kept = asPerson {
            versions.compactMap { $0.path.flatMap { ledger.number(of: SimulatedDisk.bytes(of: $0)) } }
        }
        let isThere = remote.entries.values.contains { $0.contents.flatMap(ledger.number) == dropped.number }
        guard !versions.isEmpty, !isThere, !kept.contains(dropped.number) else { return }
        complain("\(place) was resumed with \(behavior), and the contents \(dropped.number) are no version of it")
    }

    private func dropVersions(of place: Location, _ host: DocumentHost) async {
        let versions = (try? await host.versions(at: place)) ?? []
        asPerson { for version in versions where !version.isInPlace { version.path.map { _ = unlink($0) } } }
    }

    /// Nobody has anything wait any more.
    func resumeAll(of host: DocumentHost) async {
        try? await host.setPaused(false, at: Location(domain: Self.domainName))
        // What the status tells of may be in a folder that is gone, and is not listed any more.
        let told = (try? await host.status(below: Location(domain: Self.domainName)))?.items ?? []
        for status in await everything(of: host) + told where status.marks.isPausedItself {
            try? await host.setPaused(false, at: status.location)
        }
    }

    /// Machines whose clocks are a year off name the same winner: of what began from the same, what was written later (VER-12).
    func checkWinners(of host: DocumentHost, _ machine: Int) async {
        for status in await everything(of: host)
        where status.state == .conflict || status.item.conflictVersions > 0 && status.state != .nameClash {
            guard let versions = try? await host.versions(at: status.location) else { continue }
            var sides = versions.filter { $0.kind == .current || $0.kind == .conflict }
            if mistake == .prefersOwn { sides.sort { $0.isInPlace && !$1.isInPlace } }
            guard sides.count > 1 else { continue }
            // What is outdated here is none of the sides, nor is what the remote had when the conflict was found, and has not any
            // more: its own is, which is not here.
            let isNewer = status.state == .outdated || versions.contains { $0.kind == .remote }
            if scenario.keepsSides, !isNewer { checkSame(sides[0], of: status, machine) }
            // An edit counts as later than what it began from, whatever the clock said.
            let base = versions.first { $0.kind == .base }.map(\.modified)
            let stamps = sides.map { $0.isInPlace ? max($0.modified, base ?? .zero) : $0.modified }
            note(
                "m\(machine): of \(status.location) (\(status.state)), \(sides[0].isInPlace ? "its own" : "the remote's") contents win: \(stamps.map(\.seconds))"
            )
            if status.state != .outdated, stamps.dropFirst().contains(where: { stamps[0] < $0 }) {
                return complain("m\(machine) names the earlier contents of \(status.location) the winner")
            }
        }
    }

    /// Who hears of a conflict's sides from the remote names the same winner as who has found it.
    private func checkSame(_ winner: DocumentVersion, of status: ItemStatus, _ machine: Int) {
        guard let path = winner.path, let number = asPerson({ ledger.number(of: SimulatedDisk.bytes(of: path)) }) else {
            return
        }
        let named = winners[status.item.id] ?? number
        winners[status.item.id] = named
        if named != number {
            complain("m\(machine) names \(number) the winner of \(status.location), and another machine \(named)")
        }
    }
}
