import DocumentHost
import DocumentModel
import Glibc

/// What people remove on machines: what they have seen of it, and nothing else.
extension HostSimulation {
    /// What lies in a document's place and is its own.
    func number(of document: ItemStatus, _ host: DocumentHost) -> Int? {
        switch document.state {
        // What is not here, and what is not shown, may have another file in its place.
        case .placeholder, .materialising, .nameClash: nil
        default: asPerson { ledger.number(of: SimulatedDisk.bytes(of: Self.path(document.location, host))) }
        }
    }

    /// What somebody knows of a document who looks at it before it is removed: what is here, and what it is said to be.
    func seen(of document: ItemStatus, _ host: DocumentHost) -> Set<Int> {
        let listed = remote.contents(of: document.item.id, in: document.item.version).flatMap(ledger.number)
        return Set([number(of: document, host), listed].compactMap(\.self))
    }

    /// Has somebody remove what they have seen. The host may die over it, and whoever asked hears nothing.
    ///
    /// - Parameters:
    ///   - items: what it is about; where the host asks whether that is meant, it stays so until somebody answers.
    ///   - isWhole: with all that is in them: some of it may be gone when the rest is refused.
    func whileRemoving(
        _ seen: Set<Int>, of items: [ItemIdentifier], on machine: Int, isWhole: Bool = false,
        _ body: () async throws -> Void
    ) async throws {
        let before = wantedGone[machine] ?? []
        wantedGone[machine, default: []].formUnion(items)
        ledger.beginRemoving(seen)
        note("a person removes \(seen.sorted())")
        do {
            try await body()
        } catch {
            let code = (error as? DocumentError)?.code
            let isRefused =
                code == .noSuchItem
                || !isWhole && [.unsyncedEdits, .inConflict, .versionNoLongerAvailable].contains(code)
            ledger.endRemoving(seen, isRefused ? .refused : nil)
            if isRefused { wantedGone[machine]?.subtract(Set(items).subtracting(before)) }
            throw error
        }
        ledger.endRemoving(seen, .done)
        wantedGone[machine]?.subtract(items)
    }

    /// Somebody is asked whether what was to be removed on a machine is meant, and looks at it once more.
    func answerDeletions(_ isMeant: Bool, on host: DocumentHost, _ machine: Int) async throws {
        let sight = await look(at: host)
        guard !isMeant || sight.unlisted.isEmpty else { return }
        let all = sight.shown
        // What was made anew meanwhile has another identifier, and waits all the same.
        let waiting = ((try? await host.domainDescriptions()) ?? []).flatMap(\.heldDeletions)
            .filter { $0.direction == .toRemote }.flatMap(\.examples)
        let wanted = (wantedGone[machine] ?? []).union(all.filter { waiting.contains($0.location) }.map(\.item.id))
        let folders = all.filter { $0.item.kind != .document && wanted.contains($0.item.id) }.map(\.location)
        let documents = all.filter { status in
            status.item.kind == .document
                && (wanted.contains(status.item.id) || folders.contains { status.location.isBelow($0) })
        }
        let seen = isMeant ? documents.reduce(into: Set<Int>()) { $0.formUnion(self.seen(of: $1, host)) } : []
        try await whileRemoving(seen, of: Array(wanted), on: machine, isWhole: true) {
            try await host.answerDeletions(of: Self.domainName, carryOut: isMeant)
        }
    }

    /// Somebody who sees a file removes it without a word to the host.
    func removePast(_ path: String) {
        asPerson {
            let seen = ledger.number(of: SimulatedDisk.bytes(of: path))
            guard unlink(path) == 0, let seen else { return }
            note("a person removes \(seen) past the host, at \(path)")
            ledger.remove(seen)
        }
    }
}
