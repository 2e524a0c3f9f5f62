import DocumentClient
import DocumentModel
import Foundation
import Glibc

/// An attack at the host's socket, by `misbehaving-peer tool`, which also judges what it gets.
struct HostileTool: Sendable {
    let attack: HostAttack
    let machine: HostMachine
    let traffic: AttackTraffic

    func run() async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: machine.peer)
        process.arguments = ["tool", attack.behaviour, machine.address.socket]
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["DOCENT_PEER_TRAFFIC": traffic.folder]
        ) { _, new in new }
        process.currentDirectoryURL = URL(fileURLWithPath: machine.folder + "/work")
        process.standardInput = FileHandle.nullDevice
        let output = "\(machine.folder)/work/\(attack.id).out"
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        guard let file = FileHandle(forWritingAtPath: output) else { throw KitError("“\(output)” cannot be written.") }
        process.standardOutput = file
        process.standardError = file
        do { try process.run() } catch {
            throw KitError("“\(machine.peer)” cannot be started: \(error.localizedDescription)")
        }
        try? file.close()
        let hasEnded: Bool
        do {
            hasEnded = try await eventually(within: attack.limit()) { !process.isRunning }
        } catch {
            kill(process.processIdentifier, SIGKILL)
            throw error
        }
        guard hasEnded else {
            kill(process.processIdentifier, SIGKILL)
            throw CheckFailure("The host keeps the tool waiting for ever.")
        }
        let words = FileManager.default.contents(atPath: output).map {
            String(decoding: $0.suffix(2000), as: UTF8.self)
        }
        switch process.terminationStatus {
        case 0: break
        case 1: throw CheckFailure("The host does not stand it.", detail: words ?? "")
        default: throw KitError("The tool failed with status \(process.terminationStatus): \(words ?? "")")
        }
        let machine = machine
        try await within(
            HostMachine.patience, else: CheckFailure("The host does not answer afterwards.", detail: machine.logTail)
        ) {
            _ = try await machine.ask { try await $0.hostStatus() }
        }
    }
}
