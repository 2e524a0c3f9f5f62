import DocumentModel

/// What others do at the provider's own place.
extension HostSimulation {
    func performThere(_ step: HostScenario.Step) {
        let ids = remote.entries.keys.sorted()
        let documents = ids.filter { remote.entries[$0]?.contents != nil }
        let folders = [ItemIdentifier.root] + ids.filter { remote.entries[$0]?.contents == nil }
        let folder = folders[step.other % folders.count]
        let document = documents.isEmpty ? nil : documents[step.pick % documents.count]
        do {
            let name = try ItemName(Self.names[step.other % Self.names.count])
            switch step.action {
            case .createThere, .createLargeThere:
                let new = step.action == .createThere ? ledger.make(size: step.other * 3) : makeLarge(step)
                _ = try remote.create(
                    name, in: folder, contents: new.bytes, modified: date, savedBy: "there", operation: nil)
                ledger.acknowledge(new.number)
            case .editThere, .editLargeThere: if let document { try editThere(document, step) }
            case .moveThere:
                if let document { _ = try remote.modify(document, base: .none, name: name, parent: folder) }
            case .removeThere:
                guard let document else { return }
                if let there = remote.entries[document]?.contents.flatMap(ledger.number) { ledger.remove(there) }
                try remote.delete(document, base: .none, recursive: false)
            case .makePackageThere, .makePartThere, .editPartThere, .movePackageThere, .removePackageThere:
                try performThere(step, onPackagesIn: folders)
            case .createLikeThere, .moveLikeThere: try performThere(step, onNamesOf: documents)
            default: try performThere(step, onFolders: folders)
            }
            let place = document.map { " \($0), now \(remote.path(of: $0))" } ?? ""
            note("others \(step.action)\(place)")
        } catch {
            note("others \(step.action): \(error)")
        }
    }

    func editThere(_ document: ItemIdentifier, _ step: HostScenario.Step) throws {
        let isLarge = step.action == .editLargeThere || step.action == .giveUpComing
        let new = isLarge ? makeLarge(step) : ledger.make(size: step.other * 3)
        if let there = remote.entries[document]?.contents.flatMap(ledger.number) {
            ledger.replace(there, by: new.number)
        }
        _ = try remote.modify(document, base: .none, contents: new.bytes, modified: date, savedBy: "there")
        ledger.acknowledge(new.number)
    }
}
