import DocumentHost
import DocumentModel

/// Contents leave machines, and can be had all the same (XFER-13).
extension HostSimulation {
    /// The provider has said what it has of an item.
    func looked(by device: String) {
        if let machine = Int(device.dropFirst()) { looks[machine, default: 0] += 1 }
    }

    /// What somebody is told is evicted can be had again, whatever it was; and the remote was asked for it just then.
    func evict(_ place: Location, _ host: DocumentHost, _ machine: Int) async throws {
        let before = looks[machine, default: 0]
        guard try await host.evict(place).documents > 0 else { return }
        if looks[machine, default: 0] == before {
            complain("m\(machine) has evicted \(place), and has not asked whether the remote has it")
        }
    }
}
