import DocumentHost
import DocumentModel
import DocumentProvider

/// Contents that a machine has given to the provider, which took them.
struct GivenContents {
    /// What the provider was asked by; variants of one name are one.
    var operation: Substring
    var item: ItemIdentifier
}

struct MachineContents: Hashable {
    var device: String
    var number: Int
}

/// What a host has asked for once is not done once more under another name, whatever became of the answers.
extension HostSimulation {
    /// The provider has taken contents that were not there. The same ones from the same machine under another name are a second document, or go
    /// over what others have made of the first: the host does not know any more what it has asked for.
    ///
    /// - Parameter item: that has got them; nil: a new one.
    func checkGiven(_ contents: [UInt8], by device: String, to item: ItemIdentifier?, for operation: String) {
        guard !contents.isEmpty, let number = ledger.number(of: contents),
            let before = given[MachineContents(device: device, number: number)],
            before.operation != Self.name(of: operation), remote.entries[before.item] != nil,
            // Past hosts, and when power fails, files come to the places of other documents.
            item == nil || item == before.item, !isAmbiguous(before, of: device, contents)
        else { return }
        complain(
            "\(device) sends the contents \(number) under two names: for \(before.item), and for \(item?.rawValue ?? "a new document")"
        )
    }

    /// A machine asks the provider to take contents, whether or not that ever hears of it.
    func asks(_ contents: [UInt8]?, by device: String, for operation: String) {
        guard let number = contents.flatMap(ledger.number) else { return }
        asked[device + Self.name(of: operation), default: []].insert(number)
    }

    /// Whether nobody can tell any more which of the contents that were asked for by one name the provider has taken, as others
    /// have written over them: they are in conflict with those, and people may keep both.
    private func isAmbiguous(_ before: GivenContents, of device: String, _ contents: [UInt8]) -> Bool {
        asked[device + before.operation, default: []].count > 1 && remote.entries[before.item]?.contents != contents
    }

    func gave(_ contents: [UInt8], by device: String, as item: ItemIdentifier, for operation: String) {
        guard let number = ledger.number(of: contents) else { return }
        given[MachineContents(device: device, number: number)] = GivenContents(
            operation: Self.name(of: operation), item: item)
    }

    /// Somebody has put these contents elsewhere: there they are to be sent once more.
    func excuse(_ number: Int) { given = given.filter { $0.key.number != number } }

    /// A host that has lost its index knows nothing of what it has asked for.
    func excuse(_ device: String) { given = given.filter { $0.key.device != device } }

    private static func name(of operation: String) -> Substring { operation.prefix { $0 != "-" } }
}
