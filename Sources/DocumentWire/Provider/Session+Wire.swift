package import DocumentModel
import SwiftProtobuf

extension SessionSettings {
    /// Reads and checks serialised `SessionSettings`.
    ///
    /// - Throws: `protocolViolation`, or `invalidArgument` with what is wrong.
    package init(serialized bytes: [UInt8]) throws(DocumentError) {
        let wire = try WireProviderSessionSettings.decoded(from: bytes, as: "The session's settings")
        self.init(
            providerID: try ProviderIdentifier(wire.providerID),
            domain: try DomainName(wire.domain),
            settings: try Checks.settings(wire.settings),
            stateFolder: try Checks.absolutePath(wire.stateFolder, "The state folder"),
            storageRoot: try Checks.absolutePath(wire.storageRoot, "The document storage root"),
            stagingFolder: try Checks.absolutePath(wire.stagingFolder, "The staging folder"),
            deviceName: Checks.displayable(wire.deviceName, limit: 256)
        )
    }

    package func serialized() -> [UInt8] {
        WireProviderSessionSettings.with {
            $0.providerID = providerID.rawValue
            $0.domain = domain.rawValue
            $0.settings = settings
            $0.stateFolder = stateFolder
            $0.storageRoot = storageRoot
            $0.stagingFolder = stagingFolder
            $0.deviceName = deviceName
        }.encoded()
    }
}

extension SessionCapabilities {
    /// Reads and checks serialised `SessionCapabilities`. Names that are not known are ignored.
    ///
    /// - Throws: `protocolViolation` or `contractBroken`.
    package init(serialized bytes: [UInt8]) throws(DocumentError) {
        let wire = try WireProviderSessionCapabilities.decoded(from: bytes, as: "A provider's capabilities")
        let rootID = try blaming(.contractBroken, ProviderReply.blame()) { () throws(DocumentError) in
            wire.rootID.isEmpty ? .root : try ItemIdentifier(wire.rootID)
        }
        self.init(capabilities: Set(wire.capabilities.compactMap(ProviderCapability.init)), rootID: rootID)
    }

    package func serialized() -> [UInt8] {
        WireProviderSessionCapabilities.with {
            $0.capabilities = capabilities.sorted().map(\.rawValue)
            $0.rootID = rootID == .root ? "" : rootID.rawValue
        }.encoded()
    }
}
