import DocumentHost
import DocumentModel
import DocumentProvider

/// What must reach hosts, and the remote, just once.
extension HostSimulation {
    /// Others change a little more, when all is quiet: each host hears of it from the feed alone, without a listing.
    func checkNews() {
        do {
            let documents = remote.entries.filter { $0.value.contents != nil }.map(\.key).sorted()
            for (number, id) in documents.prefix(2).enumerated() {
                if number == 0 {
                    try remote.delete(id, base: .none, recursive: false)
                } else {
                    _ = try remote.modify(id, base: .none, name: ItemName("renamed"), parent: .root)
                }
            }
            _ = try remote.create(
                ItemName("news"), in: .root, contents: ledger.make(size: 10).bytes, modified: date, savedBy: "there",
                operation: nil)
        } catch {
            return complain("others cannot change anything: \(error)")
        }
        note("others have changed a little more")
        run(until: time + 5 * 60_000_000_000)
        askAll { [self] host in
            let shown = Set(await everything(of: host).map { "/" + $0.location.relativePath })
            let name = host.rootPath.lastComponent?.string ?? ""
            for path in shown.symmetricDifference(remote.tree().keys).sorted().prefix(1) {
                complain(
                    shown.contains(path) ? "\(name) shows \(path), which is gone" : "\(name) has not heard of \(path)")
            }
        }
    }

    /// The provider has taken contents from a host. What it has taken once it is not to be given as another document's while
    /// the one that has got them is there.
    func took(_ bytes: [UInt8]?, as id: ItemIdentifier, isNew: Bool) {
        guard let number = bytes.flatMap(ledger.number) else { return }
        let before = taken.updateValue(id, forKey: number)
        // Who has lost the index, or cannot write it, does not know what was taken.
        guard isNew, !hasLostIndex, scenario.faults.badDisk == 0, let before, before != id,
            remote.entries[before] != nil
        else { return }
        complain("the contents \(number) are given to the provider as \(id), which are \(before)'s already")
    }
}
