import DocumentModel
import SwiftProtobuf

extension ProvidedVersion {
    init(_ wire: WireProviderProvidedVersion) throws(DocumentError) {
        guard wire.size >= -1 else { throw Checks.refusal("A version cannot have a size of \(wire.size) bytes.") }
        let digest = Array(wire.sha256)
        guard digest.isEmpty || digest.count == 32 else {
            throw Checks.refusal("A SHA-256 has 32 bytes, or is left out: \(digest.count) bytes are none.")
        }
        self.init(
            id: try Checks.versionIdentifier(wire.id), role: try Role(wire.role), size: wire.size < 0 ? nil : wire.size,
            modified: try Timestamp(wire.modified),
            savedBy: wire.savedBy.isEmpty ? nil : Checks.displayable(wire.savedBy, limit: 256),
            sha256: digest.isEmpty ? nil : digest)
    }
}

extension WireProviderProvidedVersion {
    init(_ version: ProvidedVersion) {
        self.init()
        id = version.id
        role = WireProviderVersionRole(version.role)
        size = version.size ?? -1
        modified = WireModelTimestamp(version.modified)
        savedBy = version.savedBy ?? ""
        sha256 = collected(version.sha256 ?? [])
    }
}

extension ProvidedVersion.Role {
    fileprivate init(_ wire: WireProviderVersionRole) throws(DocumentError) {
        switch wire {
        case .conflict: self = .conflict
        case .older: self = .older
        case .unspecified, .UNRECOGNIZED: throw Checks.refusal("\(wire.rawValue) is not a role of a version.")
        }
    }
}

extension WireProviderVersionRole {
    fileprivate init(_ role: ProvidedVersion.Role) {
        switch role {
        case .conflict: self = .conflict
        case .older: self = .older
        }
    }
}

extension ProviderCall.ProvideVersionCall {
    init(_ wire: WireProviderProvideVersion) throws(DocumentError) {
        self.init(
            id: try ItemIdentifier(wire.id), versionID: try Checks.versionIdentifier(wire.versionID),
            stagingPath: try Checks.absolutePath(wire.stagingPath, "A staging file"))
    }
}

extension WireProviderProvideVersion {
    init(_ call: ProviderCall.ProvideVersionCall) {
        self.init()
        id = call.id.rawValue
        versionID = call.versionID
        stagingPath = call.stagingPath
    }
}

extension ProviderCall.KeepVersionCall {
    init(_ wire: WireProviderKeepVersion) throws(DocumentError) {
        guard wire.sha256.count == 32 else {
            throw Checks.refusal(
                "A version was to be kept with a SHA-256 of \(wire.sha256.count) bytes, where one has 32.")
        }
        self.init(
            id: try ItemIdentifier(wire.id),
            contentsPath: try Checks.absolutePath(wire.contentsPath, "A contents file"),
            role: try ProvidedVersion.Role(wire.role), modified: try Timestamp(wire.modified),
            savedBy: Checks.displayable(wire.savedBy, limit: 256), sha256: Array(wire.sha256),
            operation: try Checks.operation(wire.operation))
    }
}

extension WireProviderKeepVersion {
    init(_ call: ProviderCall.KeepVersionCall) {
        self.init()
        id = call.id.rawValue
        contentsPath = call.contentsPath
        role = WireProviderVersionRole(call.role)
        modified = WireModelTimestamp(call.modified)
        savedBy = call.savedBy
        sha256 = collected(call.sha256)
        operation = call.operation
    }
}
