package import DocumentModel
import DocumentWire
import ProviderLauncher
import SystemPackage

extension ConformanceSession {
    package func versions(of id: ItemIdentifier) async throws -> [ProvidedVersion] {
        guard case .listVersions(let versions) = try await ask(.listVersions(id)) else { throw wrongKind }
        return versions
    }

    /// Has contents kept beside a document.
    package func keepVersion(
        of id: ItemIdentifier, contents: [UInt8], role: ProvidedVersion.Role = .conflict,
        operation: String = operationName()
    ) async throws -> ProvidedVersion {
        let file = try folder.newFile(contents: contents)
        defer { file.remove() }
        let call = ProviderCall.KeepVersionCall(
            id: id, contentsPath: file.path.string, role: role, modified: Self.keptTime, savedBy: Self.keptBy,
            sha256: try FileDigest.bytes(of: file.path), operation: operation)
        guard case .keepVersion(let version) = try await ask(.keepVersion(call)) else { throw wrongKind }
        return version
    }

    package func contents(of version: ProvidedVersion, of id: ItemIdentifier) async throws -> [UInt8] {
        let file = try folder.newStagingFile()
        defer { file.remove() }
        let call = ProviderCall.ProvideVersionCall(id: id, versionID: version.id, stagingPath: file.path.string)
        guard case .provideVersion(let given) = try await ask(.provideVersion(call)) else { throw wrongKind }
        let bytes = try file.bytes()
        if let size = given.size, size != bytes.count {
            throw CheckFailure(
                "The staging file has another size than the answer to ProvideVersion says.",
                detail: "\(id): \(bytes.count) bytes are there, \(size) were promised.")
        }
        return bytes
    }

    package func removeVersion(_ versionID: String, of id: ItemIdentifier) async throws {
        guard case .removeVersion = try await ask(.removeVersion(id, versionID: versionID)) else { throw wrongKind }
    }

    /// What versions are said to be of, when the kit has them kept.
    package static let keptTime = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
    package static let keptBy = "a device of the kit"
}
