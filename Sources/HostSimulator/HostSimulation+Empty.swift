/// Files with nothing in them: no contents that people ever wrote are empty. What is, a program had only just begun as it, or its machine,
/// came to its end.
extension HostSimulation {
    /// A program is about to make a file.
    func beginFile(on machine: Int) { unfinished[machine, default: 0] += 1 }

    /// Its program was told that it is kept, with what was written to it; or that there can be none.
    func endFile(on machine: Int) { unfinished[machine, default: 0] -= 1 }

    /// Whether contents are whole, or nothing because nobody has come so far, or what the power has left of a program's writing.
    func isWhole(_ bytes: [UInt8]) -> Bool {
        bytes.isEmpty
            ? unfinished.values.contains { $0 > 0 } : ledger.number(of: bytes) != nil || torn.contains(bytes)
    }

    /// A machine gives the remote contents that have nothing in them.
    func checkEmpty(_ contents: [UInt8], by device: String) {
        guard contents.isEmpty else { return }
        // It may be a copy of what came from another machine.
        let isMeant = Int(device.dropFirst()).map { unfinished[$0, default: 0] > 0 } ?? false
        guard isMeant || hasEmpty else { return complain("\(device) sends nothing as contents") }
        hasEmpty = true
    }
}
