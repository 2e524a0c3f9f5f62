import CHostSimulation
import DocumentSimulator
import Glibc

/// What becomes of a change of a file.
extension HostSimulation {
    private func machine(of path: UnsafePointer<CChar>) -> Int? {
        let rest = path.advanced(by: folder.utf8.count)
        guard rest[0] == CChar(UInt8(ascii: "m")) else { return nil }
        let machine = Int(rest[1]) - Int(UInt8(ascii: "0"))
        return lives.indices.contains(machine) ? machine : nil
    }

    func before(_ change: simulation_change) -> Int32 {
        guard let machine = machine(of: change.path) else { return 0 }
        if let life = lives[machine], !isPerson {
            if life.isDying { return EIO }
            if random.once(in: faults.death) {
                life.isDying = true
                life.losesPower = random.once(in: 2)
                life.losesIndex = life.losesPower && random.once(in: 8)
                return EIO
            }
            if let error = failure(of: change, machine) { return error }
        }
        if change.kind == SIMULATION_UNLINK, !isPerson { noteDropped(change.path, on: machine) }
        disks[machine].willChange(change)
        return 0
    }

    private func failure(of change: simulation_change, _ machine: Int) -> Int32? {
        let takesRoom =
            [SIMULATION_CREATE, SIMULATION_WRITE, SIMULATION_MAKE_FOLDER].contains(change.kind)
        if machine == 0, takesRoom, let full = faults.fullDisk, full.contains(milliseconds) { return ENOSPC }
        if change.kind != SIMULATION_ATTRIBUTES, random.once(in: faults.badDisk) { return EIO }
        return nil
    }

    func after(_ change: simulation_change) {
        guard let machine = machine(of: change.path) else { return }
        mix(UInt64(change.kind.rawValue) &* 31 &+ UInt64(change.size))
        mix(String(cString: change.path.advanced(by: folder.utf8.count)))
        let other = change.other.map { " to \(String(cString: $0.advanced(by: folder.utf8.count)))" } ?? ""
        note(
            "    file \(change.kind.rawValue) \(String(cString: change.path.advanced(by: folder.utf8.count)))\(other) \(change.size)"
        )
        if !isCalm, change.kind == SIMULATION_FLUSH, mistake?.skipsFlush(of: String(cString: change.path)) == true {
            return
        }
        disks[machine].changed(change)
        simulation_touched(change.file, change.file < 0 ? change.other ?? change.path : nil)
        guard [SIMULATION_WRITE, SIMULATION_TRUNCATE, SIMULATION_CREATE].contains(change.kind) else { return }
        // The system's own clock is another one.
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        futimens(change.file, [now, now])
    }
}
