import CDocentShims
package import DocumentModel
import DocumentWire
import Glibc
package import ProviderLauncher
import SystemPackage

extension RawSession {
    /// Asks for a document's contents, without waiting for them.
    package func provide(_ id: UInt64, _ document: Item, to file: StagingFile) async throws {
        try await ask(id, .startProviding(document.id, stagingPath: file.path.string, contentVersion: []))
    }
}

extension ProviderProcess {
    /// Sends a signal to the process alone, while its session lasts: it was not reaped, so that the number is its own.
    package func send(_ signal: Int32) {
        kill(processID, signal)
    }

    /// Lets the process write files up to a size and no further, as if the disk were full then.
    package func limitFiles(to bytes: UInt64) throws {
        let status = docent_limit_files(processID, bytes)
        guard status == 0 else {
            throw KitError("The provider's files cannot be limited: \(Errno(rawValue: -status)).")
        }
    }
}
