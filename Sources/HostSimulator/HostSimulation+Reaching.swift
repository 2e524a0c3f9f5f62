import CHostSimulation
import DocumentHost
import DocumentModel
import SystemPackage

/// What people can get at: contents that lie somewhere below a machine's root are lost when nobody is told of them.
extension HostSimulation {
    /// Takes in what a machine's host shows, and what lies among the documents or outside.
    func reach(into host: DocumentHost, _ machine: Int) async {
        // What the status tells of may be in a folder that is not listed any more.
        let told = (try? await host.status(below: Location(domain: Self.domainName)))?.items ?? []
        var paths: [String] = []
        for status in await everything(of: host) + told where status.item.kind == .document {
            let versions = (try? await host.versions(at: status.location)) ?? []
            paths += versions.compactMap(\.path)
            count(versions, of: status.item.id, on: machine)
        }
        for document in (try? host.trash(.all).documents) ?? [] {
            paths.append("\(host.rootPath)/.docent/trash/\(Self.domain)/\(document.id)")
        }
        asPerson {
            // Also what belongs to no document: people find it where they have put it.
            paths += SimulatedDisk.files(below: "\(host.rootPath)/documents").filter { !$0.contains("/.docent") }
            paths += SimulatedDisk.files(below: outside(of: machine))
            reached.formUnion(paths.compactMap { ledger.number(of: SimulatedDisk.bytes(of: $0)) })
        }
    }

    /// A file that nobody is told of, with these contents.
    func hiddenFile(of number: Int) -> String? {
        let files = lives.indices.lazy.flatMap { SimulatedDisk.files(below: self.root(of: $0)) }
        return files.first { self.ledger.number(of: SimulatedDisk.bytes(of: $0)) == number }
    }
}
