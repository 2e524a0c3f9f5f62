import DocumentHost
import DocumentModel
import Glibc
import SystemPackage

/// What comes into the domain from elsewhere on a machine (CONT-7).
extension HostSimulation {
    /// Where people have files that are no documents yet; on the same disk.
    func outside(of machine: Int) -> String { "\(root(of: machine))-outside" }

    func moveIn(
        to place: Location, _ step: HostScenario.Step, _ host: DocumentHost, _ machine: Int
    ) async throws {
        guard let source = makeFile("\(step.time)-\(step.pick)", step, machine) else { return }
        _ = try await host.moveIn(FilePath(source), to: place)
    }

    func moveFolderIn(
        to place: Location, _ step: HostScenario.Step, _ host: DocumentHost, _ machine: Int,
        ending: String = ""
    ) async throws {
        let folder = "\(step.time)-\(step.pick)\(ending)"
        asPerson { for name in ["", "/" + folder] { _ = mkdir(outside(of: machine) + name, 0o700) } }
        for name in Self.names.prefix(1 + step.other % 3) { _ = makeFile("\(folder)/\(name)", step, machine) }
        _ = try await host.moveIn(FilePath("\(outside(of: machine))/\(folder)"), to: place)
    }

    /// A file that is safe on its disk.
    private func makeFile(_ name: String, _ step: HostScenario.Step, _ machine: Int) -> String? {
        let new = ledger.make(size: step.other * 4)
        let path = "\(outside(of: machine))/\(name)"
        let isMade = asPerson {
            _ = mkdir(outside(of: machine), 0o700)
            guard Self.write(new.bytes, to: path) else { return false }
            for part in [path, FilePath(path).removingLastComponent().string, outside(of: machine)] {
                let file = Glibc.open(part, O_RDONLY | O_CLOEXEC)
                guard file >= 0 else { return false }
                defer { close(file) }
                guard fsync(file) == 0 else { return false }
            }
            return true
        }
        guard isMade else { return nil }
        note("a person has \(new.number) in \(name)")
        ledger.acknowledge(new.number)
        return path
    }
}
