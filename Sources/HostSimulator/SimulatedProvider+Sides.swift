import DocumentModel
import DocumentProvider
import SystemPackage

/// A provider whose remote keeps both sides of each conflict.
protocol SimulatedVersionsProvider: SimulatedProvider, VersionsProvider {}

extension SimulatedVersionsProvider {
    func versions(of id: ItemIdentifier) async throws -> [ProvidedVersion] {
        try await call("versions of \(id)") { try remote.sides(of: id).map(\.version) }
    }

    func provideVersion(
        _ versionID: String, of id: ItemIdentifier, at stagingFile: FilePath, transfer: Transfer
    ) async throws -> ProvidedVersion {
        try await call("fetch version \(versionID.prefix(6)) of \(id)") {
            guard let side = try remote.sides(of: id).first(where: { $0.id == versionID }) else {
                throw DocumentError(.versionNoLongerAvailable, "There is no such version.")
            }
            var bytes = side.contents
            if simulation.flipsBit(), !bytes.isEmpty { bytes[bytes.count / 2] ^= 4 }
            try transfer.write(bytes, to: stagingFile)
            return side.version
        }
    }

    func keepVersion(_ keeping: VersionKeeping, transfer: Transfer) async throws -> ProvidedVersion {
        try await call("keep version \(keeping.operation.prefix(6)) of \(keeping.id)") {
            let contents = try transfer.read(keeping.contents)
            if simulation.digest(of: contents) != keeping.sha256 {
                simulation.complain("\(context.deviceName) has other contents kept of \(keeping.id) than it says")
            }
            let side = SimulatedRemote.Side(
                id: keeping.operation, contents: contents, modified: keeping.modified, savedBy: keeping.savedBy,
                digest: keeping.sha256)
            return try remote.keep(side, of: keeping.id).version
        }
    }

    func removeVersion(_ versionID: String, of id: ItemIdentifier) async throws {
        try await call("remove version \(versionID.prefix(6)) of \(id)") {
            simulation.checkRemoval(ofSide: versionID, of: id, by: context.deviceName)
            remote.removeSide(versionID, of: id)
        }
    }
}
