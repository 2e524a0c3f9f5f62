import DocumentHost
import DocumentModel
import Glibc
import SystemPackage

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
    /// - Parameter isWhole: a folder: some of it may be gone when the rest is refused.
    func whileRemoving(
        _ seen: Set<Int>, from host: DocumentHost, isWhole: Bool = false, _ body: () async throws -> Void
    ) async throws {
        removing.insert(host.rootPath.lastComponent?.string ?? "")
        ledger.beginRemoving(seen)
        note("a person removes \(seen.sorted())")
        do {
            try await body()
        } catch {
            let refusals: Set<DocumentError.Code> = [
                .unsyncedEdits, .inConflict, .versionNoLongerAvailable, .noSuchItem,
            ]
            let isRefused = (error as? DocumentError).map { refusals.contains($0.code) } ?? false
            ledger.endRemoving(seen, isRefused && !isWhole ? .refused : nil)
            throw error
        }
        ledger.endRemoving(seen, .done)
    }

    /// Somebody who sees a file removes it without a word to the host.
    func removePast(_ path: String, of host: DocumentHost) {
        removing.insert(host.rootPath.lastComponent?.string ?? "")
        asPerson {
            let seen = ledger.number(of: SimulatedDisk.bytes(of: path))
            guard unlink(path) == 0, let seen else { return }
            note("a person removes \(seen) past the host, at \(path)")
            ledger.remove(seen)
        }
    }
}
