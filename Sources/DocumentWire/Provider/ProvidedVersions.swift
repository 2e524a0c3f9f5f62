package import DocumentModel

extension ProviderCall {
    /// The checked form of `docent.provider.v1.ProvideVersion`.
    package struct ProvideVersionCall: Hashable, Sendable {
        package var id: ItemIdentifier
        package var versionID: String
        package var stagingPath: String

        package init(id: ItemIdentifier, versionID: String, stagingPath: String) {
            self.id = id
            self.versionID = versionID
            self.stagingPath = stagingPath
        }
    }

    /// The checked form of `docent.provider.v1.KeepVersion`.
    package struct KeepVersionCall: Hashable, Sendable {
        package var id: ItemIdentifier
        package var contentsPath: String
        package var role: ProvidedVersion.Role
        package var modified: Timestamp
        /// Empty where it is not known.
        package var savedBy: String
        /// 32 bytes.
        package var sha256: [UInt8]
        package var operation: String

        package init(
            id: ItemIdentifier, contentsPath: String, role: ProvidedVersion.Role, modified: Timestamp, savedBy: String,
            sha256: [UInt8], operation: String
        ) {
            self.id = id
            self.contentsPath = contentsPath
            self.role = role
            self.modified = modified
            self.savedBy = savedBy
            self.sha256 = sha256
            self.operation = operation
        }
    }

    /// What is wrong with a list of versions as a whole: in one sentence, or nil.
    package static func fault(of versions: [ProvidedVersion]) -> String? {
        guard versions.count <= ProvidedVersion.mostOfOneDocument else {
            return
                "The provider listed \(versions.count) versions of a document, where \(ProvidedVersion.mostOfOneDocument) are the most."
        }
        guard Set(versions.map(\.id)).count == versions.count else {
            return "The provider listed two versions of a document under one identifier."
        }
        return nil
    }
}
