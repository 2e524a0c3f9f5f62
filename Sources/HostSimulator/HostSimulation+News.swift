import DocumentHost
import DocumentModel
import DocumentProvider

/// What must reach hosts, and the remote, just once.
extension HostSimulation {
    /// Others change a little more, when all is quiet: each host hears of it from the feed alone, without a listing; or, where there
    /// is no feed, lists by itself what somebody has looked at.
    func checkNews() {
        if !scenario.hasFeed { askAll { [self] host in _ = await everything(of: host) } }
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
        // A folder is listed again after ten minutes, and a fourth of that; one after the other.
        run(until: time + (scenario.hasFeed ? 5 : 30) * 60_000_000_000)
        // What goes on the remote by one machine's yes may be asked about on another one, and not all of it goes at once.
        for _ in 0..<2 * lives.count where scenario.asksBeforeDeleting {
            askAll { host in try? await host.answerDeletions(of: Self.domainName, carryOut: true) }
            run(until: time + 60_000_000_000)
        }
        askAll { [self] host in
            let all = await scenario.hasFeed ? everything(of: host) : allKnown(of: host)
            let shown = Set(all.map { "/" + $0.location.relativePath })
            let name = host.rootPath.lastComponent?.string ?? ""
            for path in shown.symmetricDifference(remote.tree().keys).sorted().prefix(1) {
                complain(
                    shown.contains(path) ? "\(name) shows \(path), which is gone" : "\(name) has not heard of \(path)")
            }
        }
    }

    /// All that a host knows, and shows without asking its provider.
    private func allKnown(of host: DocumentHost) async -> [ItemStatus] {
        var all: [ItemStatus] = []
        var folders = [Location(domain: Self.domainName)]
        while let folder = folders.popLast() {
            var page: PageToken?
            repeat {
                guard let items = try? await host.knownItems(in: folder, page: page, suggestedCount: 100) else { break }
                all += items.items
                folders += items.items.filter { $0.item.kind != .document }.map(\.location)
                page = items.next
            } while page != nil
        }
        return all
    }

    /// The provider has made a document. What it made for an operation it is not to make once more, when it is asked again,
    /// beside the one that is there: hosts ask for the same under another name, where the first one is taken.
    func made(_ id: ItemIdentifier, for operation: String) {
        let operation = operation.prefix { $0 != "-" }
        guard let before = made.updateValue(id, forKey: String(operation)), before != id,
            remote.entries[before] != nil
        else { return }
        complain("what is asked for once is made twice: as \(before), and as \(id)")
    }
}
