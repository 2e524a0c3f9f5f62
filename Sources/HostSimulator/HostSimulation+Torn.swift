/// What a program leaves half on the disk when the power fails, no host can make whole: nobody has said yet that it is kept. It may
/// come to the remote as any edit does; what was there before it is to be had all the same.
extension HostSimulation {
    /// A program begins to write over a file.
    func beginOverwriting(with number: Int, on machine: Int) { overwriting[machine, default: []].insert(number) }

    /// It was told that what it wrote is kept: from then on nothing of it is lost.
    func endOverwriting(with number: Int, on machine: Int) { overwriting[machine]?.remove(number) }

    /// - Parameter paths: files of which a part was lost.
    func noteTorn(_ paths: [String], on machine: Int) {
        for path in paths {
            let bytes = SimulatedDisk.bytes(of: path)
            let isOverwritten = overwriting[machine, default: []].contains { number in
                bytes.starts(with: ledger.entries[number].bytes)
            }
            if isOverwritten, ledger.number(of: bytes) == nil { torn.insert(bytes) }
        }
    }
}
