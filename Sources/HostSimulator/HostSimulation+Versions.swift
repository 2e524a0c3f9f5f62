import DocumentHost
import DocumentModel
import DocumentStorage

/// Older versions of documents: the newest ten are kept (VER-7), and what they drive out is gone for all that a host owes.
extension HostSimulation {
    /// A host is about to remove a file.
    func noteDropped(_ path: UnsafePointer<CChar>, on machine: Int) {
        let path = String(cString: path)
        guard path.hasPrefix(root(of: machine) + "/.docent/versions/") else { return }
        if let number = asPerson({ ledger.number(of: SimulatedDisk.bytes(of: path)) }) {
            droppedVersions[machine, default: []].insert(number)
        }
    }

    /// Takes in of which documents a machine has as many older versions as are kept.
    func count(_ versions: [DocumentVersion], of document: ItemIdentifier, on machine: Int) {
        guard versions.filter({ $0.kind == .older }).count >= DocumentStore.olderVersions else { return }
        crowded.insert(MachineDocument(machine: machine, id: document))
    }

    /// Whether contents that a document had on the remote were an older version of it on a machine, which has dropped them and
    /// keeps ten others. Nobody had seen them, perhaps: who chose the other side of a conflict, and not these, made them one.
    func isDrivenOut(_ number: Int) -> Bool {
        crowded.contains { document in
            droppedVersions[document.machine]?.contains(number) == true
                && remote.documents(thatHad: ledger.entries[number].bytes).contains { id in
                    // What was made anew has another identifier, and its versions.
                    id == document.id || remote.entries[id] == nil
                }
        }
    }
}
