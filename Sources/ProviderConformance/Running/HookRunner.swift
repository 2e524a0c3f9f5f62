import Foundation
import SystemPackage

/// Runs the programs that a configuration names.
struct HookRunner: Sendable {
    let folder: KitFolder
    let configurationFolder: String
    let limit: Duration
    let environment: [String: String]

    /// What a hook ends with that cannot do what is wanted of it.
    private static let cannot: Int32 = 77

    /// Runs a program with arguments to its end.
    ///
    /// - Throws: ``KitError`` when it fails or does not end in time; ``CheckSkip`` when it says that it cannot.
    func run(_ words: [String]) async throws {
        let words = words.map { folder.filled($0, configurationFolder) }
        guard let program = words.first else { throw KitError("A hook in the configuration is empty.") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.currentDirectoryURL = URL(fileURLWithPath: folder.work.string)
        process.environment = environment.merging([
            "DOCENT_CONFORMANCE_WORK": folder.work.string, "DOCENT_CONFORMANCE_CONFIG": configurationFolder,
        ]) { $1 }
        process.standardInput = FileHandle.nullDevice
        let output = folder.path.appending("hook-output")
        _ = FileManager.default.createFile(atPath: output.string, contents: nil)
        guard let file = FileHandle(forWritingAtPath: output.string) else {
            throw KitError("The hook “\(program)” cannot be run: “\(output)” cannot be written.")
        }
        process.standardOutput = file
        process.standardError = file
        do {
            try process.run()
        } catch {
            throw KitError("The hook “\(program)” cannot be run: \(error.localizedDescription)")
        }
        try? file.close()
        guard try await hasEnded(process) else { throw KitError("The hook “\(program)” did not end in time.") }
        if process.terminationReason == .exit, process.terminationStatus == Self.cannot {
            throw CheckSkip("The hook “\(program)” cannot do it for “\(words.last ?? "")”.")
        }
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            let words = FileManager.default.contents(atPath: output.string)
                .map { String(decoding: $0.suffix(1000), as: UTF8.self) }
            throw KitError("The hook “\(program)” failed with status \(process.terminationStatus): \(words ?? "")")
        }
    }

    /// As ``run(_:)``, and to its end also when whoever asks for it is interrupted: it undoes what another hook did.
    func undo(_ words: [String]) async throws {
        try await Task { try await run(words) }.value
    }

    /// Waits for a program. One that takes too long, or nobody waits for any more, is killed. What it has started
    /// itself is its own affair.
    private func hasEnded(_ process: Process) async throws -> Bool {
        do {
            if try await eventually(within: limit, { !process.isRunning }) { return true }
            await end(process)
            return false
        } catch {
            await end(process)
            throw error
        }
    }

    private func end(_ process: Process) async {
        kill(process.processIdentifier, SIGKILL)
        _ = await Task { try await eventually(within: .seconds(5)) { !process.isRunning } }.result
    }
}
